// singular.c: names the speed that cannot be independent at this state, and what fixes it there.
#include "run/run_impl.h"

#include <math.h>
#include <string.h>

// Of a unit row, what must stand off the rows before it; and what counts in a combination.
#define STANDS_OFF 1e-9
#define COUNTS     1e-6

typedef struct {
    size_t n, count;
    double *units;   // n × n: the rows so far, made orthogonal
    double *made_of; // n × n: unit i = Σ made_of[i][j]·row j
    double *rest, *parts;
} Basis;

// Takes a row in; false where it depends on those before it: it is then Σ parts[j]·row j.
static bool take(Basis *basis, const double *row)
{
    size_t n = basis->n, at = basis->count;
    double length = 0, square = 0;
    memcpy(basis->rest, row, n * sizeof *row);
    memset(basis->parts, 0, n * sizeof *row);
    for (size_t j = 0; j < n; j++)
        length += row[j] * row[j];
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < at; i++) {
            double along = 0;
            for (size_t j = 0; j < n; j++)
                along += basis->units[i * n + j] * basis->rest[j];
            for (size_t j = 0; j < n; j++) {
                basis->rest[j] -= along * basis->units[i * n + j];
                basis->parts[j] += along * basis->made_of[i * n + j];
            }
        }
    for (size_t j = 0; j < n; j++)
        square += basis->rest[j] * basis->rest[j];
    if (!(sqrt(square) > STANDS_OFF * sqrt(length)))
        return false;
    for (size_t j = 0; j < n; j++) {
        basis->units[at * n + j] = basis->rest[j] / sqrt(square);
        basis->made_of[at * n + j] = -basis->parts[j] / sqrt(square);
    }
    basis->made_of[at * n + at] += 1 / sqrt(square);
    basis->count++;
    return true;
}

static void list(Text *out, const char *before, const char *name, const char *after)
{
    text_addf(out, "%s%s%s%s", out->length ? ", " : "", before, name, after);
}

// What the row that failed is made of: conditions, and speeds before it.
static void say(const Numbers *numbers, const Basis *basis, size_t failed, Diag *diag)
{
    const Motion *motion = numbers->motion;
    const MotionSpeed *speed = &motion->state.speeds[failed];
    Text conditions = {0}, others = {0}, taken = {0};
    size_t condition_count = 0;
    for (size_t i = 0; i < numbers->m; i++)
        if (fabs(basis->parts[i]) > COUNTS) {
            list(&conditions, "'", motion->rows[i].constraint->name, "'");
            condition_count++;
        }
    for (size_t i = 0; i < failed; i++)
        if (fabs(basis->parts[numbers->m + i]) > COUNTS)
            list(&others, "", motion->state.speeds[i].name, "");
    for (size_t i = 0; i < numbers->k; i++)
        list(&taken, "", expr_name(motion->pool, motion->v[numbers->chosen[i]]), "");
    Place place = speed->declared ? motion->model->speeds.at[speed->index].place
                                  : motion->model->independent_place;
    Text why = {0};
    if (conditions.length)
        text_addf(&why, "the constraint%s %s %s%s", condition_count > 1 ? "s" : "", conditions.at,
                  others.length ? "tie" : "fix",
                  condition_count > 1 ? ""
                  : others.length     ? "s"
                                      : "es");
    diag_add(diag, DIAG_NOTE, place,
             "%s cannot be independent%s%s: at this state %s %s; the independent velocities there "
             "are %s",
             speed->name, others.length ? " of " : "", others.length ? others.at : "",
             conditions.length ? why.at : "the speeds",
             !conditions.length ? "say the same"
             : others.length    ? "them together"
                                : "it",
             taken.at);
    text_clear(&why);
    text_clear(&conditions);
    text_clear(&others);
    text_clear(&taken);
}

void singular_say(const Numbers *numbers, Diag *diag)
{
    size_t n = numbers->n;
    double *room = base_alloc((2 * n * n + 2 * n + 1) * sizeof *room);
    Basis basis = {.n = n,
                   .units = room,
                   .made_of = room + n * n,
                   .rest = room + 2 * n * n,
                   .parts = room + 2 * n * n + n};
    const double *rows = numbers->velocities.out;
    bool regular = true;
    for (size_t i = 0; i < n && regular; i++) {
        regular = take(&basis, rows + i * n);
        bool users = i >= numbers->m && !numbers->motion->state.speeds[i - numbers->m].chosen;
        if (!regular && users)
            say(numbers, &basis, i - numbers->m, diag);
    }
    base_free(room);
}
