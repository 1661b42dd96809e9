/* `HeldValues`, the base of `Array`: an ndarray, a value that may not be computed yet, or an array on a device of CUDA.

       x._values      the ndarray, made once; waits
       x._plain       the same, or the number where the value is one
       x.shape        dtype, ndim, size, ...: do not wait where they are known

   `portable.py` has the same by Python alone. */

#include "asynchronous.h"
#include "cuda.h"

#include <stddef.h>
#include <structmember.h>

PyTypeObject *held_type;

/* An `Array` around a value, whose reference it takes over.  A number is for any device, as it is where it is one at once. */
PyObject *array_around(Value *value, int device)
{
    PyObject *made = types.array->tp_alloc(types.array, 0);
    if (made == NULL) {
        release_value(value);
        return NULL;
    }
    ((Held *)made)->value = value;
    ((Held *)made)->device = value->kind == LEAF_ARRAY ? device + 1 : 0;
    return made;
}

/* An ndarray for reading alone. */
static PyObject *readable(PyObject *given)
{
    PyObject *view = PyArray_View((PyArrayObject *)given, NULL, NULL);
    if (view != NULL)
        PyArray_CLEARFLAGS((PyArrayObject *)view, NPY_ARRAY_WRITEABLE);
    return view;
}

static int initialise(PyObject *self, PyObject *args, PyObject *names)
{
    PyObject *given;
    Held *held = (Held *)self;
    static char *parameters[] = {"values", NULL};
    if (held->values != NULL || held->value != NULL || held->there != NULL || held->is_given) {
        PyErr_SetString(PyExc_TypeError, "an Array cannot be changed");
        return -1;
    }
    if (!PyArg_ParseTupleAndKeywords(args, names, "O!:HeldValues", parameters, &PyArray_Type, &given))
        return -1;
    held->values = readable(given);
    return held->values == NULL ? -1 : 0;
}

static void deallocate(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Held *held = (Held *)self;
    if (held->weak != NULL)
        PyObject_ClearWeakRefs(self);
    Py_XDECREF(held->values);
    Py_XDECREF(held->there);
    release_value(held->value);
    type->tp_free(self);
    Py_DECREF(type);
}

/* --- what it holds ----------------------------------------------------------------------------------------------- */

/* What an array of parts makes of them when somebody first asks for all elements. */
static bool join_parts(Held *held)
{
    PyObject *joined = NULL, *join = PyObject_GetAttrString((PyObject *)held, "_joined");
    if (join == NULL && PyErr_ExceptionMatches(PyExc_AttributeError))
        PyErr_SetString(PyExc_AttributeError, "_values");
    if (join != NULL)
        joined = PyObject_CallNoArgs(join);
    if (joined != NULL && !PyArray_Check(joined))
        PyErr_SetString(PyExc_TypeError, "the elements of an Array are an ndarray");
    else if (joined != NULL && held->values == NULL)
        held->values = readable(joined);
    Py_XDECREF(join);
    Py_XDECREF(joined);
    return held->values != NULL;
}

static bool is_filled(Held *held);

/* Waits for its value; false after an error, or where it was given away meanwhile. */
bool settle_held(Held *held)
{
    Value *value = hold_value(held->value);
    bool is_there = settle(value);
    release_value(value);
    return is_there && is_filled(held);
}

static bool is_filled(Held *held)
{
    if (held->is_given) {
        PyErr_SetString(PyExc_RuntimeError,
                        "this Array was given away: it went to a parameter that is declared with donate=, and the call "
                        "took its memory; use the result of that call, or pass a copy");
        return false;
    }
    return held->values != NULL || held->value != NULL || held->there != NULL || join_parts(held);
}

/* What NumPy knows of the array where it is no value of ours; no element of it is read. */
static PyArrayObject *layout_of(const Held *held)
{
    return held->values != NULL ? (PyArrayObject *)held->values : ((DeviceArray *)held->there)->layout;
}

/* The elements of an array on a device, for reading alone.  Another thread may put another array into its place. */
static PyObject *fetched(PyObject *there)
{
    Py_INCREF(there);
    PyObject *made = copy_to_host(there);
    Py_DECREF(there);
    if (made != NULL)
        PyArray_CLEARFLAGS((PyArrayObject *)made, NPY_ARRAY_WRITEABLE);
    return made;
}

/* Its ndarray, borrowed; waits for it, and NULL where that ends with an error. */
PyObject *held_values(PyObject *self)
{
    Held *held = (Held *)self;
    if (held->values != NULL && !held->is_given)
        return held->values;
    if (!is_filled(held) || (held->value != NULL && !settle_held(held)))
        return NULL;
    if (held->values != NULL)
        return held->values;
    PyObject *made = held->value != NULL ? ndarray_of(held->value) : fetched(held->there);
    if (made != NULL && held->values == NULL)
        held->values = made;
    else
        Py_XDECREF(made); /* another thread has made one meanwhile */
    return made == NULL ? NULL : held->values;
}

static PyObject *values(PyObject *self, void *unused)
{
    (void)unused;
    return Py_XNewRef(held_values(self));
}

/* The elements as a read-only buffer, for memoryview, Cython and NumPy's conversions; waits for them. */
static int give_buffer(PyObject *self, Py_buffer *view, int flags)
{
    PyObject *values = held_values(self);
    view->obj = NULL;
    return values == NULL ? -1 : PyObject_GetBuffer(values, view, flags);
}

bool is_number(const Held *held)
{
    return held->value != NULL && held->value->kind != LEAF_ARRAY;
}

static PyObject *plain(PyObject *self, void *unused)
{
    Held *held = (Held *)self;
    if (!is_number(held))
        return values(self, unused);
    return settle(held->value) ? number_of(held->value) : NULL;
}

static PyObject *holds_number(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(is_number((Held *)self));
}

/* --- what is known before ---------------------------------------------------------------------------------------- */

/* The lengths and their number; false after an error. */
static bool lengths_of(PyObject *self, const int64_t **lengths, int *rank)
{
    Held *held = (Held *)self;
    Value *value = held->value;
    if (value != NULL && !value->knows_lengths && !settle_held(held))
        return false;
    if (!is_filled(held))
        return false;
    *rank = value != NULL ? value->rank : PyArray_NDIM(layout_of(held));
    *lengths = value != NULL ? value->lengths : (const int64_t *)PyArray_DIMS(layout_of(held));
    return true;
}

static PyObject *shape(PyObject *self, void *unused)
{
    (void)unused;
    const int64_t *lengths;
    int rank;
    if (!lengths_of(self, &lengths, &rank))
        return NULL;
    PyObject *made = PyTuple_New(rank);
    for (int axis = 0; made != NULL && axis < rank; axis++) {
        PyObject *length = PyLong_FromLongLong(lengths[axis]);
        if (length == NULL)
            Py_CLEAR(made);
        else
            PyTuple_SET_ITEM(made, axis, length);
    }
    return made;
}

static int64_t count_of(PyObject *self)
{
    const int64_t *lengths;
    int rank;
    if (!lengths_of(self, &lengths, &rank))
        return -1;
    int64_t count = 1;
    for (int axis = 0; axis < rank; axis++)
        count *= lengths[axis];
    return count;
}

static PyArray_Descr *dtype_of(Held *held)
{
    if (!is_filled(held))
        return NULL;
    if (held->value != NULL)
        return PyArray_DescrFromType(held->value->number);
    return (PyArray_Descr *)Py_NewRef((PyObject *)PyArray_DESCR(layout_of(held)));
}

static PyObject *dtype(PyObject *self, void *unused)
{
    (void)unused;
    return (PyObject *)dtype_of((Held *)self);
}

static PyObject *ndim(PyObject *self, void *unused)
{
    (void)unused;
    Held *held = (Held *)self;
    if (!is_filled(held))
        return NULL;
    return PyLong_FromLong(held->value != NULL ? held->value->rank : PyArray_NDIM(layout_of(held)));
}

static PyObject *size(PyObject *self, void *unused)
{
    (void)unused;
    int64_t count = count_of(self);
    return count < 0 ? NULL : PyLong_FromLongLong(count);
}

static int64_t item_bytes(PyObject *self)
{
    PyArray_Descr *dtype = dtype_of((Held *)self);
    if (dtype == NULL)
        return -1;
    int64_t bytes = (int64_t)PyDataType_ELSIZE(dtype);
    Py_DECREF(dtype);
    return bytes;
}

static PyObject *itemsize(PyObject *self, void *unused)
{
    (void)unused;
    int64_t bytes = item_bytes(self);
    return bytes < 0 ? NULL : PyLong_FromLongLong(bytes);
}

static PyObject *nbytes(PyObject *self, void *unused)
{
    (void)unused;
    int64_t bytes = item_bytes(self), count = bytes < 0 ? -1 : count_of(self);
    return count < 0 ? NULL : PyLong_FromLongLong(bytes * count);
}

/* --- devices ----------------------------------------------------------------------------------------------------- */

/* The device that calls with it run on; -1 where the others decide. */
static PyObject *device(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(((Held *)self)->device - 1);
}

/* The device that made it, or would. */
static PyObject *place_of(PyObject *self, void *unused)
{
    (void)unused;
    const Held *held = (Held *)self;
    if (held->device > 0)
        return PyLong_FromLong(held->device - 1);
    return PyLong_FromLong(held->value != NULL ? device_of(held->value->queue) : present_default());
}

/* The same values for calls on a device, where they are already or will be put when they are needed; -1: for any. */
static PyObject *on_device(PyObject *self, PyObject *number)
{
    Held *held = (Held *)self;
    long wanted = PyLong_AsLong(number);
    if ((wanted == -1 && PyErr_Occurred()) || !is_filled(held))
        return NULL;
    PyObject *made = Py_TYPE(self)->tp_alloc(Py_TYPE(self), 0);
    if (made == NULL)
        return NULL;
    ((Held *)made)->values = Py_XNewRef(held->values);
    ((Held *)made)->there = Py_XNewRef(held->there);
    ((Held *)made)->value = held->value == NULL ? NULL : hold_value(held->value);
    ((Held *)made)->device = (int)wanted + 1;
    return made;
}

/* _over(array, number, values=): an array whose values are on a device of CUDA, and on the host too where they are given. */
static PyObject *over_device_array(PyObject *type, PyObject *args)
{
    PyObject *there, *values = NULL;
    int number;
    if (!PyArg_ParseTuple(args, "O!i|O!:_over", device_array_type, &there, &number, &PyArray_Type, &values))
        return NULL;
    PyObject *made = ((PyTypeObject *)type)->tp_alloc((PyTypeObject *)type, 0);
    if (made == NULL)
        return NULL;
    ((Held *)made)->there = Py_NewRef(there);
    ((Held *)made)->device = number + 1;
    if (values != NULL && (((Held *)made)->values = readable(values)) == NULL)
        Py_CLEAR(made);
    return made;
}

/* The array on a device of CUDA, or None; it may be told that there is one. */
static PyObject *there_of(PyObject *self, void *unused)
{
    (void)unused;
    PyObject *there = ((Held *)self)->there;
    return Py_NewRef(there == NULL ? Py_None : there);
}

/* Whether the host has the elements: whether nothing would be copied or waited for. */
static PyObject *is_here(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((Held *)self)->values != NULL);
}

static int keep_there(PyObject *self, PyObject *there, void *unused)
{
    (void)unused;
    if (there == NULL || !is_device_array(there)) {
        PyErr_SetString(PyExc_TypeError, "what is on a device is a DeviceArray");
        return -1;
    }
    Py_XSETREF(((Held *)self)->there, Py_NewRef(there));
    return 0;
}

/* --- giving it away ---------------------------------------------------------------------------------------------- */

/* Whether nothing else refers to the memory that a base of an ndarray keeps; `held` are references of the Array's own. */
static bool is_only_owner(PyObject *base, int64_t held)
{
    if (Py_REFCNT(base) != 1)
        return false;
    if (PyCapsule_CheckExact(base)) {
        const Value *value = PyCapsule_GetPointer(base, NULL);
        if (value == NULL)
            PyErr_Clear(); /* the capsule of another package */
        return value != NULL && atomic_load(&value->references) == 1 + held && is_only_reference(value->owner);
    }
    PyObject *answer = PyObject_GetAttrString(base, "_is_alone"); /* of a `memory.Buffer` */
    if (answer == NULL)
        PyErr_Clear();
    bool is_alone = answer == Py_True;
    Py_XDECREF(answer);
    return is_alone;
}

/* Whether the memory of an ndarray is seen by it alone, which `known` references lead to. */
static bool is_alone(PyObject *values, Py_ssize_t known, int64_t held)
{
    while (PyArray_CheckExact(values) && Py_REFCNT(values) == known) {
        PyObject *base = PyArray_BASE((PyArrayObject *)values);
        if (base == NULL)
            return PyArray_CHKFLAGS((PyArrayObject *)values, NPY_ARRAY_OWNDATA);
        if (!PyArray_CheckExact(base))
            return is_only_owner(base, held);
        values = base;
        known = 1;
    }
    return false;
}

/* Empties the Array.  Gives whether the memory of its ndarray, to which the caller has `known` references, is seen by
   nothing else. */
static PyObject *give_away(PyObject *self, PyObject *known)
{
    Held *held = (Held *)self;
    Py_ssize_t references = PyLong_AsSsize_t(known);
    if ((references == -1 && PyErr_Occurred()) || !is_filled(held))
        return NULL;
    bool alone = held->users == 0 && held->values != NULL && is_alone(held->values, references + 1, held->value != NULL);
    held->is_given = true;
    if (held->users > 0) /* they read it until they are done, and it lasts as long as the Array */
        return PyBool_FromLong(alone);
    PyObject *values = held->values, *there = held->there;
    Value *value = held->value;
    held->values = held->there = NULL;
    held->value = NULL;
    Py_XDECREF(values);
    Py_XDECREF(there);
    release_value(value);
    return PyBool_FromLong(alone);
}

/* What was given away to a call that failed. */
static PyObject *take_back(PyObject *self, PyObject *values)
{
    Held *held = (Held *)self;
    if (!held->is_given || !PyArray_Check(values)) {
        PyErr_SetString(PyExc_TypeError, "an Array that was given away takes its ndarray back");
        return NULL;
    }
    Py_XSETREF(held->values, Py_NewRef(values));
    held->is_given = false;
    Py_RETURN_NONE;
}

/* --- waiting ----------------------------------------------------------------------------------------------------- */

static PyObject *is_ready(PyObject *self, PyObject *unused)
{
    (void)unused;
    const Held *held = (Held *)self;
    if (held->value != NULL || held->values != NULL)
        return PyBool_FromLong(held->value == NULL || state_of(held->value) != PENDING);
    return held->there == NULL ? Py_NewRef(Py_True) : is_device_array_ready(held->there);
}

static PyObject *wait_here(PyObject *self, PyObject *unused)
{
    (void)unused;
    Held *held = (Held *)self;
    if (held->value != NULL && !settle_held(held))
        return NULL;
    if (held->there == NULL)
        Py_RETURN_NONE;
    PyObject *there = Py_NewRef(held->there), *answer = wait_for_array(there, NULL);
    Py_DECREF(there);
    return answer;
}

static PyMethodDef METHODS[] = {
    {"is_ready", is_ready, METH_NOARGS, "Whether the values are there, or have failed: whether nothing would wait."},
    {"_over", over_device_array, METH_VARARGS | METH_CLASS, "An array whose values are on a device of CUDA."},
    {"_on", on_device, METH_O, "The same values for calls on a device of this number."},
    {"_give_away", give_away, METH_O, "Empty it; gives whether nothing else sees the memory of its ndarray."},
    {"_take_back", take_back, METH_O, "The ndarray that was given away, after a call that failed."},
    {"_wait", wait_here, METH_NOARGS, "Wait for the values; raises the error of the call that should have made them."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef GETTERS[] = {
    {"_values", values, NULL, "The ndarray, once it is there.", NULL},
    {"_plain", plain, NULL, "The ndarray, or the number, once it is there.", NULL},
    {"_is_number", holds_number, NULL, "Whether it stands for a number, the result of a call that went on.", NULL},
    {"_device", device, NULL, "The number of the device that calls with it run on; -1 where the others decide.", NULL},
    {"_place", place_of, NULL, "The number of the device that made it, or would.", NULL},
    {"_there", there_of, keep_there, "The array on a device of CUDA; None where nobody has put it there.", NULL},
    {"_is_here", is_here, NULL, "Whether the host has the elements.", NULL},
    {"shape", shape, NULL, "The length of every dimension.", NULL},
    {"dtype", dtype, NULL, "The NumPy dtype of the elements.", NULL},
    {"ndim", ndim, NULL, "How many dimensions.", NULL},
    {"size", size, NULL, "How many elements.", NULL},
    {"itemsize", itemsize, NULL, "Bytes of an element.", NULL},
    {"nbytes", nbytes, NULL, "Bytes of all elements.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef MEMBERS[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Held, weak), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot SLOTS_OF_TYPE[] = {
    {Py_tp_init, initialise},
    {Py_tp_dealloc, deallocate},
    {Py_tp_methods, METHODS},
    {Py_tp_getset, GETTERS},
    {Py_tp_members, MEMBERS},
    {Py_bf_getbuffer, give_buffer},
    {Py_tp_doc, "An object around a read-only NumPy array, which may not be computed yet."},
    {0, NULL},
};

static PyType_Spec SPECIFICATION = {
    .name = "pellucid.runtime.values.HeldValues",
    .basicsize = sizeof(Held),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = SLOTS_OF_TYPE,
};

PyObject *make_held_type(void)
{
    PyObject *made = PyType_FromSpec(&SPECIFICATION);
    held_type = (PyTypeObject *)Py_XNewRef(made);
    return made;
}
