/* Ctrl-C while machine code runs: who hears of it, who asks Python what to do, and how the call ends.

   Compiled loops look at the word `pellucid_signals`, and call `pellucid_look` where it is not 0.  A call of the main
   thread that may take long is guarded: it begins unarmed, so that its first looks lead there.  Once they show that the
   call does take long, the handler of SIGINT becomes ours until it ends: it sets a bit of the word and goes on to the
   handler that was there, Python's.  The next look of the main thread lets Python's function run; if that raises, another
   bit asks every thread that works for the call to leave.  The exception waits until the call has ended.

   Tasks of a queue hear of no signal: whoever waits for them does, and sets the word that their context names, with another
   bit that makes them look. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "native.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

enum { HEARD = 1, LEAVE = 2, UNARMED = 4, CANCEL = 8 }; /* bits of the word */
enum {
    FIRST_LOOKS = 8,    /* whoever makes them, they cost next to nothing: most loops of short calls have fewer turns */
    FIRST_TIME = 2,     /* looks of the main thread after those until the clock is read; then at twice as many */
    LONG_CALL = 100000, /* nanoseconds: to change a handler twice takes a hundredth of that */
};

_Alignas(CACHE_LINE) _Atomic int32_t pellucid_signals;

static _Atomic uint64_t main_thread;
static struct sigaction before; /* the action in whose place ours is, or was */
static bool installed;
static int64_t depth; /* of guarded calls, on the main thread */
static _Atomic int64_t first_looks;
static int64_t looks, since;
static PyObject *waiting[3]; /* the exception that ends a call: type, value, traceback */

/* In a child of another thread than the main one no call is going on. */
void pellucid_set_main_thread(uint64_t thread)
{
    if (main_thread == thread)
        return;
    main_thread = thread;
    depth = 0;
    installed = false;
    atomic_store(&pellucid_signals, 0);
}

/* The bits of calls of the main thread; gives the former word.  One whose calls are not guarded has no others. */
static int32_t set_word(int32_t bits)
{
    int32_t word = atomic_load_explicit(&pellucid_signals, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&pellucid_signals, &word, (word & CANCEL) | bits, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
    return word;
}

/* Lets tasks look whether they have to end. */
void ask_to_leave(bool wanted)
{
    if (wanted)
        atomic_fetch_or(&pellucid_signals, CANCEL);
    else
        atomic_fetch_and(&pellucid_signals, ~CANCEL);
}

static bool on_main_thread(void)
{
    return (uint64_t)(uintptr_t)pthread_self() == main_thread;
}

/* By a clock that nobody sets. */
int64_t nanoseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Whether a call that is not armed yet has taken long; the clock is read at 2, 4, 8 ... looks. */
static bool takes_long(void)
{
    looks++;
    if (looks < FIRST_TIME || (looks & (looks - 1)) != 0)
        return false;
    if (looks == FIRST_TIME) {
        since = nanoseconds();
        return false;
    }
    return nanoseconds() - since > LONG_CALL;
}

static void on_signal(int number, siginfo_t *information, void *place)
{
    atomic_fetch_or(&pellucid_signals, HEARD);
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, information, place);
    else
        before.sa_handler(number);
}

static bool is_ours(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == on_signal;
}

/* Ours in the place of a handler, if there is one: false where the signal is ignored or ends the process, and where
   ours is there already, as in a call that a handler makes. */
static bool install(void)
{
    struct sigaction found;
    if (sigaction(SIGINT, NULL, &found) != 0 || is_ours(&found))
        return false;
    if (!(found.sa_flags & SA_SIGINFO) && (found.sa_handler == SIG_DFL || found.sa_handler == SIG_IGN))
        return false;
    before = found;
    found.sa_flags |= SA_SIGINFO;
    found.sa_sigaction = on_signal;
    return sigaction(SIGINT, &found, NULL) == 0;
}

/* What was there before, unless somebody has put another handler in the place of ours meanwhile. */
static void restore(void)
{
    struct sigaction found;
    if (sigaction(SIGINT, &before, &found) == 0 && !is_ours(&found))
        sigaction(SIGINT, &found, NULL);
}

/* From now on signals are heard; one that came before may wait for Python. */
static void arm(void)
{
    installed = install();
    first_looks = FIRST_LOOKS;
    set_word(HEARD);
}

/* Arms a call at once: the next look asks Python. */
void pellucid_arm(const int64_t *context)
{
    if ((atomic_load(&pellucid_signals) & UNARMED) && context[CONTEXT_GUARDED] && on_main_thread())
        arm();
}

/* Lets Python's handlers run; whether one has raised. */
static bool ask_python(void)
{
    atomic_fetch_and(&pellucid_signals, LEAVE | CANCEL);
    PyGILState_STATE state = PyGILState_Ensure();
    bool raised = PyErr_CheckSignals() != 0;
    if (raised) {
        PyErr_Fetch(&waiting[0], &waiting[1], &waiting[2]);
        atomic_fetch_or(&pellucid_signals, LEAVE);
    }
    PyGILState_Release(state);
    return raised;
}

/* Whether machine code has to leave; called where the word is not 0. */
int64_t pellucid_look(const int64_t *context)
{
    if (context[CONTEXT_GUARDED] > 1)
        return atomic_load((atomic_int *)(intptr_t)context[CONTEXT_GUARDED]);
    if (first_looks < FIRST_LOOKS) {
        first_looks++;
        return 0;
    }
    if (!context[CONTEXT_GUARDED])
        return 0;
    int32_t word = atomic_load(&pellucid_signals);
    if (word & LEAVE)
        return 1;
    if (!on_main_thread())
        return 0;
    if (word & UNARMED) {
        if (!takes_long())
            return 0;
        arm();
    }
    return ask_python();
}

/* Raises the exception that waits, if there is one.  The caller holds the GIL. */
void pellucid_raise_interrupt(void)
{
    if (waiting[0] == NULL)
        return;
    PyObject *type = waiting[0], *value = waiting[1], *traceback = waiting[2];
    waiting[0] = waiting[1] = waiting[2] = NULL;
    PyErr_Restore(type, value, traceback);
}

/* The status of a call; -1 where it had an end of its own, but a handler has raised meanwhile. */
int64_t pellucid_guarded(int64_t (*code)(int64_t *), int64_t *slots)
{
    if (!on_main_thread())
        return code(slots);
    slots[CONTEXT_GUARDED] = 1;
    bool is_outer = depth++ == 0;
    if (is_outer) {
        first_looks = looks = 0;
        set_word(UNARMED);
    }
    int64_t status = code(slots);
    depth--;
    if (is_outer && installed) {
        installed = false;
        restore();
    }
    int32_t word = set_word(0);
    return (word & LEAVE) && status == 0 ? -1 : status;
}
