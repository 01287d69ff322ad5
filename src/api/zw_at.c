// zw_at.c: the instant at the start.
#include "api/api_impl.h"
#include "show/show.h"

zw_status zw_at(zw_model *model, zw_format as, size_t width, char **report)
{
    *report = NULL;
    Status status = api_motion(model);
    if (status != STATUS_OK)
        return api_status(status);
    RunOptions options = run_options();
    options.instant = true;
    options.branch = model->branch;
    Simulation *run;
    status = run_new(model->motion, &options, model->diag, &run);
    if (status != STATUS_OK)
        return api_status(status);
    RunInstantRoom *room;
    RunInstant instant;
    RunStart start = run_start(run);
    status = run_instant(run, model->diag, &room, &instant);
    if (status == STATUS_OK) {
        Show *show = show_new(model->motion, width);
        Text text = {0};
        if (as == ZW_JSON)
            show_instant_json(show, &start, &instant, &text);
        else
            show_instant_text(show, &start, &instant, &text);
        *report = api_hand_out(&text);
        show_free(show);
    }
    run_instant_free(room);
    run_free(run);
    return api_status(status);
}
