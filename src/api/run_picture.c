// run_picture.c: a run of which nothing but its picture is wanted.
#include "api/api_impl.h"
#include "show/show.h"
#include "simulate/run_report.h"
#include "simulate/simulate.h"

typedef struct {
    ShowPicture *picture;
    size_t steps_left;
} Drawing;

static bool take_row(void *context, const double *row)
{
    Drawing *drawing = context;
    show_picture_row(drawing->picture, row);
    return true;
}

static bool take_progress(void *context, double t)
{
    Drawing *drawing = context;
    (void)t;
    return drawing->steps_left-- > 0;
}

Status api_run_picture(zw_model *model, size_t most_steps, Diag *diag, ShowPicture **picture)
{
    Simulation *run;
    *picture = NULL;
    TRY(api_motion_to_run(model));
    RunOptions wanted = run_options();
    wanted.chooses_method = true;
    TRY(run_new(model->motion, &wanted, diag, &run));
    RunOptions settings = run_settings(run);
    Status status = show_picture_new(model->motion, run, false, diag, picture);
    Drawing drawing = {*picture, most_steps};
    RunListener listener = {.row = take_row,
                            .between = take_row,
                            .between_count =
                                api_frames_between(settings.to / settings.every, API_SMOOTH),
                            .progress = take_progress,
                            .context = &drawing};
    RunSummary summary = {0};
    if (status == STATUS_OK)
        status = run_go(run, &listener, diag, &summary);
    if (*picture)
        show_picture_finish(*picture);
    run_free(run);
    return status == STATUS_NEGATIVE ? STATUS_OK : status;
}
