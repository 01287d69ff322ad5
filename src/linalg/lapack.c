// lapack.c: whether OpenBLAS can have the memory that it takes.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "linalg/lapack.h"

#include "base/guard.h"

#include <sys/mman.h>

// What it maps for a thread, and a little more.
#define MAPPED ((size_t)129 << 20)

void lapack_make_ready(void)
{
    static _Thread_local bool ready;
    if (ready)
        return;
    // The library itself is loaded by now, where that is done at its first call.
    const double nothing = 0;
    (void)cblas_ddot(0, &nothing, 1, &nothing, 1);
    void *tried = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (tried == MAP_FAILED)
        base_no_memory(MAPPED);
    munmap(tried, MAPPED);
    ready = true;
}
