/* Whole results: one buffer for what all devices of a launch make, of which each writes its part.

       launch_whole(...)  ->  a buffer for the whole  ->  a `Place` in it for every device  ->  machine code makes its result there

   A result is made in its place where the code makes it once and the place begins at a cache line: the array then has a header
   of its own, which holds the buffer.  Any other result is copied into its place by the device that made it. */

#include "asynchronous.h"

#include <string.h>

static _Thread_local const Task *running;

/* This thread runs the code of a task from now on; NULL ends that. */
void enter_places(const Task *task)
{
    running = task;
}

/* The buffer for a result of so many bytes on each of some devices, as an `Array` that is whole when all of them have ended;
   NULL with an exception, and None for more axes than an array may have.  The first axis is as many times as long, or, where
   results are stacked, one more. */
PyObject *whole_for(const Value *block, int64_t parts, bool is_stacked)
{
    int rank = block->rank + is_stacked;
    Leaf leaf = {.kind = LEAF_ARRAY | (int64_t)rank << 8 | (int64_t)block->shift << 16};
    int64_t lengths[RANK + 1], bytes = parts << block->shift;
    if (rank > RANK)
        return Py_NewRef(Py_None);
    lengths[0] = parts;
    memcpy(lengths + is_stacked, block->lengths, block->rank * sizeof *lengths);
    if (!is_stacked)
        lengths[0] = parts * block->lengths[0];
    for (int axis = 0; axis < block->rank; axis++)
        bytes *= block->lengths[axis];
    Value *value = new_value_of(&leaf, block->number, block->queue);
    if (value == NULL)
        return NULL;
    value->owner = pellucid_allocate((uint64_t)bytes);
    if (value->owner == NULL) {
        release_value(value);
        return PyErr_NoMemory();
    }
    value->data = (int64_t)(intptr_t)value->owner + HEADER;
    set_contiguous(value, lengths);
    value->knows_lengths = true;
    atomic_store_explicit(&value->state, COMPUTED, memory_order_release);
    return array_around(value, ANYWHERE);
}

/* Gives a device its place in a buffer, which the place holds. */
void set_place(Place *place, PyObject *whole, const Value *block, int64_t part)
{
    Value *value = ((Held *)whole)->value;
    int64_t bytes = INT64_C(1) << block->shift;
    for (int axis = 0; axis < block->rank; axis++)
        bytes *= block->lengths[axis];
    pellucid_hold(value->owner);
    *place = (Place){value->owner, value->data + part * bytes, bytes};
}

/* A new array that is a result of the program, made for the first and only time: in its place, if that will do. */
void *pellucid_new_result(int64_t *context, int64_t item_bytes, int64_t rank, const int64_t *lengths, int64_t number)
{
    const Place *place = running == NULL || number >= running->result_count ? NULL : &running->places[number];
    int64_t bytes = item_bytes;
    if (place == NULL || place->owner == NULL || place->data % CACHE_LINE != 0)
        return pellucid_new_array(context, item_bytes, rank, lengths);
    for (int64_t axis = 0; axis < rank; axis++)
        if (lengths[axis] < 0 || __builtin_mul_overflow(bytes, lengths[axis], &bytes))
            return pellucid_new_array(context, item_bytes, rank, lengths); /* which says what is wrong with them */
    void *made = bytes == place->bytes ? pellucid_new_view(place->owner, (void *)(intptr_t)place->data) : NULL;
    return made != NULL ? made : pellucid_new_array(context, item_bytes, rank, lengths);
}

/* What a result has made elsewhere goes to its place. */
static void move_to(const Place *place, Value *value)
{
    if (value->data == place->data)
        return;
    memcpy((void *)(intptr_t)place->data, (const void *)(intptr_t)value->data, (size_t)place->bytes);
    pellucid_release(value->owner);
    pellucid_hold(place->owner);
    value->owner = place->owner;
    value->data = place->data;
}

/* The results of a task that went well are in their places from now on. */
void move_to_places(Task *task)
{
    for (int64_t k = 0; k < task->result_count; k++)
        if (task->places[k].owner != NULL)
            move_to(&task->places[k], task->results[k]);
}

void release_places(Task *task)
{
    for (int64_t k = 0; k < task->plan->leaf_count; k++) {
        pellucid_release(task->places[k].owner);
        task->places[k].owner = NULL;
    }
}
