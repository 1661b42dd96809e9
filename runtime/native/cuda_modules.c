/* Modules of machine code for devices, and the functions in them.

       Module(cubin)                  an image, cubin or PTX; a device gets it when it first launches from it
       module.function("poly_1_v4")   a function by its symbol
       function.attributes()          registers, bytes that a thread spills, shared bytes of a block */

#include "cuda.h"

#include <stddef.h>
#include <structmember.h>

enum { LOG_BYTES = 4096, ERROR_LOG = 5, ERROR_LOG_BYTES = 6 }; /* the last two are options of the driver's compiler */

typedef struct {
    PyObject_HEAD
    PyObject *image;
    void *handles[GPUS];
} Module;

static PyTypeObject *module_type;
PyTypeObject *device_function_type;

/* --- modules ----------------------------------------------------------------------------------------------------- */

static PyObject *make_module(PyTypeObject *type, PyObject *args, PyObject *names)
{
    PyObject *image;
    static char *parameters[] = {"image", NULL};
    if (!PyArg_ParseTupleAndKeywords(args, names, "S:Module", parameters, &image))
        return NULL;
    Module *made = (Module *)type->tp_alloc(type, 0);
    if (made != NULL)
        made->image = Py_NewRef(image);
    return (PyObject *)made;
}

static void drop_module(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((Module *)self)->image); /* what a device has loaded stays: kernels of it may be on their way */
    type->tp_free(self);
    Py_DECREF(type);
}

/* The module on a device, in whose context we are; NULL with an exception. */
static void *module_on(Module *module, Gpu *gpu)
{
    char log[LOG_BYTES] = "";
    int options[] = {ERROR_LOG, ERROR_LOG_BYTES};
    void *values[] = {log, (void *)(uintptr_t)(LOG_BYTES - 1)}, **handle = &module->handles[gpu->number];
    if (*handle != NULL)
        return *handle;
    void *found = NULL;
    const char *image = PyBytes_AS_STRING(module->image); /* ends with a zero byte, which PTX needs */
    int status;
    Py_BEGIN_ALLOW_THREADS /* PTX is compiled here; two threads may do it twice */
    status = driver.module_load(&found, image, 2, options, values);
    Py_END_ALLOW_THREADS
    if (status != 0 && log[0] != 0) {
        PyErr_Format(cuda_error, "cuModuleLoadDataEx (%d): %s", status, log);
        return NULL;
    }
    if (!succeeded(status, "cuModuleLoadDataEx", gpu))
        return NULL;
    return *handle = found;
}

static PyObject *find_function(PyObject *self, PyObject *name)
{
    if (!PyUnicode_Check(name))
        return PyErr_Format(PyExc_TypeError, "a function of a module is found by its symbol");
    DeviceFunction *made = (DeviceFunction *)device_function_type->tp_alloc(device_function_type, 0);
    if (made != NULL) {
        made->module = Py_NewRef(self);
        made->name = Py_NewRef(name);
    }
    return (PyObject *)made;
}

/* --- functions --------------------------------------------------------------------------------------------------- */

static void drop_function(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((DeviceFunction *)self)->module);
    Py_XDECREF(((DeviceFunction *)self)->name);
    type->tp_free(self);
    Py_DECREF(type);
}

/* The function on a device, in whose context we are; NULL with an exception. */
void *function_on(DeviceFunction *function, Gpu *gpu)
{
    void **handle = &function->handles[gpu->number];
    if (*handle != NULL)
        return *handle;
    void *module = module_on((Module *)function->module, gpu), *found = NULL;
    const char *name = module == NULL ? NULL : PyUnicode_AsUTF8(function->name);
    if (name == NULL)
        return NULL;
    int status = driver.module_function(&found, module, name);
    if (status != 0)
        PyErr_Format(cuda_error, "cuModuleGetFunction (%d): the module has no kernel %s", status, name);
    return status != 0 ? NULL : (*handle = found);
}

static const struct {
    const char *name;
    int number;
} ATTRIBUTES[] = {
    {"most_threads", 0}, {"shared_bytes", 1}, {"constant_bytes", 2}, {"local_bytes", 3}, {"registers", 4},
};

/* attributes(device=None): what the function needs on a device, where it is loaded. */
static PyObject *attributes(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    Gpu *gpu = present_gpu(count > 0 ? args[0] : NULL);
    int entered = gpu == NULL ? -1 : enter(gpu), value;
    if (entered < 0)
        return NULL;
    void *function = function_on((DeviceFunction *)self, gpu);
    PyObject *made = function == NULL ? NULL : PyDict_New();
    for (size_t k = 0; made != NULL && k < sizeof ATTRIBUTES / sizeof *ATTRIBUTES; k++) {
        int status = driver.function_attribute(&value, ATTRIBUTES[k].number, function);
        PyObject *number = succeeded(status, "cuFuncGetAttribute", gpu) ? PyLong_FromLong(value) : NULL;
        if (number == NULL || PyDict_SetItemString(made, ATTRIBUTES[k].name, number) < 0)
            Py_CLEAR(made);
        Py_XDECREF(number);
    }
    leave(entered);
    return made;
}

/* --- types ------------------------------------------------------------------------------------------------------- */

static PyMethodDef MODULE_METHODS[] = {
    {"function", find_function, METH_O, "A function by its symbol; whether it is there is seen when it is used."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot MODULE_SLOTS[] = {
    {Py_tp_new, make_module},
    {Py_tp_dealloc, drop_module},
    {Py_tp_methods, MODULE_METHODS},
    {Py_tp_doc, "Machine code for devices: a cubin or PTX, as bytes."},
    {0, NULL},
};

static PyType_Spec MODULE_SPECIFICATION = {
    .name = "pellucid.runtime.devices.cuda.Module",
    .basicsize = sizeof(Module),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = MODULE_SLOTS,
};

static PyMethodDef FUNCTION_METHODS[] = {
    {"attributes", (PyCFunction)(void (*)(void))attributes, METH_FASTCALL, "Registers and bytes that it needs."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef FUNCTION_MEMBERS[] = {
    {"name", T_OBJECT, offsetof(DeviceFunction, name), READONLY, "Its symbol."},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot FUNCTION_SLOTS[] = {
    {Py_tp_dealloc, drop_function},
    {Py_tp_methods, FUNCTION_METHODS},
    {Py_tp_members, FUNCTION_MEMBERS},
    {0, NULL},
};

static PyType_Spec FUNCTION_SPECIFICATION = {
    .name = "pellucid.runtime.devices.cuda.DeviceFunction",
    .basicsize = sizeof(DeviceFunction),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = FUNCTION_SLOTS,
};

bool add_module_types(PyObject *module)
{
    module_type = (PyTypeObject *)PyType_FromSpec(&MODULE_SPECIFICATION);
    device_function_type = (PyTypeObject *)PyType_FromSpec(&FUNCTION_SPECIFICATION);
    return module_type != NULL && device_function_type != NULL &&
           PyModule_AddObjectRef(module, "Module", (PyObject *)module_type) == 0;
}
