/* Which kinds of objects calls know by their types. */

#include "dispatch.h"

bool is_known_by_identity(PyTypeObject *type)
{
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(types.objects); k++)
        if ((PyTypeObject *)PyTuple_GET_ITEM(types.objects, k) == type)
            return true;
    return PyObject_TypeCheck((PyObject *)type, types.enums);
}

/* -1 for what is no scalar of NumPy's that we have. */
int64_t code_of_scalar(PyTypeObject *type)
{
    for (Py_ssize_t code = 0; code < PyTuple_GET_SIZE(types.scalars); code++)
        if ((PyTypeObject *)PyTuple_GET_ITEM(types.scalars, code) == type)
            return code;
    return -1;
}

/* A NamedTuple or dataclass that the function has met, and how it is read; NULL for any other type. */
const Record *record_of(const State *state, PyTypeObject *type)
{
    for (int64_t k = 0; k < state->records->count; k++)
        if (state->records->items[k].type == type)
            return &state->records->items[k];
    return NULL;
}
