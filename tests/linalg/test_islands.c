// Things that are tied together, against a plain search for whoever can be reached.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/strings.h"
#include "linalg/islands.h"
#include "linalg/sparse_rows.h"

#include <string.h>

enum { MOST = 40 };

static void test_random_ties(void **state)
{
    (void)state;
    Islands islands = {0};
    for (size_t trial = 0; trial < 300; trial++) {
        Random random = random_seed(trial);
        size_t count = random_below(&random, MOST + 1), ties = random_below(&random, MOST);
        bool reached[MOST][MOST] = {{false}};
        islands_part(&islands, count);
        for (size_t i = 0; i < count; i++)
            reached[i][i] = true;
        for (size_t k = 0; k < ties && count > 0; k++) {
            size_t a = random_below(&random, count), b = random_below(&random, count);
            islands_tie(&islands, a, b);
            reached[a][b] = reached[b][a] = true;
        }
        for (size_t k = 0; k < count; k++)
            for (size_t i = 0; i < count; i++)
                for (size_t j = 0; j < count; j++)
                    reached[i][j] = reached[i][j] || (reached[i][k] && reached[k][j]);
        islands_number(&islands);
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < count; j++)
                assert_int_equal(islands.of[i] == islands.of[j], reached[i][j]);
        // Numbered by first members; members in order; each in its place.
        size_t seen = 0;
        for (size_t i = 0; i < count; i++) {
            assert_true(islands.of[i] <= seen);
            seen += islands.of[i] == seen;
            assert_int_equal(islands.members[islands.first[islands.of[i]] + islands.place[i]], i);
        }
        assert_int_equal(islands.islands, seen);
        assert_int_equal(islands.first[seen], count);
    }
    islands_clear(&islands);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_ties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
