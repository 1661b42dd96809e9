/* What Python asks of native dispatch: the key of a call, whether guards hold, where they look. */

#include "dispatch.h"

#include <string.h>

/* describe(state, arguments, names): the key of a call, as words and objects, the hash of the words, and the slot behind the
   arguments; None where there is none.  `arguments` has the values of the keywords last, `names` their names. */
PyObject *describe(PyObject *module, PyObject *args)
{
    (void)module;
    unsigned long long state;
    PyObject *values, *names;
    if (!PyArg_ParseTuple(args, "KO!O!", &state, &PyTuple_Type, &values, &PyTuple_Type, &names))
        return NULL;
    Scan scan;
    int64_t given = PyTuple_GET_SIZE(values) - PyTuple_GET_SIZE(names);
    PyObject *result = NULL;
    if (!scan_call(&scan, (State *)(uintptr_t)state, ((PyTupleObject *)values)->ob_item, given,
                   PyTuple_GET_SIZE(names) ? names : NULL)) {
        release_scan(&scan);
        return scan.has_raised ? NULL : Py_NewRef(Py_None);
    }
    int64_t key_count = scan.key - scan.keys;
    PyObject *words = PyTuple_New(key_count), *objects = PyTuple_New(scan.object - scan.objects);
    for (int64_t k = 0; words != NULL && k < key_count; k++) {
        PyObject *word = PyLong_FromLongLong(scan.keys[k]);
        if (word == NULL)
            Py_CLEAR(words);
        else
            PyTuple_SET_ITEM(words, k, word);
    }
    if (words != NULL && objects != NULL) {
        for (int64_t k = 0; k < PyTuple_GET_SIZE(objects); k++)
            PyTuple_SET_ITEM(objects, k, Py_NewRef(scan.objects[k]));
        result = Py_BuildValue("OOKn", words, objects, (unsigned long long)hash_of(scan.keys, key_count),
                               (Py_ssize_t)(scan.slot - scan.slots));
    }
    Py_XDECREF(words);
    Py_XDECREF(objects);
    release_scan(&scan);
    return result;
}

/* holds(plan): whether the guards of the plan at this address hold. */
PyObject *ask_guards(PyObject *module, PyObject *address)
{
    (void)module;
    void *plan = PyLong_AsVoidPtr(address);
    if (plan == NULL && PyErr_Occurred())
        return NULL;
    return PyBool_FromLong(holds(plan));
}

/* place(owner, name): the address at which a cell, a function or a class keeps what a guard looks at: the content of the
   cell (name ""), `__code__`, `__defaults__`, `__kwdefaults__`, `__mro__`. */
PyObject *place(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *owner;
    const char *name;
    if (!PyArg_ParseTuple(args, "Os", &owner, &name))
        return NULL;
    PyFunctionObject *function = PyFunction_Check(owner) ? (PyFunctionObject *)owner : NULL;
    PyObject **found = NULL;
    if (PyCell_Check(owner) && name[0] == '\0')
        found = &((PyCellObject *)owner)->ob_ref;
    else if (PyType_Check(owner) && strcmp(name, "__mro__") == 0)
        found = &((PyTypeObject *)owner)->tp_mro;
    else if (function != NULL && strcmp(name, "__code__") == 0)
        found = &function->func_code;
    else if (function != NULL && strcmp(name, "__defaults__") == 0)
        found = &function->func_defaults;
    else if (function != NULL && strcmp(name, "__kwdefaults__") == 0)
        found = &function->func_kwdefaults;
    if (found == NULL) {
        PyErr_Format(PyExc_LookupError, "%s", name);
        return NULL;
    }
    return PyLong_FromVoidPtr(found);
}
