/* What the extension module has of CUDA: functions, `DeviceArray`, `Module`, `Kernel`, and `CudaError`. */

#include "cuda.h"

static bool add(PyObject *module, const char *name, PyObject *made)
{
    bool is_added = made != NULL && PyModule_AddObjectRef(module, name, made) == 0;
    Py_XDECREF(made);
    return is_added;
}

/* 0, or -1 with an exception. */
int add_cuda(PyObject *module)
{
    cuda_error = PyErr_NewExceptionWithDoc(
        "pellucid.CudaError", "What the driver of CUDA says where a call of it has failed.", PyExc_RuntimeError, NULL);
    if (!add(module, "CudaError", Py_XNewRef(cuda_error)) || !add(module, "DeviceArray", make_device_array_type()) ||
        !add_module_types(module) || !add_kernel_type(module))
        return -1;
    PyMethodDef *tables[] = {CUDA_DRIVER, CUDA_MEMORY, CUDA_ARRAYS, CUDA_EXCHANGE};
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        if (PyModule_AddFunctions(module, tables[k]) < 0)
            return -1;
    return 0;
}
