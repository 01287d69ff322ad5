// run_threads.c: the runs of a sweep, shared by threads.
#include "ensemble/run_threads.h"
#include "base/diag.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define BETWEEN_LOOKS 20e-3 // seconds, of the calling thread
#define BETWEEN_SYNCS 1.0

typedef struct {
    const RunThreads *job;
    const RunStore *store;
    atomic_size_t next;       // the run that nobody has taken yet
    _Atomic(RunWords *) left; // what runs have left, the latest first
    pthread_mutex_t lock;     // of what follows, when a thread ends
    pthread_cond_t ended;
    size_t working;
} Shared;

static void leave(Shared *shared, RunWords *record)
{
    record->next = atomic_load(&shared->left);
    while (!atomic_compare_exchange_weak(&shared->left, &record->next, record))
        continue;
}

static void *work(void *context)
{
    Shared *shared = context;
    const RunThreads *job = shared->job;
    void *worker = job->begin(job->context);
    while (worker && !atomic_load(job->stop)) {
        size_t run = atomic_fetch_add(&shared->next, 1);
        if (run >= job->runs)
            break;
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
    until.tv_nsec += (long)(1e9 * BETWEEN_LOOKS);
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

static Status follow(Shared *shared, RunStore *store, Diag *diag)
{
    const RunThreads *job = shared->job;
    Status status = STATUS_OK;
    bool ended = false;
    size_t working;
    double synced = now();
    do {
        working = wait_for_threads(shared);
        Status taken = take_left(shared, store, diag);
        if (taken == STATUS_OK && now() - synced > BETWEEN_SYNCS) {
            taken = run_store_sync(store, diag);
            synced = now();
        }
        status = taken > status ? taken : status;
        ended = ended || (job->goes_on && !job->goes_on(job->context, run_store_done(store)));
        if (ended || status != STATUS_OK)
            atomic_store(job->stop, true);
    } while (working > 0);
    // What was left between the last look and the end of the last thread.
    Status taken = take_left(shared, store, diag);
    status = taken > status ? taken : status;
    Status kept = run_store_sync(store, diag);
    status = kept > status ? kept : status;
    return status != STATUS_OK ? status : ended ? STATUS_NEGATIVE : STATUS_OK;
}

Status run_threads_go(const RunThreads *job, RunStore *store, Diag *diag)
{
    assert(job->threads > 0 && store);
    Shared *shared = base_alloc(sizeof *shared);
    *shared = (Shared){.job = job, .store = store};
    pthread_mutex_init(&shared->lock, NULL);
    pthread_cond_init(&shared->ended, NULL);
    pthread_t *threads = base_alloc(job->threads * sizeof *threads);
    size_t count = 0;
    int error = 0;
    // Signals are for the calling thread.
    sigset_t all, former;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    shared->working = job->threads;
    while (count < job->threads && error == 0) {
        error = pthread_create(&threads[count], NULL, work, shared);
        count += error == 0;
    }
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
    for (size_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&shared->lock);
    pthread_cond_destroy(&shared->ended);
    base_free(threads);
    base_free(shared);
    return status;
}
