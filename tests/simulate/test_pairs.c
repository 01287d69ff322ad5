// Conditions over pairs that are kept together move as the same ones written out one by one: the
// same rows, the same impacts of the same names, for shapes of many kinds; and what cannot be kept
// together is written out.
#include "model/paired_conditions.h"
#include "run_case.h"

typedef struct {
    RunCase kase;
    Text events; // their times, kinds and names
} PairsRun;

static void keep_event(void *context, const RunEvent *event)
{
    PairsRun *run = context;
    text_addf(&run->events, "%.9f %d %s\n", event->t, (int)event->kind,
              event->constraint ? event->constraint->name : "");
}

static bool keep_row(void *context, const double *row)
{
    return case_keep_row(&((PairsRun *)context)->kase, row);
}

// Reads with or without keeping pairs together.
static PairsRun pairs_run(const char *text, bool keep)
{
    PairsRun run = {.kase = {.diag = diag_new()}};
    RunCase *kase = &run.kase;
    RunOptions options = run_options();
    options.method = RUN_TIMESTEPPING;
    options.step = 1e-3;
    options.unwatched = true;
    kase->source = source_new("test.zw", text, strlen(text));
    kase->status =
        model_read_replacing(kase->source, NULL, 0, NULL, 0, keep, kase->diag, &kase->model);
    case_expect(kase, STATUS_OK);
    kase->status = motion_new(kase->model, kase->diag, &kase->motion);
    if (kase->status == STATUS_OK)
        kase->status = run_new(kase->motion, &options, kase->diag, &kase->run);
    if (kase->status != STATUS_OK)
        return run;
    kase->columns = run_column_count(kase->run);
    RunListener listener = {.row = keep_row, .event = keep_event, .context = &run};
    kase->status = run_go(kase->run, &listener, kase->diag, &kase->summary);
    return run;
}

static void pairs_free(PairsRun *run)
{
    case_free(&run->kase);
    text_clear(&run->events);
}

// Every column of the kept run is one of the other, and has the same values.
static void assert_same_motion(const char *text, double tolerance, size_t least_events)
{
    PairsRun kept = pairs_run(text, true), written = pairs_run(text, false);
    case_expect(&kept.kase, STATUS_OK);
    case_expect(&written.kase, STATUS_OK);
    assert_true(kept.kase.model->pairs.count > 0 && written.kase.model->pairs.count == 0);
    assert_true(written.kase.motion->side_count > kept.kase.motion->side_count + 4096);
    assert_int_equal(case_row_count(&kept.kase), case_row_count(&written.kase));
    for (size_t i = 0; i < kept.kase.columns; i++) {
        const char *name = run_column_name(kept.kase.run, i);
        size_t other = case_column(&written.kase, name);
        for (size_t row = 0; row < case_row_count(&kept.kase); row++)
            assert_near(kept.kase.rows.at[row * kept.kase.columns + i],
                        written.kase.rows.at[row * written.kase.columns + other], tolerance);
    }
    assert_string_equal(kept.events.at ? kept.events.at : "",
                        written.events.at ? written.events.at : "");
    size_t events = 0;
    for (const char *at = kept.events.at; at && *at; at++)
        events += *at == '\n';
    assert_true(events >= least_events);
    assert_near(kept.kase.summary.deepest, written.kase.summary.deepest, tolerance);
    pairs_free(&kept);
    pairs_free(&written);
}

// Balls of three sizes, as points, with sizes by parameters and by their numbers.
static void balls_of_many_sizes(void **state)
{
    (void)state;
    assert_same_motion(
        "const C = 8, N = 96\n"
        "param s = 0.05, g = 9.81, W = 1, r[N] = 0.05, e = 0.5\n"
        "coord x[N], z[N]\n"
        "for i in 1..N {\n"
        "  point P[i] = [x[i], 0, z[i]]\n"
        "  mass 1 + mod(i, 3) at P[i]\n"
        "  constraint floor[i]: z[i] >= 0 restitution e\n"
        "  constraint wall[i]: x[i]^2 <= W^2\n"
        "  initial x[i] = 0.12*(mod(i - 1, C) - 3.5) + 0.004*sin(5*i)\n"
        "  initial z[i] = 0.05 + 0.12*div(i - 1, C), x[i]' = sin(7*i)\n"
        "}\n"
        "for i, j in pairs(1..N) {\n"
        "  constraint ball[j,i]: norm(P[i] - P[j]) >= r[i] + s*(1 - mod(j, 3)/20) restitution e/2\n"
        "}\n"
        "gravity [0, 0, -g]\n"
        "run to 0.15 every 0.01\n",
        1e-9, 60);
}

// Beads on a line keep a distance by their numbers, which grows with time; a piston pushes them, a
// coordinate that every condition holds.
static void order_along_a_line(void **state)
{
    (void)state;
    assert_same_motion("const N = 94\n"
                       "param w = 0.01, e[0..N] = 0.25\n"
                       "coord x[0..N-1], y\n"
                       "for i in 0..N-1 {\n"
                       "  mass 1 at [x[i], 0, 0]\n"
                       "  initial x[i] = 0.012*i, x[i]' = -sin(3*i)/2\n"
                       "}\n"
                       "mass 2 at [0, y, 0]\n"
                       "initial y = 1, y' = 0.7\n"
                       "for i, j in pairs(0..N-1) {\n"
                       "  constraint order[i,j]: x[j] - x[i] >= (j - i)*w*(1 + t/10)*y^2/4 "
                       "restitution e[i]*e[j]*4\n"
                       "}\n"
                       "run to 0.05 every 0.005\n",
                       1e-9, 40);
}

// Squares that do not turn, by min and max; the first of them is fixed in space.
static void squares(void **state)
{
    (void)state;
    assert_same_motion(
        "const N = 92\n"
        "param a = 0.1, g = 5\n"
        "coord x[2..N], z[2..N]\n"
        "point P[1] = [0.21, 0, -0.02]\n"
        "for i in 2..N {\n"
        "  point P[i] = [x[i], 0, z[i]]\n"
        "  mass 1 at P[i]\n"
        "  initial x[i] = 0.13*mod(i, 9) + 0.01*sin(4*i)\n"
        "  initial z[i] = 0.13*(1 + div(i, 9))\n"
        "}\n"
        "for i, j in pairs(1..N) {\n"
        "  constraint box[i,j]: max(abs(P[i].x - P[j].x), abs(P[i].z - P[j].z)) >= a\n"
        "}\n"
        "gravity [0, 0, -g]\n"
        "run to 0.2 every 0.02\n",
        1e-9, 1);
}

static size_t pairs_kept(const char *text)
{
    Diag *diag = diag_new();
    Source *source = source_new("test.zw", text, strlen(text));
    Model *model;
    assert_int_equal(model_read_replacing(source, NULL, 0, NULL, 0, true, diag, &model), STATUS_OK);
    size_t count = model->pairs.count;
    model_free(model);
    source_free(source);
    diag_free(diag);
    return count;
}

#define HEAD                                                                                       \
    "const N = 92\ncoord x[N], z[N]\npoint P[0] = origin\nparam k[N,N] = 1\n"                      \
    "for i in 1..N { point P[i] = P[i-1] + [x[i], 0, z[i]]; mass 1 at P[i] }\n"                    \
    "for i, j in pairs(1..N) { "

static void others_are_written_out(void **state)
{
    (void)state;
    assert_int_equal(pairs_kept(HEAD "constraint c[i,j]: x[j] - x[i] >= -1 }"), 1);
    assert_int_equal(pairs_kept(HEAD "constraint c[i,j]: x[j] - x[i] >= -1\n"
                                     "constraint d[i,j]: z[j] + x[i] <= 10 }"),
                     2);
    // Too few of them; a label of another kind; an equation; something else in the loop.
    assert_int_equal(pairs_kept("const N = 90\ncoord x[N]\n"
                                "for i, j in pairs(1..N) { constraint c[i,j]: x[j] >= x[i] }"),
                     0);
    assert_int_equal(pairs_kept(HEAD "constraint c[2*i,j]: x[j] - x[i] >= -1 }"), 0);
    assert_int_equal(pairs_kept(HEAD "constraint x[j] - x[i] >= -1 }"), 0);
    assert_int_equal(pairs_kept(HEAD "constraint c[i,j]: x[j] - x[i] >= -1\noutput o[i,j] = 1 }"),
                     0);
    // What depends on both in another way; a power; a sum; shared coordinates.
    assert_int_equal(pairs_kept(HEAD "constraint c[i,j]: x[j] - x[i] >= -k[i,j] }"), 0);
    assert_int_equal(pairs_kept(HEAD "constraint c[i,j]: x[j] - x[i] >= -mod(i+j, 2) }"), 0);
    assert_int_equal(pairs_kept(HEAD "constraint c[i,j]: x[j] - x[j-i] >= -1 }"), 0);
    assert_int_equal(pairs_kept(HEAD "constraint c[i,j]: x[j]^i - 2 <= 0 }"), 0);
    assert_int_equal(pairs_kept(HEAD "constraint c[i,j]: sum(l in i..j, x[l]) <= 5 }"), 0);
    assert_int_equal(pairs_kept(HEAD "constraint c[i,j]: P[j].x - P[i].x <= 5 }"), 0);
    assert_int_equal(pairs_kept(HEAD "constraint c[i,j]: x[j] - x[i] + z[1] >= -1 }"), 1);
    assert_int_equal(pairs_kept(HEAD "constraint c[i,j]: x[j] - x[i] + x[1] >= -1 }"), 0);
}

// A start that violates one of very many is an error that names it.
static void the_start_is_checked(void **state)
{
    (void)state;
    PairsRun run = pairs_run(
        "const N = 200\n"
        "coord x[N]\n"
        "for i in 1..N { mass 1 at [x[i], 0, 0]; initial x[i] = i - 3/2*max(0, 1 - abs(i - 78)) }\n"
        "for i, j in pairs(1..N) {\n"
        "  constraint c[i,j]: (x[j] - x[i])^2 >= 0.36\n"
        "}\n"
        "run to 1\n",
        true);
    case_expect(&run.kase, STATUS_WRONG);
    assert_true(case_says(&run.kase, DIAG_ERROR,
                          "the start violates the one-sided constraint 'c[76,78]' by 0.11"));
    assert_true(case_says(&run.kase, DIAG_ERROR, "'c[77,78]'"));
    pairs_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_of_many_sizes), cmocka_unit_test(order_along_a_line),
        cmocka_unit_test(squares), cmocka_unit_test(others_are_written_out),
        cmocka_unit_test(the_start_is_checked)};
    return cmocka_run_group_tests_name("simulate/pairs", tests, NULL, NULL);
}
