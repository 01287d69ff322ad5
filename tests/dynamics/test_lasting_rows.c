// test_lasting_rows.c: rows of which it is said that they are independent everywhere are so at
// positions drawn at random, and of rows that become dependent it is not said.
#include "base/strings.h"
#include "dynamics/equations.h"
#include "dynamics/independent_rows.h"
#include "support.h"
#include "test_size.h"

#include <math.h>

enum { SEEDS = 60, N = 6 };

static bool last(const char *text, double *q)
{
    Loaded loaded = load_good("lasting", text);
    Equations eq;
    State state;
    assert_int_equal(equations_init(&eq, loaded.motion, loaded.diag), STATUS_OK);
    state_init(&state, &eq);
    for (size_t i = 0; i < eq.n && q; i++)
        state.q[i] = q[i];
    bool lasts = independent_rows_last(&eq, &state);
    state_clear(&state);
    equations_clear(&eq);
    unload(&loaded);
    return lasts;
}

static void known_systems(void **unused)
{
    (void)unused;
    static const char masses[] = "coord x, y, z, w\nkinetic (x'^2 + y'^2 + z'^2 + w'^2)/2\n";
    static const struct {
        const char *rows;
        bool lasts;
    } cases[] = {
        {"constraint x' = sin(w)*z'\nconstraint y' = cos(w)*z'\n", true},
        {"param m = 2\nconstraint m*x' + y' = sin(w)*z'\nconstraint y' = cos(w)*z'\n", true},
        {"param m = 0\nconstraint m*x' + sin(w)*y' = z'*w\nconstraint w*y' = cos(w)*z'\n", false},
        // A column that both hold, and entries that vanish somewhere.
        {"constraint x' + y' = sin(w)*z'\nconstraint x' + cos(w)*y' = 0\n", false},
        {"constraint sin(w)*x' = z'*w\nconstraint y' = cos(w)*z'\n", false},
        {"constraint x^2 + y^2 = 1\n", false},
        // What an event sets is constant for a while.
        {"state s = 1\nconstraint s*x' = sin(w)*y'\nevent a: t = 1 rising { set s = 0 }\n", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s", masses, cases[i].rows);
        if (last(text, NULL) != cases[i].lasts)
            fail_msg("%s", cases[i].rows);
    }
}

// The determinant of the rows' own columns, by elimination; for the columns of a triangle it is
// the product of what was drawn for the diagonal.
static void drawn_triangles(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= SEEDS * test_size(); seed++) {
        Random random = random_seed(seed);
        size_t rows = 1 + random_below(&random, N - 2), order[N];
        for (size_t i = 0; i < N; i++)
            order[i] = i;
        for (size_t i = N; i-- > 1;) {
            size_t j = random_below(&random, i + 1), kept = order[i];
            order[i] = order[j];
            order[j] = kept;
        }
        Text text = {0};
        text_add(&text, "coord a0, a1, a2, a3, a4, a5\n"
                        "kinetic (a0'^2 + a1'^2 + a2'^2 + a3'^2 + a4'^2 + a5'^2)/2\n");
        // Row i has a number at its own column, functions at those of later rows and at free ones.
        bool spoiled = seed % 3 == 0;
        for (size_t i = 0; i < rows; i++) {
            bool moves = spoiled && i == rows / 2;
            text_addf(&text, "constraint c%zu: %s%zu*a%zu'", i, moves ? "sin(a5 + 1)*" : "",
                      1 + random_below(&random, 5), order[i]);
            for (size_t j = i + 1; j < N; j++)
                if (random_below(&random, 2) || j == rows)
                    text_addf(&text, " + cos(a%zu + %zu)*a%zu'", random_below(&random, N), j,
                              order[j]);
            text_add(&text, " = 0\n");
        }
        if (last(text.at, NULL) == spoiled)
            fail_msg("seed %llu:\n%s", (unsigned long long)seed, text.at);
        text_clear(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_systems),
        cmocka_unit_test(drawn_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
