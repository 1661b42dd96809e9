/* Arguments that a call changes in place, declared with `mutates=`: what machine code made is written into them once it has
   all gone well.

       slots owner, data, 3        ->   the elements of the ndarray that came in, and the buffer goes back to the pool

   An argument that cannot be written to, or that shares memory with another one, goes through Python, which says so. */

#include "asynchronous.h"

#include <string.h>

typedef struct {
    const char *low, *high; /* the first byte, and the one behind the last; both NULL where there are none */
} Extent;

static Extent extent_of_array(PyArrayObject *array)
{
    const char *low = PyArray_BYTES(array), *high = low + PyArray_ITEMSIZE(array);
    for (int axis = 0; axis < PyArray_NDIM(array); axis++) {
        npy_intp length = PyArray_DIM(array, axis), reach = (length - 1) * PyArray_STRIDE(array, axis);
        if (length == 0)
            return (Extent){NULL, NULL};
        *(reach < 0 ? &low : &high) += reach;
    }
    return (Extent){low, high};
}

/* Memory of the pool is nobody else's: no array that can be written to shows it. */
static Extent extent_of(PyObject *held)
{
    if (PyArray_CheckExact(held))
        return extent_of_array((PyArrayObject *)held);
    PyObject *values = ((Held *)held)->values;
    return values == NULL ? (Extent){NULL, NULL} : extent_of_array((PyArrayObject *)values);
}

/* The array that came in for a target; NULL where an `Array` did, which cannot be changed. */
static PyArrayObject *array_of(const Target *target, const Scan *scan)
{
    for (PyObject *const *held = scan->kept; held < scan->held; held++)
        if (scan->places[held - scan->kept] == scan->slots + target->argument)
            return PyArray_CheckExact(*held) ? (PyArrayObject *)*held : NULL;
    return NULL;
}

static bool is_apart(const Scan *scan, PyArrayObject *array)
{
    Extent own = extent_of_array(array);
    bool has_met = false;
    for (PyObject *const *held = scan->kept; held < scan->held; held++) {
        if (scan->places[held - scan->kept] == NULL)
            continue;
        if (*held == (PyObject *)array && !has_met) {
            has_met = true;
            continue;
        }
        Extent other = extent_of(*held);
        if (own.low < other.high && other.low < own.high)
            return false;
    }
    return true;
}

/* Whether what is declared as changed can be, and nothing else changes with it. */
bool may_write(const Plan *plan, const Scan *scan)
{
    for (int64_t k = 0; k < plan->target_count; k++) {
        PyArrayObject *array = array_of(&plan->targets[k], scan);
        if (array == NULL || !PyArray_ISWRITEABLE(array) || !is_apart(scan, array))
            return false;
    }
    return true;
}

/* --- the results ------------------------------------------------------------------------------------------------- */

/* A result in its slots: owner, data, lengths, strides in elements. */
typedef struct {
    int64_t *owner, *data, *lengths, *strides;
} Made;

static Made made_for(const Target *target, int64_t *slots)
{
    int64_t *first = slots + target->result;
    return (Made){first, first + 1, first + 2, first + 2 + target->rank};
}

void release_targets(const Plan *plan, const int64_t *slots)
{
    for (int64_t k = 0; k < plan->target_count; k++)
        pellucid_release((void *)(intptr_t)slots[plan->targets[k].result]);
}

/* Whether a result lies as the array does: lengths, and strides where they count. */
static bool lies_alike(const Target *target, const Made *made, PyArrayObject *array)
{
    if (PyArray_NDIM(array) != target->rank ||
        PyArray_DESCR(array)->type_num != ((PyArray_Descr *)target->dtype)->type_num)
        return false; /* another thread has changed it meanwhile */
    for (int64_t axis = 0; axis < target->rank; axis++)
        if (made->lengths[axis] != PyArray_DIM(array, (int)axis) ||
            (made->lengths[axis] > 1 &&
             made->strides[axis] * ((int64_t)1 << target->shift) != PyArray_STRIDE(array, (int)axis)))
            return false;
    return true;
}

static bool is_written_already(const Target *target, const Made *made, PyArrayObject *array)
{
    return *made->data == (int64_t)(intptr_t)PyArray_DATA(array) && lies_alike(target, made, array);
}

/* Memory of an argument, which may be about to change, as a copy of its own; false where there is no memory. */
static bool set_apart(const Target *target, Made *made, PyArrayObject *array)
{
    if (*made->owner != 0 || is_written_already(target, made, array))
        return true;
    int64_t step = 1;
    void *owner = gathered((const char *)(intptr_t)*made->data, made->lengths, made->strides, (int)target->rank,
                           (int)target->shift);
    if (owner == NULL)
        return false;
    for (int64_t axis = target->rank - 1; axis >= 0; axis--) {
        made->strides[axis] = step;
        step *= made->lengths[axis];
    }
    *made->owner = (int64_t)(intptr_t)owner;
    *made->data = (int64_t)(intptr_t)owner + HEADER;
    return true;
}

/* As NumPy's `array[...] = made`. */
static bool assign(const Target *target, const Made *made, PyArrayObject *array)
{
    npy_intp lengths[RANK + 1], strides[RANK + 1];
    for (int64_t axis = 0; axis < target->rank; axis++) {
        lengths[axis] = made->lengths[axis];
        strides[axis] = made->strides[axis] * ((npy_intp)1 << target->shift);
    }
    PyObject *view = PyArray_NewFromDescr(&PyArray_Type, (PyArray_Descr *)Py_NewRef(target->dtype), (int)target->rank,
                                          lengths, strides, (void *)(intptr_t)*made->data, 0, NULL);
    if (view == NULL)
        return false;
    bool is_fine = PyArray_CopyInto(array, (PyArrayObject *)view) == 0;
    Py_DECREF(view);
    return is_fine;
}

static bool write_target(const Target *target, const Made *made, PyArrayObject *array)
{
    if (is_written_already(target, made, array))
        return true;
    if (!PyArray_IS_C_CONTIGUOUS(array) || !lies_alike(target, made, array))
        return assign(target, made, array);
    memcpy(PyArray_DATA(array), (const void *)(intptr_t)*made->data, (size_t)PyArray_NBYTES(array));
    return true;
}

/* Writes all results of targets, none of which stays behind; false after an error. */
bool write_targets(const Plan *plan, const Scan *scan)
{
    int64_t *slots = (int64_t *)scan->slots;
    bool is_fine = true;
    for (int64_t k = 0; is_fine && k < plan->target_count; k++) {
        Made made = made_for(&plan->targets[k], slots);
        is_fine = set_apart(&plan->targets[k], &made, array_of(&plan->targets[k], scan));
        if (!is_fine)
            PyErr_NoMemory();
    }
    for (int64_t k = 0; is_fine && k < plan->target_count; k++) {
        Made made = made_for(&plan->targets[k], slots);
        is_fine = write_target(&plan->targets[k], &made, array_of(&plan->targets[k], scan));
    }
    release_targets(plan, slots);
    return is_fine;
}
