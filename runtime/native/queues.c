/* The queue of a device: one thread that runs its tasks in order, and those who wait for it.

   The thread starts with the first task and ends with the process; it glances for some microseconds before it sleeps.  A
   queue that is full makes the caller wait, without the GIL, until half of it is done.  Whoever waits looks for signals
   many times a second: where a handler raises, all tasks that were in a queue then are cancelled.

   A process that is about to fork waits for its queues (`runtime/asynchronous.py`); what is in one all the same, because
   another thread was quicker, has failed in the child. */

#define _GNU_SOURCE /* pthread_getattr_np */

#include "asynchronous.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

enum {
    LONGEST = 128,   /* tasks in a queue */
    GLANCES = 400,   /* of those who wait: pauses of 10 to 50 nanoseconds */
    IDLE = 2000,     /* of the thread: to wake it would take longer than all else that a call does */
    BRIEFLY = 100,   /* the same where a device may have no core but this */
    TICK = 20000000, /* nanoseconds between looks for signals */
};

#define STACK_BYTES ((size_t)64 << 20) /* of addresses: memory is taken as it is used */
#define STACK_MARGIN ((int64_t)128 << 10)

struct Queue {
    pthread_mutex_t mutex;
    pthread_cond_t work, news;
    Task *first, **last, *running;
    /* Numbers of tasks, which count from 1: the last that was pushed, has ended, is cancelled; the first that is awaited. */
    _Atomic int64_t pushed, ended;
    int64_t cancelled, awaited;
    atomic_int stop; /* not 0: the one that runs has to end */
    bool has_thread, is_asleep, is_cancelling;
};

static Queue queues[DEVICES];
static int device_count; /* 0: nothing is made ready */
static _Thread_local int default_device;
static SpinLock cancel_lock;
static int cancelling; /* queues */

/* Devices of CUDA have numbers after these, and no queue: what is in their streams is no task of ours. */
bool has_queue(int device)
{
    return device < device_count;
}

/* Whether calls of this thread that are not for a device go to one of CUDA, which Python launches. */
bool is_default_elsewhere(void)
{
    return default_device > 0 && !has_queue(default_device);
}

/* The queue of a device, or where work of this processor goes that is not for one. */
Queue *queue_of(int device)
{
    if (device == ANYWHERE)
        device = is_default_elsewhere() ? 0 : default_device;
    return &queues[device];
}

/* The device that would make what no queue has made. */
int present_default(void)
{
    return default_device;
}

int device_of(const Queue *queue)
{
    return (int)(queue - queues);
}

static atomic_bool is_off = true, is_closed;
static _Thread_local int64_t synchronous; /* blocks that this thread is in */

/* Whether calls may go on after they have returned. */
bool is_asynchronous(void)
{
    return synchronous == 0 && !atomic_load_explicit(&is_off, memory_order_relaxed);
}

/* Tasks that have not ended, with the one that runs. */
static int64_t length_of(const Queue *queue)
{
    int64_t ended = atomic_load_explicit(&queue->ended, memory_order_acquire);
    return atomic_load_explicit(&queue->pushed, memory_order_relaxed) - ended;
}

/* Not once the interpreter ends. */
bool may_ask_python(void)
{
    return !atomic_load_explicit(&is_closed, memory_order_relaxed);
}

/* --- the thread -------------------------------------------------------------------------------------------------- */

/* The next task, whose place as the running one is taken. */
static Task *next_task(Queue *queue)
{
    int most = have_own_cores(device_count) ? IDLE : BRIEFLY;
    for (int glances = 0; glances < most; glances++) {
        if (length_of(queue) > 0)
            break;
        glance();
    }
    pthread_mutex_lock(&queue->mutex);
    while (queue->first == NULL) {
        queue->is_asleep = true;
        pthread_cond_wait(&queue->work, &queue->mutex);
        queue->is_asleep = false;
    }
    Task *task = queue->running = queue->first;
    queue->first = task->next;
    if (queue->first == NULL)
        queue->last = &queue->first;
    atomic_store(&queue->stop, task->number <= queue->cancelled);
    pthread_mutex_unlock(&queue->mutex);
    return task;
}

/* As long as a queue has tasks that are cancelled, those that run look whether they are among them. */
static void note_cancelling(Queue *queue, bool is_so)
{
    lock(&cancel_lock);
    cancelling += (int)is_so - (int)queue->is_cancelling;
    queue->is_cancelling = is_so;
    ask_to_leave(cancelling > 0);
    unlock(&cancel_lock);
}

/* Whoever has waited for the end finds the task among those that are to be let go. */
static void end_task(Queue *queue, Task *task)
{
    int64_t number = task->number;
    pthread_mutex_lock(&queue->mutex);
    queue->running = NULL;
    retire_task(task);
    atomic_store_explicit(&queue->ended, number, memory_order_release);
    if (number == queue->cancelled)
        note_cancelling(queue, false);
    if (number >= queue->awaited) {
        queue->awaited = INT64_MAX;
        pthread_cond_broadcast(&queue->news);
    }
    pthread_mutex_unlock(&queue->mutex);
}

/* The lowest address for frames of this thread. */
static int64_t stack_floor(void)
{
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t size = STACK_BYTES / 2;
#if defined(__linux__)
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &lowest, &size);
        pthread_attr_destroy(&attributes);
    }
#else
    (void)attributes;
#endif
    int64_t found = lowest != NULL ? (int64_t)(intptr_t)lowest : (int64_t)(intptr_t)&attributes - (int64_t)size;
    return found + STACK_MARGIN;
}

static void *serve(void *given)
{
    Queue *queue = given;
    int64_t floor = stack_floor();
    use_workers_of(device_of(queue));
    for (;;) {
        Task *task = next_task(queue);
        run_task(task, &queue->stop, floor, atomic_load(&queue->stop));
        end_task(queue, task);
    }
    return NULL;
}

/* Signals that are about the thread itself; all others are for those of Python. */
static const int OF_THREADS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/* False where the system has no thread for it. */
static bool start_thread(Queue *queue)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t k = 0; k < sizeof OF_THREADS / sizeof *OF_THREADS; k++)
        sigdelset(&blocked, OF_THREADS[k]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    queue->has_thread = pthread_create(&thread, &attributes, serve, queue) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return queue->has_thread;
}

/* --- those who wait ---------------------------------------------------------------------------------------------- */

static bool has_ended(const Queue *queue, int64_t number)
{
    return atomic_load_explicit(&queue->ended, memory_order_acquire) >= number;
}

static void cancel(Queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    if (!has_ended(queue, queue->pushed)) {
        queue->cancelled = queue->pushed;
        atomic_store(&queue->stop, 1);
        note_cancelling(queue, true);
    }
    pthread_mutex_unlock(&queue->mutex);
}

/* Waits for some time at most; whether the task of this number has ended. */
static bool wait_a_while(Queue *queue, int64_t number)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += TICK;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    int late = 0;
    pthread_mutex_lock(&queue->mutex);
    while (!has_ended(queue, number) && late == 0) {
        if (number < queue->awaited)
            queue->awaited = number;
        late = pthread_cond_timedwait(&queue->news, &queue->mutex, &until);
    }
    pthread_mutex_unlock(&queue->mutex);
    return has_ended(queue, number);
}

/* Waits for the end of a task with the GIL released; false with an exception where a handler of signals has raised one, and
   then what was in any queue is cancelled. */
static bool wait_until(Queue *queue, int64_t number)
{
    bool is_over = has_ended(queue, number);
    while (!is_over) {
        Py_BEGIN_ALLOW_THREADS;
        for (int glances = 0; glances < GLANCES && !is_over; glances++) {
            is_over = has_ended(queue, number);
            glance();
        }
        is_over = is_over || wait_a_while(queue, number);
        Py_END_ALLOW_THREADS;
        if (check_signals() != 0) {
            for (int device = 0; device < device_count; device++)
                cancel(&queues[device]);
            return false;
        }
    }
    let_go_of_tasks();
    return true;
}

bool wait_for(Value *value)
{
    return wait_until(value->queue, value->number_of_task);
}

/* --- tasks to the queue ------------------------------------------------------------------------------------------ */

/* Waits until a task can be pushed at once; false with an exception. */
bool make_room(Queue *queue, bool *has_waited)
{
    if (length_of(queue) < LONGEST)
        return true;
    *has_waited = true;
    return wait_until(queue, queue->pushed - LONGEST / 2);
}

/* Takes over the task; false with an exception, and then it is still the caller's. */
bool push_task(Queue *queue, Task *task)
{
    if (length_of(queue) >= LONGEST && !wait_until(queue, queue->pushed - LONGEST / 2))
        return false;
    pthread_mutex_lock(&queue->mutex);
    if (!queue->has_thread && !start_thread(queue)) {
        pthread_mutex_unlock(&queue->mutex);
        PyErr_SetString(PyExc_RuntimeError, "the system has no thread for asynchronous calls (PELLUCID_ASYNC=0)");
        return false;
    }
    task->number = queue->pushed + 1;
    task->next = NULL;
    for (int64_t k = 0; k < task->result_count; k++)
        task->results[k]->number_of_task = task->number;
    *queue->last = task;
    queue->last = &task->next;
    atomic_store_explicit(&queue->pushed, task->number, memory_order_relaxed);
    bool is_asleep = queue->is_asleep;
    pthread_mutex_unlock(&queue->mutex);
    if (is_asleep)
        pthread_cond_signal(&queue->work);
    return true;
}

/* --- processes --------------------------------------------------------------------------------------------------- */

static void forget(Task *task)
{
    task->status = STATUS_FORKED;
    fail_task(task, task);
}

static void begin(Queue *queue)
{
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->work, NULL);
    pthread_cond_init(&queue->news, NULL);
    queue->first = queue->running = NULL;
    queue->last = &queue->first;
    queue->has_thread = queue->is_asleep = queue->is_cancelling = false;
    queue->ended = queue->pushed;
    queue->awaited = INT64_MAX;
}

/* In a child: the threads did not come along. */
static void begin_in_child(void)
{
    for (int device = 0; device < device_count; device++) {
        Queue *queue = &queues[device];
        if (queue->running != NULL)
            forget(queue->running);
        for (Task *task = queue->first; task != NULL; task = task->next)
            forget(task);
        begin(queue);
    }
    forget_launches();
    unlock(&cancel_lock);
    cancelling = 0;
    ask_to_leave(false);
}

/* --- what Python calls ------------------------------------------------------------------------------------------- */

/* open(devices, wanted): makes so many devices ready, once; and whether calls may go on after they have returned. */
static PyObject *open_queues(PyObject *module, PyObject *args)
{
    (void)module;
    int count, is_wanted;
    if (!PyArg_ParseTuple(args, "ip", &count, &is_wanted))
        return NULL;
    if (count < 1 || count > DEVICES || device_count != 0) {
        PyErr_Format(PyExc_ValueError, "there are 1 to %d devices, made once", DEVICES);
        return NULL;
    }
    for (int device = 0; device < count; device++)
        begin(&queues[device]);
    device_count = count;
    share_threads(count);
    pthread_atfork(NULL, NULL, begin_in_child);
    atomic_store(&is_off, !is_wanted);
    Py_RETURN_NONE;
}

/* set_default_device(number): where this thread's calls go that are not for a device; gives the former one. */
static PyObject *set_default_device(PyObject *module, PyObject *number)
{
    (void)module;
    long wanted = PyLong_AsLong(number);
    if (wanted == -1 && PyErr_Occurred())
        return NULL;
    if (wanted < 0 || wanted > INT_MAX) {
        PyErr_SetString(PyExc_ValueError, "there is no such device");
        return NULL;
    }
    int former = default_device;
    default_device = (int)wanted;
    return PyLong_FromLong(former);
}

static PyObject *get_default_device(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyLong_FromLong(default_device);
}

/* begin_synchronous(), end_synchronous(): this thread's calls end before they return. */
static PyObject *begin_synchronous(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    synchronous++;
    Py_RETURN_NONE;
}

static PyObject *end_synchronous(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    synchronous--;
    Py_RETURN_NONE;
}

/* The devices from `first` to before `*last` that are asked for: one, or all for -1. */
static int first_of(PyObject *number, int *last)
{
    long wanted = PyLong_AsLong(number);
    *last = wanted < 0 ? device_count : (int)wanted + 1;
    return wanted < 0 ? 0 : (int)wanted;
}

/* finish(device): waits until its queue is empty; -1 means those of all devices. */
static PyObject *finish(PyObject *module, PyObject *number)
{
    (void)module;
    int last, device = first_of(number, &last);
    for (; device < last && !PyErr_Occurred(); device++)
        if (!wait_until(&queues[device], queues[device].pushed))
            return NULL;
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

/* close(): at exit, when nothing is in a queue: calls end before they return, and errors that nobody saw are reported. */
static PyObject *close_queues(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    atomic_store(&is_off, true);
    atomic_store(&is_closed, true);
    let_go_of_tasks();
    report_failures();
    let_go_of_tasks();
    Py_RETURN_NONE;
}

/* in_flight(device): how many tasks have not ended; -1 means those of all devices. */
static PyObject *in_flight(PyObject *module, PyObject *number)
{
    (void)module;
    int64_t count = 0;
    int last, device = first_of(number, &last);
    for (; device < last; device++)
        count += length_of(&queues[device]);
    return PyErr_Occurred() ? NULL : PyLong_FromLongLong(count);
}

static PyObject *goes_on(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyBool_FromLong(is_asynchronous());
}

PyMethodDef QUEUES[] = {
    {"open", open_queues, METH_VARARGS, NULL},
    {"set_default_device", set_default_device, METH_O, NULL},
    {"default_device", get_default_device, METH_NOARGS, NULL},
    {"begin_synchronous", begin_synchronous, METH_NOARGS, NULL},
    {"end_synchronous", end_synchronous, METH_NOARGS, NULL},
    {"is_asynchronous", goes_on, METH_NOARGS, NULL},
    {"finish", finish, METH_O, NULL},
    {"close", close_queues, METH_NOARGS, NULL},
    {"in_flight", in_flight, METH_O, NULL},
    {"set_least", set_least, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
