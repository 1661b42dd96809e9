/* Collectives: the devices of a group meet, and each then makes its own result of what all have put down.

   What is small is copied to a place of the launch before the devices meet, so that they meet once: there are two such
   places for each device, used in turn, and who writes into one for the second time has met the others in between, after
   they have read it.  What is large stays where it is, and the devices meet again before anyone goes on; of a reduction
   each makes its part, and copies those of the others.  Sums are taken in the order of the devices, whoever comes first.

   Only the first meeting of a collective can be left: nobody reads what a device has put down before all have come, and who
   has come to the first will come to the others, since there is nothing to wait for in between. */

#define _GNU_SOURCE

#include "meetings.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    NOBODY = MESH_SIZE, /* in place of a device */
    CHUNK = 512,     /* elements that are summed over all devices before the next */
    TICK = 20000000, /* nanoseconds between looks whether the task has to end */
    SPARES = 8,      /* launches that are kept for the next of the same mesh */
};

typedef struct {
    Launch *launch;
    int64_t device;
    atomic_int *stop;
    bool was_told; /* a collective has returned what is not 0 because of another device */
    const Rehearsal *rehearsal; /* where there is no launch: the mesh that the program is to run on */
    Rehearsed rehearsed;
} Seat;

static _Thread_local Seat seat;
static SpinLock spare_lock;
static Launch *spares[SPARES];

/* --- launches ---------------------------------------------------------------------------------------------------- */

/* The group of an axis that begins with a device; none of its places is used where no device of it is here. */
static bool make_group(Launch *launch, int axis, int64_t first)
{
    Group *group = &launch->groups[axis][first];
    int64_t size = launch->sizes[axis], stride = launch->strides[axis];
    group->size = size;
    for (int64_t k = 0; k < size; k++)
        group->here += launch->team == NULL || seat_of(launch->team, first + k * stride) >= 0;
    if (group->here == 0)
        return true;
    if (group->here < size)
        group->apart = new_apart(launch->team, size, first, stride, axis * launch->devices + first);
    group->posts = aligned_alloc(CACHE_LINE, (size_t)size * 2 * sizeof *group->posts);
    group->rooms = aligned_alloc(CACHE_LINE, (size_t)size * 2 * sizeof *group->rooms);
    return group->posts != NULL && group->rooms != NULL && (group->here == size || group->apart != NULL);
}

static void destroy_launch(Launch *launch)
{
    for (int axis = 0; axis < launch->axes; axis++) {
        for (int64_t device = 0; launch->groups[axis] != NULL && device < launch->devices; device++) {
            free(launch->groups[axis][device].posts);
            free(launch->groups[axis][device].rooms);
            destroy_apart(launch->groups[axis][device].apart);
        }
        free(launch->groups[axis]);
    }
    pthread_mutex_destroy(&launch->mutex);
    pthread_cond_destroy(&launch->news);
    free(launch->turns);
    free(launch);
}

static bool is_first_of_group(const Launch *launch, int axis, int64_t device)
{
    return device / launch->strides[axis] % launch->sizes[axis] == 0;
}

/* NULL where there is no memory. */
static Launch *make_launch(int axes, const int64_t *sizes, Team *team)
{
    Launch *launch = calloc(1, sizeof *launch);
    if (launch == NULL)
        return NULL;
    pthread_mutex_init(&launch->mutex, NULL);
    pthread_cond_init(&launch->news, NULL);
    launch->axes = axes;
    launch->team = team;
    launch->devices = 1;
    for (int axis = axes - 1; axis >= 0; axis--) {
        launch->sizes[axis] = sizes[axis];
        launch->strides[axis] = launch->devices;
        launch->devices *= sizes[axis];
    }
    launch->turns = calloc((size_t)axes * (size_t)launch->devices, sizeof *launch->turns);
    for (int axis = 0; axis < axes; axis++) {
        size_t bytes = (size_t)launch->devices * sizeof(Group);
        launch->groups[axis] = aligned_alloc(CACHE_LINE, bytes);
        bool is_made = launch->groups[axis] != NULL && launch->turns != NULL;
        if (launch->groups[axis] != NULL)
            memset(launch->groups[axis], 0, bytes);
        for (int64_t device = 0; is_made && device < launch->devices; device++)
            if (is_first_of_group(launch, axis, device))
                is_made = make_group(launch, axis, device);
        if (!is_made) {
            destroy_launch(launch);
            return NULL;
        }
    }
    return launch;
}

static Launch *take_spare(int axes, const int64_t *sizes, const Team *team)
{
    Launch *found = NULL;
    lock(&spare_lock);
    for (int k = 0; k < SPARES && found == NULL; k++)
        if (spares[k] != NULL && spares[k]->axes == axes && spares[k]->team == team &&
            memcmp(spares[k]->sizes, sizes, (size_t)axes * sizeof *sizes) == 0) {
            found = spares[k];
            spares[k] = NULL;
        }
    unlock(&spare_lock);
    return found;
}

static void reset(Group *group)
{
    atomic_store_explicit(&group->met, 0, memory_order_relaxed);
    group->is_broken = false;
}

Launch *new_launch(int axes, const int64_t *sizes)
{
    return new_launch_of_team(axes, sizes, NULL);
}

/* For a mesh of so many axes, of these lengths, whose product is at most MESH_SIZE, of the devices of a team, or of this
   process alone where that is NULL; NULL where there is no memory. */
Launch *new_launch_of_team(int axes, const int64_t *sizes, Team *team)
{
    Launch *launch = take_spare(axes, sizes, team);
    if (launch == NULL)
        launch = make_launch(axes, sizes, team);
    if (launch == NULL)
        return NULL;
    atomic_store(&launch->references, 1);
    atomic_store(&launch->has_failed, 0);
    atomic_store(&launch->was_alarmed, 0);
    atomic_store(&launch->blamed, NOBODY);
    launch->number = ENDED;
    memset(launch->turns, 0, (size_t)(axes * launch->devices) * sizeof *launch->turns);
    for (int axis = 0; axis < axes; axis++)
        for (int64_t device = 0; device < launch->devices; device++)
            reset(&launch->groups[axis][device]);
    return launch;
}

Launch *hold_launch(Launch *launch)
{
    atomic_fetch_add_explicit(&launch->references, 1, memory_order_relaxed);
    return launch;
}

/* The last one keeps it for the next launch of the mesh, where there is a place. */
void release_launch(Launch *launch)
{
    if (launch == NULL || atomic_fetch_sub_explicit(&launch->references, 1, memory_order_acq_rel) != 1 || launch->is_lost)
        return;
    lock(&spare_lock);
    for (int k = 0; k < SPARES && launch != NULL; k++)
        if (spares[k] == NULL) {
            spares[k] = launch;
            launch = NULL;
        }
    unlock(&spare_lock);
    if (launch != NULL)
        destroy_launch(launch);
}

/* In a child, whose only thread may have met the lock closed: what is kept stays as it is. */
void forget_spares(void)
{
    memset(spares, 0, sizeof spares);
    unlock(&spare_lock);
}

/* How many devices of the mesh are of this process. */
int64_t devices_of(const Launch *launch)
{
    return launch->team == NULL ? launch->devices : seats_of(launch->team);
}

/* The device of the mesh that is one of this process, by its number among these. */
int64_t device_here(const Launch *launch, int64_t number)
{
    for (int64_t device = number; launch->team != NULL; device++)
        if (seat_of(launch->team, device) == number)
            return device;
    return number;
}

/* The launch goes to the queues: all processes of the team number their launches alike. */
void begin_meetings(Launch *launch)
{
    if (launch->team != NULL)
        launch->number = next_launch(launch->team);
}

/* --- failures ---------------------------------------------------------------------------------------------------- */

static void wake(Launch *launch)
{
    pthread_mutex_lock(&launch->mutex);
    pthread_cond_broadcast(&launch->news);
    pthread_mutex_unlock(&launch->mutex);
}

/* Whoever waits for others gets an answer, in other processes too. */
void fail_launch(Launch *launch)
{
    bool is_first = atomic_exchange(&launch->has_failed, 1) == 0;
    wake(launch);
    if (is_first && launch->team != NULL && launch->number != ENDED && !atomic_load(&launch->was_alarmed))
        raise_alarm(launch->team, launch->number, blamed_device(launch));
}

/* The first device whose error is its own; -1 where none is. */
int64_t blamed_device(Launch *launch)
{
    int64_t found = atomic_load(&launch->blamed);
    return found == NOBODY ? -1 : found;
}

/* This thread runs the program of a device from now on; `stop` is not 0 where it has to end. */
void take_seat(Launch *launch, int64_t device, atomic_int *stop)
{
    seat = (Seat){hold_launch(launch), device, stop, false, NULL, {0, 0, 0}};
}

/* If the program fails, then because of another device: what it needs has failed before. */
void excuse_seat(void)
{
    seat.was_told = true;
}

static void blame(Launch *launch, int64_t device)
{
    int64_t former = atomic_load(&launch->blamed);
    while (device < former && !atomic_compare_exchange_weak(&launch->blamed, &former, device))
        ;
}

/* The program has ended; an error that does not come from another device is its own. */
void leave_seat(bool has_failed)
{
    Launch *launch = seat.launch;
    if (has_failed) {
        if (!seat.was_told)
            blame(launch, seat.device);
        fail_launch(launch);
    }
    seat = (Seat){NULL, 0, NULL, false, NULL, {0, 0, 0}};
    release_launch(launch);
}

/* --- meeting ----------------------------------------------------------------------------------------------------- */

static bool is_over(const Group *group, uint64_t met)
{
    return atomic_load(&group->met) >> 32 != met >> 32;
}

/* Takes back that this device has come; false where all have, and go on. */
static bool withdraw(Group *group, uint64_t met)
{
    uint64_t word = atomic_load(&group->met);
    while (word >> 32 == met >> 32 && (int64_t)(uint32_t)word < group->here)
        if (atomic_compare_exchange_weak(&group->met, &word, word - 1))
            return true;
    return false;
}

/* Another process has told that a device has failed. */
void fail_from_afar(Launch *launch, int64_t device)
{
    blame(launch, device);
    atomic_store(&launch->was_alarmed, 1);
    fail_launch(launch);
}

bool has_to_end(const Launch *launch)
{
    return atomic_load(&launch->has_failed) || (seat.stop != NULL && atomic_load(seat.stop));
}

typedef bool Reach(Launch *launch, Group *group, bool is_odd);

static void sleep_until_news(Launch *launch, const Group *group, uint64_t met)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += TICK;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_mutex_lock(&launch->mutex);
    atomic_fetch_add(&launch->sleepers, 1);
    if (!is_over(group, met) && !atomic_load(&launch->has_failed))
        pthread_cond_timedwait(&launch->news, &launch->mutex, &until);
    atomic_fetch_sub(&launch->sleepers, 1);
    pthread_mutex_unlock(&launch->mutex);
}

/* Whether so many devices and the thread that calls have a core each: else who waits takes it from those who work. */
bool have_own_cores(int64_t devices)
{
    static _Atomic int64_t cores;
    int64_t found = atomic_load_explicit(&cores, memory_order_relaxed);
    if (found == 0) {
        found = sysconf(_SC_NPROCESSORS_ONLN);
#if defined(__linux__)
        cpu_set_t own;
        if (sched_getaffinity(0, sizeof own, &own) == 0)
            found = CPU_COUNT(&own);
#endif
        atomic_store_explicit(&cores, found, memory_order_relaxed);
    }
    return devices + 1 <= found;
}

/* Waits until all devices of the group have come; false where one has failed, and then this one has not come.  The last
   one `reaches` those of other processes, where there are some and that is not NULL, before any goes on. */
static bool meet(Launch *launch, Group *group, bool may_leave, Reach *reach, bool is_odd)
{
    if (may_leave && has_to_end(launch))
        return false;
    uint64_t met = atomic_fetch_add(&group->met, 1);
    if ((int64_t)(uint32_t)met + 1 == group->here) {
        if (reach != NULL && group->apart != NULL && !reach(launch, group, is_odd))
            group->is_broken = true;
        bool is_met = !group->is_broken;
        atomic_store(&group->met, ((met >> 32) + 1) << 32);
        if (atomic_load(&launch->sleepers) > 0)
            wake(launch);
        return is_met;
    }
    int64_t glances = have_own_cores(devices_of(launch)) ? GLANCES : FEW;
    while (!is_over(group, met)) {
        if (may_leave && has_to_end(launch) && withdraw(group, met))
            return false;
        if (glances-- > 0)
            glance();
        else if (may_leave || !atomic_load(&launch->has_failed))
            sleep_until_news(launch, group, met);
        else
            sched_yield();
    }
    return !group->is_broken;
}

/* --- elements ---------------------------------------------------------------------------------------------------- */

static void copy(char *out, const char *in, int64_t count, int64_t step, int64_t bytes)
{
    if (step == 1 || count <= 1) {
        memcpy(out, in, (size_t)(count * bytes));
        return;
    }
    for (int64_t k = 0; k < count; k++)
        memcpy(out + k * bytes, in + k * step * bytes, (size_t)bytes);
}

/* As NumPy takes extremes: nan stays. */
#define GREATER(a, b) ((a) >= (b) || (a) != (a) ? (a) : (b))
#define LESS(a, b) ((a) <= (b) || (a) != (a) ? (a) : (b))
#define ADDED(a, b) ((a) + (b))

#define FOLD(name, type, combined)                                                                     \
    static void name(void *out, const void *in, int64_t count, int64_t step)                            \
    {                                                                                                   \
        type *restrict total = out;                                                                     \
        const type *restrict more = in;                                                                 \
        if (step == 1)                                                                                  \
            for (int64_t k = 0; k < count; k++)                                                         \
                total[k] = (type)combined(total[k], more[k]);                                           \
        else                                                                                            \
            for (int64_t k = 0; k < count; k++)                                                         \
                total[k] = (type)combined(total[k], more[k * step]);                                    \
    }
#define EXTREMES(word, type) FOLD(max_##word, type, GREATER) FOLD(min_##word, type, LESS)
#define FOLDS(word, type) FOLD(sum_##word, type, ADDED) EXTREMES(word, type)
#define OF(word) {sum_##word, max_##word, min_##word}

EXTREMES(i8, int8_t)
EXTREMES(i16, int16_t)
EXTREMES(i32, int32_t)
EXTREMES(i64, int64_t)
FOLDS(u8, uint8_t)
FOLDS(u16, uint16_t)
FOLDS(u32, uint32_t)
FOLDS(u64, uint64_t)
FOLDS(f32, float)
FOLDS(f64, double)

/* Complex numbers are compared by their real parts, then by their imaginary ones; the first that has a nan is kept, as in
   NumPy.  `count` and `step` are those of parts. */
#define COMPLEX_EXTREME(name, type, beyond)                                                             \
    static void name(void *out, const void *in, int64_t count, int64_t step)                            \
    {                                                                                                   \
        type *restrict total = out;                                                                     \
        const type *restrict more = in;                                                                 \
        for (int64_t k = 0; k < count; k += 2) {                                                        \
            type real = total[k], imag = total[k + 1], other = more[k * step], its = more[k * step + 1]; \
            bool has_nan = real != real || imag != imag, is_equal = real == other;                      \
            bool keeps = (real beyond other && its == its) || (is_equal && (imag beyond its || imag == its)); \
            if (!has_nan && !keeps) {                                                                   \
                total[k] = other;                                                                       \
                total[k + 1] = its;                                                                     \
            }                                                                                           \
        }                                                                                               \
    }
COMPLEX_EXTREME(max_c64, float, >)
COMPLEX_EXTREME(min_c64, float, <)
COMPLEX_EXTREME(max_c128, double, >)
COMPLEX_EXTREME(min_c128, double, <)

typedef void Fold(void *out, const void *in, int64_t count, int64_t step);

/* Ints that are signed are added as those that are not: what does not fit wraps around.  The parts of complex numbers are
   added one by one, and halves are widened by whoever calls. */
static Fold *const FOLD_OF[DTYPES][3] = {
    [BOOL] = {NULL, max_u8, min_u8},
    [I8] = {sum_u8, max_i8, min_i8},
    [I16] = {sum_u16, max_i16, min_i16},
    [I32] = {sum_u32, max_i32, min_i32},
    [I64] = {sum_u64, max_i64, min_i64},
    [U8] = OF(u8),
    [U16] = OF(u16),
    [U32] = OF(u32),
    [U64] = OF(u64),
    [F32] = OF(f32),
    [F64] = OF(f64),
    [C64] = {sum_f32, max_c64, min_c64},
    [C128] = {sum_f64, max_c128, min_c128},
};

/* --- what is made of what all have put down ------------------------------------------------------------------------ */

/* Elements `first` to `last` of the sum over all, into `out`, which begins with the first of them. */
static void reduce(const Post *posts, int64_t size, Fold *fold, int64_t first, int64_t last, char *out)
{
    int64_t dtype = posts->dtype, bytes = BYTES[dtype], parts = dtype >= C64 ? 2 : 1;
    for (int64_t low = first; low < last; low += CHUNK) {
        int64_t count = last - low < CHUNK ? last - low : CHUNK;
        char *place = out + (low - first) * bytes;
        for (int64_t k = 0; k < size; k++) {
            const Post *post = &posts[k];
            const char *from = post->data + low * post->step * bytes;
            if (k == 0)
                copy(place, from, count, post->step, bytes);
            else if (post->step == 1)
                fold(place, from, count * parts, 1);
            else
                for (int64_t element = 0; element < count; element++)
                    fold(place + element * bytes, from + element * post->step * bytes, parts, 1);
        }
    }
}

/* The sum of everything: each device makes a part, and copies those of the others. */
static bool reduce_together(Launch *launch, Group *group, bool is_odd, Fold *fold, int64_t index)
{
    const Post *posts = group->posts + is_odd * group->size, *own = &posts[index];
    int64_t bytes = BYTES[own->dtype], count = own->count;
    int64_t first = part_of(count, group->size, index), last = part_of(count, group->size, index + 1);
    reduce(posts, group->size, fold, first, last, own->made + first * bytes);
    if (!meet(launch, group, false, exchange_made, is_odd))
        return false;
    for (int64_t k = 0; k < group->size; k++) {
        int64_t low = part_of(count, group->size, k), high = part_of(count, group->size, k + 1);
        if (k != index)
            memcpy(own->made + low * bytes, posts[k].made + low * bytes, (size_t)((high - low) * bytes));
    }
    return true;
}

static void exchange(const Post *posts, int64_t size, int64_t index)
{
    const Post *own = &posts[index];
    int64_t bytes = BYTES[own->dtype], count = own->count, part = count / size;
    if (own->operation == PERMUTE) {
        if (own->source < 0)
            memset(own->made, 0, (size_t)(count * bytes));
        else
            copy(own->made, posts[own->source].data, count, posts[own->source].step, bytes);
        return;
    }
    for (int64_t k = 0; k < size; k++) {
        const Post *post = &posts[k];
        if (own->operation == GATHER)
            copy(own->made + k * count * bytes, post->data, count, post->step, bytes);
        else
            copy(own->made + k * part * bytes, post->data + index * part * post->step * bytes, part, post->step, bytes);
    }
}

static bool do_all_agree(const Post *posts, int64_t size, const Post *own)
{
    for (int64_t k = 0; k < size; k++) {
        const Post *post = &posts[k];
        if (post->operation != own->operation || post->dtype != own->dtype || post->count != own->count)
            return false;
    }
    return true;
}

/* What a device puts down; small data is copied into the place of this turn. */
static bool put_down(const Group *group, Post *post, int64_t index, bool is_odd, const char *in, int64_t step)
{
    int64_t bytes = BYTES[post->dtype];
    bool is_small = post->count * bytes <= ROOM;
    post->data = in;
    post->step = step;
    Room *room = &group->rooms[2 * index + is_odd];
    if (is_small) {
        copy(room->data, in, post->count, step, bytes);
        post->data = room->data;
        post->step = 1;
    }
    if (group->apart != NULL) {
        room->operation = post->operation;
        room->dtype = post->dtype;
        room->count = post->count;
        room->source = post->source;
    }
    return is_small;
}

/* The result of a device, once all have met; false where other processes cannot be reached. */
static bool make_result(Launch *launch, Group *group, bool is_odd, int64_t index, bool is_small)
{
    const Post *posts = group->posts + is_odd * group->size, *own = &posts[index];
    int64_t operation = own->operation, count = own->count, size = group->size;
    Fold *fold = FOLD_OF[own->dtype][operation <= ALL_MIN ? operation : ALL_SUM];
    if (!is_small && group->apart != NULL && !meet(launch, group, false, exchange_data, is_odd))
        return false;
    if (operation == SCATTER)
        reduce(posts, size, fold, count / size * index, count / size * (index + 1), own->made);
    else if (operation > ALL_MIN)
        exchange(posts, size, index);
    else if (is_small)
        reduce(posts, size, fold, 0, count, own->made);
    else
        return reduce_together(launch, group, is_odd, fold, index);
    return true;
}

static bool has_fold(int64_t operation, int64_t dtype)
{
    bool is_reduction = operation <= ALL_MIN || operation == SCATTER;
    return !is_reduction || FOLD_OF[dtype][operation == SCATTER ? ALL_SUM : operation] != NULL;
}

/* --- rehearsals -------------------------------------------------------------------------------------------------- */

/* This thread runs the program of a device by itself from now on: all others are taken to put down what it does. */
void begin_rehearsal(const Rehearsal *rehearsal, int64_t device)
{
    seat = (Seat){NULL, device, NULL, false, rehearsal, {0, 0, 0}};
}

Rehearsed end_rehearsal(void)
{
    Rehearsed found = seat.rehearsed;
    seat = (Seat){NULL, 0, NULL, false, NULL, {0, 0, 0}};
    return found;
}

static int64_t rehearse(int64_t axis, int64_t operation, int64_t source, const Post *own)
{
    int64_t started = nanoseconds(), size = seat.rehearsal->sizes[axis], stride = 1;
    for (int64_t k = axis + 1; k < seat.rehearsal->axes; k++)
        stride *= seat.rehearsal->sizes[k];
    int64_t index = seat.device / stride % size;
    Post *posts = aligned_alloc(CACHE_LINE, (size_t)size * sizeof *posts);
    if (posts == NULL)
        return OTHER_FAILED;
    for (int64_t k = 0; k < size; k++)
        posts[k] = *own;
    posts[index].source = source;
    if (operation > ALL_MIN && operation != SCATTER) {
        exchange(posts, size, index);
    } else {
        int64_t part = operation == SCATTER ? own->count / size : own->count, first = operation == SCATTER ? index * part : 0;
        reduce(posts, size, FOLD_OF[own->dtype][operation == SCATTER ? ALL_SUM : operation], first, first + part, own->made);
    }
    free(posts);
    seat.rehearsed.collectives++;
    seat.rehearsed.bytes += own->count * BYTES[own->dtype];
    seat.rehearsed.nanoseconds += nanoseconds() - started;
    return 0;
}

/* One collective of the device whose seat this thread has, over an axis of the mesh: `count` elements in, by steps; 0, or
   OTHER_FAILED where another device has failed or this one has to end, or DISAGREE where the devices have come to different
   collectives, or outside of a launch.  `source` is the device that a permutation takes from, -1 where there is none. */
int64_t pellucid_collective(int64_t axis, int64_t operation, int64_t dtype, int64_t count, const char *in, int64_t step,
                            char *out, int64_t source)
{
    Launch *launch = seat.launch;
    if (seat.rehearsal != NULL && axis < seat.rehearsal->axes && has_fold(operation, dtype)) {
        Post alone = {.data = in, .step = step, .made = out, .operation = operation, .dtype = dtype, .count = count};
        return rehearse(axis, operation, source, &alone);
    }
    if (launch == NULL || axis >= launch->axes || !has_fold(operation, dtype))
        return DISAGREE;
    int64_t index = seat.device / launch->strides[axis] % launch->sizes[axis];
    Group *group = &launch->groups[axis][seat.device - index * launch->strides[axis]];
    bool is_odd = launch->turns[axis * launch->devices + seat.device]++ % 2;
    Post *posts = group->posts + is_odd * group->size;
    Post own = {.made = out, .operation = operation, .dtype = dtype, .count = count, .source = source};
    bool is_small = put_down(group, &own, index, is_odd, in, step);
    posts[index] = own;
    bool is_met = meet(launch, group, true, exchange_posts, is_odd);
    bool agree = is_met && do_all_agree(posts, group->size, &own);
    if (agree)
        is_met = make_result(launch, group, is_odd, index, is_small);
    if (!is_met) {
        seat.was_told = true;
        return OTHER_FAILED;
    }
    if (!agree || !is_small)
        meet(launch, group, false, NULL, is_odd);
    return agree ? 0 : DISAGREE;
}
