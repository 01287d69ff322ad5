// test_export.c: exported code gives the same motion as the program: for every model of the
// gallery, at random states, in C without a warning, in Python, and in Octave where it is there.
#include "export_case.h"
#include "files.h"
#include "linalg/kkt.h"
#include "test_size.h"

#include <dirent.h>
#include <lapacke.h>

enum { MOST_MODELS = 256 };

static Text read_model(const char *name)
{
    char bare[256];
    snprintf(bare, sizeof bare, "%.*s", (int)(strlen(name) - strlen(".zw")), name);
    Text text = read_file(ZWANG_SOURCE_DIR "/models/", bare, ".zw");
    // Compilers take their time for 81 coordinates; 24 are enough.
    char *size = strstr(text.at, "const N = 3");
    if (strcmp(name, "field.zw") == 0) {
        assert_non_null(size);
        size[strlen("const N = ")] = '2';
    }
    return text;
}

// f, f' and f'' of a one-sided condition, and what its reaction does to f'', from the program's
// own least constraint.
static void check_side(Case *kase, const Code *code, size_t index, size_t width)
{
    const Equations *eq = kase->run->base->eq;
    State *state = kase->run->base->state;
    const MotionRow *side = motion_side(kase->motion, index);
    size_t n = kase->n, k = kase->k;
    Expr *outputs = base_alloc((n + 3) * sizeof *outputs);
    Evaluator row = {0};
    memcpy(outputs, side->b, n * sizeof *outputs);
    outputs[n] = side->gamma;
    outputs[n + 1] = side->position;
    outputs[n + 2] = side->velocity;
    assert_true(evaluator_init(&row, kase->motion->pool, eq->symbols, eq->input_count, outputs,
                               n + 3, NULL));
    evaluator_run(&row, state->inputs);
    double before = row.out[n], after = row.out[n], size = fabs(row.out[n]);
    KktProblem problem = dynamics_problem(eq, state);
    double *push = room_for(n), *a = room_for(n), *lambda = room_for(eq->m);
    for (size_t i = 0; i < n; i++)
        push[i] = problem.force[i] - row.out[i];
    problem.force = push;
    assert_int_equal(kkt_solve(state->kkt, &problem, a, lambda).outcome, SOLVE_DONE);
    for (size_t i = 0; i < n; i++) {
        before += row.out[i] * kase->a[i];
        after += row.out[i] * a[i];
        size += fabs(row.out[i] * kase->a[i]) + fabs(row.out[i] * a[i]);
    }
    const double *found = code->sides + index * width;
    double expected[] = {row.out[n + 1], row.out[n + 2], before};
    assert_within(kase, "of a one-sided condition", found, expected, 2, 1e-13 * (1 + size));
    assert_within(kase, "f'' of a one-sided condition", found + 2, expected + 2, 1, 1e-12 * size);
    // f'' − row·matrix⁻¹·push for λ = 1.
    size_t unknowns = width - 3 - k ? width - 3 - k : k;
    lapack_int order = (lapack_int)unknowns, *pivots = base_alloc((unknowns + 1) * sizeof *pivots);
    double *matrix = room_for(unknowns * unknowns), *x = room_for(unknowns);
    memcpy(matrix, code->inertia, unknowns * unknowns * sizeof *matrix);
    memcpy(x, found + 3 + (width - 3 - k ? k : 0), unknowns * sizeof *x);
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, order, 1, matrix, order, pivots, x, 1), 0);
    double pushed = found[2];
    for (size_t i = 0; i < k; i++)
        pushed -= found[3 + i] * x[i];
    assert_within(kase, "f'' under a reaction of 1", &pushed, &after, 1, 1e-11 * size);
    double *rooms[] = {push, a, lambda, matrix, x};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        base_free(rooms[i]);
    base_free(pivots);
    base_free(outputs);
    evaluator_clear(&row);
}

static void check_sides(Case *kase, Code *code)
{
    size_t unknowns = kase->k + (kase->whole ? kase->run->base->eq->independent.count : 0);
    size_t width = 3 + kase->k + (is_parted(kase) ? unknowns : 0);
    assert_true(!code->sides_of == (kase->motion->side_count == 0));
    if (!code->sides_of)
        return;
    code->sides_of(code->p, kase->t, kase->y, code->sides, code->inertia);
    for (size_t i = 0; i < kase->motion->side_count; i++)
        check_side(kase, code, i, width);
}

// Half of the states meet the finite conditions.
static void check_c(Case *kase, const char *system, size_t number)
{
    Code code;
    code_load(&code, kase, system);
    for (int turn = 0; turn < STATES; turn++) {
        draw_state(kase, 0.1 * turn);
        if (turn % 2 == 1)
            check_projection(kase, &code);
        check_motion(kase, &code);
        check_sides(kase, &code);
        if (turn == 0 && number != SIZE_MAX) {
            check_jacobian(kase, &code);
            keep_values(kase, &code, number);
        }
    }
    code_clear(&code);
}

// Other compilers and another type of numbers: what they say, not what they make; of all files
// together.
static void other_compilers_have_nothing_to_say(void **state)
{
    (void)state;
    run_command("cc %s -fsyntax-only -DREAL=float -DZWANG_MAIN %s/code_*.c", WARNINGS, folder);
    if (!is_found("clang --version", "clang"))
        return;
    run_command("clang %s -fsyntax-only -DZWANG_MAIN %s/code_*.c", WARNINGS, folder);
    run_command("clang %s -fsyntax-only -DREAL=float %s/code_*.c", WARNINGS, folder);
}

// ---- All models.

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t list_models(char **names)
{
    DIR *models = opendir(ZWANG_SOURCE_DIR "/models");
    assert_non_null(models);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(models)) && count < MOST_MODELS;)
        if (strstr(entry->d_name, ".zw"))
            names[count++] = strdup(entry->d_name);
    closedir(models);
    qsort(names, count, sizeof *names, by_name);
    return count;
}

static void exported_c_gives_the_same_motion(void **state)
{
    (void)state;
    char *names[MOST_MODELS];
    size_t count = list_models(names);
    size_t taken = 0;
    for (size_t i = 0; i < count; i++) {
        Case kase;
        // Tables are written in C alone, and noise nowhere.
        if (!test_takes_model(i) || strncmp(names[i], "table_", 6) == 0) {
            free(names[i]);
            continue;
        }
        taken++;
        Text text = read_model(names[i]);
        case_init(&kase, names[i], text.at, false);
        write_export(&kase, EXPORT_C, "code.c");
        check_c(&kase, kase.model->name, i);
        run_command("mv %s/code.c %s/code_%zu.c", folder, folder, i);
        char file[64];
        snprintf(file, sizeof file, "model_%zu.py", i);
        write_export(&kase, EXPORT_PYTHON, file);
        snprintf(file, sizeof file, "model_%zu.m", i);
        write_export(&kase, EXPORT_MATLAB, file);
        case_clear(&kase);
        text_clear(&text);
        free(names[i]);
    }
    print_message("%zu models\n", taken);
    assert_true(3 * taken > 50);
}

// With all velocities in the state, for one model of every kind.
static void all_velocities_in_the_state(void **state)
{
    (void)state;
    static const char *const names[] = {"hoop.zw",       "fourbar.zw",       "cone.zw",
                                        "bead.zw",       "held_pendulum.zw", "second_class.zw",
                                        "blade_wall.zw", "disc_edge.zw",     "top_quaternion.zw",
                                        "snakeboard.zw", "second_affine.zw", "delassus_ball.zw"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Case kase;
        Text text = read_model(names[i]);
        case_init(&kase, names[i], text.at, true);
        write_export(&kase, EXPORT_C, "code.c");
        check_c(&kase, kase.model->name, SIZE_MAX);
        case_clear(&kase);
        text_clear(&text);
    }
}

// ---- The other languages.

static void exported_python_agrees_with_c(void **state)
{
    (void)state;
    compare_python(test_size() > 1 ? 50 : 17);
}

static void exported_matlab_agrees_with_c(void **state)
{
    (void)state;
    compare_matlab(test_size() > 1 ? 50 : 17);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exported_c_gives_the_same_motion),
        cmocka_unit_test(other_compilers_have_nothing_to_say),
        cmocka_unit_test(all_velocities_in_the_state),
        cmocka_unit_test(exported_python_agrees_with_c),
        cmocka_unit_test(exported_matlab_agrees_with_c),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
