// run_threads.c: the runs of a sweep, shared by threads.
#include "ensemble/run_threads.h"
#include "base/diag.h"
#include "base/guard.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define BETWEEN_LOOKS 20e-3 // seconds, of the calling thread
#define RANKS_LOOKS   1e-3  // where other ranks wait for an answer
#define BETWEEN_SYNCS 1.0

typedef struct {
    const RunThreads *job;
    const RunStore *store;
    // Runs that nobody has taken yet, the first in the upper half and the end in the lower one; and
    // whether more will come.
    _Atomic uint64_t range;
    _Atomic bool over;
    _Atomic(RunWords *) left; // what runs have left, the latest first
    pthread_mutex_t lock;     // of what follows, when a thread ends
    pthread_cond_t ended;
    size_t working;
    pthread_t *threads;
    size_t thread_count; // that were begun, and not joined yet
    BaseCleanup cleanup;
    size_t waiting_from, waiting_to; // the next block of runs, of the calling thread
} Shared;

static void leave(Shared *shared, RunWords *record)
{
    record->next = atomic_load(&shared->left);
    while (!atomic_compare_exchange_weak(&shared->left, &record->next, record))
        continue;
}

static uint64_t range_of(size_t from, size_t to)
{
    return (uint64_t)from << 32 | (uint64_t)to;
}

static size_t runs_left(uint64_t range)
{
    return (size_t)((range & UINT32_MAX) - (range >> 32));
}

// The next run; false where there is none. Waits for a block of them that is on its way.
static bool take(Shared *shared, size_t *run)
{
    const struct timespec while_waiting = {.tv_nsec = (long)(1e9 * RANKS_LOOKS / 4)};
    for (;;) {
        bool over = atomic_load(&shared->over) || atomic_load(shared->job->stop);
        uint64_t range = atomic_load(&shared->range);
        if (runs_left(range) == 0 && over)
            return false;
        *run = (size_t)(range >> 32);
        if (runs_left(range) == 0)
            nanosleep(&while_waiting, NULL);
        else if (atomic_compare_exchange_weak(&shared->range, &range, range + range_of(1, 0)))
            return true;
    }
}

static void *work(void *context)
{
    Shared *shared = context;
    const RunThreads *job = shared->job;
    void *worker = job->begin(job->context);
    size_t run;
    while (worker && !atomic_load(job->stop) && take(shared, &run)) {
        RunWords *record = run_store_has(shared->store, run) ? NULL : job->run(worker, run);
        if (record)
            leave(shared, record);
    }
    if (worker)
        job->end(worker);
    pthread_mutex_lock(&shared->lock);
    shared->working--;
    pthread_cond_signal(&shared->ended);
    pthread_mutex_unlock(&shared->lock);
    return NULL;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Waits for a while, or until a thread ends; how many work still.
static size_t wait_for_threads(Shared *shared)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(1e9 * (shared->job->ranks ? RANKS_LOOKS : BETWEEN_LOOKS));
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&shared->lock);
    if (shared->working > 0)
        pthread_cond_timedwait(&shared->ended, &shared->lock, &until);
    size_t working = shared->working;
    pthread_mutex_unlock(&shared->lock);
    return working;
}

static Status take_left(Shared *shared, RunStore *store, Diag *diag)
{
    Status status = STATUS_OK;
    RunWords *record = atomic_exchange(&shared->left, NULL);
    while (record) {
        RunWords *next = record->next;
        if (status == STATUS_OK)
            status = run_store_add(store, record, diag);
        else
            base_free(record);
        record = next;
    }
    return status;
}

// Asks for more runs as soon as those that are left are as many as the threads.
static void look_at_ranks(Shared *shared, size_t done)
{
    const RunThreads *job = shared->job;
    size_t left = runs_left(atomic_load(&shared->range)), from, to;
    if (!job->ranks)
        return;
    if (shared->waiting_to == 0 && !atomic_load(job->stop) &&
        ranks_look(job->ranks, left <= job->threads, done, &from, &to)) {
        shared->waiting_from = from;
        shared->waiting_to = to;
    }
    if (shared->waiting_to > 0 && runs_left(atomic_load(&shared->range)) == 0) {
        atomic_store(&shared->range, range_of(shared->waiting_from, shared->waiting_to));
        shared->waiting_to = 0;
    }
    if (shared->waiting_to == 0 && ranks_have_no_more(job->ranks))
        atomic_store(&shared->over, true);
}

// Others that still ask are answered; nothing is given to them where the work was ended.
static void serve_ranks(const RunThreads *job, size_t done)
{
    const struct timespec between = {.tv_nsec = (long)(1e9 * RANKS_LOOKS)};
    size_t from, to;
    if (!job->ranks)
        return;
    if (atomic_load(job->stop))
        ranks_leave(job->ranks);
    while (!ranks_are_served(job->ranks)) {
        ranks_look(job->ranks, false, done, &from, &to);
        if (job->goes_on && !job->goes_on(job->context, ranks_done(job->ranks, done)))
            ranks_leave(job->ranks);
        nanosleep(&between, NULL);
    }
}

static Status follow(Shared *shared, RunStore *store, Diag *diag)
{
    const RunThreads *job = shared->job;
    Status status = STATUS_OK;
    bool ended = false;
    size_t working;
    double synced = now();
    size_t before = run_store_done(store);
    do {
        working = wait_for_threads(shared);
        Status taken = take_left(shared, store, diag);
        if (taken == STATUS_OK && now() - synced > BETWEEN_SYNCS) {
            taken = run_store_sync(store, diag);
            synced = now();
        }
        status = taken > status ? taken : status;
        size_t done = run_store_done(store);
        look_at_ranks(shared, done - before);
        if (job->ranks)
            done = ranks_done(job->ranks, done);
        ended = ended || (job->goes_on && !job->goes_on(job->context, done));
        if (ended || status != STATUS_OK)
            atomic_store(job->stop, true);
    } while (working > 0);
    // What was left between the last look and the end of the last thread.
    Status taken = take_left(shared, store, diag);
    status = taken > status ? taken : status;
    serve_ranks(job, run_store_done(store));
    Status kept = run_store_sync(store, diag);
    status = kept > status ? kept : status;
    return status != STATUS_OK ? status : ended ? STATUS_NEGATIVE : STATUS_OK;
}

// Also where the calling thread gets no memory: the others use what it leaves behind.
static void end_threads(void *context)
{
    Shared *shared = context;
    atomic_store(shared->job->stop, true);
    while (shared->thread_count > 0)
        pthread_join(shared->threads[--shared->thread_count], NULL);
    pthread_mutex_destroy(&shared->lock);
    pthread_cond_destroy(&shared->ended);
}

Status run_threads_go(const RunThreads *job, RunStore *store, Diag *diag)
{
    assert(job->threads > 0 && store && job->runs <= UINT32_MAX);
    Shared *shared = base_alloc(sizeof *shared);
    *shared = (Shared){.job = job, .store = store};
    // Of several ranks each gets its runs in blocks.
    if (job->ranks)
        ranks_begin(job->ranks, job->runs, job->threads, store);
    atomic_init(&shared->range, job->ranks ? 0 : range_of(0, job->runs));
    atomic_init(&shared->over, !job->ranks);
    pthread_mutex_init(&shared->lock, NULL);
    pthread_cond_init(&shared->ended, NULL);
    shared->threads = base_alloc(job->threads * sizeof *shared->threads);
    base_cleanup_add(&shared->cleanup, end_threads, shared);
    size_t count = 0;
    int error = 0;
    // Signals are for the calling thread.
    sigset_t all, former;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    shared->working = job->threads;
    while (count < job->threads && error == 0) {
        error = pthread_create(&shared->threads[count], NULL, work, shared);
        count += error == 0;
    }
    shared->thread_count = count;
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    pthread_mutex_lock(&shared->lock);
    shared->working -= job->threads - count;
    pthread_mutex_unlock(&shared->lock);
    // Fewer threads than were asked for do the same work.
    Status status = STATUS_FAILED;
    if (count > 0)
        status = follow(shared, store, diag);
    else
        diag_error(diag, place_hint(HINT_THREADS), "no thread can be had: %s", strerror(error));
    base_cleanup_remove(&shared->cleanup);
    end_threads(shared);
    base_free(shared->threads);
    base_free(shared);
    return status;
}
