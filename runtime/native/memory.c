/* The memory pool: aligned blocks by size class, reference counts, growable lists.

       pellucid_allocate(bytes)    ->    owner: a header of 64 bytes, then the data, at a cache line; NULL if there is none

   Fresh pages cost more than the arithmetic on them, so blocks that were freed are kept by size class, four classes for
   each power of two, up to `limit` bytes in all.  Blocks of HUGE bytes begin at a huge page and ask for such pages: the
   first touch of 400 MB then takes a third of the time. */

#define _DEFAULT_SOURCE /* madvise */

#include "native.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    SMALLEST = 512,
    HUGE = 1 << 22,
    HUGE_PAGE = 1 << 21,
    CLASSES = 256,
    FIRST_CAPACITY = 8,
};

#define LONGEST_AXIS (INT64_C(1) << 52)
#define MOST_BYTES (INT64_C(1) << 60)

typedef struct Block {
    _Atomic int64_t references;
    int64_t size_class;
    struct Block *next; /* of the same class, while it is free */
    int64_t size;
    struct Block *whole; /* the block that has its data; NULL where these follow */
    void *data;          /* then where they are */
    int64_t unused[2];
} Block;

/* What follows the header of a list; `data` is the owner of its items. */
typedef struct {
    int64_t unused;
    int64_t length;
    int64_t capacity;
    Block *data;
    int64_t item_bytes;
    int64_t holds_owners; /* whether each item begins with an owner, to be released with the list */
} List;

_Static_assert(sizeof(Block) == HEADER, "machine code finds the data of a block behind 64 bytes");

static _Atomic int64_t live;
static int64_t cached, limit = INT64_C(1) << 29;
static Block *bins[CLASSES];
static SpinLock pool_lock;

/* For a child after fork: another thread may have held the lock. */
void pellucid_unlock(void)
{
    unlock(&pool_lock);
}

static void *data_of(void *owner)
{
    return (char *)owner + HEADER;
}

static Block *fresh(uint64_t size)
{
    void *block = NULL;
    if (posix_memalign(&block, size >= HUGE ? HUGE_PAGE : CACHE_LINE, size) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (size >= HUGE)
        madvise(block, size, MADV_HUGEPAGE);
#endif
    return block;
}

/* The first free block of a class, taken out; the caller holds the lock. */
static Block *taken(int64_t size_class)
{
    Block *first = bins[size_class];
    if (first != NULL) {
        bins[size_class] = first->next;
        cached -= first->size;
    }
    return first;
}

void *pellucid_allocate(uint64_t bytes)
{
    uint64_t wanted = bytes + HEADER > SMALLEST ? bytes + HEADER : SMALLEST;
    int shift = 61 - __builtin_clzll(wanted - 1);
    uint64_t top = (wanted - 1) >> shift; /* 4 to 7 */
    uint64_t size = (top + 1) << shift;
    int64_t size_class = shift << 2 | (int64_t)(top & 3);
    lock(&pool_lock);
    Block *block = taken(size_class);
    unlock(&pool_lock);
    if (block == NULL)
        block = fresh(size);
    if (block == NULL) {
        pellucid_trim();
        block = fresh(size);
    }
    if (block == NULL)
        return NULL;
    atomic_store_explicit(&block->references, 1, memory_order_relaxed);
    block->size_class = size_class;
    block->size = (int64_t)size;
    block->whole = NULL;
    atomic_fetch_add_explicit(&live, block->size, memory_order_relaxed);
    return block;
}

void pellucid_free(void *owner)
{
    Block *block = owner;
    pellucid_release(block->whole);
    atomic_fetch_sub_explicit(&live, block->size, memory_order_relaxed);
    lock(&pool_lock);
    bool keeps = (uint64_t)(cached + block->size) <= (uint64_t)limit;
    if (keeps) {
        cached += block->size;
        block->next = bins[block->size_class];
        bins[block->size_class] = block;
    }
    unlock(&pool_lock);
    if (!keeps)
        free(block);
}

/* One reference less.  Machine code counts without atomic instructions, as the blocks of a call belong to it until it is
   over; results may be let go by several threads at once, but a last reference needs no such instruction either. */
void pellucid_release(void *owner)
{
    Block *block = owner;
    if (block != NULL && (atomic_load_explicit(&block->references, memory_order_acquire) == 1 ||
                          atomic_fetch_sub_explicit(&block->references, 1, memory_order_acq_rel) == 1))
        pellucid_free(block);
}

/* One reference more, by any thread. */
void pellucid_hold(void *owner)
{
    atomic_fetch_add_explicit(&((Block *)owner)->references, 1, memory_order_relaxed);
}

/* Whether the memory of a block is seen by the holder of one reference alone. */
bool is_only_reference(const void *owner)
{
    const Block *block = owner;
    return block != NULL && block->whole == NULL && atomic_load_explicit(&block->references, memory_order_acquire) == 1;
}

int64_t pellucid_live(void)
{
    return atomic_load_explicit(&live, memory_order_relaxed);
}

/* Sets how many bytes are kept for later; gives the former number. */
int64_t pellucid_limit(int64_t bytes)
{
    lock(&pool_lock);
    int64_t former = limit;
    limit = bytes;
    unlock(&pool_lock);
    return former;
}

/* Gives what is kept back to the system; how many bytes that were. */
int64_t pellucid_trim(void)
{
    int64_t total = 0;
    for (int size_class = 0; size_class < CLASSES; size_class++) {
        for (;;) {
            lock(&pool_lock);
            Block *block = taken(size_class);
            unlock(&pool_lock);
            if (block == NULL)
                break;
            total += block->size;
            free(block);
        }
    }
    return total;
}

/* --- lists ------------------------------------------------------------------------------------------------------- */

void *pellucid_list_new(int64_t item_bytes, int64_t holds_owners)
{
    void *owner = pellucid_allocate(sizeof(List));
    if (owner != NULL)
        *(List *)data_of(owner) = (List){.item_bytes = item_bytes, .holds_owners = holds_owners};
    return owner;
}

/* Room for twice as many items; false where there is no memory, and the list is as it was. */
bool pellucid_list_grow(void *owner)
{
    List *list = data_of(owner);
    int64_t wanted = 2 * list->length > FIRST_CAPACITY ? 2 * list->length : FIRST_CAPACITY;
    Block *data = pellucid_allocate((uint64_t)(wanted * list->item_bytes));
    if (data == NULL)
        return false;
    if (list->data != NULL) {
        memcpy(data_of(data), data_of(list->data), (size_t)(list->length * list->item_bytes));
        pellucid_free(list->data);
    }
    list->capacity = wanted;
    list->data = data;
    return true;
}

void pellucid_list_release(void *owner)
{
    Block *block = owner;
    if (block == NULL || --block->references != 0)
        return;
    List *list = data_of(owner);
    if (list->holds_owners)
        for (int64_t item = 0; item < list->length; item++)
            pellucid_release(*(void **)((char *)data_of(list->data) + item * list->item_bytes));
    if (list->data != NULL)
        pellucid_free(list->data);
    pellucid_free(owner);
}

/* --- new arrays -------------------------------------------------------------------------------------------------- */

/* What is wrong with the lengths of a new array comes in the place of its owner: no block has such an address.  The
   context gets the value that the message needs. */
enum { NEGATIVE = 1, TOO_LONG = 2, TOO_LARGE = 3, NO_MEMORY = 4 };

static void *refused(int64_t *context, intptr_t code, int64_t value)
{
    context[CONTEXT_VALUES] = value;
    return (void *)code;
}

void *pellucid_new_array(int64_t *context, int64_t item_bytes, int64_t rank, const int64_t *lengths)
{
    uint64_t bytes = (uint64_t)item_bytes;
    for (int64_t axis = 0; axis < rank; axis++)
        if (lengths[axis] < 0)
            return (void *)(intptr_t)NEGATIVE;
    for (int64_t axis = 0; axis < rank; axis++)
        if (lengths[axis] > LONGEST_AXIS)
            return refused(context, TOO_LONG, lengths[axis]);
    for (int64_t axis = 0; axis < rank; axis++)
        if (__builtin_mul_overflow(bytes, (uint64_t)lengths[axis], &bytes) || bytes > MOST_BYTES)
            return (void *)(intptr_t)TOO_LARGE;
    void *owner = pellucid_allocate(bytes);
    return owner != NULL ? owner : refused(context, NO_MEMORY, (int64_t)bytes);
}

/* A new array in memory that another block has; NULL where there is none for the header. */
void *pellucid_new_view(void *whole, void *data)
{
    Block *block = pellucid_allocate(0);
    if (block != NULL) {
        pellucid_hold(whole);
        block->whole = whole;
        block->data = data;
    }
    return block;
}

/* Where the data of an array are that was made just now. */
void *pellucid_data(void *owner)
{
    Block *block = owner;
    return block->whole != NULL ? block->data : data_of(owner);
}

void *pellucid_new_vector(int64_t *context, int64_t item_bytes, int64_t length)
{
    return pellucid_new_array(context, item_bytes, 1, &length);
}

void *pellucid_new_matrix(int64_t *context, int64_t item_bytes, int64_t rows, int64_t columns)
{
    int64_t lengths[] = {rows, columns};
    return pellucid_new_array(context, item_bytes, 2, lengths);
}
