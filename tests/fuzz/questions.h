// questions.h: every question of the public header about a model, with options that a number
// chooses: for the targets that ask one of them, and several after each other. A question ends with
// one of its statuses, and what is wrong has a message.
#ifndef ZWANG_TESTS_FUZZ_QUESTIONS_H
#define ZWANG_TESTS_FUZZ_QUESTIONS_H

#include "zwang.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_TEXT = 1500, MOST_STEPS = 300 };

// A model that takes long is none of interest here.
static bool goes_on(void *context, double part)
{
    return part >= 0 && ++*(size_t *)context < MOST_STEPS;
}

// Files that are written over and over; the ending says what they hold.
static const char *file(const char *ending)
{
    static char names[16][100];
    static size_t next;
    char *name = names[next++ % 16];
    snprintf(name, sizeof names[0], "/tmp/zwang-fuzz-%ld%s", (long)getpid(), ending);
    return name;
}

#define ONE_OF(list, choice) ((list)[(choice) % (sizeof(list) / sizeof *(list))])

static zw_format text_or_json(unsigned choice)
{
    return choice & 1 ? ZW_JSON : ZW_TEXT;
}

static zw_status derive(zw_model *model, unsigned choice, zw_result **result)
{
    static const char *const forms[] = {NULL, "all", "hamel,lagrange,apell", "appell,multipliers"};
    zw_derive_options options = {.forms = ONE_OF(forms, choice),
                                 .as = (zw_format)(choice / 4 % 3),
                                 .naive = choice & 16,
                                 .steps = choice & 32,
                                 .reactions = choice & 64,
                                 .expand = choice & 128,
                                 .width = choice & 1 ? 60 : 0};
    return zw_derive(model, &options, result);
}

static zw_status check(zw_model *model, unsigned choice, zw_result **result)
{
    static const char *const equations[] = {"e: T' + U' = 0", "x'' = 0", "p_x - lambda.c = H",
                                            "beta[1,2,3] + S = (", "energy = 2"};
    static const char *const parts[] = {NULL, "kind", "integrals,jacobi", "nothing"};
    if (choice & 4)
        return zw_equations(model,
                            &(zw_equation_options){.equations = equations,
                                                   .count = 5,
                                                   .as = text_or_json(choice),
                                                   .width = choice & 8 ? 50 : 0},
                            result);
    zw_check_options options = {.as = text_or_json(choice), .only = ONE_OF(parts, choice / 8)};
    return zw_check(model, &options, result);
}

static zw_status look(zw_model *model, unsigned choice, zw_result **result)
{
    static const zw_plot_style style = {.extent = "86x60mm",
                                        .font = "8pt Latin Modern Roman",
                                        .title = "θ",
                                        .legend = "top-left",
                                        .colours = "dark",
                                        .range = "m=0:3"};
    if (choice & 2)
        return zw_at(model,
                     &(zw_at_options){.as = text_or_json(choice),
                                      .steps = choice & 4,
                                      .digits = choice & 8 ? 4 : 0,
                                      .time = choice & 16 ? 0.3 : 0},
                     result);
    static const zw_format formats[] = {ZW_TEXT, ZW_JSON, ZW_CSV, ZW_LATEX};
    zw_stability_options options = {.as = ONE_OF(formats, choice / 64),
                                    .vary = choice & 4 ? "m=1:2:5" : NULL,
                                    .plot = choice & 4 ? file(".svg") : NULL,
                                    .plot_style = choice & 32 ? &style : NULL,
                                    .root_locus = choice & 1,
                                    .digits = choice & 8 ? 20 : 0,
                                    .inputs = choice & 8 ? "m" : NULL,
                                    .slow = choice & 16};
    return zw_stability(model, &options, result);
}

static void on_event(void *context, const zw_event *event)
{
    if (!context || event->count > (size_t)1 << 20)
        abort();
}

static zw_status run(zw_model *model, unsigned choice, zw_result **result)
{
    static const char *const methods[] = {NULL,  "taylor", "erk",         "adams",
                                          "bdf", NULL,     "timestepping"};
    static const char *const forms[] = {NULL, NULL, NULL, NULL, "appell", "multipliers", "hamel"};
    static const char *const rows[] = {NULL, ".csv", ".json", ".jsonl", ".h5"};
    static const char *const events[] = {NULL, ".e.csv", ".e.jsonl", ".e.h5"};
    static const char *const untils[] = {NULL, NULL, "t >= 0.2", "x >= "};
    static const zw_plot_style style = {.log = "t",
                                        .wrap = "theta",
                                        .points = "impact",
                                        .axis = "q",
                                        .legend = "none",
                                        .colours = "light"};
    static const zw_plot_style *const styles[] = {&style};
    char picture[120];
    const char *plot = file(".svg"), *ending = ONE_OF(rows, choice);
    const char *event_file = ONE_OF(events, choice / 2);
    snprintf(picture, sizeof picture, "0,0.2:%s", file(".p.svg"));
    size_t steps = 0;
    zw_run_options options = {.to = 0.5,
                              .every = 0.1,
                              .keep = true,
                              .engine = "interpret",
                              .method = ONE_OF(methods, choice),
                              .form = ONE_OF(forms, choice / 7),
                              .residuals = choice & 1,
                              .integrals = choice & 2,
                              .audit = choice & 4,
                              .no_watch = choice & 8,
                              .fixed = choice & 16,
                              .out = ending ? file(ending) : NULL,
                              .rows = ending && choice & 64 ? "float32" : NULL,
                              .digits = ending && choice & 32 ? 6 : 0,
                              .events = event_file ? file(event_file) : NULL,
                              .plots = &plot,
                              .plot_count = choice & 16 ? 1 : 0,
                              .plot_styles = choice & 128 ? styles : NULL,
                              .picture = choice & 32 ? picture : NULL,
                              .paradox = choice & 64 ? "impact" : NULL,
                              .until = ONE_OF(untils, choice / 3),
                              .progress = goes_on,
                              .event = on_event,
                              .context = &steps};
    return zw_run(model, &options, result);
}

static zw_status write_out(zw_model *model, unsigned choice, zw_result **result)
{
    static const char *const targets[] = {"c", "python", "julia", "matlab", "latex", "fmu"};
    size_t steps = 0;
    if (choice % 7 == 6)
        return zw_view(model,
                       &(zw_view_options){.out = file(".html"),
                                          .to = 0.5,
                                          .every = 0.1,
                                          .proofs = choice & 8,
                                          .progress = goes_on,
                                          .context = &steps},
                       result);
    return zw_export(model,
                     &(zw_export_options){.to = targets[choice % 7],
                                          .out = choice % 7 == 5 ? file(".fmu") : "-",
                                          .fixed = choice & 8,
                                          .velocities = choice & 16,
                                          .smooth = choice & 32,
                                          .sources_only = true},
                     result);
}

typedef zw_status Question(zw_model *model, unsigned choice, zw_result **result);
static Question *const questions[] = {derive, check, look, run, write_out};
enum { QUESTIONS = sizeof questions / sizeof *questions };

// What is said, in which the result may be NULL.
static void read_out(const zw_result *result)
{
    const zw_run_facts *facts = zw_result_run(result);
    for (size_t i = 0; facts && i < facts->columns; i++)
        if (!zw_result_column_name(result, i))
            abort();
    zw_terminal terminal = {.width = 60, .colour = true, .ascii = facts};
    zw_free(zw_for_terminal(zw_result_text(result), &terminal));
}

// Reads a model with options that the number chooses.
static zw_status read_model(unsigned choice, const char *text, size_t length, zw_model **model)
{
    static const char *const setting = "m=2";
    zw_model_options options = {.reduce = choice % 8 == 1,
                                .speeds = choice % 8 == 2 ? "orthonormal" : NULL,
                                .acting = choice % 8 == 3 ? "all" : NULL,
                                .independent = choice % 8 == 4 ? "y" : NULL,
                                .branch = choice % 8 == 5 ? 2 : 0,
                                .settings = &setting,
                                .setting_count = choice % 8 == 6};
    return zw_model_read("fuzz.zw", text, length, &options, model);
}

#endif
