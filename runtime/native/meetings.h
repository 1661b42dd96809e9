/* What a launch is made of, for those who let its devices meet: `collectives.c` in one memory, `processes.c` across. */

#ifndef PELLUCID_MEETINGS_H
#define PELLUCID_MEETINGS_H

#include "collectives.h"
#include "processes.h"

#include <pthread.h>

enum {
    ROOM = 16384,    /* bytes that are copied rather than read where they are */
    GLANCES = 2000,  /* before a device sleeps: to wake it takes longer than most of what it waits for */
    FEW = 200,       /* the same where the one that it waits for may have no core but this */
};

/* What one device has put down. */
typedef struct {
    _Alignas(CACHE_LINE) const char *data;
    char *made; /* its own result, of which others copy a part */
    int64_t step, operation, dtype, count;
    int64_t source; /* the device that a permutation takes from; -1 where there is none */
} Post;

/* The place for small data, which is also what is sent to other processes. */
typedef struct {
    _Alignas(CACHE_LINE) int64_t operation;
    int64_t dtype, count, source;
    _Alignas(CACHE_LINE) char data[ROOM];
} Room;

/* The devices that differ along one axis alone. */
typedef struct {
    _Alignas(CACHE_LINE) _Atomic uint64_t met; /* how often they have met; in the lower half, how many have come */
    Post *posts;  /* those of even turns, then those of odd ones */
    Room *rooms;
    int64_t size;
    int64_t here;   /* how many of them are of this process, and meet in its memory */
    bool is_broken; /* the last of these has not met those of other processes */
    Apart *apart;   /* what connects it with other processes; NULL where all are here */
} Group;

struct Launch {
    _Atomic int64_t references;
    atomic_int has_failed;
    atomic_int was_alarmed; /* by another process, so that it knows */
    _Atomic int64_t blamed; /* the first device that has failed by itself; NOBODY where none has */
    atomic_int sleepers;
    pthread_mutex_t mutex;
    pthread_cond_t news;
    int axes;
    int64_t sizes[MESH_AXES], strides[MESH_AXES], devices;
    Group *groups[MESH_AXES]; /* at the number of its first device */
    int64_t *turns;           /* collectives of each device so far, one row for each axis */
    Team *team;               /* the processes that run it together; NULL where it is this one alone */
    int64_t number;           /* of the launch among those of the team */
    atomic_bool is_lost;      /* MPI may still read from its rooms, so it is never used again */
};

/* In the order of the table in `compiler/dtypes.py`. */
static const uint8_t BYTES[DTYPES] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 8, 16};

/* Where the part of a device begins, of elements that are divided among all. */
static inline int64_t part_of(int64_t count, int64_t size, int64_t index)
{
    return count / size * index + (index < count % size ? index : count % size);
}

/* Whether the program of this thread must not wait any longer. */
bool has_to_end(const Launch *launch);

/* --- processes.c: what the last device to come does for all that are here, and returns false where it cannot. -------- */

Apart *new_apart(const Team *team, int64_t size, int64_t first, int64_t stride, int64_t group);
void destroy_apart(Apart *apart);
bool exchange_posts(Launch *launch, Group *group, bool is_odd);
bool exchange_data(Launch *launch, Group *group, bool is_odd);
bool exchange_made(Launch *launch, Group *group, bool is_odd);

#endif
