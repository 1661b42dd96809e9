/* Arguments to parameters, as `inspect.Signature.bind` does it, with the defaults of those that are not given. */

#include "dispatch.h"

/* The parameter that a keyword names; -1 where there is none. */
static int64_t parameter_named(const State *state, PyObject *name)
{
    for (int64_t k = 0; k < state->count; k++)
        if (state->parameters[k].name == name)
            return k;
    for (int64_t k = 0; k < state->count; k++)
        if (state->parameters[k].name != NULL && PyUnicode_Compare(state->parameters[k].name, name) == 0)
            return k;
    return -1;
}

static bool bind_keywords(Scan *scan, PyObject *const *values, PyObject *names)
{
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(names); k++) {
        int64_t number = parameter_named(scan->state, PyTuple_GET_ITEM(names, k));
        if (number < 0 || scan->bound[number] != NULL)
            return false;
        scan->bound[number] = values[k];
    }
    return true;
}

/* False where Python would raise a TypeError, which it does then. */
bool bind_arguments(Scan *scan, PyObject *const *args, int64_t given, PyObject *names)
{
    const State *state = scan->state;
    if (given > state->positional && !state->extra)
        return false;
    int64_t placed = given < state->positional ? given : state->positional;
    for (int64_t k = 0; k < state->count; k++)
        scan->bound[k] = k < placed ? args[k] : NULL;
    if (names != NULL && !bind_keywords(scan, args + given, names))
        return false;
    for (int64_t k = placed; k < state->count; k++) {
        if (scan->bound[k] == NULL)
            scan->bound[k] = state->parameters[k].fallback;
        if (scan->bound[k] == NULL)
            return false;
    }
    return true;
}
