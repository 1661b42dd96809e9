/* Blocks: what one device of a launch gets of a whole argument, without an object of Python for it.

       launch_whole(f, (2,), tables, (x,), ...), x f64[6, 4] cut by two along axis 0     ->     f(x[0:3]) and f(x[3:6])

   A block is a view: an address, lengths and steps in slots, as they would stand there for a slice of NumPy's.  What a call
   has left on all devices, cut in the same way, is taken as it is.  What cannot be cut makes the answer false, and the call
   goes through Python. */

#include "asynchronous.h"

#include <string.h>

#include <stdlib.h>

static const char *const NAME = "pellucid.cut";

/* How an array is cut: axes, in how many parts each, and which part each device has. */
struct Cut {
    int64_t count, devices, least_rank;
    bool is_stacked; /* each device has one place of the axis, which its block lacks */
    struct {
        int64_t axis, parts, places[MESH_DEVICES];
    } axes[MESH_AXES];
};

/* An array in memory, or a part of it; steps are in elements. */
typedef struct {
    int64_t data, lengths[RANK], strides[RANK];
    int rank, item;
    uint8_t code;
} Layout;

/* --- cuts -------------------------------------------------------------------------------------------------------- */

const Cut WHOLE = {0};

static void destroy(PyObject *capsule)
{
    free(PyCapsule_GetPointer(capsule, NAME));
}

static bool read_axis(Cut *cut, PyObject *given)
{
    Py_ssize_t axis, parts;
    PyObject *places;
    if (!PyArg_ParseTuple(given, "nnO!", &axis, &parts, &PyTuple_Type, &places))
        return false;
    int64_t devices = PyTuple_GET_SIZE(places);
    bool is_fitting = cut->count < MESH_AXES && axis >= 0 && axis < RANK && parts >= 1 && devices <= MESH_DEVICES;
    for (int64_t k = 0; is_fitting && k < devices; k++) {
        int64_t place = PyLong_AsLongLong(PyTuple_GET_ITEM(places, k));
        cut->axes[cut->count].places[k] = place;
        is_fitting = place >= 0 && place < parts;
    }
    if (!is_fitting) {
        PyErr_SetString(PyExc_ValueError, "a cut has axes, and for each device its place among the parts");
        return false;
    }
    cut->axes[cut->count].axis = axis;
    cut->axes[cut->count].parts = parts;
    cut->devices = devices;
    cut->count++;
    return true;
}

/* make_cut(axes, least_rank, is_stacked): for each axis that is cut (axis, parts, the part of each device). */
PyObject *make_cut(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *axes;
    Py_ssize_t least_rank;
    int is_stacked;
    if (!PyArg_ParseTuple(args, "O!np", &PyTuple_Type, &axes, &least_rank, &is_stacked))
        return NULL;
    Cut *cut = calloc(1, sizeof *cut);
    if (cut == NULL)
        return PyErr_NoMemory();
    cut->least_rank = least_rank;
    cut->is_stacked = is_stacked;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(axes); k++)
        if (!read_axis(cut, PyTuple_GET_ITEM(axes, k))) {
            free(cut);
            return NULL;
        }
    PyObject *capsule = PyCapsule_New(cut, NAME, destroy);
    if (capsule == NULL)
        free(cut);
    return capsule;
}

/* Whether all devices have all of it. */
bool is_whole(const Cut *cut)
{
    return cut->count == 0;
}

/* NULL with an exception for what is no cut. */
const Cut *cut_in(PyObject *capsule)
{
    return PyCapsule_GetPointer(capsule, NAME);
}

/* Which part of one buffer a device writes where the parts lie one after the other, and how many there are; -1 where it
   writes none: they do not, or a device before it has the same part. */
int64_t part_to_write(const Cut *cut, int64_t device, int64_t *parts)
{
    if (cut->count != 1 || cut->axes[0].axis != 0 || device >= cut->devices)
        return -1;
    const int64_t *places = cut->axes[0].places;
    for (int64_t k = 0; k < device; k++)
        if (places[k] == places[device])
            return -1;
    *parts = cut->axes[0].parts;
    return places[device];
}

/* Whether a block lacks the axis that is cut. */
bool is_stacked(const Cut *cut)
{
    return cut->is_stacked;
}

/* The part of a device in the place of the whole; false where it does not divide. */
static bool take_part(Layout *layout, const Cut *cut, int64_t device)
{
    if (layout->rank < cut->least_rank)
        return false;
    for (int64_t k = 0; k < cut->count; k++) {
        int64_t axis = cut->axes[k].axis, parts = cut->axes[k].parts;
        if (device >= cut->devices || layout->lengths[axis] % parts != 0)
            return false;
        layout->lengths[axis] /= parts;
        layout->data += cut->axes[k].places[device] * layout->lengths[axis] * layout->strides[axis] * layout->item;
    }
    if (!cut->is_stacked)
        return true;
    int64_t axis = cut->axes[0].axis;
    if (layout->lengths[axis] != 1)
        return false;
    layout->rank--;
    for (int64_t k = axis; k < layout->rank; k++) {
        layout->lengths[k] = layout->lengths[k + 1];
        layout->strides[k] = layout->strides[k + 1];
    }
    return true;
}

/* --- layouts ----------------------------------------------------------------------------------------------------- */

static bool layout_of_array(Layout *layout, PyArrayObject *array)
{
    PyArray_Descr *dtype = PyArray_DESCR(array);
    unsigned number = (unsigned)dtype->type_num;
    layout->rank = PyArray_NDIM(array);
    if (number >= sizeof types.codes || types.codes[number] == 255 || dtype->byteorder == NPY_OPPBYTE ||
        !PyArray_ISALIGNED(array) || layout->rank > RANK)
        return false;
    layout->data = (int64_t)(intptr_t)PyArray_DATA(array);
    layout->item = (int)PyArray_ITEMSIZE(array);
    layout->code = types.codes[number];
    for (int axis = 0; axis < layout->rank; axis++) {
        layout->lengths[axis] = PyArray_DIM(array, axis);
        layout->strides[axis] = PyArray_STRIDE(array, axis) / layout->item;
        if (PyArray_STRIDE(array, axis) % layout->item != 0)
            return false;
    }
    return true;
}

static void layout_of_value(Layout *layout, const Value *value)
{
    layout->data = value->data;
    layout->rank = value->rank;
    layout->item = 1 << value->shift;
    layout->code = types.codes[value->number];
    memcpy(layout->lengths, value->lengths, value->rank * sizeof *value->lengths);
    memcpy(layout->strides, value->lengths + value->rank, value->rank * sizeof *value->lengths);
}

/* An element of an array that the devices have one each of: a scalar of NumPy's. */
static bool push_element(Scan *scan, const Layout *layout)
{
    int64_t bits[2] = {0, 0};
    memcpy(bits, (const char *)(intptr_t)layout->data, (size_t)layout->item);
    *scan->key++ = (int64_t)layout->code << 8 | TOKEN_SCALAR;
    *scan->slot++ = bits[0];
    if (layout->item > (int)sizeof *bits)
        *scan->slot++ = bits[1];
    return true;
}

/* The part of this device; `holder` is what has to live as long as the call. */
static bool push_part(Scan *scan, Layout *layout, PyObject *holder)
{
    if (!take_part(layout, scan->cut, scan->seat))
        return false;
    if (scan->cut->is_stacked && layout->rank == 0)
        return push_element(scan, layout);
    scan->ranks[scan->held - scan->kept] = (uint8_t)layout->rank;
    scan->are_common[scan->held - scan->kept] = is_whole(scan->cut);
    hold(scan, holder);
    *scan->slot++ = layout->data;
    uint64_t ones = 0;
    int64_t elements = 1;
    for (int axis = 0; axis < layout->rank; axis++) {
        int64_t length = layout->lengths[axis];
        if (length > LENGTH_LIMIT)
            return false;
        *scan->slot++ = length;
        ones |= (uint64_t)(length == 1) << axis;
        elements = (int64_t)((uint64_t)elements * (uint64_t)length);
    }
    bool is_contiguous = are_contiguous(layout->lengths, layout->strides, layout->rank);
    memcpy(scan->slot, layout->strides, (size_t)layout->rank * sizeof *layout->strides);
    scan->slot += layout->rank;
    scan->elements += elements;
    *scan->key++ = (int64_t)(ones << 32 | (uint64_t)is_contiguous << 24 | (uint64_t)layout->rank << 16 |
                             (uint64_t)layout->code << 8 | TOKEN_ARRAY);
    return true;
}

/* --- arguments --------------------------------------------------------------------------------------------------- */

/* What this device has of an array that a call has made, where it was cut as it is now; NULL without an exception where it
   was not.  A new reference. */
static PyObject *block_of(const Scan *scan, PyObject *parts)
{
    PyObject *cut = PyObject_GetAttrString(parts, "cut"), *block = NULL;
    PyObject *blocks = cut == scan->token ? PyObject_GetAttrString(parts, "blocks") : NULL;
    if (blocks != NULL && PyList_CheckExact(blocks) && scan->seat < PyList_GET_SIZE(blocks))
        block = Py_NewRef(PyList_GET_ITEM(blocks, scan->seat));
    Py_XDECREF(blocks);
    Py_XDECREF(cut);
    PyErr_Clear(); /* Python's way meets it again */
    return block;
}

static bool scan_held_whole(Scan *scan, PyObject *given)
{
    Held *held = (Held *)given;
    Layout layout;
    scan->has_own = true;
    if (held->there != NULL || held->is_given || is_number(held))
        return false;
    if (held->value == NULL)
        return held->values != NULL && PyArray_CheckExact(held->values) &&
               layout_of_array(&layout, (PyArrayObject *)held->values) && push_part(scan, &layout, given);
    if (state_of(held->value) == FAILED)
        return false;
    if (!settle_held(held)) {
        scan->has_raised = true;
        return false;
    }
    layout_of_value(&layout, held->value);
    return push_part(scan, &layout, given);
}

/* An array on many devices. */
static bool scan_sharded(Scan *scan, PyObject *given)
{
    PyObject *parts = PyObject_GetAttrString(given, "_parts");
    if (parts == NULL) {
        PyErr_Clear(); /* another subclass of `Array` */
        return false;
    }
    PyObject *block = parts == Py_None ? NULL : block_of(scan, parts);
    bool has_one_buffer = parts == Py_None, is_fine = false;
    Py_DECREF(parts);
    if (block != NULL && Py_TYPE(block) == types.array && !(scan->cut->is_stacked && is_number((Held *)block)))
        is_fine = scan_own_array(scan, block, false);
    else if (has_one_buffer)
        is_fine = scan_held_whole(scan, given);
    Py_XDECREF(block);
    return is_fine;
}

/* An array, of which this device gets its part. */
bool scan_block(Scan *scan, PyObject *value)
{
    Layout layout;
    if (Py_TYPE(value) == &PyArray_Type)
        return layout_of_array(&layout, (PyArrayObject *)value) && push_part(scan, &layout, value);
    if (Py_TYPE(value) != types.array)
        return scan_sharded(scan, value);
    return scan->cut->count == 0 ? scan_own_array(scan, value, false) : scan_held_whole(scan, value);
}

/* Whether it is no array and no container: then all devices have it, and it cannot be cut. */
bool may_be_common(const Scan *scan, PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);
    const Record *record = record_of(scan->state, type);
    bool is_container = value == Py_None || PyTuple_Check(value) || PyDict_Check(value) ||
                        (record != NULL && record->kind != RECORD_PLACES);
    if (PyList_Check(value))
        return PyList_GET_SIZE(value) <= APART; /* longer ones may become arrays, of numbers that are whole */
    return is_container || (scan->cut->count == 0 && !is_known_by_identity(type));
}
