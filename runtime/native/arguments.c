/* Arguments of a call, which are bound to parameters (`binding.c`), read into a key and slots.

       f(array(3, 1), {"b": 1.0}, n=2)   ->   key     ARRAY f64 2-d C "axis 1 is 1", DICT 1, FLOAT, INT
                                              slots   data, 3, 1, -, -, 1.0, 2         objects "b"

   The key says what `pellucid/flatten.py` says of the arguments, never less.  What is not understood makes the answer
   false, with nothing done yet, and the call goes through Python: a foreign byte order, strides of half an element. */

#include "asynchronous.h"

#include <string.h>

static bool scan_value(Scan *scan, PyObject *value, bool is_static);

static void push_key(Scan *scan, int64_t word)
{
    *scan->key++ = word;
}

static void push_slot(Scan *scan, int64_t word)
{
    *scan->slot++ = word;
}

static void push_object(Scan *scan, PyObject *object)
{
    *scan->object++ = Py_NewRef(object);
}

bool has_room(const Scan *scan)
{
    return scan->key < scan->keys + KEYS && scan->slot < scan->slots + SLOTS && scan->object < scan->objects + OBJECTS &&
           scan->held < scan->kept + KEPT && scan->depth < DEPTH;
}

/* Keeps an object for the call, whose slot comes next. */
void hold(Scan *scan, PyObject *object)
{
    scan->places[scan->held - scan->kept] = scan->slot;
    *scan->held++ = Py_NewRef(object);
    if (Py_TYPE(object) == types.array)
        ((Held *)object)->users++;
}

/* --- leaves ------------------------------------------------------------------------------------------------------ */

/* Strides in elements; false for those of half an element. */
static bool scan_strides(Scan *scan, PyArrayObject *array)
{
    npy_intp item = PyArray_ITEMSIZE(array);
    for (int axis = 0; axis < PyArray_NDIM(array); axis++) {
        npy_intp stride = PyArray_STRIDE(array, axis);
        if (stride % item != 0)
            return false;
        push_slot(scan, stride / item);
    }
    return true;
}

/* An array of a dtype that we have, aligned, in native byte order.  Strides are written where it is not C-contiguous.
   `holder` is the object that the array came in. */
static bool scan_array(Scan *scan, PyArrayObject *array, PyObject *holder)
{
    PyArray_Descr *dtype = PyArray_DESCR(array);
    int rank = PyArray_NDIM(array);
    unsigned number = (unsigned)dtype->type_num;
    if (number >= sizeof types.codes || types.codes[number] == 255 || dtype->byteorder == NPY_OPPBYTE ||
        !PyArray_ISALIGNED(array) || rank > RANK)
        return false;
    hold(scan, holder);
    push_slot(scan, (int64_t)(intptr_t)PyArray_DATA(array));
    uint64_t ones = 0;
    int64_t elements = 1;
    for (int axis = 0; axis < rank; axis++) {
        npy_intp length = PyArray_DIM(array, axis);
        if (length > LENGTH_LIMIT)
            return false;
        push_slot(scan, length);
        ones |= (uint64_t)(length == 1) << axis;
        elements = (int64_t)((uint64_t)elements * (uint64_t)length);
    }
    bool is_contiguous = PyArray_IS_C_CONTIGUOUS(array);
    if (is_contiguous)
        scan->slot += rank;
    else if (!scan_strides(scan, array))
        return false;
    scan->elements += elements;
    push_key(scan, (int64_t)(ones << 32 | (uint64_t)is_contiguous << 24 | (uint64_t)rank << 16 |
                             (uint64_t)types.codes[number] << 8 | TOKEN_ARRAY));
    return true;
}

static bool scan_float(Scan *scan, PyObject *value, bool is_static)
{
    double number = PyFloat_AS_DOUBLE(value);
    int64_t bits;
    memcpy(&bits, &number, sizeof bits);
    push_key(scan, is_static ? TOKEN_STATIC_FLOAT : TOKEN_FLOAT);
    *(is_static ? scan->key++ : scan->slot++) = bits;
    return true;
}

static bool scan_int(Scan *scan, PyObject *value, bool is_static)
{
    int overflow;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow)
        return false;
    push_key(scan, is_static ? TOKEN_STATIC_INT : TOKEN_INT);
    scan->units += (double)(number > 0 ? number : 0);
    *(is_static ? scan->key++ : scan->slot++) = number;
    return true;
}

static bool scan_object(Scan *scan, PyObject *value)
{
    push_key(scan, TOKEN_OBJECT);
    push_object(scan, value);
    return true;
}

static bool scan_bool(Scan *scan, PyObject *value, bool is_static)
{
    if (is_static)
        return scan_object(scan, value);
    push_key(scan, TOKEN_BOOL);
    push_slot(scan, value == Py_True);
    return true;
}

/* A scalar of NumPy, or a complex number: its value as it stands in memory. */
static bool scan_scalar(Scan *scan, PyObject *value, int64_t key, uint8_t bytes)
{
    int64_t bits[2] = {0, 0};
    memcpy(bits, (char *)value + sizeof(PyObject), bytes);
    push_key(scan, key);
    push_slot(scan, bits[0]);
    if (bytes > sizeof *bits)
        push_slot(scan, bits[1]);
    return true;
}

/* --- containers -------------------------------------------------------------------------------------------------- */

static bool scan_items(Scan *scan, PyObject *const *items, Py_ssize_t count, int64_t token, bool is_static)
{
    push_key(scan, (int64_t)count << 8 | token);
    scan->depth++;
    for (Py_ssize_t k = 0; k < count; k++)
        if (!scan_value(scan, items[k], is_static))
            return false;
    scan->depth--;
    return true;
}

static bool scan_tuple(Scan *scan, PyObject *tuple, int64_t token, bool is_static)
{
    return scan_items(scan, ((PyTupleObject *)tuple)->ob_item, PyTuple_GET_SIZE(tuple), token, is_static);
}

/* A value that its container may lose meanwhile: an odd key in the attributes of an item can run Python code. */
static bool scan_held(Scan *scan, PyObject *value, bool is_static)
{
    Py_INCREF(value);
    bool is_fine = scan_value(scan, value, is_static);
    Py_DECREF(value);
    return is_fine;
}

static bool scan_list(Scan *scan, PyObject *list, bool is_static)
{
    Py_ssize_t count = PyList_GET_SIZE(list);
    int found = count > APART && !is_static ? scan_rows(scan, list) : ROWS_APART;
    if (found != ROWS_APART)
        return found == ROWS_ALIKE;
    push_key(scan, (int64_t)count << 8 | TOKEN_LIST);
    scan->depth++;
    for (Py_ssize_t k = 0; k < count; k++)
        if (k >= PyList_GET_SIZE(list) || !scan_held(scan, PyList_GET_ITEM(list, k), is_static))
            return false;
    scan->depth--;
    return true;
}

static bool scan_dict(Scan *scan, PyObject *dict, bool is_static)
{
    PyObject *key, *value;
    Py_ssize_t position = 0;
    push_key(scan, (int64_t)PyDict_GET_SIZE(dict) << 8 | TOKEN_DICT);
    scan->depth++;
    while (PyDict_Next(dict, &position, &key, &value)) {
        push_object(scan, key);
        if (!scan_held(scan, value, is_static))
            return false;
    }
    scan->depth--;
    return true;
}

/* What an instance has at a place; NULL with or without an error where it has nothing of the kind. */
static PyObject *part_at(PyObject *value, PyObject *place)
{
    if (!PyTuple_CheckExact(place))
        return PyObject_GetAttr(value, place);
    PyObject *whole = PyObject_GetAttr(value, PyTuple_GET_ITEM(place, 0)), *part = NULL;
    Py_ssize_t item = PyLong_AsSsize_t(PyTuple_GET_ITEM(place, 1)), count = PyLong_AsSsize_t(PyTuple_GET_ITEM(place, 2));
    if (whole != NULL && PyTuple_CheckExact(whole) && PyTuple_GET_SIZE(whole) == count)
        part = Py_NewRef(PyTuple_GET_ITEM(whole, item));
    Py_XDECREF(whole);
    return part;
}

static bool scan_attributes(Scan *scan, PyObject *value, const Record *record, bool is_static)
{
    PyObject *fields = record->fields;
    push_key(scan, TOKEN_RECORD);
    scan->depth++;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(fields); k++) {
        PyObject *part = part_at(value, PyTuple_GET_ITEM(fields, k));
        if (part == NULL) {
            PyErr_Clear(); /* Python's way meets it again */
            return false;
        }
        bool is_fine = scan_value(scan, part, is_static || (k < 63 && record->known >> k & 1));
        Py_DECREF(part);
        if (!is_fine)
            return false;
    }
    scan->depth--;
    return true;
}

/* Reading its fields runs no Python code. */
static bool scan_record(Scan *scan, PyObject *value, bool is_static)
{
    const Record *record = record_of(scan->state, Py_TYPE(value));
    if (record == NULL)
        return false;
    push_object(scan, (PyObject *)record->type);
    if (record->kind != RECORD_TUPLE)
        return scan_attributes(scan, value, record, is_static);
    return PyTuple_GET_SIZE(value) == PyTuple_GET_SIZE(record->fields) &&
           scan_tuple(scan, value, TOKEN_RECORD, is_static);
}

/* --- `Array` ----------------------------------------------------------------------------------------------------- */

/* A value of which nothing is known but the dtype and the rank is waited for; false after an error. */
static bool is_known(Scan *scan, Held *held)
{
    const Value *value = held->value;
    int state = state_of(value);
    if (state == COMPUTED || (state == PENDING && value->knows_lengths))
        return true;
    if (scan->cut != NULL) /* Python's way waits for all devices, and knows whose error counts */
        return false;
    scan->has_raised = !settle_held(held);
    return !scan->has_raised;
}

/* What a slot says of a value; nothing while a worker may write to it. */
static int64_t data_of(const Value *value, bool is_there)
{
    return is_there ? value->data : 0;
}

static bool scan_number(Scan *scan, const Value *value, bool is_there)
{
    static const int64_t tokens[] = {TOKEN_FLOAT, TOKEN_INT, TOKEN_BOOL};
    if (value->kind == LEAF_SCALAR)
        push_key(scan, (int64_t)types.codes[value->number] << 8 | TOKEN_SCALAR);
    else
        push_key(scan, tokens[value->kind]);
    push_slot(scan, data_of(value, is_there));
    return true;
}

static bool scan_memory(Scan *scan, const Value *value, bool is_there)
{
    const int64_t *lengths = value->lengths, rank = value->rank;
    uint64_t ones = 0;
    int64_t elements = 1;
    push_slot(scan, data_of(value, is_there));
    for (int64_t axis = 0; axis < rank; axis++) {
        if (lengths[axis] > LENGTH_LIMIT)
            return false;
        push_slot(scan, lengths[axis]);
        ones |= (uint64_t)(lengths[axis] == 1) << axis;
        elements = (int64_t)((uint64_t)elements * (uint64_t)lengths[axis]);
    }
    memcpy(scan->slot, lengths + rank, (size_t)rank * sizeof *lengths);
    scan->slot += rank;
    scan->elements += elements;
    push_key(scan, (int64_t)(ones << 32 | (uint64_t)value->is_contiguous << 24 | (uint64_t)rank << 16 |
                             (uint64_t)types.codes[value->number] << 8 | TOKEN_ARRAY));
    return true;
}

/* Calls run where their arguments are; false with an error where these are not together. */
static bool is_together(Scan *scan, int device)
{
    if (device == ANYWHERE || device == scan->device)
        return true;
    if (scan->device != ANYWHERE) {
        PyErr_Format(PyExc_ValueError,
                     "arguments are on different devices, cpu:%d and cpu:%d; `pellucid.device_put` brings them together",
                     scan->device, device);
        scan->has_raised = true;
        return false;
    }
    scan->device = device;
    return true;
}

/* Static arguments have no arrays, and no numbers that are not there yet. */
bool scan_own_array(Scan *scan, PyObject *given, bool is_static)
{
    Held *held = (Held *)given;
    Value *value = held->value;
    if (is_static || held->is_given || (held->device > 0 && !has_queue(held->device - 1)))
        return false;
    scan->has_own = true;
    if (scan->cut == NULL && !is_together(scan, held->device - 1))
        return false;
    if (value == NULL)
        return held->values != NULL && PyArray_CheckExact(held->values) &&
               scan_array(scan, (PyArrayObject *)held->values, given);
    if (!is_known(scan, held))
        return false;
    hold(scan, given);
    bool is_there = state_of(value) == COMPUTED;
    scan->pending += !is_there;
    return value->kind == LEAF_ARRAY ? scan_memory(scan, value, is_there) : scan_number(scan, value, is_there);
}

/* --- one argument, by its type ----------------------------------------------------------------------------------- */

static bool scan_container(Scan *scan, PyObject *value, bool is_static)
{
    if (PyTuple_CheckExact(value))
        return scan_tuple(scan, value, TOKEN_TUPLE, is_static);
    if (PyList_CheckExact(value))
        return scan_list(scan, value, is_static);
    if (PyDict_CheckExact(value))
        return scan_dict(scan, value, is_static);
    return scan_record(scan, value, is_static);
}

static bool scan_value(Scan *scan, PyObject *value, bool is_static)
{
    if (!has_room(scan))
        return false;
    PyTypeObject *type = Py_TYPE(value);
    if (scan->cut != NULL && !is_static) {
        if (type == &PyArray_Type || is_held(value))
            return scan_block(scan, value);
        if (!may_be_common(scan, value))
            return false;
    }
    if (type == &PyFloat_Type)
        return scan_float(scan, value, is_static);
    if (type == &PyArray_Type)
        return !is_static && scan_array(scan, (PyArrayObject *)value, value);
    if (type == types.array)
        return scan_own_array(scan, value, is_static);
    if (type == &PyLong_Type)
        return scan_int(scan, value, is_static);
    if (type == &PyBool_Type)
        return scan_bool(scan, value, is_static);
    int64_t code = code_of_scalar(type);
    if (code >= 0)
        return !is_static && scan_scalar(scan, value, code << 8 | TOKEN_SCALAR, types.scalar_bytes[code]);
    if (type == &PyComplex_Type)
        return !is_static && scan_scalar(scan, value, TOKEN_COMPLEX, sizeof(Py_complex));
    if (is_known_by_identity(type))
        return scan_object(scan, value);
    return scan_container(scan, value, is_static);
}

/* --- arguments to parameters ------------------------------------------------------------------------------------- */

/* What `*args` takes, as the tuple that it is. */
static bool scan_extra(Scan *scan, PyObject *const *args, int64_t given, bool is_static)
{
    int64_t positional = scan->state->positional;
    return scan_items(scan, args + positional, given > positional ? given - positional : 0, TOKEN_TUPLE, is_static);
}

/* The key and the slots of a call; false where it has to go through Python. */
bool scan_call(Scan *scan, const State *state, PyObject *const *args, int64_t given, PyObject *names)
{
    scan->key = scan->keys;
    scan->slot = scan->slots + CONTEXT_SLOTS;
    scan->object = scan->objects;
    scan->held = scan->kept;
    scan->elements = scan->depth = scan->pending = scan->stacked_count = 0;
    scan->units = 0.0;
    scan->device = ANYWHERE;
    scan->has_own = scan->has_raised = false;
    scan->state = state;
    scan->cut = NULL;
    if (!bind_arguments(scan, args, given, names))
        return false;
    for (int64_t k = 0; k < state->count; k++) {
        int64_t flags = state->parameters[k].flags;
        bool is_static = flags & FLAG_STATIC;
        if (!choose_cut(scan, k, is_static, flags & FLAG_EXTRA))
            return false;
        if (!(flags & FLAG_EXTRA ? scan_extra(scan, args, given, is_static)
                                 : scan_value(scan, scan->bound[k], is_static)))
            return false;
    }
    return scan->device != ANYWHERE || !is_default_elsewhere();
}

/* Lets go of what was held for the call. */
void release_scan(Scan *scan)
{
    for (PyObject **held = scan->kept; held < scan->held; held++) {
        if (Py_TYPE(*held) == types.array)
            ((Held *)*held)->users--;
        Py_DECREF(*held);
    }
    for (PyObject **object = scan->objects; object < scan->object; object++)
        Py_DECREF(*object);
    for (int64_t k = 0; k < scan->stacked_count; k++)
        pellucid_release(scan->stacked[k]);
}
