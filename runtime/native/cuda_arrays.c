/* `DeviceArray`: an array whose elements lie on a device.

       device_array((3, 4), np.float32)      memory from the pool, not set
       to_device(ndarray)                    a copy
       x.shape, x.T, x[1:], x.reshape(12)    views: `cuda_views.c`
       x.copy_to_host(), fetch(x)            the elements: `cuda_values.c`

   Shape, dtype and strides are those of an ndarray that is kept inside and whose address is one of the device: NumPy does the
   arithmetic of views and never reads an element. It must not come out. */

#include "cuda.h"

#include <stddef.h>
#include <string.h>
#include <structmember.h>

PyTypeObject *device_array_type;

/* --- making them ------------------------------------------------------------------------------------------------- */

/* An array over a block; both references are taken over. */
PyObject *array_over(PyTypeObject *type, Block *block, PyArrayObject *layout)
{
    PyObject *made = layout == NULL ? NULL : type->tp_alloc(type, 0);
    if (made == NULL) {
        drop_block(block);
        Py_XDECREF(layout);
        return NULL;
    }
    ((DeviceArray *)made)->block = block;
    ((DeviceArray *)made)->layout = layout;
    return made;
}

/* Bytes of memory for a C-contiguous array; -1 with an exception where it is none.

   A kernel that has failed goes on with the index 0, also along an axis of length 0, so there is memory for one of it. */
static int64_t bytes_of(const PyArray_Descr *dtype, int rank, const npy_intp *lengths)
{
    int64_t bytes = (int64_t)PyDataType_ELSIZE(dtype);
    for (int axis = 0; axis < rank; axis++) {
        if (lengths[axis] < 0) {
            PyErr_SetString(PyExc_ValueError, "negative dimensions are not allowed");
            return -1;
        }
        if (lengths[axis] > 0 && __builtin_mul_overflow(bytes, (int64_t)lengths[axis], &bytes)) {
            PyErr_SetString(PyExc_ValueError, "the array is too big: its bytes cannot be counted");
            return -1;
        }
    }
    return bytes;
}

static bool is_known_dtype(PyArray_Descr *dtype)
{
    int number = dtype->type_num;
    bool is_long = number == NPY_LONGDOUBLE || number == NPY_CLONGDOUBLE; /* which no device has */
    if ((PyTypeNum_ISNUMBER(number) || PyTypeNum_ISBOOL(number)) && !is_long && PyArray_ISNBO(dtype->byteorder))
        return true;
    PyErr_Format(PyExc_TypeError, "arrays on a device hold numbers and bools, not %S", (PyObject *)dtype);
    return false;
}

/* The reference to the dtype is taken over. */
PyObject *new_device_array(Gpu *gpu, PyArray_Descr *dtype, int rank, const npy_intp *lengths)
{
    int64_t bytes = is_known_dtype(dtype) ? bytes_of(dtype, rank, lengths) : -1;
    Block *block = bytes < 0 ? NULL : take_block(gpu, bytes);
    if (block == NULL) {
        Py_DECREF(dtype);
        return NULL;
    }
    void *address = (void *)(uintptr_t)block->address;
    PyObject *layout = PyArray_NewFromDescr(&PyArray_Type, dtype, rank, lengths, NULL, address, 0, NULL);
    return array_over(device_array_type, block, (PyArrayObject *)layout);
}

/* device_array(shape, dtype, device=None) */
static PyObject *device_array(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    npy_intp lengths[NPY_MAXDIMS];
    PyArray_Dims shape = {NULL, 0};
    PyArray_Descr *dtype = NULL;
    if (count < 2 || count > 3)
        return PyErr_Format(PyExc_TypeError, "device_array takes a shape, a dtype and a device");
    Gpu *gpu = present_gpu(count == 3 ? args[2] : NULL);
    if (gpu == NULL || !PyArray_IntpConverter(args[0], &shape))
        return NULL;
    int rank = shape.len;
    if (rank > 0) /* else there is nothing to copy from */
        memcpy(lengths, shape.ptr, (size_t)rank * sizeof *lengths);
    PyDimMem_FREE(shape.ptr);
    return PyArray_DescrConverter(args[1], &dtype) ? new_device_array(gpu, dtype, rank, lengths) : NULL;
}

/* The elements of an ndarray in C order and in the byte order of the device; a copy that may go on. */
static PyObject *copied_to(Gpu *gpu, PyArrayObject *given)
{
    int flags = NPY_ARRAY_CARRAY_RO | NPY_ARRAY_NOTSWAPPED;
    PyArrayObject *values = (PyArrayObject *)PyArray_CheckFromAny((PyObject *)given, NULL, 0, 0, flags, NULL);
    if (values == NULL)
        return NULL;
    PyArray_Descr *dtype = (PyArray_Descr *)Py_NewRef((PyObject *)PyArray_DESCR(values));
    PyObject *made = new_device_array(gpu, dtype, PyArray_NDIM(values), PyArray_DIMS(values));
    if (made != NULL && !copy_to_gpu(gpu, ((DeviceArray *)made)->block->address, PyArray_BYTES(values),
                                     (size_t)PyArray_NBYTES(values)))
        Py_CLEAR(made);
    Py_DECREF(values);
    return made;
}

/* to_device(values, device=None): of an ndarray, or of a number, which becomes an array of no dimensions. */
static PyObject *to_device(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count < 1 || count > 2 || !(PyArray_Check(args[0]) || PyArray_CheckAnyScalar(args[0])))
        return PyErr_Format(PyExc_TypeError, "to_device takes an ndarray or a number, and a device");
    Gpu *gpu = present_gpu(count == 2 ? args[1] : NULL);
    PyObject *values = gpu == NULL ? NULL : PyArray_FROM_O(args[0]);
    PyObject *made = values == NULL ? NULL : copied_to(gpu, (PyArrayObject *)values);
    Py_XDECREF(values);
    return made;
}

/* DeviceArray(other): the same memory, of this class or one below it. */
static PyObject *make(PyTypeObject *type, PyObject *args, PyObject *names)
{
    PyObject *other;
    static char *parameters[] = {"array", NULL};
    if (!PyArg_ParseTupleAndKeywords(args, names, "O!:DeviceArray", parameters, device_array_type, &other))
        return NULL;
    DeviceArray *array = (DeviceArray *)other;
    PyObject *made = array_over(type, hold_block(array->block), (PyArrayObject *)Py_NewRef((PyObject *)array->layout));
    if (made != NULL)
        ((DeviceArray *)made)->verdict = Py_XNewRef(array->verdict);
    return made;
}

static void deallocate(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    DeviceArray *array = (DeviceArray *)self;
    if (array->weak != NULL)
        PyObject_ClearWeakRefs(self);
    Py_XDECREF(array->layout);
    Py_XDECREF(array->verdict);
    drop_block(array->block);
    type->tp_free(self);
    Py_DECREF(type);
}

/* --- in place ---------------------------------------------------------------------------------------------------- */

/* Sets all bytes of a contiguous array to 0, in the order of the stream. */
static PyObject *clear(PyObject *self, PyObject *unused)
{
    (void)unused;
    DeviceArray *array = (DeviceArray *)self;
    Gpu *gpu = array->block->gpu;
    size_t bytes = (size_t)PyArray_NBYTES(array->layout);
    if (!PyArray_IS_C_CONTIGUOUS(array->layout))
        return PyErr_Format(PyExc_ValueError, "only a contiguous array can be cleared");
    int entered = bytes == 0 ? 0 : enter(gpu);
    if (entered < 0)
        return NULL;
    int status = bytes == 0 ? 0 : driver.set_bytes((Address)(uintptr_t)PyArray_BYTES(array->layout), 0, bytes, gpu->stream);
    leave(entered);
    return succeeded(status, "cuMemsetD8Async", gpu) ? Py_NewRef(self) : NULL;
}

PyMethodDef CUDA_ARRAYS[] = {
    {"device_array", (PyCFunction)(void (*)(void))device_array, METH_FASTCALL, "An array on a device, not set."},
    {"to_device", (PyCFunction)(void (*)(void))to_device, METH_FASTCALL, "The elements of an ndarray on a device."},
    {"fetch", fetch, METH_O, "The element of an array of no dimensions, as a NumPy scalar."},
    {NULL, NULL, 0, NULL},
};

/* --- what it is -------------------------------------------------------------------------------------------------- */

static PyObject *told_by_layout(PyObject *self, void *name)
{
    return PyObject_GetAttrString((PyObject *)((DeviceArray *)self)->layout, name);
}

static PyObject *address_of(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromVoidPtr(PyArray_BYTES(((DeviceArray *)self)->layout));
}

static PyObject *device_of_array(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(((DeviceArray *)self)->block->gpu->number);
}

static PyObject *is_contiguous(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(PyArray_IS_C_CONTIGUOUS(((DeviceArray *)self)->layout));
}

static Py_ssize_t length(PyObject *self)
{
    PyArrayObject *layout = ((DeviceArray *)self)->layout;
    if (PyArray_NDIM(layout) > 0)
        return PyArray_DIM(layout, 0);
    PyErr_SetString(PyExc_TypeError, "len() of unsized object");
    return -1;
}

static PyObject *represent(PyObject *self)
{
    DeviceArray *array = (DeviceArray *)self;
    PyObject *shape = told_by_layout(self, "shape");
    if (shape == NULL)
        return NULL;
    PyObject *text = PyUnicode_FromFormat("<device array %S of %S on cuda:%d>", shape, (PyObject *)PyArray_DESCR(array->layout),
                                          array->block->gpu->number);
    Py_DECREF(shape);
    return text;
}

/* What would read an element on the host. */
static PyObject *refuse_to_read(PyObject *self, PyObject *unused)
{
    (void)unused;
    PyErr_Format(PyExc_TypeError, "the elements are on cuda:%d: `x.copy_to_host()` gives them as an ndarray, and `fetch(x)` "
                                  "that of an array of no dimensions",
                 ((DeviceArray *)self)->block->gpu->number);
    return NULL;
}

static PyObject *refuse_number(PyObject *self)
{
    return refuse_to_read(self, NULL);
}

static int refuse_truth(PyObject *self)
{
    refuse_to_read(self, NULL);
    return -1;
}

static PyObject *refuse_array(PyObject *self, PyObject *args, PyObject *names)
{
    (void)args, (void)names;
    return refuse_to_read(self, NULL);
}

/* By identity a comparison would be an answer, and the wrong one. */
static PyObject *refuse_comparison(PyObject *self, PyObject *other, int operation)
{
    (void)other, (void)operation;
    return refuse_to_read(self, NULL);
}

static PyObject *get_verdict(PyObject *self, void *unused)
{
    (void)unused;
    PyObject *verdict = ((DeviceArray *)self)->verdict;
    return Py_NewRef(verdict == NULL ? Py_None : verdict);
}

static int set_verdict(PyObject *self, PyObject *verdict, void *unused)
{
    (void)unused;
    Py_XSETREF(((DeviceArray *)self)->verdict, verdict == NULL || verdict == Py_None ? NULL : Py_NewRef(verdict));
    return 0;
}

/* copy_to_host(partly=False): the lockstep machine wants to know whether some elements need not be there yet. */
static PyObject *give_values(PyObject *self, PyObject *args, PyObject *names)
{
    int partly = 0;
    static char *words[] = {"partly", NULL};
    return PyArg_ParseTupleAndKeywords(args, names, "|$p:copy_to_host", words, &partly) ? copy_to_host(self) : NULL;
}

static PyMethodDef METHODS[] = {
    {"copy_to_host", (PyCFunction)(void (*)(void))give_values, METH_VARARGS | METH_KEYWORDS, "The elements as an ndarray; waits for them."},
    {"copy_from_host", copy_from_host, METH_O, "Write the elements of an ndarray."},
    {"copy_from_device", copy_from_device, METH_O, "Write the elements of an array of this or another device."},
    {"wait", wait_for_array, METH_NOARGS, "Wait for the elements."},
    {"clear", clear, METH_NOARGS, "Set all elements to 0; gives the array."},
    {"reshape", reshaped, METH_VARARGS, "The same elements in another shape, as a view."},
    {"transpose", permuted, METH_VARARGS, "A view with the dimensions in another order."},
    {"swapaxes", with_axes_swapped, METH_VARARGS, "A view with two dimensions exchanged."},
    {"squeeze", squeezed, METH_VARARGS, "A view without dimensions of length 1."},
    {"copy", contiguous_copy, METH_NOARGS, "A copy in C order on the same device."},
    {"__array__", (PyCFunction)(void (*)(void))refuse_array, METH_VARARGS | METH_KEYWORDS, NULL},
    {"__dlpack__", (PyCFunction)(void (*)(void))to_dlpack, METH_VARARGS | METH_KEYWORDS, "The array for other libraries."},
    {"__dlpack_device__", dlpack_device, METH_NOARGS, "The kind of device, 2 for CUDA, and its number."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef GETTERS[] = {
    {"shape", told_by_layout, NULL, "The length of every dimension.", "shape"},
    {"strides", told_by_layout, NULL, "Bytes from one element to the next, along every dimension.", "strides"},
    {"dtype", told_by_layout, NULL, "The NumPy dtype of the elements.", "dtype"},
    {"ndim", told_by_layout, NULL, "How many dimensions.", "ndim"},
    {"size", told_by_layout, NULL, "How many elements.", "size"},
    {"itemsize", told_by_layout, NULL, "Bytes of an element.", "itemsize"},
    {"nbytes", told_by_layout, NULL, "Bytes of all elements.", "nbytes"},
    {"T", transposed, NULL, "A view with the dimensions in reverse order.", NULL},
    {"ptr", address_of, NULL, "The address of the first element on the device.", NULL},
    {"number", device_of_array, NULL, "The number of the device among those of CUDA.", NULL},
    {"is_contiguous", is_contiguous, NULL, "Whether the elements lie one after the other, in C order.", NULL},
    {"verdict", get_verdict, set_verdict, "What is called when elements have come to the host; None: nothing.", NULL},
    {"__cuda_array_interface__", array_interface, NULL, "The array for other libraries.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef MEMBERS[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(DeviceArray, weak), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot SLOTS_OF_TYPE[] = {
    {Py_tp_new, make},
    {Py_tp_dealloc, deallocate},
    {Py_tp_repr, represent},
    {Py_tp_methods, METHODS},
    {Py_tp_getset, GETTERS},
    {Py_tp_members, MEMBERS},
    {Py_tp_richcompare, refuse_comparison},
    {Py_tp_hash, PyObject_HashNotImplemented},
    {Py_mp_subscript, view_by_index},
    {Py_mp_length, length},
    {Py_nb_float, refuse_number},
    {Py_nb_int, refuse_number},
    {Py_nb_index, refuse_number},
    {Py_nb_bool, refuse_truth},
    {Py_tp_doc, "An array whose elements lie on a device of CUDA."},
    {0, NULL},
};

static PyType_Spec SPECIFICATION = {
    .name = "pellucid.runtime.devices.cuda.DeviceArray",
    .basicsize = sizeof(DeviceArray),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = SLOTS_OF_TYPE,
};

PyObject *make_device_array_type(void)
{
    PyObject *made = PyType_FromSpec(&SPECIFICATION);
    if (made != NULL && PyObject_SetAttrString(made, "__array_ufunc__", Py_None) < 0)
        Py_CLEAR(made);
    device_array_type = (PyTypeObject *)Py_XNewRef(made);
    return made;
}
