/* Kernels: functions of a device with the types of their parameters, and launches of them.

       Kernel(function, [("array", 1, np.float32, True), ("scalar", np.int64)], "poly_1")
       kernel[grid, block](x, n)     puts the launch into the stream of the device that the arrays are on

   Parameters are laid out as numba-cuda does it: an array is eight bytes each for two pointers that are not used, the number
   of elements, the bytes of one, the address, the lengths and the strides; a complex number is two, any other one stands for
   itself. A launch keeps the GIL: it takes as long as giving it away would. */

#include "cuda.h"

#include <stddef.h>
#include <string.h>
#include <structmember.h>

enum { MOST_SLOTS = 4096, MOST_PARAMETERS = 1024, FREE_LAUNCHES = 8 };

typedef struct {
    bool is_array, is_contiguous;
    int rank;
    PyArray_Descr *dtype;
} Kind;

typedef struct {
    PyObject_HEAD
    DeviceFunction *function;
    PyObject *name;
    int count, slots;
    Kind *kinds;
} Kernel;

typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    Kernel *kernel;
    unsigned grid[3], block[3];
} Launch;

typedef struct {
    int64_t slots[MOST_SLOTS];
    void *parameters[MOST_SLOTS];
    int64_t *next;
    void **parameter;
    Gpu *gpu;
} Packed;

static PyTypeObject *kernel_type;
static PyTypeObject launch_type;
static Launch *free_launches[FREE_LAUNCHES];
static int free_count;

/* --- arguments --------------------------------------------------------------------------------------------------- */

static bool is_dtype(const PyArray_Descr *left, const PyArray_Descr *right)
{
    return left->type_num == right->type_num ||
           (left->kind == right->kind && PyDataType_ELSIZE(left) == PyDataType_ELSIZE(right));
}

static void push(Packed *packed, int64_t word)
{
    *packed->parameter++ = packed->next;
    *packed->next++ = word;
}

static bool refuse(const Kernel *kernel, int place, const char *what, PyObject *given)
{
    const Kind *kind = &kernel->kinds[place];
    if (kind->is_array)
        PyErr_Format(PyExc_TypeError, "argument %d of %U is %s%R, where it takes %s array of %d dimensions of %S", place + 1,
                     kernel->name, what, given, kind->is_contiguous ? "a contiguous" : "an", kind->rank,
                     (PyObject *)kind->dtype);
    else
        PyErr_Format(PyExc_TypeError, "argument %d of %U is %s%R, where it takes a scalar of %S", place + 1, kernel->name, what,
                     given, (PyObject *)kind->dtype);
    return false;
}

static bool is_together(Packed *packed, const Kernel *kernel, Gpu *gpu)
{
    if (packed->gpu != NULL && packed->gpu != gpu) {
        PyErr_Format(PyExc_ValueError, "arguments of %U are on different devices, cuda:%d and cuda:%d", kernel->name,
                     packed->gpu->number, gpu->number);
        return false;
    }
    packed->gpu = gpu;
    return true;
}

static bool pack_array(Packed *packed, const Kernel *kernel, int place, PyObject *given)
{
    const Kind *kind = &kernel->kinds[place];
    if (!is_device_array(given))
        return refuse(kernel, place, "", given);
    PyArrayObject *layout = ((DeviceArray *)given)->layout;
    if (PyArray_NDIM(layout) != kind->rank || !is_dtype(PyArray_DESCR(layout), kind->dtype))
        return refuse(kernel, place, "", given);
    if (kind->is_contiguous && !PyArray_IS_C_CONTIGUOUS(layout))
        return refuse(kernel, place, "the strided ", given);
    if (!is_together(packed, kernel, ((DeviceArray *)given)->block->gpu))
        return false;
    push(packed, 0); /* numba's record of the memory, and the Python object: kernels use neither */
    push(packed, 0);
    push(packed, PyArray_SIZE(layout));
    push(packed, PyArray_ITEMSIZE(layout));
    bool is_empty = PyArray_SIZE(layout) == 0; /* a view may begin after the last element, and a failed kernel reads there */
    push(packed, is_empty ? (int64_t)((DeviceArray *)given)->block->address : (int64_t)(intptr_t)PyArray_BYTES(layout));
    for (int axis = 0; axis < kind->rank; axis++)
        push(packed, PyArray_DIM(layout, axis));
    for (int axis = 0; axis < kind->rank; axis++)
        push(packed, PyArray_STRIDE(layout, axis));
    return true;
}

/* Whether a number is one of this dtype, or of Python's without a dtype and of a kind that it can hold. */
static bool is_fitting(PyObject *given, const PyArray_Descr *dtype)
{
    if (PyArray_IsScalar(given, Generic)) {
        PyArray_Descr *own = PyArray_DescrFromScalar(given);
        bool is_same = own != NULL && is_dtype(own, dtype);
        Py_XDECREF(own);
        return is_same;
    }
    if (PyBool_Check(given))
        return dtype->kind == 'b';
    if (PyLong_Check(given))
        return dtype->kind != 'b';
    if (PyFloat_Check(given))
        return dtype->kind == 'f' || dtype->kind == 'c';
    return PyComplex_Check(given) && dtype->kind == 'c';
}

/* The bits of a number in the dtype of the parameter; NumPy converts what is not the most frequent. */
static bool pack_scalar(Packed *packed, const Kernel *kernel, int place, PyObject *given)
{
    PyArray_Descr *dtype = kernel->kinds[place].dtype;
    if (PyLong_CheckExact(given) && dtype->type_num == NPY_INT64) {
        int64_t word = PyLong_AsLongLong(given);
        if (word == -1 && PyErr_Occurred())
            return false;
        push(packed, word);
        return true;
    }
    if (!is_fitting(given, dtype))
        return refuse(kernel, place, "", given);
    char value[2 * sizeof(int64_t)] = {0};
    if (PyArray_IsScalar(given, Generic))
        PyArray_ScalarAsCtype(given, value);
    else if (PyArray_Pack(dtype, value, given) < 0)
        return false;
    size_t parts = dtype->kind == 'c' ? 2 : 1, bytes = (size_t)PyDataType_ELSIZE(dtype) / parts;
    for (size_t part = 0; part < parts; part++) {
        int64_t word = 0;
        memcpy(&word, value + part * bytes, bytes);
        push(packed, word);
    }
    return true;
}

static bool pack(Packed *packed, const Kernel *kernel, PyObject *const *args, Py_ssize_t count)
{
    packed->next = packed->slots;
    packed->parameter = packed->parameters;
    packed->gpu = NULL;
    if (count != kernel->count) {
        PyErr_Format(PyExc_TypeError, "%U takes %d arguments, not %zd", kernel->name, kernel->count, count);
        return false;
    }
    for (int place = 0; place < kernel->count; place++)
        if (!(kernel->kinds[place].is_array ? pack_array(packed, kernel, place, args[place])
                                            : pack_scalar(packed, kernel, place, args[place])))
            return false;
    return packed->gpu != NULL || (packed->gpu = present_gpu(NULL)) != NULL;
}

/* --- launches ---------------------------------------------------------------------------------------------------- */

/* An error with what was launched, and how; it may be that of a kernel before. */
static void tell_launch(const Launch *launch, int status, const Gpu *gpu)
{
    PyObject *call =
        PyUnicode_FromFormat("cuLaunchKernel of %U, grid (%u, %u, %u), block (%u, %u, %u)", launch->kernel->name, launch->grid[0],
                             launch->grid[1], launch->grid[2], launch->block[0], launch->block[1], launch->block[2]);
    const char *text = call == NULL ? NULL : PyUnicode_AsUTF8(call);
    if (text != NULL)
        succeeded(status, text, gpu);
    Py_XDECREF(call);
}

static bool start(const Launch *launch, Packed *packed)
{
    Kernel *kernel = launch->kernel;
    Gpu *gpu = packed->gpu;
    const unsigned *grid = launch->grid, *block = launch->block;
    int entered = enter(gpu);
    if (entered < 0)
        return false;
    void *function = function_on(kernel->function, gpu);
    int status = function == NULL ? 0
                                  : driver.launch(function, grid[0], grid[1], grid[2], block[0], block[1], block[2], 0,
                                                  gpu->stream, packed->parameters, NULL);
    leave(entered);
    if (status != 0)
        tell_launch(launch, status, gpu);
    else if (function != NULL && gpu->last_kernel != kernel->name)
        Py_XSETREF(gpu->last_kernel, Py_NewRef(kernel->name));
    return function != NULL && status == 0;
}

static PyObject *call_launch(PyObject *self, PyObject *const *args, size_t flags, PyObject *names)
{
    Packed packed;
    const Launch *launch = (Launch *)self;
    if (names != NULL && PyTuple_GET_SIZE(names) > 0)
        return PyErr_Format(PyExc_TypeError, "%U takes no keywords", launch->kernel->name);
    if (!pack(&packed, launch->kernel, args, PyVectorcall_NARGS(flags)))
        return NULL;
    bool is_empty = launch->grid[0] == 0 || launch->grid[1] == 0 || launch->grid[2] == 0;
    if (!is_empty && !start(launch, &packed))
        return NULL;
    Py_RETURN_NONE;
}

static void drop_launch(PyObject *self)
{
    Py_CLEAR(((Launch *)self)->kernel);
    if (free_count < FREE_LAUNCHES)
        free_launches[free_count++] = (Launch *)self;
    else
        PyObject_Free(self);
}

static PyTypeObject launch_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "pellucid.runtime.devices.cuda.Launch",
    .tp_basicsize = sizeof(Launch),
    .tp_dealloc = drop_launch,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(Launch, call),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = "A kernel with its grid and block.",
};

static bool read_length(PyObject *given, unsigned *length)
{
    Py_ssize_t found = PyNumber_AsSsize_t(given, PyExc_ValueError);
    if (found == -1 && PyErr_Occurred())
        return false;
    if (found < 0 || found > INT32_MAX) {
        PyErr_Format(PyExc_ValueError, "a length of a grid or block is from 0 to 2147483647, not %zd", found);
        return false;
    }
    *length = (unsigned)found;
    return true;
}

/* An int, or up to three. */
static bool read_lengths(PyObject *given, unsigned *lengths)
{
    lengths[0] = lengths[1] = lengths[2] = 1;
    if (!PyTuple_Check(given))
        return read_length(given, &lengths[0]);
    if (PyTuple_GET_SIZE(given) < 1 || PyTuple_GET_SIZE(given) > 3) {
        PyErr_SetString(PyExc_ValueError, "a grid or block has one to three lengths");
        return false;
    }
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(given); k++)
        if (!read_length(PyTuple_GET_ITEM(given, k), &lengths[k]))
            return false;
    return true;
}

/* kernel[grid, block] */
static PyObject *configure(PyObject *self, PyObject *shape)
{
    if (!PyTuple_Check(shape) || PyTuple_GET_SIZE(shape) != 2)
        return PyErr_Format(PyExc_TypeError, "a kernel is launched with a grid and a block: kernel[grid, block](...)");
    Launch *made;
    if (free_count > 0)
        made = (Launch *)PyObject_Init((PyObject *)free_launches[--free_count], &launch_type);
    else
        made = PyObject_New(Launch, &launch_type);
    if (made == NULL)
        return NULL;
    made->call = call_launch;
    made->kernel = (Kernel *)Py_NewRef(self);
    if (!read_lengths(PyTuple_GET_ITEM(shape, 0), made->grid) || !read_lengths(PyTuple_GET_ITEM(shape, 1), made->block))
        Py_CLEAR(made);
    return (PyObject *)made;
}

/* --- kernels ----------------------------------------------------------------------------------------------------- */

/* ("array", dimensions, dtype, is_contiguous) or ("scalar", dtype) */
static bool read_kind(PyObject *given, Kind *kind)
{
    const char *word;
    PyObject *fields = PySequence_Tuple(given), *dtype;
    int is_contiguous = 0;
    bool is_read = fields != NULL && PyTuple_GET_SIZE(fields) == 2
                       ? PyArg_ParseTuple(fields, "sO", &word, &dtype) && strcmp(word, "scalar") == 0
                       : fields != NULL && PyArg_ParseTuple(fields, "siOp", &word, &kind->rank, &dtype, &is_contiguous) &&
                             strcmp(word, "array") == 0 && kind->rank >= 0 && kind->rank <= NPY_MAXDIMS;
    if (is_read) {
        kind->is_array = PyTuple_GET_SIZE(fields) == 4;
        kind->is_contiguous = is_contiguous != 0;
        is_read = PyArray_DescrConverter(dtype, &kind->dtype);
    } else if (!PyErr_Occurred())
        PyErr_Format(PyExc_ValueError, "a parameter is (\"array\", ndim, dtype, is_contiguous) or (\"scalar\", dtype), not %R",
                     given);
    Py_XDECREF(fields);
    return is_read;
}

static bool read_kinds(Kernel *kernel, PyObject *given)
{
    Py_ssize_t count = PySequence_Size(given);
    if (count < 0 || count > MOST_PARAMETERS) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_ValueError, "a kernel has at most %d parameters", MOST_PARAMETERS);
        return false;
    }
    kernel->kinds = PyMem_Calloc((size_t)count + 1, sizeof *kernel->kinds);
    for (Py_ssize_t k = 0; kernel->kinds != NULL && k < count; k++) {
        PyObject *one = PySequence_GetItem(given, k);
        bool is_read = one != NULL && read_kind(one, &kernel->kinds[k]);
        Py_XDECREF(one);
        if (!is_read)
            return false;
        kernel->count++;
        kernel->slots += kernel->kinds[k].is_array ? 5 + 2 * kernel->kinds[k].rank : 2;
    }
    if (kernel->kinds == NULL)
        PyErr_NoMemory();
    else if (kernel->slots > MOST_SLOTS)
        PyErr_Format(PyExc_ValueError, "the parameters of a kernel take at most %d words", MOST_SLOTS);
    return kernel->kinds != NULL && kernel->slots <= MOST_SLOTS;
}

static PyObject *make_kernel(PyTypeObject *type, PyObject *args, PyObject *names)
{
    PyObject *function, *parameters, *name = NULL;
    static char *words[] = {"function", "parameters", "name", NULL};
    if (!PyArg_ParseTupleAndKeywords(args, names, "O!O|U:Kernel", words, device_function_type, &function, &parameters, &name))
        return NULL;
    Kernel *made = (Kernel *)type->tp_alloc(type, 0);
    if (made == NULL)
        return NULL;
    made->function = (DeviceFunction *)Py_NewRef(function);
    made->name = Py_NewRef(name == NULL ? made->function->name : name);
    if (!read_kinds(made, parameters))
        Py_CLEAR(made);
    return (PyObject *)made;
}

static void drop_kernel(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Kernel *kernel = (Kernel *)self;
    for (int k = 0; k < kernel->count; k++)
        Py_XDECREF((PyObject *)kernel->kinds[k].dtype);
    PyMem_Free(kernel->kinds);
    Py_XDECREF((PyObject *)kernel->function);
    Py_XDECREF(kernel->name);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMemberDef MEMBERS[] = {
    {"name", T_OBJECT, offsetof(Kernel, name), READONLY, "What messages call it."},
    {"function", T_OBJECT, offsetof(Kernel, function), READONLY, "What it launches."},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot SLOTS_OF_TYPE[] = {
    {Py_tp_new, make_kernel},
    {Py_tp_dealloc, drop_kernel},
    {Py_tp_members, MEMBERS},
    {Py_mp_subscript, configure},
    {Py_tp_doc, "A function of a device with the types of its parameters."},
    {0, NULL},
};

static PyType_Spec SPECIFICATION = {
    .name = "pellucid.runtime.devices.cuda.Kernel",
    .basicsize = sizeof(Kernel),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = SLOTS_OF_TYPE,
};

bool add_kernel_type(PyObject *module)
{
    kernel_type = (PyTypeObject *)PyType_FromSpec(&SPECIFICATION);
    return kernel_type != NULL && PyType_Ready(&launch_type) == 0 &&
           PyModule_AddObjectRef(module, "Kernel", (PyObject *)kernel_type) == 0;
}
