/* Arrays on a device between libraries, without a copy: `__cuda_array_interface__` (version 3) and DLPack.

       cupy.asarray(x), torch.from_dlpack(x)   ->   they find the address, the strides and the stream
       device_array_from(theirs)               ->   a DeviceArray over their memory, which it keeps alive

   Who reads first waits for who has written: their stream is made to wait for ours where they name it, and ours for theirs.
   Sources: the CUDA Array Interface of numba.cuda, version 3; DLPack 1.0, dlpack.h. */

#include "cuda.h"
#include "dlpack.h"

/* --- streams ----------------------------------------------------------------------------------------------------- */

/* What is put into `later` from now on waits for what `earlier` has got. */
static bool order(Gpu *gpu, void *earlier, void *later)
{
    if (earlier == later)
        return true;
    int entered = enter(gpu);
    if (entered < 0)
        return false;
    bool went_well = succeeded(driver.event_record(gpu->event, earlier), "cuEventRecord", gpu) &&
                     succeeded(driver.stream_after(later, gpu->event, 0), "cuStreamWaitEvent", gpu);
    leave(entered);
    return went_well;
}

/* --- the interface of arrays ------------------------------------------------------------------------------------- */

PyObject *array_interface(PyObject *self, void *unused)
{
    (void)unused;
    DeviceArray *array = (DeviceArray *)self;
    PyArrayObject *layout = array->layout;
    uintptr_t address = PyArray_SIZE(layout) == 0 ? 0 : (uintptr_t)PyArray_BYTES(layout);
    PyObject *shape = PyObject_GetAttrString((PyObject *)layout, "shape");
    PyObject *type = PyObject_GetAttrString((PyObject *)PyArray_DESCR(layout), "str");
    PyObject *strides = PyArray_IS_C_CONTIGUOUS(layout) ? Py_NewRef(Py_None)
                                                        : PyObject_GetAttrString((PyObject *)layout, "strides");
    if (shape == NULL || type == NULL || strides == NULL) {
        Py_XDECREF(shape), Py_XDECREF(type), Py_XDECREF(strides);
        return NULL;
    }
    return Py_BuildValue("{sNsNsNs(KO)sisK}", "shape", shape, "typestr", type, "strides", strides, "data",
                         (unsigned long long)address, Py_False, "version", 3, "stream",
                         (unsigned long long)(uintptr_t)array->block->gpu->stream);
}

/* The device that has an address. */
static Gpu *owner_of(Address address)
{
    int ordinal = 0;
    Gpu *gpu = present_gpu(NULL);
    int entered = gpu == NULL ? -1 : enter(gpu);
    if (entered < 0)
        return NULL;
    int status = driver.pointer(&ordinal, ATTRIBUTE_ORDINAL, address);
    leave(entered);
    return succeeded(status, "cuPointerGetAttribute", gpu) ? gpu_of(ordinal) : NULL;
}

/* An array over memory of others; the references to the dtype and the owner are taken over.  Strides are in bytes. */
static PyObject *over_foreign(Gpu *gpu, Address address, PyArray_Descr *dtype, int rank, const npy_intp *lengths,
                              const npy_intp *strides, PyObject *owner)
{
    PyObject *layout =
        PyArray_NewFromDescr(&PyArray_Type, dtype, rank, lengths, strides, (void *)(uintptr_t)address, 0, NULL);
    npy_intp lowest = 0, bytes = 0;
    if (layout != NULL)
        span_of((PyArrayObject *)layout, &lowest, &bytes);
    Block *block = layout == NULL ? NULL : foreign_block(gpu, address, bytes, owner);
    if (layout == NULL)
        Py_DECREF(owner);
    if (block == NULL) {
        Py_XDECREF(layout);
        return NULL;
    }
    return array_over(device_array_type, block, (PyArrayObject *)layout);
}

/* Their description, read: the address, shape, strides and dtype; the latter's reference is the caller's. */
static bool read_interface(PyObject *found, unsigned long long *address, PyArray_Dims *shape, PyArray_Dims *strides,
                           PyArray_Descr **dtype)
{
    PyObject *data = PyDict_GetItemString(found, "data"), *lengths = PyDict_GetItemString(found, "shape");
    PyObject *type = PyDict_GetItemString(found, "typestr"), *steps = PyDict_GetItemString(found, "strides");
    PyObject *mask = PyDict_GetItemString(found, "mask");
    if (mask != NULL && mask != Py_None) {
        PyErr_SetString(PyExc_TypeError, "an array with a mask has no place on a device of ours");
        return false;
    }
    if (data == NULL || !PyTuple_Check(data) || PyTuple_GET_SIZE(data) != 2 || lengths == NULL || type == NULL) {
        PyErr_SetString(PyExc_ValueError, "__cuda_array_interface__ has no data, shape or typestr");
        return false;
    }
    *address = PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(data, 0));
    if (PyErr_Occurred() || !PyArray_IntpConverter(lengths, shape))
        return false;
    if (steps != NULL && steps != Py_None && !PyArray_IntpConverter(steps, strides))
        return false;
    if (strides->ptr != NULL && strides->len != shape->len) {
        PyErr_SetString(PyExc_ValueError, "__cuda_array_interface__ has a stride for every dimension");
        return false;
    }
    return PyArray_DescrConverter(type, dtype);
}

static PyObject *described(PyObject *given, PyArray_Descr *dtype, unsigned long long address, PyArray_Dims shape,
                           PyArray_Dims strides, PyObject *stream)
{
    bool is_empty = address == 0;
    Gpu *gpu = is_empty ? present_gpu(NULL) : owner_of((Address)address);
    void *theirs = gpu != NULL && stream != NULL && stream != Py_None ? PyLong_AsVoidPtr(stream) : NULL;
    if (gpu == NULL || PyErr_Occurred() || (theirs != NULL && !order(gpu, theirs, gpu->stream))) {
        Py_DECREF(dtype);
        return NULL;
    }
    if (is_empty)
        return new_device_array(gpu, dtype, shape.len, shape.ptr);
    return over_foreign(gpu, (Address)address, dtype, shape.len, shape.ptr, strides.ptr, Py_NewRef(given));
}

static PyObject *from_interface(PyObject *given, PyObject *found)
{
    unsigned long long address = 0;
    PyArray_Dims shape = {NULL, 0}, strides = {NULL, 0};
    PyArray_Descr *dtype = NULL;
    PyObject *made = NULL;
    if (!PyDict_Check(found))
        PyErr_SetString(PyExc_TypeError, "__cuda_array_interface__ is a dict");
    else if (read_interface(found, &address, &shape, &strides, &dtype))
        made = described(given, dtype, address, shape, strides, PyDict_GetItemString(found, "stream"));
    PyDimMem_FREE(shape.ptr);
    PyDimMem_FREE(strides.ptr);
    return made;
}

/* --- DLPack, to others ------------------------------------------------------------------------------------------- */

typedef struct {
    Versioned tensor;
    Unversioned old;
    PyObject *array;
    int64_t lengths[];
} Export;

static void delete_export(Export *export)
{
    PyGILState_STATE state = PyGILState_Ensure(); /* others may call from threads of theirs */
    Py_DECREF(export->array);
    PyMem_Free(export);
    PyGILState_Release(state);
}

static void delete_versioned(Versioned *tensor)
{
    delete_export(tensor->context);
}

static void delete_unversioned(Unversioned *tensor)
{
    delete_export(tensor->context);
}

/* The name of a capsule changes when somebody has taken what is in it. */
static void drop_capsule(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, VERSIONED_NAME))
        delete_versioned(PyCapsule_GetPointer(capsule, VERSIONED_NAME));
    else if (PyCapsule_IsValid(capsule, UNVERSIONED_NAME))
        delete_unversioned(PyCapsule_GetPointer(capsule, UNVERSIONED_NAME));
}

static Tensor tensor_of(const DeviceArray *array, int64_t *lengths)
{
    PyArrayObject *layout = array->layout;
    int rank = PyArray_NDIM(layout), bytes = (int)PyArray_ITEMSIZE(layout);
    char kind = PyArray_DESCR(layout)->kind;
    for (int axis = 0; axis < rank; axis++) {
        lengths[axis] = PyArray_DIM(layout, axis);
        lengths[rank + axis] = PyArray_STRIDE(layout, axis) / bytes;
    }
    return (Tensor){
        .data = PyArray_SIZE(layout) == 0 ? NULL : PyArray_BYTES(layout),
        .device = {DEVICE_CUDA, array->block->gpu->number},
        .rank = rank,
        .type = {kind == 'i' ? TYPE_INT : kind == 'u' ? TYPE_UINT : kind == 'f' ? TYPE_FLOAT : kind == 'c' ? TYPE_COMPLEX : TYPE_BOOL,
                 (uint8_t)(8 * bytes), 1},
        .lengths = lengths,
        .strides = lengths + rank,
    };
}

static PyObject *exported(DeviceArray *array, bool is_versioned, bool is_copied)
{
    int rank = PyArray_NDIM(array->layout);
    Export *export = PyMem_Calloc(1, sizeof *export + 2 * (size_t)rank * sizeof(int64_t));
    if (export == NULL)
        return PyErr_NoMemory();
    Tensor tensor = tensor_of(array, export->lengths);
    export->array = Py_NewRef((PyObject *)array);
    export->tensor = (Versioned){{1, 0}, export, delete_versioned, is_copied ? FLAG_COPIED : 0, tensor};
    export->old = (Unversioned){tensor, export, delete_unversioned};
    PyObject *capsule = is_versioned ? PyCapsule_New(&export->tensor, VERSIONED_NAME, drop_capsule)
                                     : PyCapsule_New(&export->old, UNVERSIONED_NAME, drop_capsule);
    if (capsule == NULL)
        delete_export(export);
    return capsule;
}

/* Lets their stream wait for ours; None is the default one, -1 asks for nothing. */
static bool hand_over(Gpu *gpu, PyObject *stream)
{
    long long theirs = stream == NULL || stream == Py_None ? 1 : PyLong_AsLongLong(stream);
    if (theirs == -1)
        return !PyErr_Occurred();
    if (theirs == 0) {
        PyErr_SetString(PyExc_ValueError, "a stream of CUDA is not 0: 1 is the default one, 2 that of the thread");
        return false;
    }
    return order(gpu, gpu->stream, (void *)(intptr_t)theirs);
}

static bool is_here(PyObject *wanted, const Gpu *gpu)
{
    int kind = 0, number = 0;
    if (wanted == NULL || wanted == Py_None)
        return true;
    if (!PyArg_ParseTuple(wanted, "ii", &kind, &number))
        return false;
    if (kind != DEVICE_CUDA || number != gpu->number)
        PyErr_Format(PyExc_BufferError, "the array is on cuda:%d and is not exported to another device", gpu->number);
    return kind == DEVICE_CUDA && number == gpu->number;
}

/* __dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None) */
PyObject *to_dlpack(PyObject *self, PyObject *args, PyObject *names)
{
    PyObject *stream = NULL, *version = NULL, *device = NULL, *copy = NULL;
    static char *words[] = {"stream", "max_version", "dl_device", "copy", NULL};
    Gpu *gpu = ((DeviceArray *)self)->block->gpu;
    int major = 0, minor = 0;
    if (!PyArg_ParseTupleAndKeywords(args, names, "|$OOOO:__dlpack__", words, &stream, &version, &device, &copy))
        return NULL;
    if (version != NULL && version != Py_None && !PyArg_ParseTuple(version, "ii", &major, &minor))
        return NULL;
    if (!is_here(device, gpu))
        return NULL;
    bool is_copied = copy == Py_True;
    PyObject *array = is_copied ? contiguous_copy(self, NULL) : Py_NewRef(self);
    PyObject *made = array == NULL || !hand_over(gpu, stream) ? NULL : exported((DeviceArray *)array, major >= 1, is_copied);
    Py_XDECREF(array);
    return made;
}

PyObject *dlpack_device(PyObject *self, PyObject *unused)
{
    (void)unused;
    return Py_BuildValue("ii", DEVICE_CUDA, ((DeviceArray *)self)->block->gpu->number);
}

/* --- DLPack, from others ----------------------------------------------------------------------------------------- */

static void let_go_of_versioned(PyObject *capsule)
{
    Versioned *tensor = PyCapsule_GetPointer(capsule, NULL);
    if (tensor->deleter != NULL)
        tensor->deleter(tensor);
}

static void let_go_of_unversioned(PyObject *capsule)
{
    Unversioned *tensor = PyCapsule_GetPointer(capsule, NULL);
    if (tensor->deleter != NULL)
        tensor->deleter(tensor);
}

/* What is in a capsule of theirs becomes ours, in one that gives it back; NULL with an exception. */
static PyObject *taken_over(PyObject *capsule, Tensor *tensor)
{
    bool is_versioned = PyCapsule_IsValid(capsule, VERSIONED_NAME);
    if (!is_versioned && !PyCapsule_IsValid(capsule, UNVERSIONED_NAME))
        return PyErr_Format(PyExc_TypeError, "__dlpack__ gave no capsule of DLPack");
    void *content = PyCapsule_GetPointer(capsule, is_versioned ? VERSIONED_NAME : UNVERSIONED_NAME);
    if (is_versioned && ((Versioned *)content)->version.major != 1)
        return PyErr_Format(PyExc_BufferError, "this version of DLPack is not known");
    *tensor = is_versioned ? ((Versioned *)content)->tensor : ((Unversioned *)content)->tensor;
    PyObject *owner = PyCapsule_New(content, NULL, is_versioned ? let_go_of_versioned : let_go_of_unversioned);
    if (owner != NULL && PyCapsule_SetName(capsule, is_versioned ? "used_dltensor_versioned" : "used_dltensor") < 0)
        Py_CLEAR(owner);
    return owner;
}

static PyArray_Descr *dtype_of(const Tensor *tensor)
{
    static const char KINDS[] = {[TYPE_INT] = 'i', [TYPE_UINT] = 'u', [TYPE_FLOAT] = 'f', [TYPE_COMPLEX] = 'c', [TYPE_BOOL] = 'b'};
    uint8_t code = tensor->type.code, bits = tensor->type.bits;
    char kind = code < sizeof KINDS ? KINDS[code] : 0;
    PyArray_Descr *dtype = NULL;
    if (kind == 0 || tensor->type.lanes != 1 || bits % 8 != 0) {
        PyErr_SetString(PyExc_TypeError, "arrays on a device hold numbers and bools");
        return NULL;
    }
    PyObject *text = PyUnicode_FromFormat("%c%d", kind, bits / 8);
    if (text != NULL)
        PyArray_DescrConverter(text, &dtype);
    Py_XDECREF(text);
    return dtype;
}

static PyObject *over_tensor(const Tensor *tensor, Gpu *gpu, PyObject *owner)
{
    npy_intp lengths[NPY_MAXDIMS], strides[NPY_MAXDIMS];
    PyArray_Descr *dtype = tensor->rank > NPY_MAXDIMS ? NULL : dtype_of(tensor);
    if (dtype == NULL) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "the array has too many dimensions");
        Py_DECREF(owner);
        return NULL;
    }
    npy_intp step = (npy_intp)PyDataType_ELSIZE(dtype);
    for (int axis = tensor->rank - 1; axis >= 0; axis--) {
        lengths[axis] = (npy_intp)tensor->lengths[axis];
        strides[axis] = tensor->strides == NULL ? step : (npy_intp)tensor->strides[axis] * (npy_intp)PyDataType_ELSIZE(dtype);
        step *= lengths[axis];
    }
    Address address = (Address)(uintptr_t)tensor->data + tensor->offset;
    if (address != 0)
        return over_foreign(gpu, address, dtype, tensor->rank, lengths, strides, owner);
    Py_DECREF(owner);
    return new_device_array(gpu, dtype, tensor->rank, lengths);
}

/* Their `__dlpack__`, told our stream; older ones know no versions. */
static PyObject *capsule_of(PyObject *given, Gpu *gpu)
{
    PyObject *method = PyObject_GetAttrString(given, "__dlpack__"), *none = PyTuple_New(0);
    unsigned long long stream = (unsigned long long)(uintptr_t)gpu->stream;
    PyObject *names = Py_BuildValue("{sKs(ii)}", "stream", stream, "max_version", 1, 0);
    PyObject *capsule = method == NULL || none == NULL || names == NULL ? NULL : PyObject_Call(method, none, names);
    if (capsule == NULL && names != NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        if (PyDict_DelItemString(names, "max_version") == 0)
            capsule = PyObject_Call(method, none, names);
    }
    Py_XDECREF(method), Py_XDECREF(none), Py_XDECREF(names);
    return capsule;
}

static PyObject *from_dlpack(PyObject *given)
{
    Tensor tensor;
    int kind = 0, number = 0;
    PyObject *device = PyObject_CallMethod(given, "__dlpack_device__", NULL);
    bool is_read = device != NULL && PyTuple_Check(device) && PyArg_ParseTuple(device, "ii", &kind, &number);
    Py_XDECREF(device);
    if (!is_read || kind != DEVICE_CUDA) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_BufferError, "the array is on no device of CUDA");
        return NULL;
    }
    Gpu *gpu = gpu_of(number);
    PyObject *capsule = gpu == NULL ? NULL : capsule_of(given, gpu);
    PyObject *owner = capsule == NULL ? NULL : taken_over(capsule, &tensor);
    Py_XDECREF(capsule);
    return owner == NULL ? NULL : over_tensor(&tensor, gpu, owner);
}

/* device_array_from(array): an array of another library on a device, without a copy. */
static PyObject *device_array_from(PyObject *module, PyObject *given)
{
    (void)module;
    if (PyObject_HasAttrString(given, "__cuda_array_interface__")) {
        PyObject *found = PyObject_GetAttrString(given, "__cuda_array_interface__");
        PyObject *made = found == NULL ? NULL : from_interface(given, found);
        Py_XDECREF(found);
        return made;
    }
    if (PyObject_HasAttrString(given, "__dlpack__"))
        return from_dlpack(given);
    return PyErr_Format(PyExc_TypeError, "%s is no array on a device", Py_TYPE(given)->tp_name);
}

PyMethodDef CUDA_EXCHANGE[] = {
    {"device_array_from", device_array_from, METH_O, "An array of another library on a device, without a copy."},
    {NULL, NULL, 0, NULL},
};
