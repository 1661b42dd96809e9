/* One call of a compiled function, from the interpreter to machine code and back, without a Python frame.

       f(x, b=2.0)   ->   scan the arguments, find the plan for the key, ask its guards, run it, give the result

   CPython enters by the vectorcall protocol.  Where anything is unusual (a key not met before, a value not understood, a
   wrong argument, something outside that has changed) nothing has happened yet, and the general path in Python is called.

   The GIL is released where the work may be long: a plan says for how many elements of arguments that is. */

#define PELLUCID_IMPORTS_NUMPY
#include "asynchronous.h"

#include <stddef.h>
#include <string.h>
#include <structmember.h>

Types types;

/* --- from a key to its plan -------------------------------------------------------------------------------------- */

uint64_t hash_of(const int64_t *words, int64_t count)
{
    uint64_t hash = (uint64_t)count;
    for (int64_t k = 0; k < count; k++) {
        hash = (hash ^ (uint64_t)words[k]) * UINT64_C(0x9E3779B97F4A7C15); /* Fibonacci hashing */
        hash ^= hash >> 32;
    }
    return hash;
}

/* Objects of keys are the same one, or equal strings. */
static bool is_same_object(PyObject *left, PyObject *right)
{
    return left == right ||
           (PyUnicode_CheckExact(left) && PyUnicode_CheckExact(right) && PyUnicode_Compare(left, right) == 0);
}

static bool matches(const Entry *entry, const Scan *scan)
{
    int64_t key_count = scan->key - scan->keys, object_count = scan->object - scan->objects;
    if (entry->key_count != key_count || entry->object_count != object_count ||
        memcmp(entry->keys, scan->keys, (size_t)key_count * sizeof *scan->keys) != 0)
        return false;
    for (int64_t k = 0; k < object_count; k++)
        if (!is_same_object(entry->objects[k], scan->objects[k]))
            return false;
    return true;
}

/* The plan for a key: that of the last call, or the one that the table has; NULL where it is new. */
static Plan *plan_for(State *state, const Scan *scan)
{
    Entry *entry = state->last;
    if (!matches(entry, scan)) {
        const Table *table = state->table;
        uint64_t at = hash_of(scan->keys, scan->key - scan->keys);
        do {
            entry = table->places[at++ & table->mask];
            if (entry == NULL)
                return NULL;
        } while (!matches(entry, scan));
        state->last = entry;
    }
    return *entry->plan;
}

/* --- the call ---------------------------------------------------------------------------------------------------- */

/* Where the stack of this thread ends, for the context; false after an error. */
static bool set_limits(int64_t *slots)
{
    static _Thread_local bool is_known;
    static _Thread_local int64_t floor;
    if (!is_known) {
        PyObject *answer = PyObject_CallNoArgs(types.find_floor);
        if (answer == NULL)
            return false;
        floor = PyLong_AsLongLong(answer);
        Py_DECREF(answer);
        is_known = true;
    }
    int64_t depth = Py_GetRecursionLimit();
    slots[CONTEXT_STACK_LIMIT] = floor;
    slots[CONTEXT_DEPTH_LIMIT] = depth > LEAST_DEPTH ? depth : LEAST_DEPTH;
    return true;
}

static int64_t execute(Plan *plan, Scan *scan)
{
    if (scan->elements < plan->gil_limit)
        return plan->code(scan->slots);
    PyThreadState *thread = PyEval_SaveThread();
    int64_t begun = scan->has_own ? nanoseconds() : 0;
    int former = use_workers_of(device_of(queue_of(scan->device)));
    int64_t status = pellucid_guarded(plan->code, scan->slots);
    use_workers_of(former);
    if (scan->has_own)
        note_pace(plan, size_of(scan), begun);
    PyEval_RestoreThread(thread);
    return status;
}

/* Raises what an error site says, with the values and calls that the context holds; false where Python has to say it, which
   calls again. */
static bool raise_error(const Plan *plan, int64_t status, int64_t *slots)
{
    PyObject *error = PyObject_CallFunction(plan->fail, "LN", (long long)(status - 1), PyLong_FromVoidPtr(slots));
    bool is_known = error != Py_None;
    if (error != NULL && is_known)
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(error);
    return is_known;
}

/* Arrays that are made of lists last as long as the call. */
static bool may_be_queued(const Plan *plan, const Scan *scan)
{
    return scan->has_own && scan->stacked_count == 0 && plan->queue_limit >= 0;
}

/* Whether the call goes on after it has returned: one that is large, or that needs what is not there yet. */
static bool is_queued(const Plan *plan, const Scan *scan)
{
    return may_be_queued(plan, scan) && (scan->pending > 0 || is_large(plan, scan)) && is_asynchronous();
}

static PyObject *run_plan(Plan *plan, Scan *scan, bool *understood)
{
    memset(scan->slots, 0, CONTEXT_SLOTS * sizeof *scan->slots);
    memcpy(scan->slot, plan->hidden, (size_t)plan->hidden_count * sizeof *scan->slot);
    if (!set_limits(scan->slots))
        return NULL;
    if (is_launching())
        return may_be_queued(plan, scan) ? queue_call(plan, scan) : refuse_launch();
    if (is_queued(plan, scan))
        return queue_call(plan, scan);
    if (scan->pending > 0 && !settle_inputs(scan))
        return NULL;
    int64_t status = execute(plan, scan);
    if (status == 0)
        return give(plan, scan);
    *understood = raise_error(plan, status, scan->slots);
    return NULL;
}

/* The result, or NULL with `understood` false where the call has to go through Python.  A plan is kept for the call, and all
   that it refers to with it: another thread may put another in its place meanwhile. */
static PyObject *call_natively(State *state, PyObject *const *args, int64_t given, PyObject *names, bool *understood)
{
    Scan scan;
    PyObject *result = NULL;
    *understood = false;
    if (scan_call(&scan, state, args, given, names)) {
        Plan *plan = plan_for(state, &scan);
        if (plan != NULL) {
            scan.places[scan.held - scan.kept] = NULL;
            *scan.held++ = Py_NewRef(plan->owner);
            *understood = holds(plan) && may_write(plan, &scan);
            if (*understood)
                result = run_plan(plan, &scan, understood);
        }
    } else {
        *understood = scan.has_raised;
    }
    release_scan(&scan);
    return result;
}

/* The same call of the Python function that is the general path, with the compiled function before the arguments. */
static PyObject *call_generally(PyObject *self, PyObject *const *args, Py_ssize_t given, PyObject *names)
{
    Py_ssize_t count = given + (names == NULL ? 0 : PyTuple_GET_SIZE(names));
    PyObject *room[count + 1];
    room[0] = self;
    for (Py_ssize_t k = 0; k < count; k++)
        room[k + 1] = args[k];
    return PyObject_Vectorcall(types.general, room, (size_t)given + 1, names);
}

/* --- the base class of compiled functions ------------------------------------------------------------------------ */

/* While `call` is NULL, the interpreter calls the `__call__` of the class. */
typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    State *state;
} NativelyCalled;

static PyObject *call(PyObject *self, PyObject *const *args, size_t flags, PyObject *names)
{
    bool understood;
    Py_ssize_t given = PyVectorcall_NARGS(flags);
    PyObject *result = call_natively(((NativelyCalled *)self)->state, args, given, names, &understood);
    if (!understood && is_launching())
        return refuse_launch();
    return understood ? result : call_generally(self, args, given, names);
}

/* Whether calls of an object come here, and not to the `__call__` of its class. */
bool is_called_natively(PyObject *object)
{
    return types.function != NULL && PyObject_TypeCheck(object, types.function) && ((NativelyCalled *)object)->call != NULL;
}

static PyMemberDef MEMBERS[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(NativelyCalled, call), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot SLOTS_OF_TYPE[] = {
    {Py_tp_members, MEMBERS},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_doc, "What machine code calls: room for a vectorcall and a state, and no behaviour."},
    {0, NULL},
};

static PyType_Spec SPECIFICATION = {
    .name = "pellucid.runtime.dispatch.NativelyCalled",
    .basicsize = sizeof(NativelyCalled),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL,
    .slots = SLOTS_OF_TYPE,
};

PyObject *natively_called(void)
{
    if (_import_array() < 0)
        return NULL;
    return PyType_FromSpec(&SPECIFICATION);
}

/* --- what Python calls ------------------------------------------------------------------------------------------- */

static bool take_bytes(uint8_t *place, size_t count, PyObject *given)
{
    if (!PyBytes_CheckExact(given) || (size_t)PyBytes_GET_SIZE(given) != count) {
        PyErr_Format(PyExc_ValueError, "a table of %zu bytes is expected", count);
        return false;
    }
    memcpy(place, PyBytes_AS_STRING(given), count);
    return true;
}

/* set_up(function, array, find_floor, objects, scalars, codes, scalar_bytes, package, enums): the types of this process, and
   instances of `function` are called natively from now on.  What is named here lives as long as the process. */
static PyObject *set_up(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *function, *array, *find_floor, *objects, *scalars, *codes, *scalar_bytes, *package, *enums;
    if (!PyArg_ParseTuple(args, "O!O!OO!O!OOUO!", &PyType_Type, &function, &PyType_Type, &array, &find_floor,
                          &PyTuple_Type, &objects, &PyTuple_Type, &scalars, &codes, &scalar_bytes,
                          &package, &PyType_Type, &enums))
        return NULL;
    PyTypeObject *type = (PyTypeObject *)function;
    if (type->tp_vectorcall_offset != offsetof(NativelyCalled, call)) {
        PyErr_SetString(PyExc_TypeError, "the class is not called natively");
        return NULL;
    }
    if (!take_bytes(types.codes, sizeof types.codes, codes) ||
        !take_bytes(types.scalar_bytes, sizeof types.scalar_bytes, scalar_bytes))
        return NULL;
    if (((PyTypeObject *)array)->tp_base != held_type) {
        PyErr_SetString(PyExc_TypeError, "the class of arrays has another base");
        return NULL;
    }
    types.general = PyObject_GetAttrString(function, "__call__");
    if (types.general == NULL)
        return NULL;
    types.function = (PyTypeObject *)Py_NewRef(function);
    types.array = (PyTypeObject *)Py_NewRef(array);
    types.find_floor = Py_NewRef(find_floor);
    types.objects = Py_NewRef(objects);
    types.scalars = Py_NewRef(scalars);
    types.package = Py_NewRef(package);
    types.enums = (PyTypeObject *)Py_NewRef(enums);
    type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL; /* a class with a `__call__` of its own does not inherit that */
    PyType_Modified(type);
    Py_RETURN_NONE;
}

/* attach(function, state): calls of this object go to machine code, which finds the state at this address. */
static PyObject *attach(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *function;
    unsigned long long state;
    if (!PyArg_ParseTuple(args, "OK", &function, &state))
        return NULL;
    if (types.function == NULL || !PyObject_TypeCheck(function, types.function)) {
        PyErr_SetString(PyExc_TypeError, "no compiled function");
        return NULL;
    }
    ((NativelyCalled *)function)->state = (State *)(uintptr_t)state;
    ((NativelyCalled *)function)->call = call;
    Py_RETURN_NONE;
}

PyMethodDef DISPATCH[] = {
    {"set_up", set_up, METH_VARARGS, NULL},
    {"attach", attach, METH_VARARGS, NULL},
    {"describe", describe, METH_VARARGS, NULL},
    {"holds", ask_guards, METH_O, NULL},
    {"place", place, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
