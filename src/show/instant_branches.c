// instant_branches.c: the stationary points of Gauss's function at an instant, for the eye and as
// JSON.
#include "show/instant_impl.h"

#include "show/json_impl.h"
#include "show/layout_impl.h"
#include "show/show_impl.h"

#include <assert.h>
#include <math.h>

enum { COLUMN = 18, KIND = 14 };

static double size_of(const RunBranches *branches, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < branches->count; i++)
        most = fmax(most, show_largest(branches->at[i].a, n));
    return most;
}

static void head_text(const Show *show, Text *out)
{
    const Motion *motion = show->motion;
    text_add(out, "     ");
    show_padded("constraint", COLUMN, out);
    show_padded("kind", KIND, out);
    for (size_t i = 0; i < motion->n; i++) {
        Text name = {0};
        show_name(expr_name(motion->pool, motion->a[i]), &name);
        show_padded(name.at, COLUMN, out);
        text_clear(&name);
    }
    show_end_line(out);
}

static void line_text(const Show *show, const RunBranches *branches, size_t index, double size,
                      Text *out)
{
    const RunBranch *branch = &branches->at[index];
    text_addf(out, "%s%2zu  ", index == branches->taken ? "→" : " ", index + 1);
    show_cell(branch->constraint, COLUMN, out);
    show_padded(run_branch_words[branch->kind].word, KIND, out);
    for (size_t i = 0; i < show->motion->n; i++)
        show_cell(show_without_rounding(branch->a[i], size), COLUMN, out);
    show_end_line(out);
}

static void meanings_text(const RunBranches *branches, Text *out)
{
    bool explained[BRANCH_KIND_COUNT] = {false};
    for (size_t i = 0; i < branches->count; i++) {
        const RunBranch *branch = &branches->at[i];
        if (branch->lambda || explained[branch->kind])
            continue;
        explained[branch->kind] = true;
        text_addf(out, "  %s\n", run_branch_words[branch->kind].meaning);
    }
}

void show_branches_text(const Show *show, const RunBranches *branches, Text *out)
{
    if (branches->count == 0)
        return;
    double size = size_of(branches, show->motion->n), error = 0;
    text_addf(out, "\nstationary points of %s, %s\n",
              motion_dsigma(show->motion) ? "Gauss's function S − Σ Q·q″ (Appell 17)"
                                          : "Gauss's function on the conditions (Hamel 252)",
              branches->certified ? "all of them, certified"
                                  : "found by a search: there may be others");
    head_text(show, out);
    for (size_t i = 0; i < branches->count; i++) {
        line_text(show, branches, i, size, out);
        error = fmax(error, branches->at[i].error);
    }
    meanings_text(branches, out);
    if (branches->certified)
        text_addf(out, "  no acceleration is further than %.1g from the exact one\n", error);
    if (branches->tied > 1)
        text_addf(out, "  1 … %zu have the least constraint: a tie\n", branches->tied);
    if (branches->at[branches->taken].kind == BRANCH_CONTINUUM)
        text_add(out, "  the motion is not determined\n");
    else
        text_addf(out, "  the motion is %zu%s\n", branches->taken + 1,
                  branches->taken >= branches->tied ? ", as was asked for; the least is 1"
                  : branches->tied > 1              ? ", one of the least"
                                                    : ", the least");
}

static void json_branch(const Show *show, const RunBranch *branch, Text *out)
{
    const Motion *motion = show->motion;
    text_addf(out, "{\"kind\":\"%s\",\"constraint\":", run_branch_words[branch->kind].word);
    show_json_number(branch->constraint, out);
    text_add(out, ",\"a\":{");
    for (size_t i = 0; i < motion->n; i++)
        show_json_entry(i == 0, motion->model->coords.at[i].name, branch->a[i], out);
    text_add(out, "},\"lambda\":");
    bool first = true;
    text_add(out, branch->lambda ? "{" : "null");
    for (size_t i = 0; i < motion->in_force_count && branch->lambda; i++) {
        if (motion->in_force[i]->silent)
            continue;
        show_json_entry(first, motion->in_force[i]->name, branch->lambda[i], out);
        first = false;
    }
    text_add(out, branch->lambda ? "},\"error\":" : ",\"error\":");
    show_json_number(branch->error, out);
    if (branch->kind == BRANCH_CONTINUUM)
        text_addf(out, ",\"dimension\":%zu", branch->freedom);
    text_add(out, "}");
}

void show_branches_json(const Show *show, const RunBranches *branches, Text *out)
{
    assert(branches->taken < branches->count);
    text_addf(out, ",\"branches\":{\"certified\":%s,\"taken\":%zu,\"tied\":%zu,\"points\":[",
              branches->certified ? "true" : "false", branches->taken + 1, branches->tied);
    for (size_t i = 0; i < branches->count; i++) {
        text_add(out, i ? "," : "");
        json_branch(show, &branches->at[i], out);
    }
    text_add(out, "]}");
}
