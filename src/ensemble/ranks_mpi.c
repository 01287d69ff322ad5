// ranks_mpi.c: zwang_mpi.so, messages between processes by MPI. In the library it is empty.
#ifdef ZWANG_MPI_MODULE
#include "ensemble/ranks_module.h"

#include <mpi.h>

enum { TAG = 24 };

static bool begin(int *rank, int *count)
{
    int there = 0, threads;
    MPI_Initialized(&there);
    // Only the calling thread speaks.
    if (!there && MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &threads) != MPI_SUCCESS)
        return false;
    return MPI_Comm_rank(MPI_COMM_WORLD, rank) == MPI_SUCCESS &&
           MPI_Comm_size(MPI_COMM_WORLD, count) == MPI_SUCCESS;
}

static bool send(int to, const uint64_t *words)
{
    return MPI_Send(words, RANKS_WORDS, MPI_UINT64_T, to, TAG, MPI_COMM_WORLD) == MPI_SUCCESS;
}

static bool receive(int *from, uint64_t *words)
{
    int there = 0;
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS || !there)
        return false;
    *from = status.MPI_SOURCE;
    return MPI_Recv(words, RANKS_WORDS, MPI_UINT64_T, *from, TAG, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

static int largest(int value)
{
    int most = value;
    MPI_Allreduce(&value, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static void end(void)
{
    int over = 0;
    MPI_Finalized(&over);
    if (!over)
        MPI_Finalize();
}

const RanksModule *zwang_ranks_module(void);
const RanksModule *zwang_ranks_module(void)
{
    static const RanksModule module = {RANKS_VERSION, begin, send, receive, largest, end};
    return &module;
}
#else
typedef int RanksMpiIsEmpty;
#endif
