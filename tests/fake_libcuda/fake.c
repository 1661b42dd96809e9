/* A driver of CUDA without a device, for tests: memory is the host's, and streams keep what they are told until someone waits.

   Work that has been put into a stream is done when its stream or an event after it is waited for, so a buffer that is filled
   again too early, or memory that is freed too early, shows. Kernels are lines of text, `name size size ...` after a line
   `fake`, and a launch calls a function of the test's with what the kernel got.

   What no program may do (memory used after it was freed, freed twice, a context that is not current) is written down, and
   `fake_faults` tells it. Calls can be made to fail: `fake_fail`. */

#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default"))) int
#define TELL __attribute__((visibility("default")))

enum { INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_IMAGE = 200, INVALID_CONTEXT = 201, INVALID_HANDLE = 400,
       NOT_FOUND = 500, NOT_READY = 600, MOST = 1 << 16, NAMES = 64, DEVICES = 4 };

typedef void OnLater(int64_t number);
typedef void OnLaunch(const char *name, const unsigned *grid, const unsigned *block, void **parameters);

typedef struct {
    char name[128];
    int count;
    int sizes[256];
} Function;

typedef struct {
    int count;
    Function functions[64];
} Module;

typedef struct Stream Stream;

typedef struct {
    Stream *stream;
    int64_t recorded; /* operations of its stream that it comes after */
} Event;

typedef struct Operation {
    struct Operation *next;
    enum { COPY, SET, FREE, LAUNCH, LATER, WAIT } kind;
    char *to;
    const char *from;
    size_t bytes;
    int64_t value;
    Function *function;
    unsigned grid[3], block[3];
    char parameters[4096];
    Event event;
} Operation;

struct Stream {
    int device;
    Operation *first, *last;
    int64_t pushed, done, asked; /* operations: told, carried out, told when somebody asked whether there are any left */
    bool is_busy;
};

typedef struct {
    char *memory;
    size_t bytes;
    int device;
    bool is_doomed, is_freed; /* told to be freed; freed */
} Allocation;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static Allocation allocations[MOST];
static int allocation_count;
static size_t live, capacity = SIZE_MAX;
static int contexts[DEVICES], pools[DEVICES];
static Stream defaults[DEVICES][2];
static _Thread_local int *current[16];
static _Thread_local int depth;
static char faults[1 << 14];
static OnLaunch *on_launch;
static OnLater *on_later;
static bool is_lost, is_stalled;
static int lost_status;
static struct {
    const char *name;
    int64_t calls, fails_at;
    int status;
    bool is_final;
} calls[NAMES];

/* --- what tests ask and tell -------------------------------------------------------------------------------------- */

static void fault(const char *what, const void *where)
{
    size_t used = strlen(faults);
    snprintf(faults + used, sizeof faults - used, "%s at %p\n", what, where);
}

static int call_named(const char *name)
{
    int k = 0;
    while (k < NAMES - 1 && calls[k].name != NULL && strcmp(calls[k].name, name) != 0)
        k++;
    if (calls[k].name == NULL)
        calls[k].name = strdup(name);
    return k;
}

TELL const char *fake_faults(void) { return faults; }
TELL void fake_on_launch(OnLaunch *function) { on_launch = function; }
TELL void fake_on_later(OnLater *function) { on_later = function; }
TELL void fake_capacity(size_t bytes) { capacity = bytes; }
TELL void fake_stall(int wanted) { is_stalled = wanted != 0; } /* no question is answered with yes */
TELL size_t fake_live(void) { return live; }
TELL int64_t fake_calls(const char *name) { return calls[call_named(name)].calls; }

/* The nth call from now on of a function gives a status; `is_final`: all calls of all functions after it do. */
TELL void fake_fail(const char *name, int64_t nth, int status, int is_final)
{
    int k = call_named(name);
    calls[k].fails_at = calls[k].calls + nth;
    calls[k].status = status;
    calls[k].is_final = is_final != 0;
}

/* The status with which a call fails from the start; 0 where it does not. */
static int begin(const char *name)
{
    pthread_mutex_lock(&mutex);
    int k = call_named(name), status = is_lost ? lost_status : 0;
    calls[k].calls++;
    if (status == 0 && calls[k].fails_at == calls[k].calls) {
        status = calls[k].status;
        is_lost = calls[k].is_final;
        lost_status = status;
    }
    pthread_mutex_unlock(&mutex);
    return status;
}

#define BEGIN()                       \
    int status = begin(__func__);     \
    if (status != 0)                  \
        return status;

static int device_of_current(void) { return depth == 0 || current[depth - 1] == NULL ? -1 : (int)(current[depth - 1] - contexts); }

#define BEGIN_IN_CONTEXT()                        \
    BEGIN()                                       \
    if (device_of_current() < 0) {                \
        fault("no context is current", __func__); \
        return INVALID_CONTEXT;                   \
    }

/* --- the work of streams ------------------------------------------------------------------------------------------ */

static Stream *stream_of(void *given)
{
    uintptr_t number = (uintptr_t)given;
    return number <= 2 ? &defaults[device_of_current()][number == 2] : given;
}

static Allocation *allocation_of(const void *address)
{
    for (int k = allocation_count - 1; k >= 0; k--) /* the newest first: an address may be used again */
        if ((const char *)address >= allocations[k].memory && (const char *)address < allocations[k].memory + allocations[k].bytes)
            return &allocations[k];
    return NULL;
}

/* Whether memory of a device is there in full. */
static void check(const void *address, size_t bytes, bool is_over)
{
    Allocation *found = allocation_of(address);
    if (found == NULL)
        fault("memory that was never allocated", address);
    else if (found->is_freed || (!is_over && found->is_doomed))
        fault("memory used after it was freed", address);
    else if ((const char *)address + bytes > found->memory + found->bytes)
        fault("memory used beyond its end", address);
}

static void drain(Stream *stream, int64_t until);

static void release(Operation *operation)
{
    Allocation *found = allocation_of(operation->to);
    found->is_freed = true;
    live -= found->bytes;
    memset(found->memory, 0xDD, found->bytes);
}

/* Kernels may call Python, which may wait for another thread that is in here: no lock is held meanwhile. */
static void launch(Operation *operation)
{
    void *places[256];
    size_t used = 0;
    for (int k = 0; k < operation->function->count; k++) {
        places[k] = operation->parameters + used;
        uint64_t word = 0;
        memcpy(&word, places[k], (size_t)operation->function->sizes[k] < 8 ? (size_t)operation->function->sizes[k] : 8);
        Allocation *found = operation->function->sizes[k] == 8 ? allocation_of((void *)(uintptr_t)word) : NULL;
        if (found != NULL && found->is_freed)
            fault("a kernel got memory that was freed", (void *)(uintptr_t)word);
        used += ((size_t)operation->function->sizes[k] + 7) / 8 * 8;
    }
    pthread_mutex_unlock(&mutex);
    if (on_launch != NULL)
        on_launch(operation->function->name, operation->grid, operation->block, places);
    pthread_mutex_lock(&mutex);
}

static void carry_out(Operation *operation)
{
    switch (operation->kind) {
    case COPY:
        memmove(operation->to, operation->from, operation->bytes);
        break;
    case SET:
        memset(operation->to, (int)operation->value, operation->bytes);
        break;
    case FREE:
        release(operation);
        break;
    case LAUNCH:
        launch(operation);
        break;
    case LATER:
        pthread_mutex_unlock(&mutex); /* as for a launch */
        on_later(operation->value);
        pthread_mutex_lock(&mutex);
        break;
    default:
        drain(operation->event.stream, operation->event.recorded);
    }
}

/* Does what a stream has got, up to so many operations since its start; the lock is held. */
static void drain(Stream *stream, int64_t until)
{
    while (stream->done < until) {
        if (stream->is_busy) { /* another thread is at it */
            pthread_cond_wait(&changed, &mutex);
            continue;
        }
        Operation *operation = stream->first;
        stream->is_busy = true;
        carry_out(operation);
        stream->first = operation->next;
        stream->last = stream->first == NULL ? NULL : stream->last;
        stream->done++;
        stream->is_busy = false;
        free(operation);
        pthread_cond_broadcast(&changed);
    }
}

static int push(void *given, Operation operation)
{
    Operation *made = malloc(sizeof *made);
    *made = operation;
    made->next = NULL;
    pthread_mutex_lock(&mutex);
    Stream *stream = stream_of(given);
    if ((uintptr_t)given > 2 && stream->device != device_of_current())
        fault("a stream of another context", stream);
    if (operation.kind == COPY && allocation_of(operation.to) == NULL && allocation_of(operation.from) == NULL)
        fault("a copy from no memory of a device to no memory of a device", operation.to);
    stream->last = *(stream->last == NULL ? &stream->first : &stream->last->next) = made;
    stream->pushed++;
    pthread_mutex_unlock(&mutex);
    return 0;
}

/* --- the driver: itself and its devices --------------------------------------------------------------------------- */

static int device_count(void)
{
    const char *given = getenv("FAKE_CUDA_DEVICES");
    return given == NULL ? 1 : atoi(given);
}

API cuInit(unsigned flags) { BEGIN() return flags == 0 ? 0 : INVALID_VALUE; }
API cuDriverGetVersion(int *version) { *version = 13000; return 0; }
API cuDeviceGetCount(int *count) { BEGIN() *count = device_count(); return 0; }
API cuDeviceGet(int *device, int ordinal) { *device = ordinal; return ordinal < device_count() ? 0 : INVALID_VALUE; }
API cuDeviceGetName(char *name, int room, int device) { snprintf(name, (size_t)room, "Fake %d", device); return 0; }
API cuDeviceGetAttribute(int *value, int attribute, int device)
{
    (void)device;
    *value = attribute == 75 ? 9 : attribute == 76 ? 0 : attribute == 115 ? getenv("FAKE_CUDA_NO_POOLS") == NULL : 1;
    return 0;
}
API cuDeviceGetDefaultMemPool(void **pool, int device) { *pool = &pools[device]; return 0; }
API cuGetErrorName(int status, const char **text)
{
    *text = status == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : status == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : status == INVALID_VALUE ? "CUDA_ERROR_INVALID_VALUE" : status == INVALID_CONTEXT ? "CUDA_ERROR_INVALID_CONTEXT" : NULL;
    return *text == NULL;
}
API cuGetErrorString(int status, const char **text) { *text = status == 700 ? "an illegal memory access was encountered" : NULL; return *text == NULL; }
API cuDevicePrimaryCtxRetain(void **context, int device)
{
    BEGIN()
    defaults[device][0].device = defaults[device][1].device = device;
    *context = &contexts[device];
    return 0;
}
API cuCtxGetCurrent(void **context) { BEGIN() *context = depth == 0 ? NULL : current[depth - 1]; return 0; }
API cuCtxSetCurrent(void *context) { BEGIN() depth = depth == 0 ? 1 : depth; current[depth - 1] = context; return 0; }
API cuCtxPushCurrent_v2(void *context) { BEGIN() current[depth++] = context; return 0; }
API cuCtxPopCurrent_v2(void **context) { *context = current[--depth]; return 0; }

/* --- memory ------------------------------------------------------------------------------------------------------- */

API cuMemGetInfo_v2(size_t *available, size_t *all)
{
    BEGIN_IN_CONTEXT()
    *all = capacity == SIZE_MAX ? (size_t)1 << 34 : capacity;
    *available = *all - live;
    return 0;
}
API cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    BEGIN_IN_CONTEXT()
    pthread_mutex_lock(&mutex);
    bool fits = bytes <= capacity && live + bytes <= capacity && allocation_count < MOST;
    if (fits) {
        char *memory = aligned_alloc(512, (bytes + 511) / 512 * 512);
        memset(memory, 0xA5, bytes);
        allocations[allocation_count++] = (Allocation){memory, bytes, device_of_current(), false, false};
        live += bytes;
        *address = (uint64_t)(uintptr_t)memory;
    }
    pthread_mutex_unlock(&mutex);
    return fits ? 0 : OUT_OF_MEMORY;
}
API cuMemAllocAsync(uint64_t *address, size_t bytes, void *stream) { BEGIN_IN_CONTEXT() (void)stream; return cuMemAlloc_v2(address, bytes); }
API cuMemFreeAsync(uint64_t address, void *stream)
{
    BEGIN_IN_CONTEXT()
    Allocation *found = allocation_of((void *)(uintptr_t)address);
    if (found == NULL || found->is_doomed || found->memory != (char *)(uintptr_t)address) {
        fault("memory freed that is not there", (void *)(uintptr_t)address);
        return INVALID_VALUE;
    }
    found->is_doomed = true;
    return push(stream, (Operation){.kind = FREE, .to = found->memory});
}
API cuMemFree_v2(uint64_t address)
{
    int pushed = cuMemFreeAsync(address, NULL);
    pthread_mutex_lock(&mutex);
    Stream *stream = stream_of(NULL);
    drain(stream, stream->pushed);
    pthread_mutex_unlock(&mutex);
    return pushed;
}
API cuMemPoolTrimTo(void *pool, size_t bytes) { BEGIN_IN_CONTEXT() (void)pool, (void)bytes; return 0; }
API cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) { BEGIN_IN_CONTEXT() (void)flags; *memory = calloc(1, bytes); return 0; }
API cuPointerGetAttribute(void *value, int attribute, uint64_t address)
{
    BEGIN_IN_CONTEXT()
    Allocation *found = allocation_of((void *)(uintptr_t)address);
    if (found == NULL || attribute != 9)
        return INVALID_VALUE;
    *(int *)value = found->device;
    return 0;
}

static int copy(const void *to, const void *from, size_t bytes, void *stream)
{
    return push(stream, (Operation){.kind = COPY, .to = (char *)(uintptr_t)to, .from = from, .bytes = bytes});
}
API cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream)
{
    BEGIN_IN_CONTEXT()
    check((void *)(uintptr_t)to, bytes, false);
    return copy((void *)(uintptr_t)to, from, bytes, stream);
}
API cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream)
{
    BEGIN_IN_CONTEXT()
    check((void *)(uintptr_t)from, bytes, false);
    return copy(to, (void *)(uintptr_t)from, bytes, stream);
}
API cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream)
{
    BEGIN_IN_CONTEXT()
    check((void *)(uintptr_t)to, bytes, false);
    check((void *)(uintptr_t)from, bytes, false);
    return copy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes, stream);
}
API cuMemcpyPeerAsync(uint64_t to, void *context, uint64_t from, void *other, size_t bytes, void *stream)
{
    BEGIN_IN_CONTEXT()
    check((void *)(uintptr_t)to, bytes, false);
    check((void *)(uintptr_t)from, bytes, false);
    Allocation *target = allocation_of((void *)(uintptr_t)to), *source = allocation_of((void *)(uintptr_t)from);
    if (target != NULL && source != NULL && (context != &contexts[target->device] || other != &contexts[source->device]))
        fault("a copy between devices with the context of another one", (void *)(uintptr_t)to);
    return copy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes, stream);
}
API cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, void *stream)
{
    BEGIN_IN_CONTEXT()
    check((void *)(uintptr_t)to, bytes, false);
    return push(stream, (Operation){.kind = SET, .to = (char *)(uintptr_t)to, .value = value, .bytes = bytes});
}

#include "launches.c"
