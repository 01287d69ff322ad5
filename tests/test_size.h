// test_size.h: how many times the usual number of random cases is drawn. `make soak` draws many.
#ifndef ZWANG_TESTS_TEST_SIZE_H
#define ZWANG_TESTS_TEST_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

static inline size_t test_size(void)
{
    const char *size = getenv("ZWANG_TEST_SIZE");
    long factor = size ? strtol(size, NULL, 10) : 1;
    return factor > 1 ? (size_t)factor : 1;
}

// Where each model of the gallery costs much, a compiler or all its derivations, `make test` takes
// every fifth one; with a larger size, as in `make test-all`, all of them.
static inline bool test_takes_model(size_t index)
{
    return test_size() > 1 || index % 5 == 0;
}

#endif
