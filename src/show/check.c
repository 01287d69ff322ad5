// check.c: what a system is, and whether its forms agree, for the eye and as JSON.
#include "show/show_impl.h"

#include <math.h>

static const char *proof_name(ProofKind proof)
{
    return proof == PROOF_EXACT ? "exact" : proof == PROOF_MODULAR ? "modular" : "none";
}

// ---- Text.

static void kind_text(const Show *show, Text *out)
{
    const Motion *motion = show->motion;
    size_t finite = 0;
    for (size_t i = 0; i < motion->m; i++)
        finite += !expr_is_none(motion->rows[i].position);
    text_addf(out,
              "%zu coordinate%s, %zu independent condition%s (%zu finite, %zu linear in the "
              "velocities), %zu degree%s of freedom\n",
              motion->n, motion->n == 1 ? "" : "s", motion->m, motion->m == 1 ? "" : "s", finite,
              motion->m - finite, motion->k, motion->k == 1 ? "" : "s");
    for (size_t i = 0; i < motion->aside.count; i++)
        text_addf(out, "set aside: %s, which %s\n", motion->aside.at[i].constraint->name,
                  motion->aside.at[i].identity ? "holds by itself"
                                               : "follows from the ones before it");
}

static void verdict_text(const Verdict *verdict, Text *out)
{
    switch (verdict->answer) {
    case ANSWER_YES:
        if (verdict->proof == PROOF_EXACT)
            text_add(out, "the same motion: proved exactly, by canonical forms\n");
        else
            text_addf(out,
                      "the same motion: proved in a prime field, wrong with a probability below "
                      "2^%.0f\n",
                      ceil(verdict->log2_error));
        break;
    case ANSWER_NO:
        text_addf(out, "ANOTHER motion: they differ at %s\n",
                  verdict->witness ? verdict->witness : "a point");
        break;
    case ANSWER_UNKNOWN:
        text_addf(out, "undecided: %s\n", verdict->reason ? verdict->reason : "no proof found");
        break;
    }
}

// How the forms that apply stand to each other. Each is compared with the first by what it makes of
// the same unknowns, u' as functions of q, u and t; equality of functions goes from one pair to
// every other, and the probabilities of error of two proofs add up.
typedef struct {
    size_t forms;
    Answer answer;     // YES: each pair agrees
    double log2_error; // of the least certain pair; 0 where all proofs are exact
} Pairwise;

static Pairwise pairwise_of(const ShowCheck *check)
{
    Pairwise all = {.answer = ANSWER_YES};
    double worst = -INFINITY, second = -INFINITY;
    for (size_t i = 0; i < check->count; i++) {
        const Verdict *verdict = &check->verdicts[i];
        if (check->forms[i]->reason || all.forms++ == 0)
            continue;
        if (verdict->answer == ANSWER_NO)
            all.answer = ANSWER_NO;
        else if (verdict->answer == ANSWER_UNKNOWN && all.answer == ANSWER_YES)
            all.answer = ANSWER_UNKNOWN;
        double error = verdict->proof == PROOF_MODULAR ? verdict->log2_error : -INFINITY;
        second = fmax(second, fmin(worst, error));
        worst = fmax(worst, error);
    }
    all.log2_error = isinf(worst) ? 0 : worst + log2(1 + exp2(second - worst));
    return all;
}

static void pairwise_text(const ShowCheck *check, Text *out)
{
    Pairwise all = pairwise_of(check);
    if (all.forms < 3 || all.answer != ANSWER_YES)
        return;
    text_addf(out,
              "each pair of the %zu forms gives the same motion: the same accelerations as "
              "functions of the state",
              all.forms);
    if (all.log2_error < 0)
        text_addf(out, ", wrong for a pair with a probability below 2^%.0f", ceil(all.log2_error));
    text_add(out, "\n");
}

static void agreement_text(const ShowCheck *check, Text *out)
{
    const char *yardstick = NULL;
    for (size_t i = 0; i < check->count; i++) {
        const Form *form = check->forms[i];
        if (form->reason) {
            text_addf(out, "%s does not apply: %s\n", form_name(form->kind), form->reason);
        } else if (!yardstick) {
            yardstick = form_name(form->kind);
        } else {
            text_addf(out, "%s and %s give ", form_name(form->kind), yardstick);
            verdict_text(&check->verdicts[i], out);
        }
    }
}

void show_check_text(const Show *show, const ShowCheck *check, Text *out)
{
    const Model *model = show->motion->model;
    text_addf(out, "%s\n", *model->title ? model->title : model->name);
    if (check->kind)
        kind_text(show, out);
    if (check->agree) {
        agreement_text(check, out);
        pairwise_text(check, out);
    }
}

// ---- JSON. A question that was not asked, or that nobody could answer, is null.

static void json_names(const char *key, size_t count, const char *(*name)(const Motion *, size_t),
                       const Motion *motion, Text *out)
{
    text_addf(out, "\"%s\":[", key);
    for (size_t i = 0; i < count; i++) {
        text_add(out, i ? "," : "");
        show_json_string(name(motion, i), out);
    }
    text_add(out, "]");
}

static const char *coord_name(const Motion *motion, size_t index)
{
    return motion->model->coords.at[index].name;
}

static const char *speed_name(const Motion *motion, size_t index)
{
    return motion->state.speeds[index].name;
}

static void json_constraints(const Model *model, Text *out)
{
    text_add(out, "\"constraints\":[");
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        text_add(out, i ? ",{\"name\":" : "{\"name\":");
        show_json_string(constraint->name, out);
        // A finite condition is its own finite relation; for the others the question is open.
        text_addf(out, ",\"kind\":\"%s\",\"integrable\":%s}",
                  constraint_kind_name(constraint->kind),
                  constraint->kind == CONSTRAINT_FINITE || constraint->kind == CONSTRAINT_ONE_SIDED
                      ? "true"
                      : "null");
    }
    text_add(out, "]");
}

static bool all_finite(const Motion *motion)
{
    for (size_t i = 0; i < motion->m; i++)
        if (expr_is_none(motion->rows[i].position))
            return false;
    return true;
}

static void json_form(const ShowCheck *check, size_t index, bool yardstick, Text *out)
{
    const Form *form = check->forms[index];
    const Verdict *verdict = &check->verdicts[index];
    text_addf(out, "\"%s\":{\"applies\":%s,\"reason\":", form_name(form->kind),
              form->reason ? "false" : "true");
    const char *reason = form->reason ? form->reason : verdict->reason;
    if (reason)
        show_json_string(reason, out);
    else
        text_add(out, "null");
    // The yardstick agrees with itself, by nothing more than being the same equations.
    if (form->reason)
        text_add(out, ",\"agrees\":null,\"proof\":null}");
    else if (yardstick)
        text_add(out, ",\"agrees\":true,\"proof\":\"exact\"}");
    else
        text_addf(out, ",\"agrees\":%s,\"proof\":%s%s%s}",
                  verdict->answer == ANSWER_YES  ? "true"
                  : verdict->answer == ANSWER_NO ? "false"
                                                 : "null",
                  verdict->proof == PROOF_NONE ? "" : "\"",
                  verdict->proof == PROOF_NONE ? "null" : proof_name(verdict->proof),
                  verdict->proof == PROOF_NONE ? "" : "\"");
}

static void json_forms(const ShowCheck *check, Text *out)
{
    bool begun = false;
    text_add(out, "\"forms\":{");
    for (size_t i = 0; i < check->count && check->agree; i++) {
        text_add(out, i ? "," : "");
        bool yardstick = !begun && !check->forms[i]->reason;
        begun = begun || yardstick;
        json_form(check, i, yardstick, out);
    }
    text_add(out, "}");
    if (check->agree) {
        Answer answer = pairwise_of(check).answer;
        text_addf(out, ",\"forms_agree\":%s",
                  answer == ANSWER_YES  ? "true"
                  : answer == ANSWER_NO ? "false"
                                        : "null");
    }
}

void show_check_json(const Show *show, const ShowCheck *check, Text *out)
{
    const Motion *motion = show->motion;
    text_add(out, "{");
    json_names("coordinates", motion->n, coord_name, motion, out);
    text_addf(out, ",\"degrees_of_freedom\":%zu,", motion->k);
    json_constraints(motion->model, out);
    text_addf(out, ",\"holonomic\":%s,\"relations\":null,\"growth\":null,",
              all_finite(motion) ? "true" : "null");
    json_names("independent", motion->k, speed_name, motion, out);
    text_add(out, ",\"order\":null,\"orders\":null,\"lagrange_holds\":null,");
    json_forms(check, out);
    text_add(out, ",\"integrals\":null,\"jacobi\":null}\n");
}
