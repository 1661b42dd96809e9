/* Copies between the host's memory and a device's, through pinned buffers, and between devices.

       to_device:   parts of 4 MiB: fill one while the other is on its way; small ones follow each other in a buffer
       to_host:     the same the other way
       to_other:    in the stream of the device that gets it, which waits for the other one, and that one for the copy

   The caller's memory has been read when a copy to the device returns, though the copy may not be over: that goes on in the
   order of the stream. A buffer is filled again when the event after its last copy has come. The GIL is released for all that
   takes long; locks are taken after that and released before the GIL is taken back. */

#include "cuda.h"

#include <string.h>


bool prepare_stages(Stages *stages)
{
    if (pthread_mutex_init(&stages->lock, NULL) == 0)
        return true;
    PyErr_NoMemory();
    return false;
}

typedef struct {
    int status;
    const char *call; /* which failed */
} Outcome;

static Outcome outcome(int status, const char *call)
{
    return (Outcome){status, call};
}

/* The buffers, made when first needed. */
static Outcome make_buffers(Stages *stages)
{
    for (int part = 0; part < STAGES; part++) {
        int status = 0;
        if (stages->event[part] == NULL)
            status = driver.event_create(&stages->event[part], 2);
        if (status != 0)
            return outcome(status, "cuEventCreate");
        if (stages->memory[part] == NULL)
            status = driver.host_allocate((void **)&stages->memory[part], STAGE_BYTES, 0);
        if (status != 0)
            return outcome(status, "cuMemHostAlloc");
    }
    return outcome(0, "");
}

/* Goes on with the next buffer, once all that was told to use it is over. */
static Outcome turn(Stages *stages, void *stream)
{
    int status = driver.event_record(stages->event[stages->part], stream);
    if (status != 0)
        return outcome(status, "cuEventRecord");
    stages->part = (stages->part + 1) % STAGES;
    stages->used = 0;
    return outcome(driver.event_wait(stages->event[stages->part]), "cuEventSynchronize");
}

static Outcome send(Gpu *gpu, Address to, const char *from, size_t bytes)
{
    Stages *stages = &gpu->up;
    Outcome found = make_buffers(stages);
    while (found.status == 0 && bytes > 0) {
        size_t room = STAGE_BYTES - stages->used, part = bytes < STAGE_BYTES ? bytes : STAGE_BYTES;
        if (part > room && (found = turn(stages, gpu->stream)).status != 0)
            break;
        char *place = stages->memory[stages->part] + stages->used;
        memcpy(place, from, part);
        stages->used += (part + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
        found = outcome(driver.to_device(to, place, part, gpu->stream), "cuMemcpyHtoDAsync");
        to += part, from += part, bytes -= part;
    }
    return found;
}

/* Parts are asked for one ahead of the one that is copied out of its buffer.  What the stream has to do before may take
   long: the first part is given up when its patience is over, with STATUS_NOT_READY. */
static Outcome receive(Gpu *gpu, char *to, Address from, size_t bytes)
{
    Stages *stages = &gpu->down;
    Outcome found = make_buffers(stages);
    size_t asked = 0, taken = 0;
    for (size_t part = 0; found.status == 0 && taken < bytes; part++) {
        if (asked < bytes) {
            size_t length = bytes - asked < STAGE_BYTES ? bytes - asked : STAGE_BYTES;
            found = outcome(driver.to_host(stages->memory[part % STAGES], from + asked, length, gpu->stream),
                            "cuMemcpyDtoHAsync");
            if (found.status == 0)
                found = outcome(driver.event_record(stages->event[part % STAGES], gpu->stream), "cuEventRecord");
            asked += length;
        }
        if (found.status != 0 || (part == 0 && asked < bytes))
            continue;
        size_t number = taken / STAGE_BYTES, length = bytes - taken < STAGE_BYTES ? bytes - taken : STAGE_BYTES;
        if (taken == 0)
            found = outcome(wait_some_time(driver.event_query, stages->event[0]), "cuEventQuery");
        else
            found = outcome(driver.event_wait(stages->event[number % STAGES]), "cuEventSynchronize");
        if (found.status == 0)
            memcpy(to + taken, stages->memory[number % STAGES], length);
        taken += length;
    }
    return found;
}

/* The bytes of the host on the device, in the order of its stream; false with an exception. */
bool copy_to_gpu(Gpu *gpu, Address to, const char *from, size_t bytes)
{
    int entered = bytes == 0 ? 0 : enter(gpu);
    if (entered < 0)
        return false;
    PyThreadState *thread = PyEval_SaveThread(); /* another thread may have the lock and wait for the device */
    pthread_mutex_lock(&gpu->up.lock);
    Outcome found = send(gpu, to, from, bytes);
    pthread_mutex_unlock(&gpu->up.lock);
    PyEval_RestoreThread(thread);
    leave(entered);
    return succeeded(found.status, found.call, gpu);
}

/* Waits for what the stream has got before, and copies bytes of the device to the host; false with an exception.  While it
   waits for long it hears of signals, whose handlers run without the lock: they may copy, too. */
bool copy_to_memory(Gpu *gpu, char *to, Address from, size_t bytes)
{
    int entered = bytes == 0 ? 0 : enter(gpu);
    if (entered < 0)
        return false;
    Outcome found;
    bool is_waited_for = true;
    do {
        PyThreadState *thread = PyEval_SaveThread();
        pthread_mutex_lock(&gpu->down.lock);
        found = receive(gpu, to, from, bytes);
        pthread_mutex_unlock(&gpu->down.lock);
        PyEval_RestoreThread(thread);
        is_waited_for = found.status != STATUS_NOT_READY || wait_for_stream(gpu);
    } while (found.status == STATUS_NOT_READY && is_waited_for);
    leave(entered);
    return is_waited_for && succeeded(found.status, found.call, gpu);
}

/* Lets the stream of a device wait for all that another one has got by now. */
static bool follow(Gpu *gpu, Gpu *other)
{
    int entered = enter(other);
    if (entered < 0)
        return false;
    int status = driver.event_record(other->event, other->stream);
    leave(entered);
    if (!succeeded(status, "cuEventRecord", other) || (entered = enter(gpu)) < 0)
        return false;
    status = driver.stream_after(gpu->stream, other->event, 0);
    leave(entered);
    return succeeded(status, "cuStreamWaitEvent", gpu);
}

/* Bytes of a device on the same or on another one, in the order of both streams; false with an exception. */
bool copy_between(Gpu *gpu, Address to, Gpu *other, Address from, size_t bytes)
{
    if (bytes == 0)
        return true;
    if (gpu != other && !follow(gpu, other))
        return false;
    int entered = enter(gpu);
    if (entered < 0)
        return false;
    int status = gpu == other ? driver.on_device(to, from, bytes, gpu->stream)
                              : driver.to_other(to, gpu->context, from, other->context, bytes, gpu->stream);
    leave(entered);
    return succeeded(status, gpu == other ? "cuMemcpyDtoDAsync" : "cuMemcpyPeerAsync", gpu) &&
           (gpu == other || follow(other, gpu)); /* whose memory may be used again, or written, after it was read */
}
