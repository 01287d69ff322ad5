// singular.c: names the speed that cannot be independent at this state, and what fixes it there.
#include "run/run_impl.h"

#include <math.h>
#include <string.h>

// What counts in a combination of rows.
#define COUNTS 1e-6

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
    Basis basis;
    basis_init(&basis, n);
    const double *rows = numbers->velocities.out;
    bool regular = true;
    for (size_t i = 0; i < n && regular; i++) {
        regular = basis_take(&basis, rows + i * n, INDEPENDENT);
        bool users = i >= numbers->m && !numbers->motion->state.speeds[i - numbers->m].chosen;
        if (!regular && users)
            say(numbers, &basis, i - numbers->m, diag);
    }
    basis_clear(&basis);
}
