/* The elements of arrays on a device, for the host: all of it waits.

       x.copy_to_host()    an ndarray: with the strides of the one on the device where it is dense, else in C order
       fetch(x)            the NumPy scalar of an array of no dimensions
       x.verdict            is called when elements have come: it raises where a kernel has failed that made them */

#include "cuda.h"

/* Fills an ndarray that is laid out as the one on the device is, in pieces that are dense: along the axis with the longest
   stride, where the elements lie far apart. */
static bool gather(Gpu *gpu, char *to, Address from, int rank, const npy_intp *lengths, const npy_intp *strides,
                   const npy_intp *own, npy_intp item)
{
    if (rank == 0)
        return copy_to_memory(gpu, to, from, (size_t)item);
    if (rank == 1 && strides[0] == item && own[0] == item)
        return copy_to_memory(gpu, to, from, (size_t)(lengths[0] * item));
    for (npy_intp k = 0; k < lengths[0]; k++)
        if (!gather(gpu, to + k * own[0], from + (Address)(k * strides[0]), rank - 1, lengths + 1, strides + 1, own + 1, item))
            return false;
    return true;
}

/* Where the elements lie: the offset of the lowest from the first, and the bytes from there to the end of the highest. */
void span_of(PyArrayObject *layout, npy_intp *lowest, npy_intp *bytes)
{
    *lowest = 0;
    *bytes = PyArray_ITEMSIZE(layout);
    for (int axis = 0; axis < PyArray_NDIM(layout); axis++) {
        npy_intp reach = (PyArray_DIM(layout, axis) - 1) * PyArray_STRIDE(layout, axis);
        *lowest += reach < 0 ? reach : 0;
        *bytes += reach < 0 ? -reach : reach;
    }
}

/* An ndarray with the strides of the one on the device, over all that lies between its elements. */
static PyObject *spanned(Gpu *gpu, PyArrayObject *layout, npy_intp lowest, npy_intp bytes)
{
    PyObject *memory = PyArray_SimpleNew(1, &bytes, NPY_UINT8);
    if (memory == NULL)
        return NULL;
    char *data = PyArray_BYTES((PyArrayObject *)memory);
    PyObject *made = NULL;
    if (copy_to_memory(gpu, data, (Address)(uintptr_t)PyArray_BYTES(layout) + (Address)lowest,
                                              (size_t)bytes))
        made = PyArray_NewFromDescr(&PyArray_Type, (PyArray_Descr *)Py_NewRef((PyObject *)PyArray_DESCR(layout)),
                                    PyArray_NDIM(layout), PyArray_DIMS(layout), PyArray_STRIDES(layout), data - lowest,
                                    NPY_ARRAY_WRITEABLE, NULL);
    if (made == NULL || PyArray_SetBaseObject((PyArrayObject *)made, Py_NewRef(memory)) < 0)
        Py_CLEAR(made);
    Py_DECREF(memory);
    return made;
}

static PyObject *values_of(DeviceArray *array)
{
    PyArrayObject *layout = array->layout;
    Gpu *gpu = array->block->gpu;
    Address from = (Address)(uintptr_t)PyArray_BYTES(layout);
    npy_intp lowest, bytes, own = PyArray_NBYTES(layout);
    span_of(layout, &lowest, &bytes);
    if (own > 0 && !PyArray_IS_C_CONTIGUOUS(layout) && bytes <= 4 * own)
        return spanned(gpu, layout, lowest, bytes);
    PyArray_Descr *dtype = (PyArray_Descr *)Py_NewRef((PyObject *)PyArray_DESCR(layout));
    PyArrayObject *made =
        (PyArrayObject *)PyArray_NewFromDescr(&PyArray_Type, dtype, PyArray_NDIM(layout), PyArray_DIMS(layout), NULL,
                                              NULL, 0, NULL);
    if (made == NULL || own == 0)
        return (PyObject *)made;
    bool went_well = PyArray_IS_C_CONTIGUOUS(layout)
                         ? copy_to_memory(gpu, PyArray_BYTES(made), from, (size_t)own)
                         : gather(gpu, PyArray_BYTES(made), from, PyArray_NDIM(layout), PyArray_DIMS(layout),
                                  PyArray_STRIDES(layout), PyArray_STRIDES(made), PyArray_ITEMSIZE(layout));
    if (!went_well)
        Py_CLEAR(made);
    return (PyObject *)made;
}

/* Calls what knows whether the values are to be used; false where it raises. */
static bool passes_verdict(DeviceArray *array)
{
    if (array->verdict == NULL)
        return true;
    PyObject *verdict = Py_NewRef(array->verdict), *answer = PyObject_CallNoArgs(verdict);
    if (answer != NULL && array->verdict == verdict)
        Py_CLEAR(array->verdict);
    Py_DECREF(verdict);
    Py_XDECREF(answer);
    return answer != NULL;
}

/* What has not been written yet is what happens to be there. */
PyObject *copy_to_host(PyObject *self)
{
    PyObject *values = values_of((DeviceArray *)self);
    if (values != NULL && !passes_verdict((DeviceArray *)self))
        Py_CLEAR(values);
    return values;
}

/* fetch(x): the element of an array of no dimensions as a NumPy scalar; what is on the host already stays as it is. */
PyObject *fetch(PyObject *module, PyObject *given)
{
    (void)module;
    if (!is_device_array(given))
        return Py_NewRef(given);
    if (PyArray_NDIM(((DeviceArray *)given)->layout) != 0)
        return PyErr_Format(PyExc_TypeError, "fetch takes an array of no dimensions; `x.copy_to_host()` gives the values "
                                             "of others");
    PyObject *values = copy_to_host(given);
    return values == NULL ? NULL : PyArray_Return((PyArrayObject *)values);
}

/* Waits for what the stream has to do, with the check of the values. */
PyObject *wait_for_array(PyObject *self, PyObject *unused)
{
    (void)unused;
    DeviceArray *array = (DeviceArray *)self;
    if (!wait_for_stream(array->block->gpu) || !passes_verdict(array))
        return NULL;
    Py_RETURN_NONE;
}

/* Whether nothing would wait: the stream has nothing to do. */
PyObject *is_device_array_ready(PyObject *self)
{
    int found = stream_is_idle(((DeviceArray *)self)->block->gpu);
    return found < 0 ? NULL : PyBool_FromLong(found);
}

/* --- from the host ----------------------------------------------------------------------------------------------- */

static bool scatter(Gpu *gpu, Address to, const char *from, int rank, const npy_intp *lengths, const npy_intp *strides,
                    const npy_intp *own, npy_intp item)
{
    if (rank == 0)
        return copy_to_gpu(gpu, to, from, (size_t)item);
    if (rank == 1 && strides[0] == item)
        return copy_to_gpu(gpu, to, from, (size_t)(lengths[0] * item));
    for (npy_intp k = 0; k < lengths[0]; k++)
        if (!scatter(gpu, to + (Address)(k * strides[0]), from + k * own[0], rank - 1, lengths + 1, strides + 1, own + 1, item))
            return false;
    return true;
}

/* copy_from_host(ndarray): writes its elements to the device, in the order of the stream. */
PyObject *copy_from_host(PyObject *self, PyObject *given)
{
    PyArrayObject *layout = ((DeviceArray *)self)->layout;
    Gpu *gpu = ((DeviceArray *)self)->block->gpu;
    if (!PyArray_Check(given) || !PyArray_SAMESHAPE((PyArrayObject *)given, layout) ||
        !PyArray_EquivTypes(PyArray_DESCR((PyArrayObject *)given), PyArray_DESCR(layout)))
        return PyErr_Format(PyExc_TypeError, "copy_from_host takes an ndarray of the same shape and dtype");
    PyArrayObject *values = (PyArrayObject *)PyArray_FromArray((PyArrayObject *)given, NULL, NPY_ARRAY_CARRAY_RO);
    if (values == NULL)
        return NULL;
    Address to = (Address)(uintptr_t)PyArray_BYTES(layout);
    npy_intp bytes = PyArray_NBYTES(layout);
    bool went_well = bytes == 0 || (PyArray_IS_C_CONTIGUOUS(layout)
                                        ? copy_to_gpu(gpu, to, PyArray_BYTES(values), (size_t)bytes)
                                        : scatter(gpu, to, PyArray_BYTES(values), PyArray_NDIM(layout), PyArray_DIMS(layout),
                                                  PyArray_STRIDES(layout), PyArray_STRIDES(values), PyArray_ITEMSIZE(layout)));
    Py_DECREF(values);
    if (!went_well)
        return NULL;
    Py_RETURN_NONE;
}

/* copy_from_device(array): writes the elements of an array of this or of another device, in the order of both streams.  What
   is not contiguous is copied there before. */
PyObject *copy_from_device(PyObject *self, PyObject *given)
{
    PyArrayObject *layout = ((DeviceArray *)self)->layout;
    if (!is_device_array(given) || !PyArray_SAMESHAPE(((DeviceArray *)given)->layout, layout) ||
        !PyArray_EquivTypes(PyArray_DESCR(((DeviceArray *)given)->layout), PyArray_DESCR(layout)))
        return PyErr_Format(PyExc_TypeError, "copy_from_device takes an array on a device of the same shape and dtype");
    if (!PyArray_IS_C_CONTIGUOUS(layout))
        return PyErr_Format(PyExc_ValueError, "copy_from_device writes to a contiguous array");
    PyObject *source = PyArray_IS_C_CONTIGUOUS(((DeviceArray *)given)->layout) ? Py_NewRef(given) : contiguous_copy(given, NULL);
    if (source == NULL)
        return NULL;
    DeviceArray *array = (DeviceArray *)source;
    bool went_well = copy_between(((DeviceArray *)self)->block->gpu, (Address)(uintptr_t)PyArray_BYTES(layout),
                                  array->block->gpu, (Address)(uintptr_t)PyArray_BYTES(array->layout),
                                  (size_t)PyArray_NBYTES(layout));
    Py_DECREF(source);
    if (!went_well)
        return NULL;
    Py_RETURN_NONE;
}
