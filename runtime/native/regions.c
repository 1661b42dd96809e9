/* Parallel regions: chunks of a loop, who runs them, which error counts.

   The caller takes chunks like any worker and waits only for chunks that have begun, so that a worker which the system
   does not let run costs nothing.  The gate holds OPEN and the number of workers inside: none enters a closed region, and
   its end waits for all inside.  Of several chunks that fail the first in order counts.  Workers start when a region
   first needs them, sleep between regions after a glance of some microseconds, and end with the process; a process that
   was forked begins without any. */

#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "native.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    CHUNKS_PER_THREAD = 4, /* a thread that is held up leaves its share to the others */
    GLANCES = 400,         /* pauses of 10 to 50 nanoseconds */
    CHANGING = -1,         /* in the place of a process: a child is making everything new */
};

#define OPEN (INT64_C(1) << 32)
#define INSIDE (OPEN - 1)
#define PATIENCE 5e5 /* nanoseconds: so long may a thread work, by its estimate, before it looks for signals */
#define WAIT 10000000 /* nanoseconds between looks for signals, while others finish their chunks */

static _Atomic int64_t threads = 1;
static _Atomic int64_t stream_bytes = INT64_C(1) << 26; /* a result this large has left the caches before it is read */
static _Atomic double threshold = 60000.0;     /* nanoseconds: to wake a sleeping worker takes 20 to 40 microseconds */

static _Atomic int32_t process;
static atomic_int busy;
static SpinLock error_lock;
static _Atomic int64_t started, regions, gate, generation, asleep, helpers;
static pthread_mutex_t mutex;
static pthread_cond_t wake, done;

/* The region that runs now: written before the gate opens, read by those inside. */
static Loop loop;
static int64_t *given, *error;
static int64_t slots, start, stop, size, status;
static _Alignas(CACHE_LINE) _Atomic int64_t next;
static _Alignas(CACHE_LINE) _Atomic int64_t failed;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool is_stopped(const int64_t *context)
{
    return atomic_load_explicit(&pellucid_signals, memory_order_relaxed) != 0 && pellucid_look(context);
}

/* How many iterations may pass before somebody looks for signals: whole granules. */
static int64_t patience(int64_t granule, double cost)
{
    double exact = PATIENCE / cost;
    int64_t granules = (int64_t)(exact < 1e15 ? exact : 1e15) / granule;
    return (granules > 1 ? granules : 1) * granule;
}

/* On this thread alone, with a look for signals now and then. */
static int64_t run_alone(const Loop *own, int64_t *context, int64_t from, int64_t to, int64_t piece)
{
    for (int64_t first = from;;) {
        int64_t last = first + least(to - first, piece);
        int64_t found = run(own, context, first, last);
        if (found != 0 || last >= to)
            return found;
        if (is_stopped(context))
            return -1;
        first = last;
    }
}

/* Keeps an error, unless one of an earlier chunk is there. */
static void fail(int64_t chunk, int64_t found, const int64_t *context)
{
    lock(&error_lock);
    if (chunk < atomic_load_explicit(&failed, memory_order_relaxed)) {
        atomic_store_explicit(&failed, chunk, memory_order_relaxed);
        status = found;
        memcpy(error, context, (size_t)slots * sizeof *context);
    }
    unlock(&error_lock);
}

/* Takes chunks until none is left, or one fails. */
static void work(void)
{
    int64_t context[slots];
    memcpy(context, given, sizeof context);
    for (;;) {
        int64_t chunk = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
        int64_t first = start + chunk * size;
        if (first >= stop || chunk > atomic_load_explicit(&failed, memory_order_relaxed))
            return;
        int64_t found = is_stopped(context) ? -1 : run(&loop, context, first, first + least(stop - first, size));
        if (found != 0) {
            fail(chunk, found, context);
            return;
        }
    }
}

/* --- workers ----------------------------------------------------------------------------------------------------- */

/* Waits until there is another region than the one that was seen last. */
static int64_t next_generation(int64_t seen)
{
    int64_t now;
    for (int glances = 0; glances < GLANCES; glances++) {
        now = atomic_load_explicit(&generation, memory_order_acquire);
        if (now != seen)
            return now;
        glance();
    }
    pthread_mutex_lock(&mutex);
    atomic_fetch_add(&asleep, 1);
    while ((now = atomic_load(&generation)) == seen)
        pthread_cond_wait(&wake, &mutex);
    atomic_fetch_sub(&asleep, 1);
    pthread_mutex_unlock(&mutex);
    return now;
}

/* Steps into the open region, unless it is full. */
static bool enter(void)
{
    int64_t found = atomic_load_explicit(&gate, memory_order_acquire);
    while (found >= OPEN && (found & INSIDE) < atomic_load_explicit(&helpers, memory_order_relaxed))
        if (atomic_compare_exchange_weak_explicit(&gate, &found, found + 1, memory_order_acq_rel,
                                                  memory_order_acquire))
            return true;
    return false;
}

static void *worker(void *unused)
{
    (void)unused;
    for (int64_t seen = 0;;) {
        seen = next_generation(seen);
        if (!enter())
            continue;
        work();
        if (atomic_fetch_sub(&gate, 1) == 1) {
            pthread_mutex_lock(&mutex);
            pthread_cond_signal(&done);
            pthread_mutex_unlock(&mutex);
        }
    }
    return NULL;
}

static void start_workers(int64_t count)
{
    while (started < count) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, worker, NULL) != 0)
            return; /* the caller does their work */
        pthread_detach(thread);
        started++;
    }
}

static void wake_workers(int64_t count)
{
    pthread_mutex_lock(&mutex);
    if (count == 1)
        pthread_cond_signal(&wake);
    else
        pthread_cond_broadcast(&wake);
    pthread_mutex_unlock(&mutex);
}

/* Whether this process has workers of its own, or may make them now: those of its parent did not come along. */
static bool is_own_process(void)
{
    int32_t here = (int32_t)getpid();
    int32_t known = atomic_load_explicit(&process, memory_order_acquire);
    if (here == known)
        return true;
    if (known == CHANGING ||
        !atomic_compare_exchange_strong_explicit(&process, &known, CHANGING, memory_order_acq_rel,
                                                 memory_order_acquire))
        return false;
    pthread_mutex_init(&mutex, NULL);
    pthread_cond_init(&wake, NULL);
    pthread_cond_init(&done, NULL);
    gate = asleep = started = 0;
    error_lock = busy = 0;
    atomic_store_explicit(&process, here, memory_order_release);
    return true;
}

/* --- regions ----------------------------------------------------------------------------------------------------- */

/* Waits until all who are inside have left. */
static void wait_for_all(const int64_t *context)
{
    for (int glances = 0; glances < GLANCES; glances++) {
        if (atomic_load_explicit(&gate, memory_order_acquire) == 0)
            return;
        glance();
    }
    for (;;) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += WAIT;
        if (until.tv_nsec >= 1000000000) {
            until.tv_nsec -= 1000000000;
            until.tv_sec++;
        }
        pthread_mutex_lock(&mutex);
        bool over = atomic_load_explicit(&gate, memory_order_acquire) == 0;
        if (!over)
            pthread_cond_timedwait(&done, &mutex, &until);
        pthread_mutex_unlock(&mutex);
        if (over)
            return;
        (void)is_stopped(context); /* whoever is inside hears of it */
    }
}

/* The longest chunk, in whole granules, that gives every thread some and looks for signals often enough. */
static int64_t chunk_size(int64_t count, int64_t team, int64_t granule, double cost)
{
    int64_t pieces = team * CHUNKS_PER_THREAD;
    int64_t even = (count + pieces - 1) / pieces;
    return least((even + granule - 1) / granule * granule, patience(granule, cost));
}

/* The loop on several threads; the caller has made sure that no other region runs. */
static int64_t in_parallel(const Loop *own, int64_t *context, int64_t context_slots, int64_t from, int64_t to,
                           int64_t granule, double cost, double shares)
{
    int64_t errors[context_slots];
    int64_t others = atomic_load_explicit(&threads, memory_order_relaxed) - 1;
    int64_t count = shares < (double)others ? (int64_t)shares : others;
    loop = *own;
    given = context;
    error = errors;
    slots = context_slots;
    start = from;
    stop = to;
    size = chunk_size(to - from, count + 1, granule, cost);
    status = 0;
    atomic_store_explicit(&next, 0, memory_order_relaxed);
    atomic_store_explicit(&failed, INT64_MAX, memory_order_relaxed);
    atomic_store_explicit(&helpers, count, memory_order_relaxed);
    atomic_fetch_add_explicit(&regions, 1, memory_order_relaxed);
    start_workers(count);
    atomic_store_explicit(&gate, OPEN, memory_order_release);
    atomic_fetch_add(&generation, 1);
    if (atomic_load(&asleep) > 0)
        wake_workers(count);
    work();
    atomic_fetch_and_explicit(&gate, INSIDE, memory_order_acq_rel);
    wait_for_all(context);
    int64_t found = status;
    if (found != 0)
        memcpy(context, errors, sizeof errors);
    return found;
}

int64_t pellucid_parallel_for(Body *body, int64_t *captures, int64_t *context, int64_t context_slots, int64_t from,
                              int64_t to, int64_t granule, double cost, int64_t captured, int64_t result,
                              int64_t item)
{
    int64_t count = to - from;
    bool leaves = count * item >= atomic_load_explicit(&stream_bytes, memory_order_relaxed);
    Loop own = {body, captures, captured, leaves ? result : -1, item};
    double shares = (double)count * cost / atomic_load_explicit(&threshold, memory_order_relaxed);
    bool wanted = shares >= 1.0 && count > granule && atomic_load_explicit(&threads, memory_order_relaxed) > 1;
    int free_ = 0;
    if (!wanted || !is_own_process() ||
        !atomic_compare_exchange_strong_explicit(&busy, &free_, 1, memory_order_acquire, memory_order_relaxed))
        return run_alone(&own, context, from, to, patience(granule, cost));
    pellucid_arm(context);
    int64_t found = in_parallel(&own, context, context_slots, from, to, granule, cost, shares);
    atomic_store_explicit(&busy, 0, memory_order_release);
    return found;
}

int64_t pellucid_get_threads(void)
{
    return threads;
}

void pellucid_set_threads(int64_t count)
{
    threads = count;
}

double pellucid_set_threshold(double nanoseconds)
{
    return atomic_exchange(&threshold, nanoseconds);
}

int64_t pellucid_set_stream_bytes(int64_t bytes)
{
    return atomic_exchange(&stream_bytes, bytes);
}

/* How many regions have run on several threads. */
int64_t pellucid_regions(void)
{
    return regions;
}

int64_t pellucid_workers(void)
{
    return started;
}
