/* One program on all devices of a mesh: the calls are collected, and go to all queues at once.

       results, run, ... = launch(f, (2,), [table_0, table_1], [(x_0,), (x_1,)])     every queue has its task now
       result = launch_whole(f, (2,), [table_0, table_1], (x,), ((cut, capsule),), known)
       blamed(run)                                                                   the first device with an error of its own

   The second takes whole arguments, of which each device reads its block (`blocks.c`), and gives whole results, which are made
   by functions of Python that are `known` for the code: what a launch of the first kind has told of it.

   The tasks of two launches are in the same order in all queues, since they are pushed without letting go of the GIL: a
   device that waits for another one waits for what is before its own next task.  A call that cannot go to a queue raises
   `NotReady`, and nothing of the launch has begun. */

#include "asynchronous.h"
#include "processes.h"

static PyObject *not_ready;
static const char *const NAME = "pellucid.launch", *const TEAM = "pellucid.team";

typedef struct {
    Launch *launch; /* NULL where this thread collects nothing */
    int64_t count;
    Task *tasks[MESH_DEVICES];
    Queue *queues[MESH_DEVICES];
    PyObject *owner;   /* of the plan that all devices run; NULL before the first, or where they run several */
    const Plan *plan;
    PyObject *columns; /* for each result of the plan, the list of what the devices have */
    PyObject *known;   /* for each code what makes its results; NULL as below */
    PyObject *makers;  /* for each result what makes the array of all devices, and the capsule of how it is cut or None */
    PyObject *wholes;  /* for each result the buffer for all devices, or None */
    PyObject *cuts;    /* for each argument how it is cut, and the capsule of that; NULL where each device has its own */
} Collected;

static _Thread_local Collected collected;

bool is_launching(void)
{
    return collected.launch != NULL;
}

/* Whether devices read their blocks of whole arguments. */
bool is_launching_whole(void)
{
    return collected.launch != NULL && collected.cuts != NULL;
}

/* Handlers of signals that run while something is waited for: their calls are no part of the launch. */
int check_signals(void)
{
    Collected kept = collected;
    collected = (Collected){NULL};
    int failed = PyErr_CheckSignals();
    collected = kept;
    return failed;
}

/* The task of the first device; NULL where it is the next. */
const Task *first_of_launch(void)
{
    return collected.count > 0 ? collected.tasks[0] : NULL;
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
    task->seat = device_here(collected.launch, collected.count);
    collected.tasks[collected.count] = task;
    collected.queues[collected.count++] = queue;
    return true;
}

/* How the argument for a parameter is cut; false where a call with whole arguments cannot tell. */
bool choose_cut(Scan *scan, int64_t parameter, bool is_static, bool is_extra)
{
    scan->cut = NULL;
    if (!is_launching_whole() || parameter == 0) /* which is the table of the device */
        return true;
    scan->cut = &WHOLE;
    scan->token = Py_None;
    scan->seat = collected.count;
    if (parameter <= PyTuple_GET_SIZE(collected.cuts)) {
        PyObject *pair = PyTuple_GET_ITEM(collected.cuts, parameter - 1);
        scan->token = PyTuple_GET_ITEM(pair, 0);
        scan->cut = cut_in(PyTuple_GET_ITEM(pair, 1));
    }
    return !is_extra && scan->cut != NULL && (!is_static || is_whole(scan->cut));
}

/* The buffer for a result of which the first device has this; None where there is no need or no knowing. */
static PyObject *begin_whole(PyObject *maker, const Value *block)
{
    int64_t parts, bytes = 1;
    PyObject *capsule = PyTuple_GET_ITEM(maker, 1);
    const Cut *cut = capsule == Py_None ? NULL : cut_in(capsule);
    if (cut == NULL || part_to_write(cut, 0, &parts) < 0 || block->kind != LEAF_ARRAY || !block->knows_lengths ||
        (block->rank == 0 && !is_stacked(cut)))
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    for (int axis = 0; axis < block->rank; axis++)
        bytes *= block->lengths[axis];
    return bytes == 0 ? Py_NewRef(Py_None) : whole_for(block, parts, is_stacked(cut));
}

/* What makes the results of the code that the first device runs, and buffers for them; false with an exception. */
static bool begin_results(const Task *task)
{
    PyObject *makers = PyDict_GetItemWithError(collected.known, task->owner);
    if (makers == NULL || !PyTuple_Check(makers) || PyTuple_GET_SIZE(makers) != task->result_count) {
        if (!PyErr_Occurred())
            refuse_launch();
        return false;
    }
    collected.makers = Py_NewRef(makers);
    collected.wholes = PyList_New(task->result_count);
    for (int64_t k = 0; collected.wholes != NULL && k < task->result_count; k++) {
        PyObject *whole = begin_whole(PyTuple_GET_ITEM(makers, k), task->results[k]);
        if (whole == NULL)
            return false;
        PyList_SET_ITEM(collected.wholes, k, whole);
    }
    return collected.wholes != NULL;
}

static bool are_alike(const Value *left, const Value *right)
{
    return left->rank == right->rank && left->number == right->number && right->knows_lengths &&
           memcmp(left->lengths, right->lengths, left->rank * sizeof *left->lengths) == 0;
}

/* Gives the results of the next device their places in buffers for all devices; false with an exception. */
bool plan_places(Task *task)
{
    int64_t parts;
    if (!is_launching_whole())
        return true;
    if (collected.count == 0 && !begin_results(task))
        return false;
    const Task *first = collected.count == 0 ? task : collected.tasks[0];
    if (task->plan != first->plan) {
        refuse_launch();
        return false;
    }
    for (int64_t k = 0; k < task->result_count; k++) {
        PyObject *whole = PyList_GET_ITEM(collected.wholes, k);
        if (whole == Py_None)
            continue;
        const Cut *cut = cut_in(PyTuple_GET_ITEM(PyTuple_GET_ITEM(collected.makers, k), 1));
        if (!are_alike(first->results[k], task->results[k])) {
            refuse_launch();
            return false;
        }
        int64_t part = part_to_write(cut, collected.count, &parts);
        if (part >= 0)
            set_place(&task->places[k], whole, task->results[k], part);
    }
    return true;
}

/* Keeps what a device will have of each result; false with an exception. */
static bool keep_leaves(const Plan *plan, PyObject **leaves)
{
    if (collected.count == 1) {
        collected.plan = plan;
        collected.owner = Py_NewRef(plan->owner);
        collected.columns = PyList_New(plan->leaf_count);
        for (int64_t k = 0; collected.columns != NULL && k < plan->leaf_count; k++)
            PyList_SET_ITEM(collected.columns, k, PyList_New(0));
    } else if (collected.plan != plan) {
        Py_CLEAR(collected.owner);
    }
    if (collected.columns == NULL)
        return false;
    for (int64_t k = 0; collected.owner != NULL && k < plan->leaf_count; k++) {
        PyObject *column = PyList_GET_ITEM(collected.columns, k);
        if (column == NULL || PyList_Append(column, leaves[k]) < 0)
            return false;
    }
    return true;
}

/* What the call of one device gives, whose task is there: its own result, or nothing where results of all are made later.
   Takes over the references to the leaves. */
PyObject *collect_results(const Plan *plan, PyObject **leaves)
{
    bool is_kept = keep_leaves(plan, leaves);
    if (is_kept && !is_launching_whole())
        return assemble(plan, leaves);
    for (int64_t k = 0; k < plan->leaf_count; k++)
        Py_DECREF(leaves[k]);
    if (is_kept && collected.owner == NULL)
        return refuse_launch();
    return is_kept ? Py_NewRef(Py_None) : NULL;
}

/* In a child after fork: its thread launches nothing. */
void forget_launches(void)
{
    collected = (Collected){NULL};
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

/* The team of a capsule, NULL for None. */
static bool read_team(PyObject *given, Team **team)
{
    *team = given == Py_None ? NULL : PyCapsule_GetPointer(given, TEAM);
    return given == Py_None || *team != NULL;
}

static Launch *launch_for(PyObject *given, PyObject *of_team)
{
    Team *team;
    if (!read_team(of_team, &team))
        return NULL;
    int64_t most = team == NULL ? MESH_DEVICES : MESH_SIZE;
    int64_t sizes[MESH_AXES], devices = 1;
    Py_ssize_t axes = PyTuple_Check(given) ? PyTuple_GET_SIZE(given) : 0;
    bool is_fitting = axes >= 1 && axes <= MESH_AXES;
    for (Py_ssize_t axis = 0; is_fitting && axis < axes; axis++) {
        sizes[axis] = PyLong_AsLongLong(PyTuple_GET_ITEM(given, axis));
        is_fitting = sizes[axis] >= 1 && sizes[axis] <= most && (devices *= sizes[axis]) <= most;
    }
    if (PyErr_Occurred())
        return NULL;
    if (!is_fitting || (team != NULL && devices_of_team(team) != devices)) {
        PyErr_Format(PyExc_ValueError, "a mesh has 1 to %d axes and at most %d devices", MESH_AXES, (int)most);
        return NULL;
    }
    Launch *launch = new_launch_of_team((int)axes, sizes, team);
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
static PyObject *push_all(const Collected *all)
{
    int64_t pushed = 0;
    if (make_room_for_all(all)) {
        begin_meetings(all->launch);
        while (pushed < all->count && push_task(all->queues[pushed], all->tasks[pushed]))
            pushed++;
    }
    if (pushed < all->count) {
        fail_launch(all->launch); /* those that are in a queue must not wait for the others */
        give_up_from(all, pushed);
        release_launch(all->launch);
        return NULL;
    }
    return capsule_of(all->launch);
}

/* What has been collected; from now on this thread's calls are ordinary ones again. */
static Collected collection(void)
{
    Collected all = collected;
    collected = (Collected){NULL};
    return all;
}

static void drop_collection(const Collected *all)
{
    Py_XDECREF(all->owner);
    Py_XDECREF(all->columns);
    Py_XDECREF(all->makers);
    Py_XDECREF(all->wholes);
}

/* The calls so far are forgotten. */
static void abandon(void)
{
    Collected all = collection();
    give_up_from(&all, 0);
    release_launch(all.launch);
    drop_collection(&all);
}

/* A launch for which calls are collected from now on; false with an exception. */
static bool begin_launch(PyObject *function, PyObject *sizes, PyObject *team, Py_ssize_t given)
{
    if (!is_called_natively(function) || is_launching()) {
        refuse_launch();
        return false;
    }
    Launch *launch = launch_for(sizes, team);
    if (launch == NULL)
        return false;
    if (devices_of(launch) != given) {
        PyErr_SetString(PyExc_ValueError, "a launch has one call for each device");
        release_launch(launch);
        return false;
    }
    collected = (Collected){.launch = launch};
    return true;
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
    bool is_whole = is_launching_whole();
    PyObject *results = PyList_New(count);
    for (int64_t k = 0; results != NULL && k < count; k++) {
        PyObject *own = is_whole ? arguments : PyList_GET_ITEM(arguments, k);
        PyObject *result = call_on_device(function, PyList_GET_ITEM(tables, k), own);
        if (result == NULL)
            Py_CLEAR(results);
        else
            PyList_SET_ITEM(results, k, result);
    }
    return results;
}

static PyObject *none_for(PyObject *object)
{
    return Py_NewRef(object == NULL ? Py_None : object);
}

/* launch(function, sizes, tables, arguments, team=None): calls a function on all devices of a mesh, or those of this process
   where a team is named, with the table of each and a tuple of arguments of its own; the list of results, the launch, the key
   of the code and the leaves of the results by columns, which are None where the devices do not run the same code. */
static PyObject *launch(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *function, *sizes, *tables, *arguments, *team = Py_None;
    if (!PyArg_ParseTuple(args, "OOO!O!|O", &function, &sizes, &PyList_Type, &tables, &PyList_Type, &arguments, &team))
        return NULL;
    if (PyList_GET_SIZE(tables) != PyList_GET_SIZE(arguments)) {
        PyErr_SetString(PyExc_ValueError, "a launch has one call for each device");
        return NULL;
    }
    if (!begin_launch(function, sizes, team, PyList_GET_SIZE(tables)))
        return NULL;
    PyObject *results = call_on_all(function, tables, arguments);
    if (results == NULL) {
        abandon();
        return NULL;
    }
    Collected all = collection();
    PyObject *capsule = push_all(&all), *answer = NULL;
    if (capsule != NULL)
        answer = Py_BuildValue("ONNN", results, capsule, none_for(all.owner),
                               none_for(all.owner == NULL ? NULL : all.columns));
    Py_DECREF(results);
    drop_collection(&all);
    return answer;
}

/* The result of all devices, each array of it made by the function for it, of the arrays of the devices, the launch and the
   buffer that they are parts of. */
static PyObject *join_columns(const Collected *all, PyObject *capsule)
{
    const Plan *plan = all->plan;
    PyObject *leaves[RESULTS];
    for (int64_t k = 0; k < plan->leaf_count; k++) {
        PyObject *given[] = {PyList_GET_ITEM(all->columns, k), capsule, PyList_GET_ITEM(all->wholes, k)};
        leaves[k] = PyObject_Vectorcall(PyTuple_GET_ITEM(PyTuple_GET_ITEM(all->makers, k), 0), given, 3, NULL);
        if (leaves[k] == NULL) {
            while (k > 0)
                Py_DECREF(leaves[--k]);
            return NULL;
        }
    }
    return assemble(plan, leaves);
}

/* launch_whole(function, sizes, tables, arguments, cuts, known): calls a function on all devices, each with its blocks of
   the arguments; the result.  `known` has for the key of the code a pair for each array of the result: what makes it, and the
   capsule of how it is cut, or None. */
static PyObject *launch_whole(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *function, *sizes, *tables, *arguments, *cuts, *known;
    if (!PyArg_ParseTuple(args, "OOO!O!O!O!", &function, &sizes, &PyList_Type, &tables, &PyTuple_Type, &arguments,
                          &PyTuple_Type, &cuts, &PyDict_Type, &known))
        return NULL;
    if (!begin_launch(function, sizes, Py_None, PyList_GET_SIZE(tables)))
        return NULL;
    collected.cuts = cuts;
    collected.known = known;
    PyObject *nothing = call_on_all(function, tables, arguments);
    if (nothing == NULL) {
        abandon();
        return NULL;
    }
    Py_DECREF(nothing);
    Collected all = collection();
    PyObject *capsule = push_all(&all);
    PyObject *result = capsule == NULL ? NULL : join_columns(&all, capsule);
    Py_XDECREF(capsule);
    drop_collection(&all);
    return result;
}

/* make_launch(sizes, team): one whose programs run on threads of Python, which take their seats themselves. */
static PyObject *make_launch_for_threads(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *sizes, *team = Py_None;
    if (!PyArg_ParseTuple(args, "O|O", &sizes, &team))
        return NULL;
    Launch *launch = launch_for(sizes, team);
    if (launch != NULL)
        begin_meetings(launch);
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
    take_seat(launch, device_here(launch, device), NULL);
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

/* blamed(launch): the first device of the mesh that has an error of its own; -1 where none has. */
static PyObject *blamed(PyObject *module, PyObject *capsule)
{
    (void)module;
    Launch *launch = PyCapsule_GetPointer(capsule, NAME);
    return launch == NULL ? NULL : PyLong_FromLongLong(blamed_device(launch));
}

/* use_mpi(send, receive, test, cancel, byte, anyone): the functions by their addresses, and handles as numbers. */
static PyObject *take_mpi(PyObject *module, PyObject *args)
{
    (void)module;
    unsigned long long send, receive, test, cancel, byte;
    int anyone;
    if (!PyArg_ParseTuple(args, "KKKKKi", &send, &receive, &test, &cancel, &byte, &anyone))
        return NULL;
    Mpi functions = {.byte = (Handle)byte, .anyone = anyone};
    *(void **)&functions.send = (void *)(uintptr_t)send;
    *(void **)&functions.receive = (void *)(uintptr_t)receive;
    *(void **)&functions.test = (void *)(uintptr_t)test;
    *(void **)&functions.cancel = (void *)(uintptr_t)cancel;
    use_mpi(&functions);
    Py_RETURN_NONE;
}

/* make_team(communicator, own, processes, tags, glances): `processes` has the rank of the process of each device. */
static PyObject *make_team(PyObject *module, PyObject *args)
{
    (void)module;
    unsigned long long communicator;
    int own;
    PyObject *processes;
    long long tags, glances;
    if (!PyArg_ParseTuple(args, "KiO!LL", &communicator, &own, &PyTuple_Type, &processes, &tags, &glances))
        return NULL;
    Py_ssize_t devices = PyTuple_GET_SIZE(processes);
    if (devices < 1 || devices > MESH_SIZE)
        return PyErr_Format(PyExc_ValueError, "a mesh over processes has at most %d devices", MESH_SIZE);
    int ranks[MESH_SIZE];
    for (Py_ssize_t k = 0; k < devices; k++)
        ranks[k] = (int)PyLong_AsLong(PyTuple_GET_ITEM(processes, k));
    if (PyErr_Occurred())
        return NULL;
    Team *team = new_team((Handle)communicator, own, devices, ranks, tags, glances);
    return team == NULL ? PyErr_NoMemory() : PyCapsule_New(team, TEAM, NULL); /* it is kept: launches refer to it */
}

static PyObject *leave_team(PyObject *module, PyObject *capsule)
{
    (void)module;
    Team *team = PyCapsule_GetPointer(capsule, TEAM);
    if (team == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    close_team(team);
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

static PyMethodDef LAUNCHES[] = {
    {"use_mpi", take_mpi, METH_VARARGS, NULL},
    {"make_team", make_team, METH_VARARGS, NULL},
    {"close_team", leave_team, METH_O, NULL},
    {"launch", launch, METH_VARARGS, NULL},
    {"launch_whole", launch_whole, METH_VARARGS, NULL},
    {"make_cut", make_cut, METH_VARARGS, NULL},
    {"make_launch", make_launch_for_threads, METH_VARARGS, NULL},
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
