/* Values that may not be computed yet, the tasks that compute them, and the queue in which a device has its tasks.

       y = f(x)     ->     Array { Value, pending }     <-     Task { plan, slots, inputs, results }     in the queue

   A `Value` is what an `Array` holds: memory of the pool, or a number.  Counts of references are atomic, so a worker needs
   no GIL to use values and to let go of them.  A queue is first in, first out: what a task needs of its own device is there
   or has failed when its turn comes.  A task that has failed stays for as long as values of it do: it knows its error. */

#ifndef PELLUCID_ASYNCHRONOUS_H
#define PELLUCID_ASYNCHRONOUS_H

#include "dispatch.h"

#include "collectives.h"

enum { PENDING, COMPUTED, FAILED }; /* states of a value; the last two are final */
/* Statuses of a task beside those of machine code. */
enum { STATUS_CANCELLED = -1, STATUS_FORKED = -2, STATUS_NO_MEMORY = -3, STATUS_OTHER_LENGTHS = -4 };

typedef struct Task Task;
typedef struct Queue Queue;

enum { ANYWHERE = -1 }; /* in the place of a device */

struct Value {
    _Atomic int64_t references;
    atomic_int state;
    uint8_t kind; /* LEAF_ARRAY, or which number it is */
    uint8_t number; /* NumPy's, of the dtype */
    uint8_t rank, shift;
    bool knows_lengths; /* before it is computed, and then it is C-contiguous */
    bool is_contiguous;
    Queue *queue;
    int64_t number_of_task; /* in the queue */
    Task *failed; /* whose error it is, where it has failed */
    void *owner;
    int64_t data;      /* address, or the bits of a number */
    int64_t lengths[]; /* then the strides, in elements */
};

typedef struct {
    Value *value;  /* NULL where it is memory of the pool alone */
    void *owner;
    int64_t place; /* of the slot that waits for it; -1 where none does */
} Input;

/* Where a result belongs: memory of a block that another one may have, too. */
typedef struct {
    void *owner;
    int64_t data, bytes;
} Place;

struct Task {
    Task *next;
    _Atomic int64_t references;
    Plan *plan;
    double size; /* of the arguments */
    PyObject *owner; /* of the plan */
    PyObject *code;  /* which made the call, and where in it */
    int instruction;
    int64_t number; /* in its queue, from 1 */
    int64_t status;
    bool is_over;
    Task *before, *after; /* among the failures that nobody has seen */
    int64_t input_count, object_count, result_count;
    Input *inputs;
    PyObject **objects; /* that the inputs belong to */
    Value **results;
    Place *places; /* of results in buffers for those of all devices; without an owner where they may be anywhere */
    int64_t *slots;
    Launch *launch; /* of which this is the program of one device; NULL where it is none */
    int64_t seat;
};

/* values.c */
Value *new_value(const Leaf *leaf, Queue *queue);
Value *new_value_of(const Leaf *leaf, int number, Queue *queue);
bool fill_value(Value *value, int64_t *slots);
void set_contiguous(Value *value, const int64_t *lengths);
Value *hold_value(Value *value);
void release_value(Value *value);
bool are_contiguous(const int64_t *lengths, const int64_t *strides, int rank);
void *gathered(const char *data, const int64_t *lengths, const int64_t *strides, int rank, int shift);
PyObject *ndarray_of(Value *value);
PyObject *number_of(const Value *value);

static inline int state_of(const Value *value)
{
    return atomic_load_explicit(&value->state, memory_order_acquire);
}

/* tasks.c */
void run_task(Task *task, atomic_int *stop, int64_t floor, bool is_cancelled);
void fail_task(Task *task, Task *root);
void retire_task(Task *task);
void release_task(Task *task);
void let_go_of_tasks(void);
bool settle(Value *value);
void raise_failure(Task *task);
void report_failures(void);

/* queued_calls.c */
double size_of(const Scan *scan);
bool is_large(const Plan *plan, const Scan *scan);
void note_pace(Plan *plan, double size, int64_t begun);
PyObject *queue_call(Plan *plan, Scan *scan);
PyObject *set_least(PyObject *module, PyObject *nanoseconds);
bool settle_inputs(Scan *scan);

/* queues.c */
Queue *queue_of(int device);
bool has_queue(int device);
bool is_default_elsewhere(void);
int present_default(void);
int device_of(const Queue *queue);
bool is_asynchronous(void);
bool may_ask_python(void);
bool push_task(Queue *queue, Task *task);
bool wait_for(Value *value);
bool make_room(Queue *queue, bool *has_waited);
extern PyMethodDef QUEUES[];

/* calls.c */
bool is_called_natively(PyObject *object);

/* launches.c */
bool is_launching(void);
bool is_launching_whole(void);
int check_signals(void);
const Task *first_of_launch(void);
PyObject *refuse_launch(void);
bool add_to_launch(Queue *queue, Task *task);
PyObject *collect_results(const Plan *plan, PyObject **leaves);
bool plan_places(Task *task);
bool choose_cut(Scan *scan, int64_t parameter, bool is_static, bool is_extra);
void give_up(Task *task);
void forget_launches(void);
int add_launches(PyObject *module);

/* wholes.c */
PyObject *whole_for(const Value *block, int64_t parts, bool is_stacked);
void set_place(Place *place, PyObject *whole, const Value *block, int64_t part);
void enter_places(const Task *task);
void move_to_places(Task *task);
void release_places(Task *task);

/* arrays.c */
typedef struct {
    PyObject_HEAD
    PyObject *weak;
    PyObject *values; /* an ndarray; NULL where nobody has asked for it */
    Value *value;     /* NULL where the ndarray came from outside */
    PyObject *there;  /* the same on a device of CUDA, a `DeviceArray`; NULL where nobody has put it there */
    int device;       /* where calls with it run, from 1; 0: where the others are */
    bool is_given;    /* a call was given its memory, and it is empty */
    int users;        /* scans of calls that go on, which may read its memory without the GIL */
} Held;

extern PyTypeObject *held_type;

/* An `Array`, also one that is on many devices. */
static inline bool is_held(PyObject *object)
{
    return Py_TYPE(object) == types.array || PyType_IsSubtype(Py_TYPE(object), held_type);
}

PyObject *held_values(PyObject *self);
bool settle_held(Held *held);
PyObject *array_around(Value *value, int device);
bool is_number(const Held *held);
PyObject *make_held_type(void);

#endif
