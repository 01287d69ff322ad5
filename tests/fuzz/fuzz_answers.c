// One question about a small model: the first byte says which, the rest is the model. Derivations
// in every form, proofs, the instant, runs by every method with their files, code and pages. Every
// call ends with one of its statuses, and what is wrong with a message.
#include "zwang.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum { MOST_TEXT = 700, MOST_STEPS = 300 };

// A model that takes long is none of interest here.
static bool goes_on(void *context, double part)
{
    return part >= 0 && ++*(size_t *)context < MOST_STEPS;
}

static char path[100], other[100]; // written over and over

static void name_files(void)
{
    snprintf(path, sizeof path, "/tmp/zwang-fuzz-%ld.svg", (long)getpid());
    snprintf(other, sizeof other, "/tmp/zwang-fuzz-%ld.csv", (long)getpid());
}

static zw_status derive(zw_model *model, unsigned choice, zw_result **result)
{
    zw_derive_options options = {.forms = choice & 1 ? "all" : NULL,
                                 .as = (zw_format)(choice % 3),
                                 .naive = choice & 2,
                                 .steps = choice & 4,
                                 .reactions = choice & 8,
                                 .expand = choice & 16,
                                 .width = choice & 1 ? 60 : 0};
    return zw_derive(model, &options, result);
}

static zw_status check(zw_model *model, unsigned choice, zw_result **result)
{
    static const char *const equations[] = {"e: T' + U' = 0", "x'' = 0", "p_x - lambda.c = H"};
    if (choice & 4)
        return zw_equations(model,
                            &(zw_equation_options){.equations = equations,
                                                   .count = 3,
                                                   .as = choice & 1 ? ZW_JSON : ZW_TEXT},
                            result);
    return zw_check(model, &(zw_check_options){.as = choice & 1 ? ZW_JSON : ZW_TEXT}, result);
}

static zw_status look(zw_model *model, unsigned choice, zw_result **result)
{
    zw_format as = choice & 1 ? ZW_JSON : ZW_TEXT;
    if (choice & 2)
        return zw_at(model, &(zw_at_options){.as = as, .steps = choice & 4}, result);
    return zw_stability(model,
                        &(zw_stability_options){.as = as,
                                                .vary = choice & 4 ? "m=1:2:5" : NULL,
                                                .plot = choice & 4 ? path : NULL,
                                                .inputs = choice & 8 ? "m" : NULL,
                                                .slow = choice & 16},
                        result);
}

static zw_status run(zw_model *model, unsigned choice, zw_result **result)
{
    static const char *const methods[] = {NULL, "taylor", "erk", "adams", "bdf", "timestepping"};
    static const char *const forms[] = {NULL, "appell", "multipliers", "hamel"};
    const char *plot = path;
    size_t steps = 0;
    zw_run_options options = {.to = 0.5,
                              .every = 0.1,
                              .keep = true,
                              .engine = "interpret",
                              .method = methods[choice % 6],
                              .form = forms[choice / 6 % 4],
                              .residuals = choice & 1,
                              .integrals = choice & 2,
                              .audit = choice & 4,
                              .no_watch = choice & 8,
                              .out = choice & 16 ? other : NULL,
                              .plots = &plot,
                              .plot_count = choice & 16 ? 1 : 0,
                              .picture = choice & 32 ? path : NULL,
                              .progress = goes_on,
                              .context = &steps};
    return zw_run(model, &options, result);
}

static zw_status write_out(zw_model *model, unsigned choice, zw_result **result)
{
    static const char *const targets[] = {"c", "python", "julia", "matlab", "latex", "fmu"};
    size_t steps = 0;
    if (choice % 7 == 6)
        return zw_view(model,
                       &(zw_view_options){.out = other,
                                          .to = 0.5,
                                          .every = 0.1,
                                          .proofs = choice & 8,
                                          .progress = goes_on,
                                          .context = &steps},
                       result);
    return zw_export(model,
                     &(zw_export_options){.to = targets[choice % 7],
                                          .out = choice % 7 == 5 ? other : "-",
                                          .fixed = choice & 8,
                                          .velocities = choice & 16,
                                          .smooth = choice & 32,
                                          .sources_only = true},
                     result);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static zw_status (*const questions[])(zw_model *, unsigned,
                                          zw_result **) = {derive, check, look, run, write_out};
    if (count < 2 || count > MOST_TEXT)
        return 0;
    if (!path[0])
        name_files();
    zw_model *model;
    zw_result *result = NULL;
    zw_model_options options = {.reduce = bytes[0] == 0xFF};
    zw_status status =
        zw_model_read("fuzz.zw", (const char *)bytes + 1, count - 1, &options, &model);
    if (status == ZW_DONE)
        status = questions[bytes[0] % 5](model, bytes[0] / 5, &result);
    char *said = zw_messages(model, ZW_ERROR);
    if (status < ZW_DONE || status > ZW_FAILED || (status == ZW_WRONG && !said))
        abort();
    zw_free(said);
    zw_free(zw_for_terminal(zw_result_text(result), &(zw_terminal){.width = 60, .colour = true}));
    zw_result_free(result);
    zw_model_free(model);
    return 0;
}
