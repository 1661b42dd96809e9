/* Processes that run one program together: they exchange by MPI what devices of one process read from each other.

   The functions of MPI and its handles come by address from the library that mpi4py has loaded (`use_mpi`), so nothing is
   compiled against one.  A handle is an int in some libraries and a pointer in others: it is passed in a register that is
   wide enough for both, and a request has room for both. */

#ifndef PELLUCID_PROCESSES_H
#define PELLUCID_PROCESSES_H

#include "native.h"

enum { MESH_SIZE = 4096 }; /* devices of a mesh over many processes */

typedef intptr_t Handle;

typedef struct {
    int (*send)(const void *data, int count, Handle type, int receiver, int tag, Handle communicator, Handle *request);
    int (*receive)(void *data, int count, Handle type, int sender, int tag, Handle communicator, Handle *request);
    int (*test)(Handle *request, int *is_done, void *status);
    int (*cancel)(Handle *request);
    Handle byte; /* the type */
    int anyone;  /* MPI_ANY_SOURCE */
} Mpi;

/* The processes of a mesh. */
typedef struct Team Team;

/* What connects the devices of a group with those in other processes. */
typedef struct Apart Apart;

enum { ENDED = -1 }; /* in place of the number of a launch: the process makes no more */

void use_mpi(const Mpi *functions);
Team *new_team(Handle communicator, int own, int64_t devices, const int *processes, int64_t tags, int64_t glances);
int64_t devices_of_team(const Team *team);
int64_t seats_of(const Team *team);
int64_t seat_of(const Team *team, int64_t place);
int64_t next_launch(Team *team);
void raise_alarm(Team *team, int64_t launch, int64_t device);
int64_t alarmed(Team *team, int64_t launch);
void close_team(Team *team);

#endif
