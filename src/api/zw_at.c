// zw_at.c: the instant at the start.
#include "api/api_impl.h"
#include "show/show.h"

zw_status zw_at_instant(zw_model *model, const zw_at_options *asked, char **report)
{
    const zw_at_options defaults = {0};
    asked = asked ? asked : &defaults;
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
    RunInstantRoom *room = NULL;
    RunInstant instant;
    RunStart start = run_start(run);
    api_note_later_impulses(model, run, 0, "acts later than this instant");
    status = asked->steps ? run_instant_mayer(run, model->diag) : STATUS_OK;
    if (status == STATUS_OK)
        status = run_instant(run, model->diag, &room, &instant);
    if (status == STATUS_OK) {
        Show *show = show_new(model->motion);
        Text text = {0};
        if (asked->as == ZW_JSON) {
            show_instant_json(show, &start, &instant, &text);
            api_sign_json(&text);
        } else
            show_instant_text(show, &start, &instant, &text);
        *report = api_hand_out_report(&text, asked->as, asked->width);
        show_free(show);
    }
    run_instant_free(room);
    run_free(run);
    return api_status(status);
}

zw_status zw_at(zw_model *model, zw_format as, size_t width, char **report)
{
    return zw_at_instant(model, &(zw_at_options){.as = as, .width = width}, report);
}
