// ranks_module.h: what zwang_mpi.so gives: messages between the processes of one sweep. The program
// itself is not linked with MPI; it loads that file where mpirun has started it.
#ifndef ZWANG_ENSEMBLE_RANKS_MODULE_H
#define ZWANG_ENSEMBLE_RANKS_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANKS_VERSION = 1, RANKS_WORDS = 4 };

typedef struct {
    int version; // RANKS_VERSION
    bool (*begin)(int *rank, int *count);
    // A message of RANKS_WORDS words; to take one that has come, false where there is none.
    bool (*send)(int to, const uint64_t *words);
    bool (*receive)(int *from, uint64_t *words);
    int (*largest)(int value); // of the values of all ranks, which wait for each other
    void (*end)(void);
} RanksModule;

// The one function of the file.
typedef const RanksModule *RanksModuleFn(void);
#define RANKS_MODULE_FUNCTION "zwang_ranks_module"

#endif
