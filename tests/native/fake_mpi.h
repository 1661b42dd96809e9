/* What `processes.c` calls of MPI, for processes that are threads of one: messages go through lists under a lock.

   A handle of a communicator says which process holds it: 64 * number of the communicator + process.  A small message is
   copied when it is sent; a large one is read where it is when somebody receives it, and is under way until then. */

#ifndef FAKE_MPI_H
#define FAKE_MPI_H

#include "processes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSES = 64, EAGER = 4096, ANYONE = -2 };

typedef struct Entry {
    struct Entry *next;
    int64_t communicator;
    int sender, receiver, tag, count;
    char *data; /* of a small message on its way a copy */
    bool is_copied, is_done;
} Entry;

static pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;
static Entry *fake_sent, *fake_wanted; /* the oldest first */

static void fake_append(Entry **list, Entry *entry)
{
    while (*list != NULL)
        list = &(*list)->next;
    *list = entry;
}

static void fake_remove(Entry **list, Entry *entry)
{
    while (*list != entry)
        list = &(*list)->next;
    *list = entry->next;
}

static bool fake_fits(const Entry *sent, const Entry *wanted)
{
    return sent->communicator == wanted->communicator && sent->receiver == wanted->receiver && sent->tag == wanted->tag &&
           (wanted->sender == ANYONE || wanted->sender == sent->sender);
}

static void fake_deliver(Entry *sent, Entry *wanted)
{
    if (sent->count > wanted->count)
        abort(); /* truncated */
    memcpy(wanted->data, sent->data, (size_t)sent->count);
    wanted->is_done = sent->is_done = true;
    if (sent->is_copied) {
        free(sent->data);
        free(sent);
    }
}

static int fake_send(const void *data, int count, Handle type, int receiver, int tag, Handle communicator, Handle *request)
{
    (void)type;
    Entry *sent = calloc(1, sizeof *sent);
    *sent = (Entry){.communicator = communicator / PROCESSES, .sender = (int)(communicator % PROCESSES),
                    .receiver = receiver, .tag = tag, .count = count, .data = (char *)data};
    sent->is_copied = count <= EAGER;
    if (sent->is_copied)
        sent->data = memcpy(malloc((size_t)count), data, (size_t)count);
    *request = sent->is_copied ? 0 : (Handle)sent;
    pthread_mutex_lock(&fake_lock);
    Entry *wanted = fake_wanted;
    while (wanted != NULL && !fake_fits(sent, wanted))
        wanted = wanted->next;
    if (wanted != NULL) {
        fake_remove(&fake_wanted, wanted);
        fake_deliver(sent, wanted);
    } else
        fake_append(&fake_sent, sent);
    pthread_mutex_unlock(&fake_lock);
    return 0;
}

static int fake_receive(void *data, int count, Handle type, int sender, int tag, Handle communicator, Handle *request)
{
    (void)type;
    Entry *wanted = calloc(1, sizeof *wanted);
    *wanted = (Entry){.communicator = communicator / PROCESSES, .sender = sender,
                      .receiver = (int)(communicator % PROCESSES), .tag = tag, .count = count, .data = data};
    *request = (Handle)wanted;
    pthread_mutex_lock(&fake_lock);
    Entry *sent = fake_sent;
    while (sent != NULL && !fake_fits(sent, wanted))
        sent = sent->next;
    if (sent != NULL) {
        fake_remove(&fake_sent, sent);
        fake_deliver(sent, wanted);
    } else
        fake_append(&fake_wanted, wanted);
    pthread_mutex_unlock(&fake_lock);
    return 0;
}

static int fake_test(Handle *request, int *is_done, void *status)
{
    (void)status;
    Entry *entry = (Entry *)*request;
    pthread_mutex_lock(&fake_lock);
    *is_done = entry == NULL || entry->is_done;
    pthread_mutex_unlock(&fake_lock);
    if (*is_done && entry != NULL) {
        free(entry);
        *request = 0;
    }
    return 0;
}

static int fake_cancel(Handle *request)
{
    Entry *entry = (Entry *)*request;
    pthread_mutex_lock(&fake_lock);
    if (!entry->is_done)
        fake_remove(&fake_wanted, entry);
    entry->is_done = true;
    pthread_mutex_unlock(&fake_lock);
    return 0;
}

static void use_fake_mpi(void)
{
    use_mpi(&(Mpi){fake_send, fake_receive, fake_test, fake_cancel, 0, ANYONE});
}

#endif
