/* Parallel regions: chunks of a loop, who runs them, which error counts.  Each device has workers of its own.

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

/* The workers of one device, and the region that they run: it is written before the gate opens, and read by those
   inside. */
typedef struct {
    atomic_int busy;
    SpinLock error_lock;
    _Atomic int64_t started, gate, generation, asleep, helpers;
    pthread_mutex_t mutex;
    pthread_cond_t wake, done;
    Loop loop;
    int64_t *given, *error;
    int64_t slots, start, stop, size, status;
    _Alignas(CACHE_LINE) _Atomic int64_t next;
    _Alignas(CACHE_LINE) _Atomic int64_t failed;
} Pool;

static Pool pools[DEVICES];
static _Thread_local int own_device; /* whose workers help this thread */
static _Atomic int64_t devices = 1;  /* which share the threads */
static _Atomic int32_t process;
static _Atomic int64_t regions;

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
static void fail(Pool *pool, int64_t chunk, int64_t found, const int64_t *context)
{
    lock(&pool->error_lock);
    if (chunk < atomic_load_explicit(&pool->failed, memory_order_relaxed)) {
        atomic_store_explicit(&pool->failed, chunk, memory_order_relaxed);
        pool->status = found;
        memcpy(pool->error, context, (size_t)pool->slots * sizeof *context);
    }
    unlock(&pool->error_lock);
}

/* Takes chunks until none is left, or one fails. */
static void work(Pool *pool)
{
    int64_t context[pool->slots];
    memcpy(context, pool->given, sizeof context);
    for (;;) {
        int64_t chunk = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        int64_t first = pool->start + chunk * pool->size;
        if (first >= pool->stop || chunk > atomic_load_explicit(&pool->failed, memory_order_relaxed))
            return;
        int64_t last = first + least(pool->stop - first, pool->size);
        int64_t found = is_stopped(context) ? -1 : run(&pool->loop, context, first, last);
        if (found != 0) {
            fail(pool, chunk, found, context);
            return;
        }
    }
}

/* --- workers ----------------------------------------------------------------------------------------------------- */

/* Waits until there is another region than the one that was seen last. */
static int64_t next_generation(Pool *pool, int64_t seen)
{
    int64_t now;
    for (int glances = 0; glances < GLANCES; glances++) {
        now = atomic_load_explicit(&pool->generation, memory_order_acquire);
        if (now != seen)
            return now;
        glance();
    }
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->asleep, 1);
    while ((now = atomic_load(&pool->generation)) == seen)
        pthread_cond_wait(&pool->wake, &pool->mutex);
    atomic_fetch_sub(&pool->asleep, 1);
    pthread_mutex_unlock(&pool->mutex);
    return now;
}

/* Steps into the open region, unless it is full. */
static bool enter(Pool *pool)
{
    int64_t found = atomic_load_explicit(&pool->gate, memory_order_acquire);
    while (found >= OPEN && (found & INSIDE) < atomic_load_explicit(&pool->helpers, memory_order_relaxed))
        if (atomic_compare_exchange_weak_explicit(&pool->gate, &found, found + 1, memory_order_acq_rel,
                                                  memory_order_acquire))
            return true;
    return false;
}

static void *worker(void *given)
{
    Pool *pool = given;
    for (int64_t seen = 0;;) {
        seen = next_generation(pool, seen);
        if (!enter(pool))
            continue;
        work(pool);
        if (atomic_fetch_sub(&pool->gate, 1) == 1) {
            pthread_mutex_lock(&pool->mutex);
            pthread_cond_signal(&pool->done);
            pthread_mutex_unlock(&pool->mutex);
        }
    }
    return NULL;
}

static void start_workers(Pool *pool, int64_t count)
{
    while (pool->started < count) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, worker, pool) != 0)
            return; /* the caller does their work */
        pthread_detach(thread);
        pool->started++;
    }
}

static void wake_workers(Pool *pool, int64_t count)
{
    pthread_mutex_lock(&pool->mutex);
    if (count == 1)
        pthread_cond_signal(&pool->wake);
    else
        pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

static void begin(Pool *pool)
{
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    pool->gate = pool->asleep = pool->started = 0;
    pool->error_lock = pool->busy = 0;
}

/* Whether this process has workers of its own, or may make them now: those of its parent did not come along. */
bool is_own_process(void)
{
    int32_t here = (int32_t)getpid();
    int32_t known = atomic_load_explicit(&process, memory_order_acquire);
    if (here == known)
        return true;
    if (known == CHANGING ||
        !atomic_compare_exchange_strong_explicit(&process, &known, CHANGING, memory_order_acq_rel,
                                                 memory_order_acquire))
        return false;
    for (int device = 0; device < DEVICES; device++)
        begin(&pools[device]);
    forget_products();
    atomic_store_explicit(&process, here, memory_order_release);
    return true;
}

/* --- regions ----------------------------------------------------------------------------------------------------- */

/* Waits until all who are inside have left. */
static void wait_for_all(Pool *pool, const int64_t *context)
{
    for (int glances = 0; glances < GLANCES; glances++) {
        if (atomic_load_explicit(&pool->gate, memory_order_acquire) == 0)
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
        pthread_mutex_lock(&pool->mutex);
        bool over = atomic_load_explicit(&pool->gate, memory_order_acquire) == 0;
        if (!over)
            pthread_cond_timedwait(&pool->done, &pool->mutex, &until);
        pthread_mutex_unlock(&pool->mutex);
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

/* How many threads a device has. */
int64_t share_of_threads(void)
{
    int64_t all = atomic_load_explicit(&threads, memory_order_relaxed);
    int64_t share = all / atomic_load_explicit(&devices, memory_order_relaxed);
    return share > 1 ? share : 1;
}

/* The loop on several threads; the caller has made sure that no other region of the pool runs. */
static int64_t in_parallel(Pool *pool, const Loop *own, int64_t *context, int64_t slots, int64_t from, int64_t to,
                           int64_t granule, double cost, double shares)
{
    int64_t errors[slots];
    int64_t others = share_of_threads() - 1;
    int64_t count = shares < (double)others ? (int64_t)shares : others;
    pool->loop = *own;
    pool->given = context;
    pool->error = errors;
    pool->slots = slots;
    pool->start = from;
    pool->stop = to;
    pool->size = chunk_size(to - from, count + 1, granule, cost);
    pool->status = 0;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->failed, INT64_MAX, memory_order_relaxed);
    atomic_store_explicit(&pool->helpers, count, memory_order_relaxed);
    atomic_fetch_add_explicit(&regions, 1, memory_order_relaxed);
    start_workers(pool, count);
    atomic_store_explicit(&pool->gate, OPEN, memory_order_release);
    atomic_fetch_add(&pool->generation, 1);
    if (atomic_load(&pool->asleep) > 0)
        wake_workers(pool, count);
    work(pool);
    atomic_fetch_and_explicit(&pool->gate, INSIDE, memory_order_acq_rel);
    wait_for_all(pool, context);
    int64_t found = pool->status;
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
    bool wanted = shares >= 1.0 && count > granule && share_of_threads() > 1;
    Pool *pool = &pools[own_device];
    int free_ = 0;
    if (!wanted || !is_own_process() ||
        !atomic_compare_exchange_strong_explicit(&pool->busy, &free_, 1, memory_order_acquire, memory_order_relaxed))
        return run_alone(&own, context, from, to, patience(granule, cost));
    pellucid_arm(context);
    int64_t found = in_parallel(pool, &own, context, context_slots, from, to, granule, cost, shares);
    atomic_store_explicit(&pool->busy, 0, memory_order_release);
    return found;
}

/* Loops of this thread run on the workers of a device from now on; gives the former one. */
int use_workers_of(int device)
{
    int former = own_device;
    own_device = device;
    return former;
}

/* So many devices share the threads. */
void share_threads(int64_t count)
{
    devices = count;
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
    int64_t count = 0;
    for (int device = 0; device < DEVICES; device++)
        count += pools[device].started;
    return count;
}
