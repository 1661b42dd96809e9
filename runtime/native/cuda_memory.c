/* Memory of devices: blocks by size, which are kept for the next array of that size.

       take_block(gpu, 1000)   ->   1024 bytes, of a block that was free, or new from the driver
       drop_block(block)       ->   free again with its last array

   A device has one stream, and what it has been told to do with a block comes before what the next owner tells it: a block
   is free at once, and nobody waits. Where the driver has no more, all free blocks are returned to it and it is asked again. */

#include "cuda.h"

#include <stdlib.h>

enum { STEPS = 3 }; /* sizes between 2**n and 2**(n + 1) are 2**STEPS */
enum { LARGE_STEP = 2 << 20 };

static int log_of(int64_t bytes)
{
    return 63 - __builtin_clzll((uint64_t)bytes);
}

/* The size of the block for so many bytes: an eighth more at the most, and at least what a clamped index may touch. */
static int64_t rounded(int64_t bytes)
{
    if (bytes <= LEAST_BYTES)
        return LEAST_BYTES;
    int64_t step = INT64_C(1) << (log_of(bytes - 1) - STEPS);
    step = step < LEAST_BYTES ? LEAST_BYTES : step > LARGE_STEP ? LARGE_STEP : step;
    return (bytes + step - 1) / step * step;
}

static Block **bin_of(Gpu *gpu, int64_t bytes)
{
    int log = log_of(bytes);
    return &gpu->bins[log << STEPS | ((bytes >> (log - STEPS)) & ((1 << STEPS) - 1))];
}

/* --- from the driver and back ------------------------------------------------------------------------------------ */

/* A new block; the status of the driver. */
static int allocate(Gpu *gpu, Block *block)
{
    if (gpu->pool == NULL)
        return driver.allocate_now(&block->address, (size_t)block->bytes);
    return driver.allocate(&block->address, (size_t)block->bytes, gpu->stream);
}

static bool give_back(Gpu *gpu, Block *block)
{
    int status = gpu->pool == NULL ? driver.release_now(block->address) : driver.release(block->address, gpu->stream);
    gpu->held -= block->bytes;
    free(block);
    return succeeded(status, "cuMemFreeAsync", gpu);
}

/* Returns all free blocks to the driver, and what it keeps of them to the system; false with an exception. */
static bool trim(Gpu *gpu)
{
    bool went_well = true;
    int entered = enter(gpu);
    if (entered < 0)
        return false;
    for (int bin = 0; bin < BINS; bin++)
        while (went_well && gpu->bins[bin] != NULL) {
            Block *block = gpu->bins[bin];
            gpu->bins[bin] = block->next;
            went_well = give_back(gpu, block);
        }
    went_well = went_well && wait_for_stream(gpu) &&
                (gpu->pool == NULL || succeeded(driver.trim(gpu->pool, 0), "cuMemPoolTrimTo", gpu));
    leave(entered);
    return went_well;
}

static void refuse(Gpu *gpu, int64_t bytes)
{
    size_t available = 0, all = 0;
    driver.memory(&available, &all);
    PyErr_Format(PyExc_MemoryError,
                 "cuda:%d has no memory for %lld bytes: arrays hold %lld bytes there, and %zu of the device's %zu bytes "
                 "are free",
                 gpu->number, (long long)bytes, (long long)gpu->live, available, all);
}

/* --- blocks ------------------------------------------------------------------------------------------------------ */

/* A free block that is large enough, taken out of its bin; NULL where there is none. */
static Block *free_block(Gpu *gpu, int64_t bytes)
{
    Block **place = bin_of(gpu, bytes);
    while (*place != NULL && (*place)->bytes < bytes)
        place = &(*place)->next;
    Block *found = *place;
    if (found != NULL)
        *place = found->next;
    return found;
}

static Block *new_block(Gpu *gpu, int64_t bytes)
{
    Block *block = calloc(1, sizeof *block);
    if (block == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    block->bytes = bytes;
    block->gpu = gpu;
    int entered = enter(gpu);
    if (entered < 0) {
        free(block);
        return NULL;
    }
    int status = allocate(gpu, block);
    bool is_told = false;
    if (status == STATUS_OUT_OF_MEMORY)
        is_told = !trim(gpu), status = is_told ? status : allocate(gpu, block);
    if (status == STATUS_OUT_OF_MEMORY && !is_told)
        refuse(gpu, bytes);
    bool went_well = status == 0 || (status != STATUS_OUT_OF_MEMORY && succeeded(status, "cuMemAllocAsync", gpu));
    leave(entered);
    if (!went_well) {
        free(block);
        return NULL;
    }
    gpu->held += bytes;
    return block;
}

/* Memory for so many bytes, with one reference; NULL with an exception. */
Block *take_block(Gpu *gpu, int64_t bytes)
{
    bytes = rounded(bytes);
    Block *block = free_block(gpu, bytes);
    if (block == NULL)
        block = new_block(gpu, bytes);
    if (block == NULL)
        return NULL;
    block->references = 1;
    block->next = NULL;
    gpu->live += block->bytes;
    gpu->peak = gpu->live > gpu->peak ? gpu->live : gpu->peak;
    return block;
}

/* Memory of others, who keep it for as long as `owner` lives; the reference to that is taken over. */
Block *foreign_block(Gpu *gpu, Address address, int64_t bytes, PyObject *owner)
{
    Block *block = calloc(1, sizeof *block);
    if (block == NULL) {
        Py_DECREF(owner);
        PyErr_NoMemory();
        return NULL;
    }
    *block = (Block){.references = 1, .address = address, .bytes = bytes, .gpu = gpu, .foreign = owner};
    return block;
}

Block *hold_block(Block *block)
{
    block->references++;
    return block;
}

/* Its owner may write to the memory as soon as it is told: what the stream has to do with it comes first. */
static void let_go(Block *block)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (!was_forked() && !wait_for_stream(block->gpu))
        PyErr_WriteUnraisable(block->foreign);
    Py_DECREF(block->foreign);
    free(block);
    PyErr_Restore(type, value, traceback);
}

void drop_block(Block *block)
{
    if (block == NULL || --block->references > 0)
        return;
    if (block->foreign != NULL) {
        let_go(block);
        return;
    }
    Block **bin = bin_of(block->gpu, block->bytes);
    block->next = *bin;
    *bin = block;
    block->gpu->live -= block->bytes;
}

/* --- for Python -------------------------------------------------------------------------------------------------- */

static PyObject *trim_device(PyObject *module, PyObject *number)
{
    (void)module;
    Gpu *gpu = present_gpu(number);
    if (gpu == NULL || !trim(gpu))
        return NULL;
    Py_RETURN_NONE;
}

/* cuda_memory(device): bytes in use by arrays, the most that were, bytes held, free bytes and all bytes of the device. */
static PyObject *memory_of(PyObject *module, PyObject *number)
{
    (void)module;
    size_t available = 0, all = 0;
    Gpu *gpu = present_gpu(number);
    int entered = gpu == NULL ? -1 : enter(gpu);
    if (entered < 0)
        return NULL;
    int status = driver.memory(&available, &all);
    leave(entered);
    if (!succeeded(status, "cuMemGetInfo", gpu))
        return NULL;
    return Py_BuildValue("LLLKK", (long long)gpu->live, (long long)gpu->peak, (long long)gpu->held,
                         (unsigned long long)available, (unsigned long long)all);
}

PyMethodDef CUDA_MEMORY[] = {
    {"cuda_trim", trim_device, METH_O, "Return to the driver the memory of a device that no array has."},
    {"cuda_memory", memory_of, METH_O, "Bytes of a device: in use, the most that were, held, free, all."},
    {NULL, NULL, 0, NULL},
};
