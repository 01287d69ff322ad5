// check_report.c: what a system is, and whether its forms agree, for the eye and as JSON.
#include "show/check_impl.h"
#include "show/conditions_impl.h"
#include "show/json_impl.h"
#include "show/show_impl.h"

#include <assert.h>
#include <math.h>

// ---- Text.

// What conditions that are not linear in the velocities call for.
static void curved_text(const Show *show, Text *out)
{
    const MotionRow *row;
    const char *velocities = show_nonlinear_velocities(show);
    if (velocities)
        text_addf(out, "velocities as functions of the speeds: %s\n", velocities);
    for (size_t i = 0; (row = show_nonlinear_row(show, i)); i++) {
        text_add(out, "virtual displacements, ");
        show_nonlinear_displacements(show, row, out);
        text_add(out, "\nwork, ");
        show_nonlinear_work(show, row, out);
        text_add(out, "\n");
    }
}

static void verdict_text(const Verdict *verdict, Text *out)
{
    switch (verdict->answer) {
    case ANSWER_YES:
        if (verdict->proof == PROOF_EXACT)
            text_add(out, "the same motion: proved exactly, by canonical forms\n");
        else if (verdict->proof == PROOF_NUMERIC)
            text_add(out, "the same motion to 1e-12 at random states, which is no proof\n");
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
    bool numeric;      // for a pair there is no proof
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
        all.numeric = all.numeric || verdict->proof == PROOF_NUMERIC;
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
    if (all.forms < 3 || all.answer != ANSWER_YES || all.numeric)
        return;
    text_addf(out,
              "each pair of the %zu forms gives the same motion: the same accelerations as "
              "functions of the state",
              all.forms);
    if (all.log2_error < 0)
        text_addf(out, ", wrong for a pair with a probability below 2^%.0f", ceil(all.log2_error));
    text_add(out, "\n");
}

static void percussions_text(const ShowCheck *check, Text *out)
{
    const InquiryPercussions *all = check->percussions;
    if (!all)
        return;
    if (all->answer == ANSWER_YES)
        text_addf(out, "percussions: the %zu forms give the same jumps of the velocities: proved\n",
                  all->forms);
    else
        text_addf(out, "percussions: %s\n",
                  all->answer == ANSWER_NO ? "the forms do not give the same jumps"
                                           : "whether the forms give the same jumps is not known");
}

static void agreement_text(const ShowCheck *check, Text *out)
{
    const char *reference = NULL;
    for (size_t i = 0; i < check->count; i++) {
        const Form *form = check->forms[i];
        if (form->reason) {
            text_addf(out, "%s does not apply: %s\n", form_name(form->kind), form->reason);
        } else if (!reference) {
            reference = form_name(form->kind);
        } else {
            text_addf(out, "%s and %s give ", form_name(form->kind), reference);
            verdict_text(&check->verdicts[i], out);
        }
    }
}

void show_check_text(const Show *show, const ShowCheck *check, Text *out)
{
    const Model *model = show->motion->model;
    text_addf(out, "%s\n", *model->title ? model->title : model->name);
    if (check->kind)
        show_kind_text(show, check, out);
    if (check->kind)
        curved_text(show, out);
    if (check->integrals)
        show_integrals_text(show, check, out);
    if (check->jacobi)
        show_jacobi_text(show, check->jacobi, out);
    if (check->agree) {
        agreement_text(check, out);
        pairwise_text(check, out);
        percussions_text(check, out);
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

static void json_form(const ShowCheck *check, size_t index, bool reference, Text *out)
{
    assert(index < check->count);
    const Form *form = check->forms[index];
    const Verdict *verdict = &check->verdicts[index];
    text_addf(out, "\"%s\":{\"applies\":%s,\"reason\":", form_name(form->kind),
              form->reason ? "false" : "true");
    const char *reason = form->reason ? form->reason : verdict->reason;
    show_json_string_or_null(reason, out);
    // The reference agrees with itself, by nothing more than being the same equations.
    if (form->reason)
        text_add(out, ",\"agrees\":null,\"proof\":null}");
    else if (reference)
        text_add(out, ",\"agrees\":true,\"proof\":\"exact\"}");
    else
        text_addf(out, ",\"agrees\":%s,\"proof\":%s%s%s}", show_json_answer(verdict->answer),
                  verdict->proof == PROOF_NONE ? "" : "\"",
                  verdict->proof == PROOF_NONE ? "null" : show_proof_name(verdict->proof),
                  verdict->proof == PROOF_NONE ? "" : "\"");
}

static void json_forms(const ShowCheck *check, Text *out)
{
    bool begun = false;
    text_add(out, "\"forms\":{");
    for (size_t i = 0; i < check->count && check->agree; i++) {
        text_add(out, i ? "," : "");
        bool reference = !begun && !check->forms[i]->reason;
        begun = begun || reference;
        json_form(check, i, reference, out);
    }
    text_add(out, "}");
    if (check->agree) {
        text_addf(out, ",\"forms_agree\":%s", show_json_answer(pairwise_of(check).answer));
        if (check->percussions)
            text_addf(out, ",\"percussions_agree\":%s",
                      show_json_answer(check->percussions->answer));
    }
}

void show_check_json(const Show *show, const ShowCheck *check, Text *out)
{
    const Motion *motion = show->motion;
    text_add(out, "{");
    json_names("coordinates", motion->n - motion->model->rated_count, coord_name, motion, out);
    const InquiryFreedom *freedom = check->freedom;
    bool counted = !freedom || freedom->exact;
    text_addf(out, ",\"degrees_of_freedom\":%zu,",
              !counted && freedom->moves ? freedom->seen : motion->k);
    if (!counted)
        text_addf(out, "\"degrees_of_freedom_by\":\"%s\",", freedom->moves ? "numbers" : "least");
    show_kind_json_constraints(show, check->kind, out);
    show_nonlinear_json(show, out);
    text_add(out, ",");
    show_servos_json(show, check, out);
    show_kind_json(show, check->kind, out);
    if (motion->second_count > 0)
        text_addf(out, "\"free_accelerations\":%zu,", show_free_accelerations(motion));
    json_names("independent", motion->k, speed_name, motion, out);
    show_order_json(show, check->order, out);
    show_exact_json(show, check->exact, out);
    show_realizations_json(check, out);
    json_forms(check, out);
    show_integrals_json(show, check, out);
    show_jacobi_json(show, check->jacobi, out);
    text_add(out, "}\n");
}
