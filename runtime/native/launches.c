/* One program on all devices of a mesh: the calls are collected, and go to all queues at once.

       results, run = launch(f, (2,), [table_0, table_1], [(x_0,), (x_1,)])     every queue has its task now
       blamed(run)                                                              the first device with an error of its own

   The tasks of two launches are in the same order in all queues, since they are pushed without letting go of the GIL: a
   device that waits for another one waits for what is before its own next task.  A call that cannot go to a queue raises
   `NotReady`, and nothing of the launch has begun. */

#include "asynchronous.h"

static PyObject *not_ready;
static const char *const NAME = "pellucid.launch";

typedef struct {
    Launch *launch; /* NULL where this thread collects nothing */
    int64_t count;
    Task *tasks[MESH_DEVICES];
    Queue *queues[MESH_DEVICES];
} Collected;

static _Thread_local Collected collected;

bool is_launching(void)
{
    return collected.launch != NULL;
}

PyObject *refuse_launch(void)
{
    PyErr_SetString(not_ready, "a call of the launch cannot go to a queue");
    return NULL;
}

/* Takes over the task of the next device; false with an exception, and then it is still the caller's. */
bool add_to_launch(Queue *queue, Task *task)
{
    if (collected.count >= devices_of(collected.launch)) {
        PyErr_SetString(PyExc_ValueError, "a launch has one call for each device");
        return false;
    }
    task->launch = hold_launch(collected.launch);
    task->seat = collected.count;
    collected.tasks[collected.count] = task;
    collected.queues[collected.count++] = queue;
    return true;
}

/* In a child after fork: its thread launches nothing. */
void forget_launches(void)
{
    collected.launch = NULL;
    collected.count = 0;
    forget_spares();
}

static void destroy_capsule(PyObject *capsule)
{
    release_launch(PyCapsule_GetPointer(capsule, NAME));
}

/* Takes over the reference. */
static PyObject *capsule_of(Launch *launch)
{
    PyObject *made = PyCapsule_New(launch, NAME, destroy_capsule);
    if (made == NULL)
        release_launch(launch);
    return made;
}

static Launch *launch_for(PyObject *given)
{
    int64_t sizes[MESH_AXES], devices = 1;
    Py_ssize_t axes = PyTuple_Check(given) ? PyTuple_GET_SIZE(given) : 0;
    bool is_fitting = axes >= 1 && axes <= MESH_AXES;
    for (Py_ssize_t axis = 0; is_fitting && axis < axes; axis++) {
        sizes[axis] = PyLong_AsLongLong(PyTuple_GET_ITEM(given, axis));
        is_fitting = sizes[axis] >= 1 && sizes[axis] <= MESH_DEVICES && (devices *= sizes[axis]) <= MESH_DEVICES;
    }
    if (PyErr_Occurred())
        return NULL;
    if (!is_fitting) {
        PyErr_Format(PyExc_ValueError, "a mesh has 1 to %d axes and at most %d devices", MESH_AXES, MESH_DEVICES);
        return NULL;
    }
    Launch *launch = new_launch((int)axes, sizes);
    if (launch == NULL)
        PyErr_NoMemory();
    return launch;
}

/* Room for one more in every queue, which nobody takes before the GIL is let go of. */
static bool make_room_for_all(const Collected *all)
{
    bool has_waited = true;
    while (has_waited) {
        has_waited = false;
        for (int64_t k = 0; k < all->count; k++)
            if (!make_room(all->queues[k], &has_waited))
                return false;
    }
    return true;
}

static void give_up_from(const Collected *all, int64_t first)
{
    for (int64_t k = first; k < all->count; k++)
        give_up(all->tasks[k]);
}

/* The calls go to the queues; gives the launch, or NULL with an exception. */
static PyObject *push_all(void)
{
    Collected all = collected;
    collected.launch = NULL;
    int64_t pushed = 0;
    if (make_room_for_all(&all))
        while (pushed < all.count && push_task(all.queues[pushed], all.tasks[pushed]))
            pushed++;
    if (pushed < all.count) {
        fail_launch(all.launch); /* those that are in a queue must not wait for the others */
        give_up_from(&all, pushed);
        release_launch(all.launch);
        return NULL;
    }
    return capsule_of(all.launch);
}

/* The calls so far are forgotten. */
static void abandon(void)
{
    Collected all = collected;
    collected.launch = NULL;
    give_up_from(&all, 0);
    release_launch(all.launch);
}

/* The call of one device: of its table, and its own arguments. */
static PyObject *call_on_device(PyObject *function, PyObject *table, PyObject *arguments)
{
    if (!PyTuple_Check(arguments)) {
        PyErr_SetString(PyExc_TypeError, "the arguments of a device are a tuple");
        return NULL;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(arguments);
    PyObject *room[count + 1];
    room[0] = table;
    for (Py_ssize_t k = 0; k < count; k++)
        room[k + 1] = PyTuple_GET_ITEM(arguments, k);
    return PyObject_Vectorcall(function, room, (size_t)count + 1, NULL);
}

/* The results of all devices, each of which has a task from now on; NULL with an exception. */
static PyObject *call_on_all(PyObject *function, PyObject *tables, PyObject *arguments)
{
    int64_t count = devices_of(collected.launch);
    if (PyList_GET_SIZE(tables) != count || PyList_GET_SIZE(arguments) != count) {
        PyErr_SetString(PyExc_ValueError, "a launch has one call for each device");
        return NULL;
    }
    PyObject *results = PyList_New(count);
    for (int64_t k = 0; results != NULL && k < count; k++) {
        PyObject *result = call_on_device(function, PyList_GET_ITEM(tables, k), PyList_GET_ITEM(arguments, k));
        if (result == NULL)
            Py_CLEAR(results);
        else
            PyList_SET_ITEM(results, k, result);
    }
    return results;
}

/* launch(function, sizes, tables, arguments): calls a function on all devices of a mesh, with the table of each and a tuple
   of arguments of its own; the list of results, and the launch. */
static PyObject *launch(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *function, *sizes, *tables, *arguments;
    if (!PyArg_ParseTuple(args, "OOO!O!", &function, &sizes, &PyList_Type, &tables, &PyList_Type, &arguments))
        return NULL;
    if (!is_called_natively(function) || is_launching())
        return refuse_launch();
    collected.launch = launch_for(sizes);
    collected.count = 0;
    if (collected.launch == NULL)
        return NULL;
    PyObject *results = call_on_all(function, tables, arguments);
    if (results == NULL) {
        abandon();
        return NULL;
    }
    PyObject *capsule = push_all();
    if (capsule == NULL) {
        Py_DECREF(results);
        return NULL;
    }
    return Py_BuildValue("NN", results, capsule);
}

/* make_launch(sizes): one whose programs run on threads of Python, which take their seats themselves. */
static PyObject *make_launch_for_threads(PyObject *module, PyObject *sizes)
{
    (void)module;
    Launch *launch = launch_for(sizes);
    return launch == NULL ? NULL : capsule_of(launch);
}

static PyObject *take_seat_of_thread(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule;
    long long device;
    if (!PyArg_ParseTuple(args, "OL", &capsule, &device))
        return NULL;
    Launch *launch = PyCapsule_GetPointer(capsule, NAME);
    if (launch == NULL)
        return NULL;
    if (device < 0 || device >= devices_of(launch)) {
        PyErr_SetString(PyExc_ValueError, "the mesh has no such device");
        return NULL;
    }
    take_seat(launch, device, NULL);
    Py_RETURN_NONE;
}

static PyObject *leave_seat_of_thread(PyObject *module, PyObject *has_failed)
{
    (void)module;
    leave_seat(PyObject_IsTrue(has_failed) == 1);
    Py_RETURN_NONE;
}

/* begin_rehearsal(sizes, device): this thread runs the program of one device of such a mesh alone.  There is one rehearsal
   at a time in a process. */
static PyObject *begin_rehearsal_of_thread(PyObject *module, PyObject *args)
{
    (void)module;
    static Rehearsal rehearsal;
    PyObject *sizes;
    long long device;
    if (!PyArg_ParseTuple(args, "O!L", &PyTuple_Type, &sizes, &device))
        return NULL;
    if (PyTuple_GET_SIZE(sizes) > MESH_AXES) {
        PyErr_Format(PyExc_ValueError, "a mesh has at most %d axes", MESH_AXES);
        return NULL;
    }
    rehearsal.axes = PyTuple_GET_SIZE(sizes);
    for (Py_ssize_t k = 0; k < rehearsal.axes; k++) {
        rehearsal.sizes[k] = PyLong_AsLongLong(PyTuple_GET_ITEM(sizes, k));
        if (rehearsal.sizes[k] < 1) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_ValueError, "an axis of a mesh has at least one device");
            return NULL;
        }
    }
    begin_rehearsal(&rehearsal, device);
    Py_RETURN_NONE;
}

/* end_rehearsal(): how many collectives there were, the bytes that they took, and the nanoseconds in them. */
static PyObject *end_rehearsal_of_thread(PyObject *module, PyObject *nothing)
{
    (void)module;
    (void)nothing;
    Rehearsed found = end_rehearsal();
    return Py_BuildValue("LLL", (long long)found.collectives, (long long)found.bytes, (long long)found.nanoseconds);
}

static PyObject *fail(PyObject *module, PyObject *capsule)
{
    (void)module;
    Launch *launch = PyCapsule_GetPointer(capsule, NAME);
    if (launch == NULL)
        return NULL;
    fail_launch(launch);
    Py_RETURN_NONE;
}

/* blamed(launch): the first device that has an error of its own; -1 where none has. */
static PyObject *blamed(PyObject *module, PyObject *capsule)
{
    (void)module;
    Launch *launch = PyCapsule_GetPointer(capsule, NAME);
    return launch == NULL ? NULL : PyLong_FromLongLong(blamed_device(launch));
}

static PyMethodDef LAUNCHES[] = {
    {"launch", launch, METH_VARARGS, NULL},
    {"make_launch", make_launch_for_threads, METH_O, NULL},
    {"take_seat", take_seat_of_thread, METH_VARARGS, NULL},
    {"leave_seat", leave_seat_of_thread, METH_O, NULL},
    {"begin_rehearsal", begin_rehearsal_of_thread, METH_VARARGS, NULL},
    {"end_rehearsal", end_rehearsal_of_thread, METH_NOARGS, NULL},
    {"fail_launch", fail, METH_O, NULL},
    {"blamed", blamed, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

int add_launches(PyObject *module)
{
    not_ready = PyErr_NewException("pellucid.runtime._native.NotReady", NULL, NULL);
    if (not_ready == NULL || PyModule_AddObjectRef(module, "NotReady", not_ready) < 0)
        return -1;
    return PyModule_AddFunctions(module, LAUNCHES);
}
