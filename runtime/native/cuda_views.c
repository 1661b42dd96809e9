/* Views of arrays on a device: other shapes and strides over the same memory, and no copy.

       x[1:-1, ::2], x[i], x[None], x[..., 0]     ints, slices, None and ...; an element itself is not read
       x.reshape(n * m)                           where it needs no copy
       x.T, x.transpose(1, 0), x.swapaxes(0, 1), x.squeeze()

   NumPy does all of it on the layout. */

#include "cuda.h"

static PyObject *view_over(PyObject *self, PyObject *layout)
{
    DeviceArray *array = (DeviceArray *)self;
    if (layout == NULL)
        return NULL;
    PyObject *made = array_over(device_array_type, hold_block(array->block), (PyArrayObject *)layout);
    if (made != NULL)
        ((DeviceArray *)made)->verdict = Py_XNewRef(array->verdict);
    return made;
}

/* Whether it chooses a part without looking at elements, and whether it takes a dimension away. */
static bool is_basic(PyObject *part, int *taken, bool *has_dots)
{
    *has_dots |= part == Py_Ellipsis;
    if (part == Py_None || part == Py_Ellipsis || PySlice_Check(part))
        return true;
    if (PyBool_Check(part) || PyArray_Check(part) || PyArray_IsScalar(part, Bool) || is_device_array(part))
        return false;
    *taken += 1;
    return PyIndex_Check(part);
}

static PyObject *refuse_index(PyObject *self, const char *what)
{
    return PyErr_Format(PyExc_TypeError, "%s: the elements are on cuda:%d, and slices, ints and None give views of them; "
                                         "`x.copy_to_host()` gives an ndarray, and `fetch(x)` the element of an array of no "
                                         "dimensions",
                        what, ((DeviceArray *)self)->block->gpu->number);
}

/* The index with dots after it, which make a view of what would be an element; NULL with an exception. */
static PyObject *as_view(PyObject *self, PyObject *index)
{
    bool has_dots = false;
    int taken = 0;
    PyObject *parts = PyTuple_Check(index) ? Py_NewRef(index) : PyTuple_Pack(1, index);
    for (Py_ssize_t k = 0; parts != NULL && k < PyTuple_GET_SIZE(parts); k++)
        if (!is_basic(PyTuple_GET_ITEM(parts, k), &taken, &has_dots)) {
            Py_DECREF(parts);
            return refuse_index(self, "an array on a device is not indexed by arrays or bools on the host");
        }
    if (parts == NULL || has_dots)
        return parts;
    PyObject *dots = PyTuple_Pack(1, Py_Ellipsis), *made = dots == NULL ? NULL : PySequence_Concat(parts, dots);
    bool is_element = taken > 0 && taken == PyArray_NDIM(((DeviceArray *)self)->layout) && taken == PyTuple_GET_SIZE(parts);
    Py_XDECREF(dots);
    Py_DECREF(parts);
    if (is_element) {
        Py_XDECREF(made);
        return refuse_index(self, "an element of an array on a device is not read by the host");
    }
    return made;
}

PyObject *view_by_index(PyObject *self, PyObject *index)
{
    PyObject *parts = as_view(self, index);
    if (parts == NULL)
        return NULL;
    PyObject *layout = PyObject_GetItem((PyObject *)((DeviceArray *)self)->layout, parts);
    Py_DECREF(parts);
    return view_over(self, layout);
}

/* What is contiguous has any shape without a copy. */
static PyObject *reshaped_contiguous(PyObject *self, PyObject *args)
{
    PyArray_Dims shape = {NULL, 0};
    PyObject *given = PyTuple_GET_SIZE(args) == 1 ? PyTuple_GET_ITEM(args, 0) : args;
    if (!PyArray_IntpConverter(given, &shape))
        return NULL;
    PyObject *found = PyArray_Newshape(((DeviceArray *)self)->layout, &shape, NPY_CORDER);
    PyDimMem_FREE(shape.ptr);
    return view_over(self, found);
}

/* NumPy raises ValueError where it would have to copy. */
PyObject *reshaped(PyObject *self, PyObject *args)
{
    if (PyArray_IS_C_CONTIGUOUS(((DeviceArray *)self)->layout))
        return reshaped_contiguous(self, args);
    PyObject *layout = (PyObject *)((DeviceArray *)self)->layout;
    PyObject *method = PyObject_GetAttrString(layout, "reshape");
    PyObject *names = method == NULL ? NULL : Py_BuildValue("{sO}", "copy", Py_False);
    PyObject *found = names == NULL ? NULL : PyObject_Call(method, args, names);
    Py_XDECREF(method);
    Py_XDECREF(names);
    return view_over(self, found);
}

PyObject *transposed(PyObject *self, void *unused)
{
    (void)unused;
    return view_over(self, PyArray_Transpose(((DeviceArray *)self)->layout, NULL));
}

/* What a method of NumPy's gives that never copies. */
static PyObject *viewed_by(PyObject *self, PyObject *args, const char *name)
{
    PyObject *method = PyObject_GetAttrString((PyObject *)((DeviceArray *)self)->layout, name);
    PyObject *found = method == NULL ? NULL : PyObject_Call(method, args, NULL);
    Py_XDECREF(method);
    return view_over(self, found);
}

PyObject *permuted(PyObject *self, PyObject *args)
{
    return viewed_by(self, args, "transpose");
}

PyObject *with_axes_swapped(PyObject *self, PyObject *args)
{
    return viewed_by(self, args, "swapaxes");
}

PyObject *squeezed(PyObject *self, PyObject *args)
{
    return viewed_by(self, args, "squeeze");
}

static bool copy_rows(Gpu *gpu, Address to, Address from, PyArrayObject *layout, const npy_intp *own, int axis)
{
    npy_intp item = PyArray_ITEMSIZE(layout);
    if (axis == PyArray_NDIM(layout))
        return succeeded(driver.on_device(to, from, (size_t)item, gpu->stream), "cuMemcpyDtoDAsync", gpu);
    npy_intp length = PyArray_DIM(layout, axis), stride = PyArray_STRIDE(layout, axis);
    if (axis + 1 == PyArray_NDIM(layout) && stride == item)
        return succeeded(driver.on_device(to, from, (size_t)(length * item), gpu->stream), "cuMemcpyDtoDAsync", gpu);
    for (npy_intp k = 0; k < length; k++)
        if (!copy_rows(gpu, to + (Address)(k * own[axis]), from + (Address)(k * stride), layout, own, axis + 1))
            return false;
    return true;
}

/* A copy in C order, in the order of the stream: at once where the elements lie so, else row after row. */
PyObject *contiguous_copy(PyObject *self, PyObject *unused)
{
    (void)unused;
    DeviceArray *array = (DeviceArray *)self;
    PyArrayObject *layout = array->layout;
    Gpu *gpu = array->block->gpu;
    PyArray_Descr *dtype = (PyArray_Descr *)Py_NewRef((PyObject *)PyArray_DESCR(layout));
    PyObject *made = new_device_array(gpu, dtype, PyArray_NDIM(layout), PyArray_DIMS(layout));
    if (made == NULL)
        return NULL;
    ((DeviceArray *)made)->verdict = Py_XNewRef(array->verdict);
    if (PyArray_SIZE(layout) == 0)
        return made;
    int entered = enter(gpu);
    Address from = (Address)(uintptr_t)PyArray_BYTES(layout), to = ((DeviceArray *)made)->block->address;
    bool went_well = entered >= 0;
    if (went_well && PyArray_IS_C_CONTIGUOUS(layout))
        went_well = succeeded(driver.on_device(to, from, (size_t)PyArray_NBYTES(layout), gpu->stream), "cuMemcpyDtoDAsync", gpu);
    else if (went_well)
        went_well = copy_rows(gpu, to, from, layout, PyArray_STRIDES(((DeviceArray *)made)->layout), 0);
    leave(entered);
    if (!went_well)
        Py_CLEAR(made);
    return made;
}
