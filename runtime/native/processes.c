/* Devices of several processes meet: the last one of each process to come exchanges by MPI what those here read.

   First every process sends what its devices have put down: which collective they have come to, with small data in the
   same message.  Who waits for that can leave, because a device may fail before it comes; then it raises an alarm, which
   goes to all processes of the team.  Once all have come nobody can fail, as in one process, and the parts of large data
   that others read go to them, whole or in pieces.  So each device has the same elements before it as if all were in one
   process, and adds them in the same order.

   Messages go from process to process, and their tags tell launches and groups apart: what is left of a launch that has
   failed is not taken for part of a later one. */

#define _GNU_SOURCE

#include "meetings.h"

#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    ALARM_TAG = 0,
    ALARMS = 64,              /* the last ones that are remembered */
    LONGEST = 1 << 30,        /* bytes of one message */
    LISTEN = 64,              /* looks at a message before one for alarms */
    YIELDS = 4000,            /* then the thread sleeps between looks */
    NAP = 50000,              /* nanoseconds */
    LAST_WORDS = 1000000000,  /* nanoseconds that messages of a process which has ended may take */
    STATUS_BYTES = 128,       /* more than any MPI_Status has */
};

typedef struct {
    int64_t launch, device;
} Alarm;

/* An alarm on its way to all. */
typedef struct Sent {
    struct Sent *next;
    Alarm alarm;
    int count;
    Handle requests[];
} Sent;

struct Team {
    Handle communicator;
    int own, processes;
    int64_t devices, here, tags, glances;
    int *process_of;    /* of each device of the mesh */
    int64_t *seats;     /* its number among those of this process, or -1 */
    _Atomic int64_t launches;
    SpinLock lock;      /* for what follows */
    bool is_listening;
    Handle request;
    Alarm heard, alarms[ALARMS];
    int64_t alarm_count, ended; /* a device of a process that has ended, or -1 */
    Sent *sent;
};

typedef struct {
    Handle request;
    bool is_done, is_send;
} Message;

typedef struct {
    int process;
    int64_t first; /* of its devices in the group */
} Peer;

struct Apart {
    const Team *team;
    int64_t size, group, peer_count, message_count, message_room;
    int *process_of; /* of each device of the group */
    Peer *peers;     /* the other processes */
    Message *messages;
    char *scratch;   /* large data: of devices here one after the other, then what has come */
    int64_t scratch_bytes;
};

static Mpi mpi;

void use_mpi(const Mpi *functions)
{
    mpi = *functions;
}

/* --- teams ------------------------------------------------------------------------------------------------------- */

/* A process for each device of a mesh, as its rank in the communicator; launches have `tags` numbers, and a thread looks
   `glances` times for a message before it lets others have its core.  NULL where there is no memory. */
Team *new_team(Handle communicator, int own, int64_t devices, const int *processes, int64_t tags, int64_t glances)
{
    Team *team = calloc(1, sizeof *team);
    if (team == NULL)
        return NULL;
    *team = (Team){.communicator = communicator, .own = own, .devices = devices, .tags = tags, .glances = glances};
    team->ended = -1;
    team->process_of = calloc((size_t)devices, sizeof *team->process_of);
    team->seats = calloc((size_t)devices, sizeof *team->seats);
    if (team->process_of == NULL || team->seats == NULL) {
        free(team->process_of);
        free(team->seats);
        free(team);
        return NULL;
    }
    for (int64_t k = 0; k < devices; k++) {
        team->process_of[k] = processes[k];
        team->seats[k] = processes[k] == own ? team->here++ : -1;
        team->processes = processes[k] >= team->processes ? processes[k] + 1 : team->processes;
    }
    return team;
}

int64_t devices_of_team(const Team *team)
{
    return team->devices;
}

/* How many of the devices are of this process. */
int64_t seats_of(const Team *team)
{
    return team->here;
}

/* The number of a device among those of this process; -1 where it is of another. */
int64_t seat_of(const Team *team, int64_t device)
{
    return team->seats[device];
}

int64_t next_launch(Team *team)
{
    return atomic_fetch_add(&team->launches, 1);
}

/* --- alarms ------------------------------------------------------------------------------------------------------ */

static bool is_done(Handle *request)
{
    char status[STATUS_BYTES];
    int done = 0;
    return mpi.test(request, &done, status) != 0 || done != 0;
}

static bool listen(Team *team)
{
    team->is_listening = mpi.receive(&team->heard, sizeof team->heard, mpi.byte, mpi.anyone, ALARM_TAG,
                                     team->communicator, &team->request) == 0;
    return team->is_listening;
}

/* Takes note of all alarms that have come; the caller has the lock. */
static void hear(Team *team)
{
    while ((team->is_listening || listen(team)) && is_done(&team->request)) {
        team->is_listening = false;
        if (team->heard.launch == ENDED)
            team->ended = team->heard.device;
        else
            team->alarms[team->alarm_count++ % ALARMS] = team->heard;
    }
}

/* The device whose failure another process has told of, for a launch; -1 where there is none.  For ENDED it is one of a
   process that makes no more launches. */
int64_t alarmed(Team *team, int64_t launch)
{
    int64_t found = -1;
    lock(&team->lock);
    hear(team);
    for (int64_t k = 0; k < ALARMS && k < team->alarm_count; k++)
        if (team->alarms[k].launch == launch)
            found = team->alarms[k].device;
    if (launch == ENDED)
        found = team->ended;
    unlock(&team->lock);
    return found;
}

/* Tells all other processes that a device has failed in a launch, or that this process makes no more. */
void raise_alarm(Team *team, int64_t launch, int64_t device)
{
    Sent *sent = malloc(sizeof *sent + (size_t)team->processes * sizeof *sent->requests);
    if (sent == NULL)
        return;
    for (int64_t k = 0; device < 0 && k < team->devices; k++)
        device = team->seats[k] == 0 ? k : -1;
    *sent = (Sent){.alarm = {launch, device}};
    for (int process = 0; process < team->processes; process++)
        if (process != team->own && mpi.send(&sent->alarm, sizeof sent->alarm, mpi.byte, process, ALARM_TAG,
                                             team->communicator, &sent->requests[sent->count]) == 0)
            sent->count++;
    lock(&team->lock);
    sent->next = team->sent;
    team->sent = sent;
    unlock(&team->lock);
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* This process makes no more launches: the others are told, and nothing is listened for any more. */
void close_team(Team *team)
{
    raise_alarm(team, ENDED, -1);
    int64_t until = now() + LAST_WORDS;
    for (Sent *sent = team->sent; sent != NULL; sent = sent->next)
        for (int k = 0; k < sent->count; k++)
            while (!is_done(&sent->requests[k]) && now() < until)
                sched_yield();
    lock(&team->lock);
    if (team->is_listening && mpi.cancel(&team->request) == 0)
        while (!is_done(&team->request) && now() < until)
            sched_yield();
    team->is_listening = false;
    unlock(&team->lock);
}

/* --- messages ---------------------------------------------------------------------------------------------------- */

static bool add_message(Apart *apart, Handle request, bool is_send)
{
    if (apart->message_count == apart->message_room) {
        int64_t room = 2 * apart->message_room + 16;
        Message *grown = realloc(apart->messages, (size_t)room * sizeof *grown);
        if (grown == NULL)
            return false;
        apart->messages = grown;
        apart->message_room = room;
    }
    apart->messages[apart->message_count++] = (Message){request, false, is_send};
    return true;
}

static int tag_of(const Launch *launch, const Apart *apart)
{
    return (int)(1 + launch->number % apart->team->tags * (launch->axes * launch->devices) + apart->group);
}

static bool send(const Launch *launch, Apart *apart, const char *data, int64_t bytes, int process)
{
    for (int64_t low = 0; low < bytes; low += LONGEST) {
        int count = (int)(bytes - low < LONGEST ? bytes - low : LONGEST);
        Handle request = 0;
        if (mpi.send(data + low, count, mpi.byte, process, tag_of(launch, apart), apart->team->communicator,
                     &request) != 0 || !add_message(apart, request, true))
            return false;
    }
    return true;
}

static bool receive(const Launch *launch, Apart *apart, char *data, int64_t bytes, int process)
{
    for (int64_t low = 0; low < bytes; low += LONGEST) {
        int count = (int)(bytes - low < LONGEST ? bytes - low : LONGEST);
        Handle request = 0;
        if (mpi.receive(data + low, count, mpi.byte, process, tag_of(launch, apart), apart->team->communicator,
                        &request) != 0 || !add_message(apart, request, false))
            return false;
    }
    return true;
}

/* Whether all have arrived. */
static bool look(Apart *apart)
{
    bool are_all = true;
    for (int64_t k = 0; k < apart->message_count; k++) {
        Message *message = &apart->messages[k];
        message->is_done = message->is_done || is_done(&message->request);
        are_all = are_all && message->is_done;
    }
    return are_all;
}

/* Whether a launch is not going to be complete: what has been told of it is noted. */
static bool is_given_up(Launch *launch, int64_t *ended_since)
{
    if (has_to_end(launch))
        return true;
    int64_t device = alarmed(launch->team, launch->number);
    if (device < 0) {
        device = alarmed(launch->team, ENDED);
        if (device < 0)
            return false;
        *ended_since = *ended_since == 0 ? now() : *ended_since;
        if (now() - *ended_since < LAST_WORDS)
            return false;
    }
    fail_from_afar(launch, device);
    return true;
}

/* Nobody reads what still comes; what may still be sent stays where it is. */
static void withdraw_messages(Launch *launch, Apart *apart)
{
    int64_t until = now() + LAST_WORDS;
    for (int64_t k = 0; k < apart->message_count; k++) {
        Message *message = &apart->messages[k];
        if (!message->is_done && !message->is_send && mpi.cancel(&message->request) == 0)
            while (!message->is_done && now() < until)
                message->is_done = is_done(&message->request);
        if (!message->is_done)
            atomic_store(&launch->is_lost, true);
    }
}

static void pause_after(int64_t looks, int64_t glances)
{
    if (looks > glances + YIELDS)
        nanosleep(&(struct timespec){0, NAP}, NULL);
    else if (looks > glances)
        sched_yield();
}

/* Waits for all messages; false where it has been given up, which only what may be left is. */
static bool complete(Launch *launch, Apart *apart, bool may_leave)
{
    int64_t ended_since = 0;
    bool is_complete = look(apart);
    for (int64_t looks = 1; !is_complete; looks++) {
        if (may_leave && (looks % LISTEN == 0 || looks > apart->team->glances) && is_given_up(launch, &ended_since)) {
            withdraw_messages(launch, apart);
            break;
        }
        pause_after(looks, apart->team->glances);
        is_complete = look(apart);
    }
    apart->message_count = 0;
    return is_complete;
}

/* MPI has not taken a message. */
static bool lose(Launch *launch, Apart *apart)
{
    withdraw_messages(launch, apart);
    atomic_store(&launch->is_lost, true);
    apart->message_count = 0;
    fail_launch(launch);
    return false;
}

/* --- groups ------------------------------------------------------------------------------------------------------ */

/* For the devices from `first` on, by a stride; NULL where there is no memory. */
Apart *new_apart(const Team *team, int64_t size, int64_t first, int64_t stride, int64_t group)
{
    Apart *apart = calloc(1, sizeof *apart);
    if (apart == NULL)
        return NULL;
    apart->team = team;
    apart->size = size;
    apart->group = group;
    apart->process_of = calloc((size_t)size, sizeof *apart->process_of);
    apart->peers = calloc((size_t)size, sizeof *apart->peers);
    if (apart->process_of == NULL || apart->peers == NULL) {
        destroy_apart(apart);
        return NULL;
    }
    for (int64_t k = 0; k < size; k++) {
        int process = apart->process_of[k] = team->process_of[first + k * stride];
        bool is_known = process == team->own;
        for (int64_t j = 0; j < apart->peer_count && !is_known; j++)
            is_known = apart->peers[j].process == process;
        if (!is_known)
            apart->peers[apart->peer_count++] = (Peer){process, k};
    }
    return apart;
}

void destroy_apart(Apart *apart)
{
    if (apart == NULL)
        return;
    free(apart->process_of);
    free(apart->peers);
    free(apart->messages);
    free(apart->scratch);
    free(apart);
}

static bool is_here(const Apart *apart, int64_t k)
{
    return apart->process_of[k] == apart->team->own;
}

/* --- what devices have put down ---------------------------------------------------------------------------------- */

static int64_t sent_bytes(const Room *room)
{
    int64_t bytes = room->count * BYTES[room->dtype];
    return (int64_t)offsetof(Room, data) + (bytes <= ROOM ? bytes : 0);
}

/* Which collective the devices of other processes have come to, and their small data; false where one has failed. */
bool exchange_posts(Launch *launch, Group *group, bool is_odd)
{
    Apart *apart = group->apart;
    Post *posts = group->posts + is_odd * group->size;
    Room *rooms = group->rooms;
    for (int64_t k = 0; k < apart->size; k++)
        if (!is_here(apart, k) &&
            !receive(launch, apart, (char *)&rooms[2 * k + is_odd], sizeof *rooms, apart->process_of[k]))
            return lose(launch, apart);
    for (int64_t k = 0; k < apart->size; k++)
        for (int64_t j = 0; is_here(apart, k) && j < apart->peer_count; j++) {
            const Room *room = &rooms[2 * k + is_odd];
            if (!send(launch, apart, (const char *)room, sent_bytes(room), apart->peers[j].process))
                return lose(launch, apart);
        }
    if (!complete(launch, apart, true))
        return false;
    for (int64_t k = 0; k < apart->size; k++) {
        const Room *room = &rooms[2 * k + is_odd];
        if (!is_here(apart, k))
            posts[k] = (Post){.data = room->data, .step = 1, .operation = room->operation, .dtype = room->dtype,
                              .count = room->count, .source = room->source};
    }
    return true;
}

/* --- large data -------------------------------------------------------------------------------------------------- */

typedef struct {
    int64_t low, high;
} Range;

/* The elements of device `from` that device `to` reads. */
static Range read_by(const Post *posts, int64_t size, int64_t from, int64_t to)
{
    int64_t count = posts[to].count;
    switch (posts[to].operation) {
    case GATHER:
        return (Range){0, count};
    case PERMUTE:
        return (Range){0, posts[to].source == from ? count : 0};
    case SCATTER:
    case EXCHANGE:
        return (Range){count / size * to, count / size * (to + 1)};
    default:
        return (Range){part_of(count, size, to), part_of(count, size, to + 1)};
    }
}

/* The elements of a device that those of a process read, and what lies between them. */
static Range read_in(const Apart *apart, const Post *posts, int64_t from, int process)
{
    Range all = {0, 0};
    for (int64_t to = 0; to < apart->size; to++) {
        Range one = read_by(posts, apart->size, from, to);
        if (apart->process_of[to] != process || one.low == one.high)
            continue;
        bool is_first = all.low == all.high;
        all.low = is_first || one.low < all.low ? one.low : all.low;
        all.high = is_first || one.high > all.high ? one.high : all.high;
    }
    return all;
}

static bool make_scratch(Apart *apart, int64_t bytes)
{
    if (bytes <= apart->scratch_bytes)
        return true;
    free(apart->scratch);
    apart->scratch = malloc((size_t)bytes);
    apart->scratch_bytes = apart->scratch == NULL ? 0 : bytes;
    return apart->scratch != NULL;
}

/* Elements that do not lie one after the other, in the order in which they are sent. */
static const char *pack(const Post *post, char *place, int64_t bytes)
{
    for (int64_t k = 0; k < post->count; k++)
        memcpy(place + k * bytes, post->data + k * post->step * bytes, (size_t)bytes);
    return place;
}

/* What the devices here read of all others, and what those read of these. */
bool exchange_data(Launch *launch, Group *group, bool is_odd)
{
    Apart *apart = group->apart;
    Post *posts = group->posts + is_odd * group->size;
    int64_t bytes = BYTES[posts[0].dtype], room = 0, used = 0;
    for (int64_t k = 0; k < apart->size; k++) {
        Range range = read_in(apart, posts, k, apart->team->own);
        room += is_here(apart, k) ? (posts[k].step == 1 ? 0 : posts[k].count) : range.high - range.low;
    }
    if (!make_scratch(apart, room * bytes))
        return lose(launch, apart);
    for (int64_t k = 0; k < apart->size; k++) {
        if (is_here(apart, k))
            continue;
        Range range = read_in(apart, posts, k, apart->team->own);
        char *place = apart->scratch + used * bytes;
        if (!receive(launch, apart, place, (range.high - range.low) * bytes, apart->process_of[k]))
            return lose(launch, apart);
        posts[k].data = place - range.low * bytes;
        used += range.high - range.low;
    }
    for (int64_t k = 0; k < apart->size; k++) {
        if (!is_here(apart, k))
            continue;
        const char *data = posts[k].data;
        if (posts[k].step != 1) {
            data = pack(&posts[k], apart->scratch + used * bytes, bytes);
            used += posts[k].count;
        }
        for (int64_t j = 0; j < apart->peer_count; j++) {
            Range range = read_in(apart, posts, k, apart->peers[j].process);
            if (!send(launch, apart, data + range.low * bytes, (range.high - range.low) * bytes,
                      apart->peers[j].process))
                return lose(launch, apart);
        }
    }
    return complete(launch, apart, false);
}

/* Of a sum the parts that each device has made go to all other processes. */
bool exchange_made(Launch *launch, Group *group, bool is_odd)
{
    Apart *apart = group->apart;
    Post *posts = group->posts + is_odd * group->size;
    int64_t bytes = BYTES[posts[0].dtype], count = posts[0].count, size = apart->size;
    if (!make_scratch(apart, count * bytes)) /* what came before has been added up */
        return lose(launch, apart);
    for (int64_t k = 0; k < size; k++) {
        int64_t low = part_of(count, size, k) * bytes, part = part_of(count, size, k + 1) * bytes - low;
        if (!is_here(apart, k)) {
            posts[k].made = apart->scratch;
            if (!receive(launch, apart, posts[k].made + low, part, apart->process_of[k]))
                return lose(launch, apart);
            continue;
        }
        for (int64_t j = 0; j < apart->peer_count; j++)
            if (!send(launch, apart, posts[k].made + low, part, apart->peers[j].process))
                return lose(launch, apart);
    }
    return complete(launch, apart, false);
}
