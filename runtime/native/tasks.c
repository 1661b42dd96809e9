/* Tasks: how one runs on the thread of its device, what becomes of its results, and how its error is told.

   A worker has no GIL.  It lets go of memory at once, and leaves objects of Python on a list that whoever has the GIL next
   empties.  The error of a task is raised at each use of a value that it should have made, as a new exception each time;
   one that nobody has seen is reported when its values are gone, or at exit. */

#include "asynchronous.h"

#include <stdlib.h>
#include <string.h>

static _Atomic(Task *) retired; /* tasks that have objects to let go of */
static SpinLock unseen_lock;
static Task *unseen;

/* --- on the thread of the device --------------------------------------------------------------------------------- */

static void note_failure(Task *task)
{
    if (task->status == STATUS_CANCELLED || task->status == STATUS_FORKED)
        return; /* whoever did that knows it */
    lock(&unseen_lock);
    task->before = NULL;
    task->after = unseen;
    if (unseen != NULL)
        unseen->before = task;
    unseen = task;
    unlock(&unseen_lock);
}

static void fail_value(Value *value, Task *root)
{
    atomic_fetch_add_explicit(&root->references, 1, memory_order_relaxed);
    value->failed = root;
    atomic_store_explicit(&value->state, FAILED, memory_order_release);
}

/* Every result fails with the error of `root`, the task itself or the one that an input of it comes from. */
void fail_task(Task *task, Task *root)
{
    if (root == task)
        note_failure(task);
    for (int64_t k = 0; k < task->result_count; k++)
        if (state_of(task->results[k]) == PENDING)
            fail_value(task->results[k], root);
}

/* What the inputs became, in the slots that wait for it; the first that has failed, or NULL. */
static Task *place_inputs(Task *task)
{
    for (int64_t k = 0; k < task->input_count; k++) {
        const Input *input = &task->inputs[k];
        if (input->place < 0)
            continue;
        if (state_of(input->value) == FAILED)
            return input->value->failed;
        task->slots[input->place] = input->value->data;
    }
    return NULL;
}

/* Nothing else may be known of lengths than what calls in between have relied on. */
static bool has_foreseen_lengths(const Value *value, const int64_t *slots)
{
    return value->kind != LEAF_ARRAY || !value->knows_lengths ||
           memcmp(value->lengths, slots + 2, value->rank * sizeof *slots) == 0;
}

/* Fills all results, whose references to memory must go somewhere; the status. */
static int64_t fill_results(Task *task)
{
    int64_t status = 0;
    for (int64_t k = 0; k < task->result_count; k++) {
        int64_t *slots = task->slots + task->plan->leaves[k].slot;
        if (!has_foreseen_lengths(task->results[k], slots))
            status = STATUS_OTHER_LENGTHS;
        if (!fill_value(task->results[k], slots))
            status = STATUS_NO_MEMORY;
    }
    return status;
}

static void release_inputs(Task *task)
{
    for (int64_t k = 0; k < task->input_count; k++) {
        release_value(task->inputs[k].value);
        pellucid_release(task->inputs[k].owner);
    }
    task->input_count = 0;
}

static int64_t execute(Task *task, atomic_int *stop, int64_t floor)
{
    task->slots[CONTEXT_STACK_LIMIT] = floor;
    task->slots[CONTEXT_GUARDED] = (int64_t)(intptr_t)stop;
    int64_t begun = nanoseconds();
    enter_places(task);
    int64_t status = task->plan->code(task->slots);
    enter_places(NULL);
    note_pace(task->plan, task->size, begun);
    if (status == 0) {
        status = fill_results(task);
        if (status == 0)
            move_to_places(task);
        return status;
    }
    return atomic_load(stop) ? STATUS_CANCELLED : status; /* machine code names the place where it left */
}

/* Whether a device has failed by what another one did: by now, or in the launch that should have made what it needs. */
static bool was_told(const Task *root)
{
    return root != NULL && root->launch != NULL && blamed_device(root->launch) != root->seat;
}

void run_task(Task *task, atomic_int *stop, int64_t floor, bool is_cancelled)
{
    if (task->launch != NULL)
        take_seat(task->launch, task->seat, stop);
    Task *root = place_inputs(task);
    if (root == NULL) {
        task->status = is_cancelled ? STATUS_CANCELLED : execute(task, stop, floor);
        root = task->status == 0 ? NULL : task;
    }
    if (task->launch != NULL) {
        if (root != task && was_told(root))
            excuse_seat();
        leave_seat(root != NULL);
    }
    if (root != NULL)
        fail_task(task, root);
    for (int64_t k = 0; root == NULL && k < task->result_count; k++)
        atomic_store_explicit(&task->results[k]->state, COMPUTED, memory_order_release);
    for (int64_t k = 0; k < task->result_count; k++)
        release_value(task->results[k]);
    task->result_count = 0;
    release_places(task);
    release_inputs(task);
}

/* --- letting go -------------------------------------------------------------------------------------------------- */

static int let_go_when_asked(void *unused)
{
    (void)unused;
    let_go_of_tasks();
    return 0;
}

/* The queue is done with a task, or nothing refers to it any more. */
void retire_task(Task *task)
{
    Task *first = atomic_load_explicit(&retired, memory_order_relaxed);
    do
        task->next = first;
    while (!atomic_compare_exchange_weak_explicit(&retired, &first, task, memory_order_release, memory_order_relaxed));
    if (first == NULL && may_ask_python())
        Py_AddPendingCall(let_go_when_asked, NULL);
}

/* One reference less; needs no GIL. */
void release_task(Task *task)
{
    if (atomic_fetch_sub_explicit(&task->references, 1, memory_order_acq_rel) == 1)
        retire_task(task);
}

static bool is_listed(const Task *task)
{
    return task->before != NULL || unseen == task;
}

static void mark_seen(Task *task)
{
    lock(&unseen_lock);
    if (is_listed(task)) {
        *(task->before != NULL ? &task->before->after : &unseen) = task->after;
        if (task->after != NULL)
            task->after->before = task->before;
        task->before = task->after = NULL;
    }
    unlock(&unseen_lock);
}

static bool is_unseen(Task *task)
{
    lock(&unseen_lock);
    bool found = is_listed(task);
    unlock(&unseen_lock);
    return found;
}

/* The line of the user's that made the call, in words that begin so; NULL after an error. */
static PyObject *told_line(const Task *task, const char *before)
{
    PyCodeObject *code = (PyCodeObject *)task->code;
    return PyUnicode_FromFormat("%s: File \"%U\", line %d, in %U", before, code->co_filename,
                                PyCode_Addr2Line(code, task->instruction), code->co_name);
}

/* An error that nobody can see any more. */
static void report(Task *task)
{
    static const char *words = "an asynchronous call whose result nobody has used";
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    raise_failure(task);
    PyObject *told = NULL, *error_type, *error, *error_traceback;
    PyErr_Fetch(&error_type, &error, &error_traceback);
    told = task->code == NULL ? PyUnicode_FromString(words) : told_line(task, words);
    if (told == NULL)
        PyErr_Clear();
    PyErr_Restore(error_type, error, error_traceback);
    PyErr_WriteUnraisable(told);
    Py_XDECREF(told);
    PyErr_Restore(type, value, traceback);
}

static void destroy(Task *task)
{
    if (is_unseen(task))
        report(task);
    Py_XDECREF(task->owner);
    Py_XDECREF(task->code);
    release_launch(task->launch);
    free(task);
}

/* What the queue had of the task goes; the rest stays while values refer to its error. */
static void let_go_of(Task *task)
{
    if (!task->is_over) {
        task->is_over = true;
        for (int64_t k = 0; k < task->object_count; k++)
            Py_DECREF(task->objects[k]);
        task->object_count = 0;
        if (atomic_fetch_sub_explicit(&task->references, 1, memory_order_acq_rel) != 1)
            return;
    }
    destroy(task);
}

/* Lets go of what workers have left, with the GIL. */
void let_go_of_tasks(void)
{
    if (atomic_load_explicit(&retired, memory_order_relaxed) == NULL)
        return;
    Task *task = atomic_exchange_explicit(&retired, NULL, memory_order_acquire);
    while (task != NULL) {
        Task *next = task->next;
        let_go_of(task);
        task = next;
    }
}

/* --- errors ------------------------------------------------------------------------------------------------------ */

static PyObject *error_of(Task *task)
{
    switch (task->status) {
    case STATUS_CANCELLED:
        return PyObject_CallFunction(PyExc_RuntimeError, "s",
                                     "the call that should have made this value was cancelled by an interrupt");
    case STATUS_FORKED:
        return PyObject_CallFunction(PyExc_RuntimeError, "s",
                                     "the call that should have made this value was going on in the parent process when "
                                     "it forked: wait for it before (block_until_ready)");
    case STATUS_NO_MEMORY:
        return PyObject_CallFunction(PyExc_MemoryError, "s", "unable to allocate memory for a result");
    case STATUS_OTHER_LENGTHS:
        return PyObject_CallFunction(PyExc_SystemError, "s", "the result has another shape than was foreseen");
    default:
        return PyObject_CallFunction(task->plan->fail, "LN", (long long)(task->status - 1),
                                     PyLong_FromVoidPtr(task->slots));
    }
}

/* Says which line of the user's made the call. */
static void add_line(PyObject *error, const Task *task)
{
    if (task->code == NULL)
        return;
    PyObject *note = told_line(task, "called asynchronously");
    PyObject *done = note == NULL ? NULL : PyObject_CallMethod(error, "add_note", "O", note);
    if (done == NULL)
        PyErr_Clear(); /* the error counts, not what is said beside */
    Py_XDECREF(note);
    Py_XDECREF(done);
}

/* Raises the error of a task that has failed. */
void raise_failure(Task *task)
{
    mark_seen(task);
    PyObject *error = error_of(task);
    if (error == NULL)
        return;
    add_line(error, task);
    PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_DECREF(error);
}

/* Waits until a value is computed; false with an exception where it has failed, or a handler of signals has raised. */
bool settle(Value *value)
{
    if (state_of(value) == COMPUTED)
        return true;
    hold_value(value);
    bool is_over = wait_for(value);
    if (is_over && state_of(value) == FAILED)
        raise_failure(value->failed);
    bool is_computed = is_over && state_of(value) == COMPUTED;
    release_value(value);
    return is_computed;
}

/* At exit: what is still there and nobody has seen. */
void report_failures(void)
{
    for (;;) {
        lock(&unseen_lock);
        Task *task = unseen;
        if (task != NULL)
            atomic_fetch_add_explicit(&task->references, 1, memory_order_relaxed);
        unlock(&unseen_lock);
        if (task == NULL)
            return;
        report(task);
        release_task(task);
    }
}
