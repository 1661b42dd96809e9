/* Values: memory or a number that machine code has left, or will have, with the number of those who use it.

       slots owner, data, 3, 1     ->     Value f64[3]     ->     ndarray, whose base is a capsule with the value

   Memory that nobody owns is that of an argument, and is copied. */

#include "asynchronous.h"

#include <stdlib.h>
#include <string.h>

/* --- a new one --------------------------------------------------------------------------------------------------- */

static int number_of_leaf(const Leaf *leaf)
{
    switch (leaf->kind & 255) {
    case LEAF_WEAK_FLOAT:
        return NPY_DOUBLE;
    case LEAF_WEAK_INT:
        return NPY_INT64;
    case LEAF_WEAK_BOOL:
        return NPY_BOOL;
    default:
        return ((PyArray_Descr *)leaf->operand)->type_num;
    }
}

/* A pending value, whose lengths nobody knows; NULL after an error. */
Value *new_value(const Leaf *leaf, Queue *queue)
{
    return new_value_of(leaf, number_of_leaf(leaf), queue);
}

/* The same for NumPy's number of a dtype. */
Value *new_value_of(const Leaf *leaf, int number, Queue *queue)
{
    int rank = leaf->kind >> 8 & 255;
    Value *value = malloc(sizeof *value + 2 * (size_t)rank * sizeof *value->lengths);
    if (value == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    atomic_init(&value->references, 1);
    atomic_init(&value->state, PENDING);
    value->kind = leaf->kind & 255;
    value->number = (uint8_t)number;
    value->rank = (uint8_t)rank;
    value->shift = (uint8_t)(leaf->kind >> 16);
    value->knows_lengths = value->kind != LEAF_ARRAY;
    value->is_contiguous = true;
    value->queue = queue;
    value->failed = NULL;
    value->owner = NULL;
    value->data = 0;
    return value;
}

/* As NumPy sees it: the steps of axes that take none do not count. */
bool are_contiguous(const int64_t *lengths, const int64_t *strides, int rank)
{
    bool is_contiguous = true;
    int64_t expected = 1;
    for (int axis = rank - 1; axis >= 0; axis--) {
        if (lengths[axis] == 0)
            return true;
        if (lengths[axis] != 1 && strides[axis] != expected)
            is_contiguous = false;
        expected *= lengths[axis];
    }
    return is_contiguous;
}

/* C order, for these lengths. */
void set_contiguous(Value *value, const int64_t *lengths)
{
    int64_t step = 1;
    for (int axis = value->rank - 1; axis >= 0; axis--) {
        value->lengths[axis] = lengths[axis];
        value->lengths[value->rank + axis] = step;
        step *= lengths[axis];
    }
    value->is_contiguous = true;
}

/* Lengths and strides are written only where nobody may have read them yet. */
static void set_layout(Value *value, const int64_t *lengths, const int64_t *strides)
{
    int rank = value->rank;
    memcpy(value->lengths, lengths, (size_t)rank * sizeof *lengths);
    for (int axis = 0; axis < rank; axis++) /* the step of an axis that takes none may be anything */
        value->lengths[rank + axis] = lengths[axis] > 1 ? strides[axis] : 1;
    value->is_contiguous = are_contiguous(lengths, strides, rank);
}

/* What stands in the slots of a result becomes the value, with the reference to memory that they hold; false where there is
   no memory for a copy.  Its state stays as it is. */
bool fill_value(Value *value, int64_t *slots)
{
    int rank = value->rank;
    if (value->kind != LEAF_ARRAY) {
        value->data = *slots;
        return true;
    }
    const int64_t *lengths = slots + 2, *strides = lengths + rank;
    void *owner = (void *)(intptr_t)slots[0];
    if (owner != NULL && (!value->knows_lengths || are_contiguous(lengths, strides, rank))) {
        if (!value->knows_lengths)
            set_layout(value, lengths, strides);
        value->owner = owner;
        value->data = slots[1];
        return true;
    }
    value->owner = gathered((const char *)(intptr_t)slots[1], lengths, strides, rank, value->shift);
    value->data = (int64_t)(intptr_t)value->owner + HEADER;
    pellucid_release(owner);
    if (!value->knows_lengths)
        set_contiguous(value, lengths);
    return value->owner != NULL;
}

Value *hold_value(Value *value)
{
    atomic_fetch_add_explicit(&value->references, 1, memory_order_relaxed);
    return value;
}

/* One reference less; needs no GIL. */
void release_value(Value *value)
{
    if (value == NULL || atomic_fetch_sub_explicit(&value->references, 1, memory_order_acq_rel) != 1)
        return;
    pellucid_release(value->owner);
    if (value->failed != NULL)
        release_task(value->failed);
    free(value);
}

/* --- copies ------------------------------------------------------------------------------------------------------ */

#define GATHER_ROW(type)                                \
    for (int64_t k = 0; k < length; k++)                \
        ((type *)(void *)to)[k] = ((const type *)(const void *)from)[k * stride];

typedef struct {
    uint64_t words[2];
} Pair;

static void gather_row(char *to, const char *from, int64_t length, int64_t stride, int shift)
{
    if (stride == 1) {
        memcpy(to, from, (size_t)length << shift);
        return;
    }
    switch (shift) {
    case 0:
        GATHER_ROW(uint8_t) break;
    case 1:
        GATHER_ROW(uint16_t) break;
    case 2:
        GATHER_ROW(uint32_t) break;
    case 3:
        GATHER_ROW(uint64_t) break;
    default:
        GATHER_ROW(Pair) break;
    }
}

static char *gather(char *to, const char *from, const int64_t *lengths, const int64_t *strides, int rank, int shift)
{
    if (rank <= 1) {
        int64_t length = rank == 0 ? 1 : lengths[0];
        gather_row(to, from, length, rank == 0 ? 1 : strides[0], shift);
        return to + (length << shift);
    }
    for (int64_t k = 0; k < lengths[0]; k++)
        to = gather(to, from + k * strides[0] * (INT64_C(1) << shift), lengths + 1, strides + 1, rank - 1, shift);
    return to;
}

/* The elements in C order in memory of the pool, whose owner is given; NULL where there is none.  Strides are in elements. */
void *gathered(const char *data, const int64_t *lengths, const int64_t *strides, int rank, int shift)
{
    int64_t count = 1;
    for (int axis = 0; axis < rank; axis++)
        count *= lengths[axis];
    char *owner = pellucid_allocate((uint64_t)count << shift);
    if (owner == NULL || count == 0)
        return owner;
    if (are_contiguous(lengths, strides, rank))
        memcpy(owner + HEADER, data, (size_t)count << shift);
    else
        gather(owner + HEADER, data, lengths, strides, rank, shift);
    return owner;
}

/* --- as Python sees it ------------------------------------------------------------------------------------------- */

static void let_go(PyObject *capsule)
{
    release_value(PyCapsule_GetPointer(capsule, NULL));
}

static PyObject *over_memory(Value *value)
{
    npy_intp strides[RANK + 1];
    for (int axis = 0; axis < value->rank; axis++)
        strides[axis] = (npy_intp)((uint64_t)value->lengths[value->rank + axis] << value->shift);
    PyObject *array =
        PyArray_NewFromDescr(&PyArray_Type, PyArray_DescrFromType(value->number), value->rank,
                             (const npy_intp *)value->lengths, strides, (void *)(intptr_t)value->data, 0, NULL);
    PyObject *capsule = array == NULL ? NULL : PyCapsule_New(value, NULL, let_go);
    if (capsule != NULL)
        hold_value(value);
    if (capsule == NULL || PyArray_SetBaseObject((PyArrayObject *)array, capsule) < 0)
        Py_CLEAR(array);
    return array;
}

/* A read-only array of what is computed, which holds the value. */
PyObject *ndarray_of(Value *value)
{
    if (value->kind == LEAF_ARRAY)
        return over_memory(value);
    PyObject *number = number_of(value);
    PyObject *array = number == NULL ? NULL : PyArray_FromAny(number, NULL, 0, 0, 0, NULL);
    Py_XDECREF(number);
    if (array != NULL)
        PyArray_CLEARFLAGS((PyArrayObject *)array, NPY_ARRAY_WRITEABLE);
    return array;
}

/* A number that is computed, as a call that waits for its end would have given it. */
PyObject *number_of(const Value *value)
{
    double real;
    switch (value->kind) {
    case LEAF_WEAK_FLOAT:
        memcpy(&real, &value->data, sizeof real);
        return PyFloat_FromDouble(real);
    case LEAF_WEAK_INT:
        return PyLong_FromLongLong(value->data);
    case LEAF_WEAK_BOOL:
        return PyBool_FromLong(value->data != 0);
    default:
        break;
    }
    PyArray_Descr *dtype = PyArray_DescrFromType(value->number);
    PyObject *number = dtype == NULL ? NULL : PyArray_Scalar((void *)(intptr_t)&value->data, dtype, NULL);
    Py_XDECREF(dtype);
    return number;
}
