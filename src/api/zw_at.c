// zw_at.c: the instant at the start.
#include "api/api_impl.h"
#include "api/call_impl.h"
#include "api/numbers_impl.h"
#include "api/result_impl.h"
#include "show/show.h"

static Status answer(zw_model *model, const void *given, zw_result *result)
{
    const zw_at_options *asked = given;
    TRY(api_check_format(asked->as, ZW_TEXT, model->diag));
    TRY(api_motion(model));
    RunOptions options = run_options();
    options.instant = true;
    options.branch = model->branch;
    Simulation *run;
    api_stage(model, "solving for the instant");
    TRY(run_new(model->motion, &options, model->diag, &run));
    RunInstantRoom *room = NULL;
    RunInstant instant;
    RunStart start = run_start(run);
    api_note_later_impulses(model, run, 0, "acts later than this instant");
    Status status = asked->steps ? run_instant_mayer(run, model->diag) : STATUS_OK;
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
        if (asked->digits > 0 && asked->as == ZW_TEXT)
            show_round(&text, asked->digits);
        result_put_text(result, &text, asked->as, asked->width);
        result_put_instant(model->motion, &start, &instant, result);
        show_free(show);
    }
    run_instant_free(room);
    run_free(run);
    return status;
}

zw_status zw_at(zw_model *model, const zw_at_options *given, zw_result **result)
{
    zw_at_options options;
    return api_ask(model, given, &options, sizeof options, answer, false, result);
}
