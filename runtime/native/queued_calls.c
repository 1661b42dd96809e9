/* Calls that go on after they have returned: a task of the arguments, and Arrays whose values it will make.

       step(params, batch)    ->    Task { slots, Values of params, a copy of batch }    ->    Array f64[3, 4], pending

   An argument that its owner may change is copied before the call returns; Arrays are held.  The lengths of a result are
   told where they follow from those of arguments, as words in the order of the results:

       0                                                        not before it is computed
       1, then for each axis a constant, the number of terms, and a slot and a factor for each      max(0, sum)        */

#include "asynchronous.h"

#include <stdlib.h>
#include <string.h>

/* --- which calls ------------------------------------------------------------------------------------------------- */

static _Atomic double least = 25000.0; /* nanoseconds: to hand work over and to wake who waits for it takes less */

/* What the time of a call is taken to be proportional to. */
double size_of(const Scan *scan)
{
    return 1.0 + (double)scan->elements + scan->units;
}

/* Whether a call takes long, as far as is known: by the last one of the plan, or else by its elements. */
bool is_large(const Plan *plan, const Scan *scan)
{
    double long_enough = atomic_load_explicit(&least, memory_order_relaxed);
    if (long_enough <= 0.0)
        return true;
    double pace = atomic_load_explicit(&plan->pace, memory_order_relaxed);
    if (scan->elements < plan->gil_limit)
        return false;
    return pace > 0.0 ? pace * size_of(scan) >= long_enough : scan->elements >= plan->queue_limit;
}

void note_pace(Plan *plan, double size, int64_t begun)
{
    atomic_store_explicit(&plan->pace, (double)(nanoseconds() - begun + 1) / size, memory_order_relaxed);
}

/* set_least(nanoseconds): how long a call takes at least that goes on after it has returned; gives the former number. */
PyObject *set_least(PyObject *module, PyObject *given)
{
    (void)module;
    double wanted = PyFloat_AsDouble(given);
    if (wanted == -1.0 && PyErr_Occurred())
        return NULL;
    return PyFloat_FromDouble(atomic_exchange(&least, wanted));
}

/* --- results ----------------------------------------------------------------------------------------------------- */

/* One length; moves on to what is told next. */
static int64_t told_length(const int64_t **told, const int64_t *slots)
{
    int64_t length = *(*told)++, terms = *(*told)++;
    for (int64_t k = 0; k < terms; k++, *told += 2)
        length += slots[(*told)[0]] * (*told)[1];
    return length > 0 ? length : 0;
}

static void foresee_lengths(Value *value, const int64_t **told, const int64_t *slots)
{
    if (value->kind != LEAF_ARRAY || *(*told)++ == 0)
        return;
    int64_t lengths[RANK + 1];
    for (int axis = 0; axis < value->rank; axis++)
        lengths[axis] = told_length(told, slots);
    set_contiguous(value, lengths);
    value->knows_lengths = true;
}

/* An `Array` for each result, in `leaves`; false after an error, with nothing left to release but the task. */
static bool make_results(Task *task, Queue *queue, int device, PyObject **leaves)
{
    const Plan *plan = task->plan;
    const int64_t *told = plan->lengths;
    for (int64_t k = 0; k < plan->leaf_count; k++) {
        Value *value = new_value(&plan->leaves[k], queue);
        leaves[k] = NULL;
        if (value != NULL) {
            foresee_lengths(value, &told, task->slots);
            task->results[task->result_count++] = hold_value(value);
            leaves[k] = array_around(value, device);
        }
        if (leaves[k] == NULL) {
            while (k > 0)
                Py_DECREF(leaves[--k]);
            return false;
        }
    }
    return true;
}

/* --- arguments --------------------------------------------------------------------------------------------------- */

/* The memory in these slots as a copy of its own, C-contiguous. */
static bool copy_argument(Task *task, int64_t *slots, int rank, int shift, bool has_strides)
{
    int64_t strides[RANK + 1], step = 1;
    int64_t *lengths = slots + 1;
    for (int axis = rank - 1; axis >= 0; axis--) {
        strides[axis] = has_strides ? lengths[rank + axis] : step;
        lengths[rank + axis] = step;
        step *= lengths[axis];
    }
    void *owner = gathered((const char *)(intptr_t)slots[0], lengths, strides, rank, shift);
    if (owner == NULL) {
        PyErr_NoMemory();
        return false;
    }
    slots[0] = (int64_t)(intptr_t)owner + HEADER;
    task->inputs[task->input_count++] = (Input){NULL, owner, -1};
    return true;
}

/* The copy that the first device has, in place of one more; false where it has none like it. */
static bool take_common(Task *task, int64_t *slots, int rank)
{
    const Task *first = first_of_launch();
    const int64_t *there = first == NULL ? NULL : first->slots + (slots - task->slots);
    if (first == NULL || first->plan != task->plan || memcmp(there + 1, slots + 1, (size_t)rank * sizeof *slots) != 0)
        return false;
    memcpy(slots, there, (size_t)(1 + 2 * rank) * sizeof *slots);
    void *owner = (void *)(intptr_t)(slots[0] - HEADER);
    pellucid_hold(owner);
    task->inputs[task->input_count++] = (Input){NULL, owner, -1};
    return true;
}

/* A copy of an array of NumPy's, or of the block of it that a device of a launch has. */
static bool take_ndarray(Task *task, const Scan *scan, int64_t number)
{
    PyArrayObject *array = (PyArrayObject *)scan->kept[number];
    bool is_block = is_launching_whole();
    int64_t *slots = task->slots + (scan->places[number] - scan->slots);
    int rank = is_block ? scan->ranks[number] : PyArray_NDIM(array);
    int shift = __builtin_ctzll((unsigned long long)PyArray_ITEMSIZE(array));
    if (is_block && scan->are_common[number] && take_common(task, slots, rank))
        return true;
    return copy_argument(task, slots, rank, shift, is_block || !PyArray_IS_C_CONTIGUOUS(array));
}

static bool take_held(Task *task, const Held *held, int64_t place)
{
    if (held->value == NULL) {
        task->objects[task->object_count++] = Py_NewRef(held->values);
        return true;
    }
    bool is_there = state_of(held->value) == COMPUTED;
    if (is_there && task->slots[place] == 0) /* nothing stands there unless it was there before */
        task->slots[place] = held->value->data;
    task->inputs[task->input_count++] = (Input){hold_value(held->value), NULL, is_there ? -1 : place};
    return true;
}

static bool take_arguments(Task *task, const Scan *scan)
{
    for (int64_t k = 0; k < scan->held - scan->kept; k++) {
        if (scan->places[k] == NULL)
            continue;
        PyObject *held = scan->kept[k];
        if (!(is_held(held) ? take_held(task, (const Held *)held, scan->places[k] - scan->slots)
                            : take_ndarray(task, scan, k)))
            return false;
    }
    for (int64_t k = 0; k < task->plan->copied_count; k++) {
        const HiddenArray *hidden = &task->plan->copied[k];
        if (!copy_argument(task, task->slots + hidden->slot, (int)hidden->rank, (int)hidden->shift, true))
            return false;
    }
    return true;
}

/* --- the task ---------------------------------------------------------------------------------------------------- */

/* Which line of the user's is running. */
static void note_caller(Task *task)
{
    PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
    while (frame != NULL) {
        PyCodeObject *code = PyFrame_GetCode(frame);
        if (!PyUnicode_Tailmatch(code->co_filename, types.package, 0, PY_SSIZE_T_MAX, -1)) {
            task->code = (PyObject *)code;
            task->instruction = PyFrame_GetLasti(frame);
            Py_DECREF(frame);
            return;
        }
        Py_DECREF(code);
        Py_SETREF(frame, PyFrame_GetBack(frame));
    }
}

/* A task with room for all that it may hold, behind it; NULL after an error. */
static Task *new_task(Plan *plan, const Scan *scan)
{
    size_t most = (size_t)(scan->held - scan->kept + plan->copied_count), results = (size_t)plan->leaf_count;
    size_t slots = (size_t)plan->slot_count;
    Task *task = malloc(sizeof *task + slots * sizeof *task->slots + most * sizeof *task->inputs +
                        most * sizeof *task->objects + results * (sizeof *task->results + sizeof *task->places));
    if (task == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    *task = (Task){.plan = plan, .size = size_of(scan), .owner = Py_NewRef(plan->owner)};
    atomic_init(&task->references, 1);
    task->slots = (int64_t *)(task + 1);
    task->inputs = (Input *)(task->slots + slots);
    task->objects = (PyObject **)(task->inputs + most);
    task->results = (Value **)(task->objects + most);
    task->places = (Place *)(task->results + results);
    for (size_t k = 0; k < results; k++)
        task->places[k].owner = NULL;
    memcpy(task->slots, scan->slots, (size_t)(scan->slot - scan->slots + plan->hidden_count) * sizeof *task->slots);
    return task;
}

/* A task that no queue has got: its results, which nobody has seen, go with it. */
void give_up(Task *task)
{
    for (int64_t k = 0; k < task->result_count; k++)
        release_value(task->results[k]);
    for (int64_t k = 0; k < task->input_count; k++) {
        release_value(task->inputs[k].value);
        pellucid_release(task->inputs[k].owner);
    }
    for (int64_t k = 0; k < task->object_count; k++)
        Py_DECREF(task->objects[k]);
    release_places(task);
    Py_DECREF(task->owner);
    Py_XDECREF(task->code);
    release_launch(task->launch);
    free(task);
}

/* Waits for what other devices still have to make: in a queue, only what was there before is done before. */
static bool settle_strangers(const Scan *scan, const Queue *queue)
{
    for (PyObject *const *held = scan->kept; held < scan->held; held++) {
        Value *value = is_held(*held) ? ((Held *)*held)->value : NULL;
        if (value != NULL && value->queue != queue && !settle(value))
            return false;
    }
    return true;
}

/* The result of a call that has been put into the queue. */
PyObject *queue_call(Plan *plan, Scan *scan)
{
    PyObject *leaves[RESULTS];
    Queue *queue = queue_of(scan->device);
    let_go_of_tasks();
    if (!settle_strangers(scan, queue))
        return NULL;
    Task *task = new_task(plan, scan);
    if (task == NULL)
        return NULL;
    if (!take_arguments(task, scan) || !make_results(task, queue, scan->device, leaves)) {
        give_up(task);
        return NULL;
    }
    note_caller(task);
    if (!(is_launching() ? plan_places(task) && add_to_launch(queue, task) : push_task(queue, task))) {
        for (int64_t k = 0; k < plan->leaf_count; k++)
            Py_DECREF(leaves[k]);
        give_up(task);
        return NULL;
    }
    return is_launching() ? collect_results(plan, leaves) : assemble(plan, leaves);
}

/* Waits for all arguments, and writes into the slots what they are; false after an error. */
bool settle_inputs(Scan *scan)
{
    for (PyObject *const *held = scan->kept; held < scan->held; held++) {
        if (Py_TYPE(*held) != types.array || scan->places[held - scan->kept] == NULL)
            continue;
        Value *value = ((Held *)*held)->value;
        if (value == NULL)
            continue;
        if (!settle(value))
            return false;
        *scan->places[held - scan->kept] = value->data;
    }
    return true;
}
