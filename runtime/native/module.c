/* The extension module: the addresses of what machine code calls by name, and of what Python calls through ctypes; native
   dispatch, and the base of `Array`. */

#include "asynchronous.h"
#include "cuda.h"

typedef struct {
    const char *name;
    void *address;
} Export;

#define EXPORT(name) {#name, (void *)(name)}

static const Export EXPORTS[] = {
    EXPORT(pellucid_allocate), EXPORT(pellucid_free), EXPORT(pellucid_release),
    EXPORT(pellucid_list_new), EXPORT(pellucid_list_grow), EXPORT(pellucid_list_release),
    EXPORT(pellucid_new_array), EXPORT(pellucid_new_vector), EXPORT(pellucid_new_matrix),
    EXPORT(pellucid_live), EXPORT(pellucid_limit), EXPORT(is_only_reference), EXPORT(pellucid_trim), EXPORT(pellucid_unlock),
    EXPORT(pellucid_look), EXPORT(pellucid_arm), EXPORT(pellucid_guarded),
    EXPORT(pellucid_raise_interrupt), EXPORT(pellucid_set_main_thread),
    EXPORT(pellucid_parallel_for), EXPORT(pellucid_get_threads), EXPORT(pellucid_set_threads),
    EXPORT(pellucid_set_threshold), EXPORT(pellucid_set_stream_bytes), EXPORT(pellucid_regions),
    EXPORT(pellucid_workers), EXPORT(pellucid_collective), EXPORT(pellucid_product),
    EXPORT(pellucid_count_of_blas), EXPORT(pellucid_give_to_blas),
    EXPORT(pellucid_new_result), EXPORT(pellucid_data),
    {"pellucid_signals", &pellucid_signals},
};

static int fill(PyObject *module)
{
    if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
        PyErr_SetString(PyExc_ImportError, "the native part serves the main interpreter alone: its memory and threads are "
                                           "those of the process");
        return -1;
    }
    PyObject *addresses = PyDict_New();
    if (addresses == NULL)
        return -1;
    for (size_t k = 0; k < sizeof EXPORTS / sizeof *EXPORTS; k++) {
        PyObject *address = PyLong_FromVoidPtr(EXPORTS[k].address);
        if (address == NULL || PyDict_SetItemString(addresses, EXPORTS[k].name, address) < 0) {
            Py_XDECREF(address);
            Py_DECREF(addresses);
            return -1;
        }
        Py_DECREF(address);
    }
    int failed = PyModule_AddObjectRef(module, "ADDRESSES", addresses);
    Py_DECREF(addresses);
    if (failed)
        return failed;
    PyObject *type = natively_called();
    failed = PyModule_AddObjectRef(module, "NativelyCalled", type);
    Py_XDECREF(type);
    PyObject *held = failed ? NULL : make_held_type();
    if (held == NULL || PyModule_AddObjectRef(module, "HeldValues", held) < 0)
        failed = -1;
    Py_XDECREF(held);
    if (failed || PyModule_AddFunctions(module, QUEUES) < 0 || add_launches(module) < 0)
        return -1;
    return add_cuda(module);
}

static PyModuleDef_Slot MODULE_SLOTS[] = {
    {Py_mod_exec, fill},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, NULL},
};

static PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_native",
    .m_doc = "Memory, threads and signals for machine code, and calls of it without Python.",
    .m_size = 0,
    .m_methods = DISPATCH,
    .m_slots = MODULE_SLOTS,
};

PyMODINIT_FUNC PyInit__native(void)
{
    return PyModuleDef_Init(&MODULE);
}
