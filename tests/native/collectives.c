/* Collectives of many devices in random order of arrival, and devices that fail: for ThreadSanitizer too.

       cc -pthread -fsanitize=thread -Iruntime/native tests/native/collectives.c runtime/native/{collectives,processes}.c
       ./a.out 10000

   The devices are of one process, and then of several, which talk by an MPI of threads (`fake_mpi.h`).

   Every device makes the same calls, drawn by one seed, and knows what each has to give.  Exits with 1 where one is wrong. */

#define _GNU_SOURCE

#include "collectives.h"
#include "fake_mpi.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LONGEST = 6000 };

typedef struct {
    Launch *launch;
    int64_t device, times, failing; /* the device that fails half way; -1 where none does */
    int axes;
    int64_t sizes[MESH_AXES], strides[MESH_AXES];
    int64_t status, done;
} Run;

/* The clock of `signals.c`, which belongs to Python. */
int64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* What a device puts down in a turn: sums of these have roundings that depend on the order. */
static double number(int64_t device, int64_t turn, int64_t k)
{
    return 1.0 / (double)(3 + device * 7 + (turn + k) % 11);
}

static double wanted(const Run *run, int axis, int64_t operation, int64_t turn, int64_t count, int64_t k)
{
    int64_t stride = run->strides[axis], size = run->sizes[axis];
    int64_t index = run->device / stride % size, first = run->device - index * stride;
    if (operation == GATHER)
        return number(first + k / count * stride, turn, k % count);
    if (operation == EXCHANGE)
        return number(first + k / (count / size) * stride, turn, index * (count / size) + k % (count / size));
    if (operation == PERMUTE)
        return index == 0 ? 0.0 : number(first + (index - 1) * stride, turn, k);
    int64_t at = operation == SCATTER ? index * (count / size) + k : k;
    double total = number(first, turn, at);
    for (int64_t j = 1; j < size; j++) {
        double more = number(first + j * stride, turn, at);
        if (operation == ALL_SUM || operation == SCATTER)
            total += more;
        else if (operation == ALL_MAX ? more > total : more < total)
            total = more;
    }
    return total;
}

static int64_t length_of_result(int64_t operation, int64_t count, int64_t size)
{
    return operation == GATHER ? count * size : operation == SCATTER ? count / size : count;
}

/* One collective, and whether its result is right; a status beside 0 is passed on. */
static int64_t take_turn(Run *run, uint64_t *drawn, double *in, double *out, int64_t turn)
{
    int axis = (int)(next(drawn) % (uint64_t)run->axes);
    int64_t operation = (int64_t)(next(drawn) % (PERMUTE + 1)), size = run->sizes[axis];
    int64_t longest = next(drawn) % 16 == 0 ? LONGEST : 40, step = 1 + (int64_t)(next(drawn) % 2);
    int64_t count = (1 + (int64_t)next(drawn) % longest) / size * size + size;
    for (int64_t k = 0; k < count; k++)
        in[k * step] = number(run->device, turn, k);
    int64_t index = run->device / run->strides[axis] % size;
    int64_t status =
        pellucid_collective(axis, operation, F64, count, (char *)in, step, (char *)out, index - 1);
    memset(in, 0, (size_t)(2 * count) * sizeof *in); /* nobody reads it any more */
    for (int64_t k = 0; status == 0 && k < length_of_result(operation, count, size); k++)
        if (out[k] != wanted(run, axis, operation, turn, count, k)) {
            fprintf(stderr, "device %ld, turn %ld, operation %ld: wrong\n", (long)run->device, (long)turn, (long)operation);
            exit(1);
        }
    return status;
}

static void *program(void *given)
{
    Run *run = given;
    uint64_t drawn = 42, own = (uint64_t)run->device + 1;
    double *in = calloc(2 * (LONGEST + 2 * MESH_DEVICES), sizeof *in);
    double *out = calloc((LONGEST + 2 * MESH_DEVICES) * 4, sizeof *out);
    take_seat(run->launch, run->device, NULL);
    for (int64_t turn = 0; turn < run->times && run->status == 0; turn++) {
        if (next(&own) % 64 == 0)
            sched_yield();
        if (run->device == run->failing && turn == run->times / 2)
            run->status = 100;
        else
            run->status = take_turn(run, &drawn, in, out, turn);
        run->done = turn;
    }
    leave_seat(run->status != 0);
    free(in);
    free(out);
    return NULL;
}

/* The launch of each of several processes, which have the devices in turns. */
static void launch_in_all(int axes, const int64_t *sizes, int64_t processes, Team **teams, Launch **launches)
{
    static int64_t communicators = 1;
    int process_of[MESH_DEVICES];
    int64_t devices = 1;
    for (int axis = 0; axis < axes; axis++)
        devices *= sizes[axis];
    for (int64_t device = 0; device < devices; device++)
        process_of[device] = (int)(device % processes);
    int64_t communicator = communicators++ * PROCESSES;
    for (int own = 0; own < processes; own++) {
        teams[own] = processes == 1 ? NULL : new_team(communicator + own, own, devices, process_of, 1000, 10);
        launches[own] = new_launch_of_team(axes, sizes, teams[own]);
        begin_meetings(launches[own]);
    }
}

static void require_blame(Launch *launch, int64_t failing)
{
    if (blamed_device(launch) != failing) {
        fprintf(stderr, "device %ld is blamed, not %ld\n", (long)blamed_device(launch), (long)failing);
        exit(1);
    }
}

static void run_all(int axes, const int64_t *sizes, int64_t times, int64_t failing, int64_t processes)
{
    pthread_t threads[MESH_DEVICES];
    Run runs[MESH_DEVICES];
    Team *teams[MESH_DEVICES];
    Launch *launches[MESH_DEVICES];
    launch_in_all(axes, sizes, processes, teams, launches);
    int64_t devices = 0;
    for (int64_t own = 0; own < processes; own++)
        devices += devices_of(launches[own]);
    for (int64_t device = 0; device < devices; device++) {
        Run *run = &runs[device];
        *run = (Run){.launch = launches[device % processes], .device = device, .times = times, .failing = failing, .axes = axes};
        int64_t stride = 1;
        for (int axis = axes - 1; axis >= 0; axis--) {
            run->sizes[axis] = sizes[axis];
            run->strides[axis] = stride;
            stride *= sizes[axis];
        }
        pthread_create(&threads[device], NULL, program, run);
    }
    for (int64_t device = 0; device < devices; device++)
        pthread_join(threads[device], NULL);
    for (int64_t own = 0; own < processes; own++)
        require_blame(launches[own], failing);
    for (int64_t device = 0; device < devices; device++) {
        int64_t wanted_status = failing < 0 ? 0 : device == failing ? 100 : OTHER_FAILED;
        if (runs[device].status != wanted_status) {
            fprintf(stderr, "device %ld ended with %ld\n", (long)device, (long)runs[device].status);
            exit(1);
        }
    }
    for (int64_t own = 0; own < processes; own++) {
        release_launch(launches[own]);
        if (teams[own] != NULL)
            close_team(teams[own]);
    }
}

int main(int count, char **given)
{
    int64_t times = count > 1 ? atoll(given[1]) : 1000;
    run_all(1, (int64_t[]){1}, times, -1, 1);
    run_all(1, (int64_t[]){2}, times, -1, 1);
    run_all(1, (int64_t[]){4}, times, -1, 1);
    run_all(2, (int64_t[]){2, 3}, times, -1, 1);
    for (int64_t failing = 0; failing < 8; failing++)
        run_all(3, (int64_t[]){2, 2, 2}, times / 20, failing, 1);
    run_all(3, (int64_t[]){2, 2, 2}, times / 10, -1, 1);
    use_fake_mpi();
    run_all(1, (int64_t[]){2}, times, -1, 2);
    run_all(1, (int64_t[]){4}, times / 4, -1, 4);
    run_all(1, (int64_t[]){4}, times / 4, -1, 2);
    run_all(2, (int64_t[]){2, 3}, times / 4, -1, 2);
    run_all(2, (int64_t[]){2, 3}, times / 4, -1, 3);
    for (int64_t failing = 0; failing < 8; failing++)
        run_all(3, (int64_t[]){2, 2, 2}, times / 20, failing, failing % 2 ? 2 : 4);
    run_all(3, (int64_t[]){2, 2, 2}, times / 10, -1, 4);
    puts("all collectives are right");
    return 0;
}
