// flint_memory.h: the memory of FLINT and GMP.
#ifndef ZWANG_EXPR_FLINT_MEMORY_H
#define ZWANG_EXPR_FLINT_MEMORY_H

// From now on an allocation that fails in FLINT or GMP, inside a guarded call (guard.h), returns to
// its entry; all else is as with malloc. Hooks that the program has given to GMP itself are kept.
// Once for the process.
void flint_memory_guard(void);

#endif
