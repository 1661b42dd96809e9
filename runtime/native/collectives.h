/* What the devices of a mesh tell each other while they run one program: collectives over shared memory.

       psum(x, "i")     ->     pellucid_collective(table, axis of the mesh, SUM, dtype, count, x, 1, out, 0)     on every device

   A `Launch` is one run of a program by all devices of a mesh; a device is a `Seat` of it, which its thread takes.  Devices
   have numbers in the order of the mesh, the last axis running fastest; those that differ along one axis alone are a group.
   Where one device fails, collectives of all others return at once. */

#ifndef PELLUCID_COLLECTIVES_H
#define PELLUCID_COLLECTIVES_H

#include "native.h"

enum { MESH_AXES = 8, MESH_DEVICES = DEVICES };

enum { ALL_SUM, ALL_MAX, ALL_MIN, GATHER, SCATTER, EXCHANGE, PERMUTE };

/* In the order of the table in `compiler/dtypes.py`. */
enum { BOOL, I8, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64, C64, C128, DTYPES };

/* What a collective returns beside 0. */
enum { OTHER_FAILED = 1, DISAGREE = 2 };

typedef struct Launch Launch;

struct Team;

/* A mesh of any number of devices, of which one runs alone. */
typedef struct {
    int64_t axes, sizes[MESH_AXES];
} Rehearsal;

/* The collectives of a rehearsal, the bytes that the device has put down, and the time in them. */
typedef struct {
    int64_t collectives, bytes, nanoseconds;
} Rehearsed;

Launch *new_launch(int axes, const int64_t *sizes);
Launch *new_launch_of_team(int axes, const int64_t *sizes, struct Team *team);
Launch *hold_launch(Launch *launch);
void release_launch(Launch *launch);
void forget_spares(void);
int64_t devices_of(const Launch *launch);
int64_t device_here(const Launch *launch, int64_t number);
void begin_meetings(Launch *launch);
void take_seat(Launch *launch, int64_t device, atomic_int *stop);
void excuse_seat(void);
void leave_seat(bool has_failed);
void begin_rehearsal(const Rehearsal *rehearsal, int64_t device);
Rehearsed end_rehearsal(void);
void fail_launch(Launch *launch);
void fail_from_afar(Launch *launch, int64_t device);
int64_t blamed_device(Launch *launch);
bool have_own_cores(int64_t devices);
int64_t pellucid_collective(int64_t axis, int64_t operation, int64_t dtype, int64_t count, const char *in, int64_t step,
                            char *out, int64_t source);

#endif
