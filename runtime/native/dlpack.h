/* The records of DLPack 1.0 that are used, in the layout of dlpack.h (https://dmlc.github.io/dlpack). */

#ifndef PELLUCID_DLPACK_H
#define PELLUCID_DLPACK_H

#include <stdint.h>

#define UNVERSIONED_NAME "dltensor"
#define VERSIONED_NAME "dltensor_versioned"

enum { DEVICE_CUDA = 2 };
enum { TYPE_INT = 0, TYPE_UINT = 1, TYPE_FLOAT = 2, TYPE_COMPLEX = 5, TYPE_BOOL = 6 };
enum { FLAG_READ_ONLY = 1, FLAG_COPIED = 2 };

typedef struct {
    void *data;
    struct {
        int32_t kind, number;
    } device;
    int32_t rank;
    struct {
        uint8_t code, bits;
        uint16_t lanes;
    } type;
    int64_t *lengths, *strides; /* in elements; no strides: C order */
    uint64_t offset;            /* of the first element, in bytes */
} Tensor;

typedef struct Unversioned {
    Tensor tensor;
    void *context;
    void (*deleter)(struct Unversioned *);
} Unversioned;

typedef struct Versioned {
    struct {
        uint32_t major, minor;
    } version;
    void *context;
    void (*deleter)(struct Versioned *);
    uint64_t flags;
    Tensor tensor;
} Versioned;

#endif
