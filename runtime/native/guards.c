/* Guards: whether what the machine code was made from is still so.

       a word     a cell, a field of a function or a class            the same object
       an item    a variable or an attribute, which stands in a dict  the same object
       a value    a container of numbers that stands in a dict        equal to a copy: types, order, numbers bit by bit

   Nothing here runs code of Python's: only exact types of CPython and NumPy are compared, and anything else differs. */

#include "dispatch.h"

#include <string.h>

/* --- by value ---------------------------------------------------------------------------------------------------- */

static bool is_same_value(PyObject *found, PyObject *expected, int64_t depth);

static bool are_same_items(PyObject *const *found, PyObject *const *expected, Py_ssize_t count, int64_t depth)
{
    for (Py_ssize_t k = 0; k < count; k++)
        if (!is_same_value(found[k], expected[k], depth))
            return false;
    return true;
}

/* Dicts of the same items in the same order. */
static bool are_same_dicts(PyObject *found, PyObject *expected, int64_t depth)
{
    PyObject *key, *value, *other_key, *other_value;
    Py_ssize_t here = 0, there = 0;
    if (PyDict_GET_SIZE(found) != PyDict_GET_SIZE(expected))
        return false;
    while (PyDict_Next(found, &here, &key, &value))
        if (!PyDict_Next(expected, &there, &other_key, &other_value) || !is_same_value(key, other_key, depth) ||
            !is_same_value(value, other_value, depth))
            return false;
    return true;
}

/* Numbers of CPython and texts, of one type. */
static bool are_same_constants(PyObject *found, PyObject *expected, PyTypeObject *type)
{
    if (type == &PyFloat_Type)
        return memcmp(&((PyFloatObject *)found)->ob_fval, &((PyFloatObject *)expected)->ob_fval, sizeof(double)) == 0;
    if (type == &PyComplex_Type)
        return memcmp(&((PyComplexObject *)found)->cval, &((PyComplexObject *)expected)->cval, sizeof(Py_complex)) == 0;
    if (type == &PyLong_Type)
        return PyObject_RichCompareBool(found, expected, Py_EQ) == 1;
    return type == &PyUnicode_Type && PyUnicode_Compare(found, expected) == 0;
}

static bool is_same_value(PyObject *found, PyObject *expected, int64_t depth)
{
    PyTypeObject *type = Py_TYPE(found);
    if (type != Py_TYPE(expected) || depth == 0)
        return false;
    if (type == &PyList_Type)
        return PyList_GET_SIZE(found) == PyList_GET_SIZE(expected) &&
               are_same_items(((PyListObject *)found)->ob_item, ((PyListObject *)expected)->ob_item,
                              PyList_GET_SIZE(found), depth - 1);
    if (found == expected)
        return true;
    if (type == &PyTuple_Type)
        return PyTuple_GET_SIZE(found) == PyTuple_GET_SIZE(expected) &&
               are_same_items(((PyTupleObject *)found)->ob_item, ((PyTupleObject *)expected)->ob_item,
                              PyTuple_GET_SIZE(found), depth - 1);
    if (type == &PyDict_Type)
        return are_same_dicts(found, expected, depth - 1);
    int64_t code = code_of_scalar(type);
    if (code >= 0)
        return memcmp((char *)found + sizeof(PyObject), (char *)expected + sizeof(PyObject),
                      types.scalar_bytes[code]) == 0;
    return are_same_constants(found, expected, type);
}

/* --- all guards of a plan ---------------------------------------------------------------------------------------- */

/* A number that every change of a dict makes another one; 0 where CPython keeps none. */
static uint64_t version_of(PyObject *dict)
{
#if PY_VERSION_HEX < 0x030C0000
    return ((PyDictObject *)dict)->ma_version_tag;
#else
    (void)dict;
    return 0;
#endif
}

static PyObject *found_in(PyObject *dict, PyObject *name)
{
    PyObject *found = PyDict_GetItemWithError(dict, name);
    if (found == NULL)
        PyErr_Clear();
    return found;
}

static bool table_holds(GuardTable *table)
{
    uint64_t now = version_of(table->dict);
    if (now != 0 && now == table->version)
        return true;
    for (int64_t k = 0; k < table->count; k++)
        if (found_in(table->dict, table->items[k].name) != table->items[k].expected)
            return false;
    table->version = now;
    return true;
}

static bool value_holds(const GuardValue *value)
{
    PyObject *found = found_in(value->dict, value->name);
    return found != NULL && is_same_value(found, value->expected, DEPTH);
}

bool holds(const Plan *plan)
{
    for (int64_t k = 0; k < plan->word_count; k++)
        if (*plan->words[k].place != plan->words[k].expected)
            return false;
    for (int64_t k = 0; k < plan->table_count; k++)
        if (!table_holds(&plan->tables[k]))
            return false;
    for (int64_t k = 0; k < plan->value_count; k++)
        if (!value_holds(&plan->values[k]))
            return false;
    return true;
}
