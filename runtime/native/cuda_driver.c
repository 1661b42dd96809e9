/* The CUDA driver: found at first use, its devices, and its errors as exceptions.

       libcuda.so.1   ->   a table of its functions, by dlsym
       status 700     ->   CudaError: cuLaunchKernel: CUDA_ERROR_ILLEGAL_ADDRESS (700): ...; the last kernel was scan_2

   A device is made ready when it is first used: its primary context, which it shares with other libraries, and one stream.
   After a fork the driver cannot be used in the child, which is told so. */

#include "cuda.h"

#include <dlfcn.h>
#include <string.h>
#include <time.h>

enum { SPUN = 1000 * 1000, LONGEST_NAP = 1000 * 1000 }; /* nanoseconds */

Driver driver;
PyObject *cuda_error;

static Gpu gpus[GPUS];
static int gpu_count = -1; /* -1: the driver is not open */
static bool forked;
static _Thread_local int present; /* the device of this thread */

bool was_forked(void)
{
    return forked;
}

/* --- errors ------------------------------------------------------------------------------------------------------ */

static void raise_status(int status, const char *call, const char *more)
{
    const char *name = NULL, *text = NULL;
    driver.error_name(status, &name);
    driver.error_text(status, &text);
    PyErr_Format(cuda_error, "%s: %s (%d): %s%s", call, name == NULL ? "an unknown error" : name, status,
                 text == NULL ? "the driver says no more" : text, more);
}

/* False with an exception where a call of the driver has failed.  What kernels do wrong is told by later calls. */
bool succeeded(int status, const char *call, const Gpu *gpu)
{
    if (status == 0)
        return true;
    PyObject *more = NULL;
    if (gpu != NULL && gpu->last_kernel != NULL)
        more = PyUnicode_FromFormat("; the last kernel launched on cuda:%d was %U", gpu->number, gpu->last_kernel);
    raise_status(status, call, more == NULL ? "" : PyUnicode_AsUTF8(more));
    Py_XDECREF(more);
    return false;
}

/* --- opening it -------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *symbol;
    size_t place;
} Symbol;

#define SYMBOL(member, symbol, parameters) {symbol, offsetof(Driver, member)},
static const Symbol SYMBOLS[] = {DRIVER(SYMBOL)};
#undef SYMBOL

static bool resolve(void *library, const char *path)
{
    for (size_t k = 0; k < sizeof SYMBOLS / sizeof *SYMBOLS; k++) {
        void *found = dlsym(library, SYMBOLS[k].symbol);
        if (found == NULL) {
            PyErr_Format(cuda_error, "%s is too old: it has no %s", path, SYMBOLS[k].symbol);
            return false;
        }
        memcpy((char *)&driver + SYMBOLS[k].place, &found, sizeof found);
    }
    return true;
}

static void note_fork(void)
{
    forked = true;
}

/* cuda_open(path): how many devices the driver there has; once it is open, the path does not matter. */
static PyObject *open_driver(PyObject *module, PyObject *path)
{
    (void)module;
    if (gpu_count >= 0)
        return PyLong_FromLong(gpu_count);
    const char *name = PyUnicode_AsUTF8(path);
    if (name == NULL)
        return NULL;
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *reason = dlerror();
        return PyErr_Format(cuda_error, "there is no driver of CUDA: %s", reason == NULL ? name : reason);
    }
    int count = 0;
    if (!resolve(library, name) || !succeeded(driver.init(0), "cuInit", NULL) ||
        !succeeded(driver.count(&count), "cuDeviceGetCount", NULL))
        return NULL;
    if (pthread_atfork(NULL, NULL, note_fork) != 0)
        return PyErr_NoMemory();
    gpu_count = count < GPUS ? count : GPUS;
    return PyLong_FromLong(gpu_count);
}

/* --- devices ----------------------------------------------------------------------------------------------------- */

/* Other libraries may have made a context current: theirs comes back. */
int enter(Gpu *gpu)
{
    void *current = NULL;
    if (forked) {
        PyErr_SetString(cuda_error, "CUDA cannot be used in a process that was forked from one that used it; start the "
                                    "process by multiprocessing.get_context(\"spawn\")");
        return -1;
    }
    if (!succeeded(driver.current(&current), "cuCtxGetCurrent", NULL))
        return -1;
    if (current == gpu->context)
        return 0;
    if (current == NULL)
        return succeeded(driver.set_current(gpu->context), "cuCtxSetCurrent", NULL) ? 0 : -1;
    return succeeded(driver.push_current(gpu->context), "cuCtxPushCurrent", NULL) ? 1 : -1;
}

void leave(int entered)
{
    void *former;
    if (entered > 0)
        driver.pop_current(&former);
}

static bool fill_gpu(Gpu *gpu)
{
    int has_pools = 0;
    if (!succeeded(driver.attribute(&has_pools, HAS_POOLS, gpu->device), "cuDeviceGetAttribute", gpu) ||
        (has_pools && !succeeded(driver.default_pool(&gpu->pool, gpu->device), "cuDeviceGetDefaultMemPool", gpu)))
        return false;
    return succeeded(driver.stream_create(&gpu->stream, 1), "cuStreamCreate", gpu) && /* it waits for no other stream */
           succeeded(driver.event_create(&gpu->event, 2), "cuEventCreate", gpu) &&    /* without its time */
           prepare_stages(&gpu->up) && prepare_stages(&gpu->down);
}

static bool begin_gpu(Gpu *gpu, int number)
{
    gpu->number = number;
    if (!succeeded(driver.get(&gpu->device, number), "cuDeviceGet", NULL) ||
        !succeeded(driver.retain(&gpu->context, gpu->device), "cuDevicePrimaryCtxRetain", NULL))
        return false;
    int entered = enter(gpu);
    if (entered < 0)
        return false;
    gpu->is_ready = fill_gpu(gpu);
    leave(entered);
    return gpu->is_ready;
}

/* A device, made ready; NULL with an exception where there is none. */
Gpu *gpu_of(int number)
{
    if (number < 0 || number >= gpu_count) {
        PyErr_Format(PyExc_ValueError, "there is no device cuda:%d", number);
        return NULL;
    }
    if (forked && enter(&gpus[number]) < 0)
        return NULL;
    return gpus[number].is_ready || begin_gpu(&gpus[number], number) ? &gpus[number] : NULL;
}

/* The device of a number, or that of this thread where it is NULL or None. */
Gpu *present_gpu(PyObject *number)
{
    if (number == NULL || number == Py_None)
        return gpu_of(present);
    long wanted = PyLong_AsLong(number);
    return wanted == -1 && PyErr_Occurred() ? NULL : gpu_of((int)wanted);
}

/* Asks the driver until something is over or it has taken PATIENCE, without the GIL; the last answer.  Who waits for long
   is woken late by a little. */
int wait_some_time(int (*query)(void *), void *what)
{
    int status;
    int64_t begun = nanoseconds(), spent = 0;
    while ((status = query(what)) == STATUS_NOT_READY && spent < PATIENCE) {
        spent = nanoseconds() - begun;
        if (spent < SPUN)
            glance();
        else
            nanosleep(&(struct timespec){.tv_nsec = spent / 64 < LONGEST_NAP ? spent / 64 : LONGEST_NAP}, NULL);
    }
    return status;
}

/* Waits for all that the stream has got; the GIL is released.  False with an exception: that of the driver, or of a signal,
   after which the device goes on. */
bool wait_for_stream(Gpu *gpu)
{
    int entered = enter(gpu), status = STATUS_NOT_READY;
    if (entered < 0)
        return false;
    while (status == STATUS_NOT_READY && PyErr_CheckSignals() == 0) {
        Py_BEGIN_ALLOW_THREADS
        status = wait_some_time(driver.stream_query, gpu->stream);
        Py_END_ALLOW_THREADS
    }
    leave(entered);
    return status != STATUS_NOT_READY && succeeded(status, "cuStreamQuery", gpu);
}

/* Whether the stream has nothing left to do; -1 with an exception. */
int stream_is_idle(Gpu *gpu)
{
    int entered = enter(gpu);
    if (entered < 0)
        return -1;
    int status = driver.stream_query(gpu->stream);
    leave(entered);
    if (status == STATUS_NOT_READY)
        return 0;
    return succeeded(status, "cuStreamQuery", gpu) ? 1 : -1;
}

/* --- for Python -------------------------------------------------------------------------------------------------- */

/* cuda_use(number): what this thread makes without saying where is on this device; gives the former one. */
static PyObject *use(PyObject *module, PyObject *number)
{
    (void)module;
    Gpu *gpu = present_gpu(number);
    if (gpu == NULL)
        return NULL;
    int former = present;
    present = gpu->number;
    return PyLong_FromLong(former);
}

static PyObject *name_of(PyObject *module, PyObject *number)
{
    (void)module;
    char name[256] = "";
    Gpu *gpu = present_gpu(number);
    if (gpu == NULL || !succeeded(driver.name(name, sizeof name - 1, gpu->device), "cuDeviceGetName", gpu))
        return NULL;
    return PyUnicode_FromString(name);
}

/* cuda_attribute(device, attribute), by the driver's number. */
static PyObject *attribute_of(PyObject *module, PyObject *args)
{
    (void)module;
    int number, attribute, value;
    if (!PyArg_ParseTuple(args, "ii", &number, &attribute))
        return NULL;
    Gpu *gpu = gpu_of(number);
    if (gpu == NULL || !succeeded(driver.attribute(&value, attribute, gpu->device), "cuDeviceGetAttribute", gpu))
        return NULL;
    return PyLong_FromLong(value);
}

static PyObject *version(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    int found;
    if (gpu_count < 0) {
        PyErr_SetString(cuda_error, "the driver is not open");
        return NULL;
    }
    return succeeded(driver.version(&found), "cuDriverGetVersion", NULL) ? PyLong_FromLong(found) : NULL;
}

static PyObject *synchronize(PyObject *module, PyObject *number)
{
    (void)module;
    Gpu *gpu = present_gpu(number);
    if (gpu == NULL || !wait_for_stream(gpu))
        return NULL;
    Py_RETURN_NONE;
}

/* cuda_is_idle(device): whether its stream has nothing left to do. */
static PyObject *is_idle(PyObject *module, PyObject *number)
{
    (void)module;
    Gpu *gpu = present_gpu(number);
    int found = gpu == NULL ? -1 : stream_is_idle(gpu);
    return found < 0 ? NULL : PyBool_FromLong(found);
}

static PyObject *stream_of(PyObject *module, PyObject *number)
{
    (void)module;
    Gpu *gpu = present_gpu(number);
    return gpu == NULL ? NULL : PyLong_FromVoidPtr(gpu->stream);
}

PyMethodDef CUDA_DRIVER[] = {
    {"cuda_open", open_driver, METH_O, "How many devices the driver at a path has."},
    {"cuda_use", use, METH_O, "Let what this thread makes be on a device; gives the former one."},
    {"cuda_name", name_of, METH_O, "The name of a device."},
    {"cuda_attribute", attribute_of, METH_VARARGS, "An attribute of a device, by the driver's number."},
    {"cuda_version", version, METH_NOARGS, "The newest version of CUDA that the driver knows: 13000 is 13.0."},
    {"cuda_synchronize", synchronize, METH_O, "Wait for the stream of a device."},
    {"cuda_is_idle", is_idle, METH_O, "Whether the stream of a device has nothing to do."},
    {"cuda_stream", stream_of, METH_O, "The address of the stream of a device."},
    {NULL, NULL, 0, NULL},
};
