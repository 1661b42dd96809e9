/* Calls of compiled functions: what Python writes down for them, and what the files that carry them out share.

   `State` is what a compiled function knows for its calls, an `Entry` one signature of arguments, a `Plan` how to call one
   piece of machine code.  Python makes them as arrays of 64-bit words (`dispatch/words.py` has the same fields in the same
   order) and never changes one that can be found from here: it puts a new one in its place with a single store. */

#ifndef PELLUCID_DISPATCH_H
#define PELLUCID_DISPATCH_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL pellucid_numpy
#ifndef PELLUCID_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include "native.h"

/* The most that one call may have before it goes through Python. */
enum { PARAMETERS = 64, KEYS = 512, SLOTS = 2048, OBJECTS = 256, KEPT = 512, RESULTS = 256, DEPTH = 32, RANK = 32 };
enum { SLACK = 80 }; /* words after each of these limits: more than one leaf takes, so room is asked for once a leaf */
enum { CONTEXT_SLOTS = 61, CONTEXT_STACK_LIMIT = 0, CONTEXT_DEPTH_LIMIT = 1 };
enum { LEAST_DEPTH = 10000 };
#define LENGTH_LIMIT (INT64_C(1) << 52)

/* Words of a key: the low byte says what follows, the bytes above it how. */
enum {
    TOKEN_FLOAT = 1, TOKEN_INT, TOKEN_BOOL, TOKEN_SCALAR, TOKEN_ARRAY, TOKEN_TUPLE, TOKEN_LIST, TOKEN_DICT,
    TOKEN_RECORD, TOKEN_OBJECT, TOKEN_STATIC_INT, TOKEN_STATIC_FLOAT,
    TOKEN_ROWS, TOKEN_COMPLEX,
};
enum { FLAG_STATIC = 1, FLAG_EXTRA = 2 };
enum { APART = 8, STACKED = 64 }; /* items of lists up to which they are taken apart; arrays made of longer ones */
enum { ROWS_ALIKE, ROWS_APART, ROWS_UNKNOWN };
enum { RECORD_TUPLE = 1, RECORD_ATTRIBUTES = 2, RECORD_PLACES = 3 }; /* the last: attributes, and items of those that are tuples */
enum { LEAF_WEAK_FLOAT, LEAF_WEAK_INT, LEAF_WEAK_BOOL, LEAF_SCALAR, LEAF_ARRAY, LEAF_WEAK_COMPLEX };
enum { STEP_LEAF, STEP_STATIC, STEP_TUPLE, STEP_LIST, STEP_DICT, STEP_CALL };

typedef struct {
    PyObject *name;     /* NULL: not to be given by keyword */
    PyObject *fallback; /* its default; NULL where there is none */
    int64_t flags;
} Parameter;

typedef struct {
    PyTypeObject *type;
    int64_t kind;
    PyObject *fields; /* their names; of places (name, which item, of how many) for items of tuples */
    int64_t known;    /* a bit for each field that is a known value, as static arguments are */
} Record;

typedef struct {
    int64_t count;
    Record items[];
} Records;

typedef struct {
    int64_t kind; /* what it is; above the low byte the rank, and the exponent of the bytes of an element */
    int64_t slot;
    PyObject *operand; /* the dtype */
} Leaf;

typedef struct {
    int64_t word;
    int64_t taken; /* objects from the top of the stack */
    union {
        PyObject *object;
        int64_t leaf;
    } operand;
} Step;

typedef struct {
    PyObject **place;
    PyObject *expected;
} GuardWord;

typedef struct {
    PyObject *name;
    PyObject *expected;
} GuardItem;

typedef struct {
    PyObject *dict;
    uint64_t version; /* the last one at which all items were as expected */
    const GuardItem *items;
    int64_t count;
} GuardTable;

typedef struct {
    PyObject *dict;
    PyObject *name;
    PyObject *expected; /* a copy, which nobody changes */
} GuardValue;

typedef struct {
    int64_t slot, rank, shift;
} HiddenArray;

typedef struct {
    int64_t result, argument; /* slots: what machine code made, and the argument that it is written to */
    int64_t rank, shift;
    PyObject *dtype;
} Target;

typedef struct {
    PyObject *owner; /* holds all that the plan refers to */
    int64_t (*code)(int64_t *);
    const int64_t *hidden; /* slots of the arguments that come from outside */
    int64_t hidden_count;
    int64_t gil_limit; /* elements of arguments from which on the GIL is released */
    PyObject *fail;    /* (site, address of slots) -> exception */
    const Leaf *leaves;
    int64_t leaf_count;
    const Step *recipe;
    int64_t recipe_count;
    const GuardWord *words;
    int64_t word_count;
    GuardTable *tables;
    int64_t table_count;
    const GuardValue *values; /* containers of numbers, compared by value */
    int64_t value_count;
    int64_t slot_count;
    int64_t queue_limit; /* elements of arguments from which on a call that has not been timed goes on after it has
                            returned; -1: none does */
    const int64_t *lengths; /* of results, told by those of arguments: `queued_calls.c` */
    const HiddenArray *copied; /* arguments from outside that may change after the call */
    int64_t copied_count;
    _Atomic double pace; /* nanoseconds that the last call took for each element and each unit of an int; 0: not known */
    const Target *targets; /* the arguments that are changed in place; their results come behind those of `leaves` */
    int64_t target_count;
} Plan;

typedef struct {
    uint64_t hash;
    const int64_t *keys;
    int64_t key_count;
    PyObject *const *objects;
    int64_t object_count;
    Plan **plan; /* where the current one is told */
} Entry;

typedef struct {
    uint64_t mask;
    Entry *places[];
} Table;

typedef struct {
    int64_t count;
    int64_t positional;
    int64_t extra;
    const Parameter *parameters;
    Table *table;
    Entry *last;
    Records *records;
} State;

typedef struct Cut Cut; /* blocks.c */

/* What is read of the arguments of a call, with room for it.  Objects and arrays are held until the call is over: others
   may empty the containers that they came in. */
typedef struct {
    int64_t *key, *slot;
    PyObject **object, **held;
    int64_t elements; /* of all arrays */
    double units;     /* of all ints */
    int64_t depth;
    int64_t pending; /* values that are not computed yet */
    int device;
    bool has_own, has_raised; /* whether there is an `Array`; whether its error has been raised */
    const State *state;
    const Cut *cut;  /* how the argument is cut, in a launch that is given whole ones; else NULL */
    PyObject *token; /* what arrays have that were cut in the same way */
    int64_t seat;    /* the device of the mesh */
    int64_t stacked_count;
    PyObject *bound[PARAMETERS];
    int64_t keys[KEYS + SLACK];
    PyObject *objects[OBJECTS + SLACK];
    PyObject *kept[KEPT + SLACK];
    uint8_t ranks[KEPT + SLACK];   /* of blocks */
    bool are_common[KEPT + SLACK]; /* whether all devices have the same */
    int64_t *places[KEPT + SLACK]; /* the slots of what is held; NULL where there is none */
    void *stacked[STACKED]; /* memory of arrays that were made of lists */
    int64_t slots[SLOTS + SLACK];
} Scan;

typedef struct Value Value; /* asynchronous.h */

/* The types of this process, told by Python once. */
typedef struct {
    PyTypeObject *function;     /* the class of compiled functions */
    PyObject *general;          /* its `__call__`: the way through Python */
    PyTypeObject *array;        /* `Array` */
    PyObject *package;          /* the folder of our own Python files */
    PyObject *find_floor;       /* tells where the stack of a thread ends */
    PyObject *objects;          /* types whose instances are known by identity */
    PyTypeObject *enums;        /* the type of enums, whose members are so too */
    PyObject *scalars;          /* NumPy's scalar types, the most frequent first; their place is their code */
    uint8_t codes[32];          /* of dtypes by NumPy's numbers; 255 for those that are not ours */
    uint8_t scalar_bytes[32];   /* by code */
} Types;

extern Types types;

/* binding.c */
bool bind_arguments(Scan *scan, PyObject *const *args, int64_t given, PyObject *names);

/* arguments.c */
bool scan_call(Scan *scan, const State *state, PyObject *const *args, int64_t given, PyObject *names);
void release_scan(Scan *scan);
bool has_room(const Scan *scan);
void hold(Scan *scan, PyObject *object);
bool scan_own_array(Scan *scan, PyObject *given, bool is_static);

/* blocks.c */
extern const Cut WHOLE;
PyObject *make_cut(PyObject *module, PyObject *args);
const Cut *cut_in(PyObject *capsule);
bool is_whole(const Cut *cut);
bool is_stacked(const Cut *cut);
int64_t part_to_write(const Cut *cut, int64_t device, int64_t *parts);
bool scan_block(Scan *scan, PyObject *value);
bool may_be_common(const Scan *scan, PyObject *value);

/* kinds.c */
int64_t code_of_scalar(PyTypeObject *type);
bool is_known_by_identity(PyTypeObject *type);
const Record *record_of(const State *state, PyTypeObject *type);

/* rows.c */
int scan_rows(Scan *scan, PyObject *list);

/* results.c */
PyObject *give(const Plan *plan, const Scan *scan);
PyObject *assemble(const Plan *plan, PyObject **leaves);

/* questions.c */
PyObject *describe(PyObject *module, PyObject *args);
PyObject *ask_guards(PyObject *module, PyObject *address);
PyObject *place(PyObject *module, PyObject *args);

/* targets.c */
bool may_write(const Plan *plan, const Scan *scan);
bool write_targets(const Plan *plan, const Scan *scan);
void release_targets(const Plan *plan, const int64_t *slots);

/* guards.c */
bool holds(const Plan *plan);

/* calls.c */
uint64_t hash_of(const int64_t *words, int64_t count);
extern PyMethodDef DISPATCH[];
PyObject *natively_called(void);

#endif
