// branch_choices.c: by which branches a run leaves singular positions: "0.8:2,1.6:1".
//
// Which position is nearest to a time is known after it was passed. So the run is made ahead, in
// silence, up to the first position behind that time; as the same run is the same to the last bit,
// its positions are those of the run that follows.
#include "api/branch_choices_impl.h"
#include "dynamics/tangent_cone.h"
#include "simulate/run_leave.h"
#include "simulate/run_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const zw_run_options *options;
    double wanted, t; // the nearest position so far; infinite: none
    double found, most;
    bool passed;
} Ahead;

static void take_event(void *context, const RunEvent *event)
{
    Ahead *ahead = context;
    if (!event->cone)
        return;
    ahead->passed = event->t >= ahead->wanted;
    if (!(fabs(event->t - ahead->wanted) < fabs(ahead->t - ahead->wanted)))
        return;
    ahead->t = event->t;
    ahead->found = (double)event->cone->found;
    ahead->most = event->cone->most;
}

static bool take_progress(void *context, double t)
{
    const Ahead *ahead = context;
    const zw_run_options *options = ahead->options;
    (void)t;
    return !ahead->passed && (!options->progress || options->progress(options->context, 0));
}

static Status check(const Ahead *ahead, size_t number, Diag *diag)
{
    double wanted = ahead->wanted;
    if (!isfinite(ahead->t))
        return diag_error(diag, place_hint(HINT_BRANCH),
                          "branch %g:%zu: the run passes no singular position", wanted, number);
    if ((double)number <= ahead->found)
        return STATUS_OK;
    if (ahead->found < ahead->most)
        return diag_error(diag, place_hint(HINT_BRANCH),
                          "branch %g:%zu: at t = %.6g only %g branches are listed", wanted, number,
                          ahead->t, ahead->found);
    return diag_error(diag, place_hint(HINT_BRANCH),
                      "branch %g:%zu: at t = %.6g there %s %g branch%s", wanted, number, ahead->t,
                      ahead->found == 1 ? "is" : "are", ahead->found,
                      ahead->found == 1 ? "" : "es");
}

// The position nearest to the time that was given. Where there is no such run, the one that
// follows says so.
static Status find_position(zw_model *model, const zw_run_options *options,
                            const RunOptions *wanted, RunLeave *leave)
{
    Ahead ahead = {.options = options, .wanted = leave->t, .t = INFINITY};
    RunListener listener = {.progress = take_progress, .event = take_event, .context = &ahead};
    Diag *unheard = diag_new();
    Simulation *run;
    Status status = run_new(model->motion, wanted, unheard, &run);
    if (status == STATUS_OK) {
        // However it ends, its positions count.
        Status ended = run_go(run, &listener, unheard, NULL);
        status = ended == STATUS_FAILED ? ended : check(&ahead, leave->number, model->diag);
        leave->t = ahead.t;
        run_free(run);
    } else {
        status = STATUS_OK;
    }
    diag_free(unheard);
    return status;
}

static bool read(const char **text, RunLeave *leave)
{
    char *end;
    leave->t = strtod(*text, &end);
    if (end == *text || *end != ':' || !isfinite(leave->t))
        return false;
    const char *number = end + 1;
    long value = strtol(number, &end, 10);
    leave->number = (size_t)value;
    *text = *end == ',' ? end + 1 : end;
    return end != number && value > 0 && (*end == ',' || !*end);
}

Status api_branch_choices(zw_model *model, const zw_run_options *options, RunOptions *wanted)
{
    ARRAY(RunLeave) leaves = {0};
    Status status = STATUS_OK;
    for (const char *at = options->branches; at && *at && status == STATUS_OK;) {
        RunLeave leave;
        bool good = read(&at, &leave);
        bool later = good && (leaves.count == 0 || leave.t > leaves.at[leaves.count - 1].t);
        if (!later) {
            status = diag_error(model->diag, place_hint(HINT_BRANCH),
                                "branch %s: it is TIME:NUMBER, or several of these in the order "
                                "of their times, with commas, as in 0.8:2,1.6:1",
                                options->branches);
            break;
        }
        status = find_position(model, options, wanted, &leave);
        array_push(&leaves, leave);
        wanted->leaves = leaves.at;
        wanted->leave_count = leaves.count;
    }
    if (leaves.count > 0) {
        RunLeave *kept = arena_array(model->model->arena, RunLeave, leaves.count);
        memcpy(kept, leaves.at, leaves.count * sizeof *kept);
        wanted->leaves = kept;
    }
    array_clear(&leaves);
    return status;
}
