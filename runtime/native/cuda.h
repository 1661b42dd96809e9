/* The CUDA driver and what lies on its devices: what the files `cuda_*.c` share.

       libcuda.so.1    opened at first use, never when the package is imported; no header of CUDA is needed to compile this
       Gpu             a device: its context, its one stream, its memory, its pinned buffers
       Block           memory of a device, which arrays share; it goes back in the order of the stream
       DeviceArray     shape, dtype and strides over a block

   All of it is used with the GIL held, but for what waits. */

#ifndef PELLUCID_CUDA_H
#define PELLUCID_CUDA_H

#include "dispatch.h"

#include <pthread.h>
#include <stddef.h>

typedef uint64_t Address; /* in the memory of a device */

/* The driver's functions that are used: member, symbol, parameters.  All give a status, 0 where it went well. */
#define DRIVER(CALL)                                                                                                   \
    CALL(init, "cuInit", (unsigned flags))                                                                             \
    CALL(version, "cuDriverGetVersion", (int *version))                                                                \
    CALL(error_name, "cuGetErrorName", (int status, const char **text))                                                \
    CALL(error_text, "cuGetErrorString", (int status, const char **text))                                              \
    CALL(count, "cuDeviceGetCount", (int *count))                                                                      \
    CALL(get, "cuDeviceGet", (int *device, int ordinal))                                                               \
    CALL(name, "cuDeviceGetName", (char *name, int room, int device))                                                  \
    CALL(attribute, "cuDeviceGetAttribute", (int *value, int attribute, int device))                                   \
    CALL(default_pool, "cuDeviceGetDefaultMemPool", (void **pool, int device))                                         \
    CALL(retain, "cuDevicePrimaryCtxRetain", (void **context, int device))                                             \
    CALL(current, "cuCtxGetCurrent", (void **context))                                                                 \
    CALL(set_current, "cuCtxSetCurrent", (void *context))                                                              \
    CALL(push_current, "cuCtxPushCurrent_v2", (void *context))                                                         \
    CALL(pop_current, "cuCtxPopCurrent_v2", (void **context))                                                          \
    CALL(memory, "cuMemGetInfo_v2", (size_t *available, size_t *all))                                                  \
    CALL(allocate, "cuMemAllocAsync", (Address *address, size_t bytes, void *stream))                                  \
    CALL(release, "cuMemFreeAsync", (Address address, void *stream))                                                   \
    CALL(allocate_now, "cuMemAlloc_v2", (Address *address, size_t bytes))                                              \
    CALL(release_now, "cuMemFree_v2", (Address address))                                                               \
    CALL(trim, "cuMemPoolTrimTo", (void *pool, size_t bytes))                                                          \
    CALL(host_allocate, "cuMemHostAlloc", (void **memory, size_t bytes, unsigned flags))                               \
    CALL(to_device, "cuMemcpyHtoDAsync_v2", (Address to, const void *from, size_t bytes, void *stream))                \
    CALL(to_host, "cuMemcpyDtoHAsync_v2", (void *to, Address from, size_t bytes, void *stream))                        \
    CALL(on_device, "cuMemcpyDtoDAsync_v2", (Address to, Address from, size_t bytes, void *stream))                    \
    CALL(to_other, "cuMemcpyPeerAsync",                                                                                \
         (Address to, void *context, Address from, void *other, size_t bytes, void *stream))                           \
    CALL(set_bytes, "cuMemsetD8Async", (Address to, unsigned char value, size_t bytes, void *stream))                  \
    CALL(pointer, "cuPointerGetAttribute", (void *value, int attribute, Address address))                              \
    CALL(stream_create, "cuStreamCreate", (void **stream, unsigned flags))                                             \
    CALL(stream_wait, "cuStreamSynchronize", (void *stream))                                                           \
    CALL(stream_query, "cuStreamQuery", (void *stream))                                                                \
    CALL(stream_after, "cuStreamWaitEvent", (void *stream, void *event, unsigned flags))                               \
    CALL(event_create, "cuEventCreate", (void **event, unsigned flags))                                                \
    CALL(event_record, "cuEventRecord", (void *event, void *stream))                                                   \
    CALL(event_wait, "cuEventSynchronize", (void *event))                                                              \
    CALL(event_query, "cuEventQuery", (void *event))                                                                   \
    CALL(module_load, "cuModuleLoadDataEx",                                                                            \
         (void **module, const void *image, unsigned count, int *options, void **values))                              \
    CALL(module_function, "cuModuleGetFunction", (void **function, void *module, const char *name))                    \
    CALL(function_attribute, "cuFuncGetAttribute", (int *value, int attribute, void *function))                        \
    CALL(launch, "cuLaunchKernel",                                                                                     \
         (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,       \
          unsigned block_z, unsigned shared, void *stream, void **parameters, void **more))

#define MEMBER(member, symbol, parameters) int(*member) parameters;
typedef struct {
    DRIVER(MEMBER)
} Driver;
#undef MEMBER

enum { STATUS_OUT_OF_MEMORY = 2, STATUS_NOT_READY = 600 };
enum { ATTRIBUTE_ORDINAL = 9 }; /* of a pointer: the number of the device that it is on */
enum { HAS_POOLS = 115 };       /* attribute of a device: whether it allocates in the order of a stream */
enum { PATIENCE = 50 * 1000 * 1000 }; /* nanoseconds of a wait until Python is asked for signals */
enum { GPUS = 16, BINS = 8 * 64, LEAST_BYTES = 256, STAGES = 2, STAGE_BYTES = 4 << 20 };

/* Pinned memory that copies go through, part after part; each part may be filled again when its event has come. */
typedef struct {
    char *memory[STAGES];
    void *event[STAGES];
    size_t used;
    int part;
    pthread_mutex_t lock; /* taken without the GIL, and never kept while waiting for it */
} Stages;

typedef struct Block Block;

typedef struct {
    int number, device; /* ours, and the driver's handle */
    bool is_ready;
    void *context, *stream, *pool, *event;
    Block *bins[BINS];        /* free blocks by size */
    int64_t live, held, peak; /* bytes of blocks in use, of all blocks, and the most that were in use */
    PyObject *last_kernel;    /* whose errors may come late */
    Stages up, down;
} Gpu;

struct Block {
    int64_t references;
    Address address;
    int64_t bytes;
    Gpu *gpu;
    Block *next;       /* among the free ones */
    PyObject *foreign; /* what keeps memory of others alive; NULL: the memory is ours */
};

typedef struct {
    PyObject_HEAD
    PyObject *weak;
    Block *block;
    PyArrayObject *layout; /* its data are on the device: nobody may read an element of it, and Python never sees it */
    PyObject *verdict;       /* called when values have come to the host; raises where they are not to be used; or NULL */
} DeviceArray;

/* cuda_driver.c */
extern Driver driver;
extern PyObject *cuda_error;
extern PyMethodDef CUDA_DRIVER[];
bool succeeded(int status, const char *call, const Gpu *gpu);
Gpu *gpu_of(int number);
Gpu *present_gpu(PyObject *number);
int enter(Gpu *gpu);
void leave(int entered);
bool was_forked(void);
int wait_some_time(int (*query)(void *), void *what);
bool wait_for_stream(Gpu *gpu);
int stream_is_idle(Gpu *gpu);

/* cuda_memory.c */
extern PyMethodDef CUDA_MEMORY[];
Block *take_block(Gpu *gpu, int64_t bytes);
Block *foreign_block(Gpu *gpu, Address address, int64_t bytes, PyObject *owner);
Block *hold_block(Block *block);
void drop_block(Block *block);

/* cuda_copies.c */
bool prepare_stages(Stages *stages);
bool copy_to_gpu(Gpu *gpu, Address to, const char *from, size_t bytes);
bool copy_to_memory(Gpu *gpu, char *to, Address from, size_t bytes);
bool copy_between(Gpu *gpu, Address to, Gpu *other, Address from, size_t bytes);

/* cuda_arrays.c */
extern PyTypeObject *device_array_type;
extern PyMethodDef CUDA_ARRAYS[];
PyObject *array_over(PyTypeObject *type, Block *block, PyArrayObject *layout);
PyObject *new_device_array(Gpu *gpu, PyArray_Descr *dtype, int rank, const npy_intp *lengths);
PyObject *make_device_array_type(void);

static inline bool is_device_array(PyObject *object)
{
    return PyObject_TypeCheck(object, device_array_type);
}

/* cuda_values.c */
PyObject *copy_to_host(PyObject *self);
PyObject *copy_from_host(PyObject *self, PyObject *given);
PyObject *copy_from_device(PyObject *self, PyObject *given);
PyObject *fetch(PyObject *module, PyObject *given);
PyObject *wait_for_array(PyObject *self, PyObject *unused);
PyObject *is_device_array_ready(PyObject *self);
void span_of(PyArrayObject *layout, npy_intp *lowest, npy_intp *bytes);

/* cuda_views.c */
PyObject *view_by_index(PyObject *self, PyObject *index);
PyObject *reshaped(PyObject *self, PyObject *args);
PyObject *transposed(PyObject *self, void *unused);
PyObject *permuted(PyObject *self, PyObject *args);
PyObject *with_axes_swapped(PyObject *self, PyObject *args);
PyObject *squeezed(PyObject *self, PyObject *args);
PyObject *contiguous_copy(PyObject *self, PyObject *unused);

/* cuda_exchange.c */
extern PyMethodDef CUDA_EXCHANGE[];
PyObject *array_interface(PyObject *self, void *unused);
PyObject *to_dlpack(PyObject *self, PyObject *args, PyObject *names);
PyObject *dlpack_device(PyObject *self, PyObject *unused);

/* cuda_modules.c */
typedef struct {
    PyObject_HEAD
    PyObject *module, *name;
    void *handles[GPUS]; /* by device; NULL where it has not been asked for */
} DeviceFunction;

extern PyTypeObject *device_function_type;
void *function_on(DeviceFunction *function, Gpu *gpu);
bool add_module_types(PyObject *module);

/* cuda_launch.c */
bool add_kernel_type(PyObject *module);

/* cuda_module.c */
int add_cuda(PyObject *module);

#endif
