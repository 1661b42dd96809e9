/* What the files of this extension share: the functions that machine code calls by name, and their types.

   Every name that begins with `pellucid_` is called by code that LLVM made; its meaning is told where it is defined. */

#ifndef PELLUCID_NATIVE_H
#define PELLUCID_NATIVE_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
    CONTEXT_GUARDED = 3, /* slot of a context: 1 in a call that a signal may end, or the address of a word that is not 0
                            where a task has to end; else 0 */
    CONTEXT_VALUES = 4,  /* slot of a context: the first value of an error */
    CACHE_LINE = 64,
    HEADER = 64, /* bytes of a block before its data */
    DEVICES = 64,
};

/* A loop as machine code: iterations `first` to `last` of it; 0, or which error site was reached, plus one. */
typedef int64_t Body(int64_t *captures, int64_t *context, int64_t first, int64_t last);

/* A lock for some instructions, which a child after fork may open by storing 0. */
typedef atomic_int SpinLock;

static inline void lock(SpinLock *word)
{
    int open = 0;
    while (!atomic_compare_exchange_weak_explicit(word, &open, 1, memory_order_acquire, memory_order_relaxed)) {
        open = 0;
        sched_yield();
    }
}

static inline void unlock(SpinLock *word)
{
    atomic_store_explicit(word, 0, memory_order_release);
}

/* For those who wait some microseconds. */
static inline void glance(void)
{
#if defined(__SSE2__)
    _mm_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* memory.c */
void *pellucid_allocate(uint64_t bytes);
void pellucid_free(void *owner);
void pellucid_release(void *owner);
bool is_only_reference(const void *owner);
void *pellucid_list_new(int64_t item_bytes, int64_t holds_owners);
bool pellucid_list_grow(void *list);
void pellucid_list_release(void *list);
void *pellucid_new_array(int64_t *context, int64_t item_bytes, int64_t rank, const int64_t *lengths);
void *pellucid_new_vector(int64_t *context, int64_t item_bytes, int64_t length);
void *pellucid_new_matrix(int64_t *context, int64_t item_bytes, int64_t rows, int64_t columns);
void pellucid_hold(void *owner);
void *pellucid_new_view(void *whole, void *data);
void *pellucid_data(void *owner);
int64_t pellucid_live(void);
int64_t pellucid_limit(int64_t bytes);
int64_t pellucid_trim(void);
void pellucid_unlock(void);

/* wholes.c */
void *pellucid_new_result(int64_t *context, int64_t item_bytes, int64_t rank, const int64_t *lengths, int64_t number);

/* signals.c */
extern _Atomic int32_t pellucid_signals;
int64_t pellucid_look(const int64_t *context);
void pellucid_arm(const int64_t *context);
int64_t pellucid_guarded(int64_t (*code)(int64_t *), int64_t *slots);
void pellucid_raise_interrupt(void);
void pellucid_set_main_thread(uint64_t thread);
void ask_to_leave(bool wanted);
int64_t nanoseconds(void);

/* streams.c */
typedef struct {
    Body *body;
    int64_t *captures;
    int64_t captured; /* how many slots the captures have */
    int64_t streamed; /* the slot of the result that goes past the caches; -1 where none does */
    int64_t item;     /* bytes that an iteration stores there */
} Loop;

int64_t run(const Loop *loop, int64_t *context, int64_t first, int64_t last);

/* regions.c */
int64_t pellucid_parallel_for(Body *body, int64_t *captures, int64_t *context, int64_t slots, int64_t start,
                              int64_t stop, int64_t granule, double cost, int64_t captured, int64_t result,
                              int64_t item);
int64_t pellucid_get_threads(void);
void pellucid_set_threads(int64_t count);
double pellucid_set_threshold(double nanoseconds);
int64_t pellucid_set_stream_bytes(int64_t bytes);
int64_t pellucid_regions(void);
int use_workers_of(int device);
void share_threads(int64_t count);
int64_t pellucid_workers(void);
int64_t share_of_threads(void); /* how many threads a device has */
bool is_own_process(void);      /* false where a child after fork is making everything new */

/* products.c */
void *pellucid_product(int64_t letter, int64_t of_vector, void *routine, void *syrk, void *ask, void *tell,
                       int64_t threads);
int64_t pellucid_count_of_blas(void);
void pellucid_give_to_blas(int64_t count);
void forget_products(void);

#endif
