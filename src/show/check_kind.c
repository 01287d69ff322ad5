// check_kind.c: of what kind the conditions are, all together, and the order of non-holonomy.
#include "show/check_impl.h"

#include "show/equation_text_impl.h"
#include "show/json_impl.h"
#include "show/layout_impl.h"
#include "show/pretty_impl.h"
#include "show/show_impl.h"

#include <assert.h>

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

// ---- Text.

size_t show_free_accelerations(const Motion *motion)
{
    return motion->k > motion->second_count ? motion->k - motion->second_count : 0;
}

static void seconds_text(const Motion *motion, Text *out)
{
    size_t count = motion->second_count, left = show_free_accelerations(motion);
    if (count > 0)
        text_addf(
            out,
            "%zu condition%s on the accelerations (second class, %zu affine), which bind%s no "
            "velocity; of the accelerations %zu stay%s free\n",
            count, plural(count), motion->affine_count, count == 1 ? "s" : "", left,
            left == 1 ? "s" : "");
}

static void freedom_text(const Motion *motion, const InquiryFreedom *freedom, bool finite,
                         Text *out)
{
    size_t k = motion->k;
    if (freedom && !freedom->exact && freedom->moves)
        text_addf(
            out,
            "%zu degree%s of freedom, seen in numbers: the conditions depend on each other at "
            "the positions that they allow, and their count leaves %zu\n",
            freedom->seen, plural(freedom->seen), k);
    else if (freedom && !freedom->exact)
        text_addf(out,
                  "at least %zu degree%s of freedom: at the start the conditions leave %zu "
                  "direction%s open\n",
                  k, plural(k), freedom->at_start, plural(freedom->at_start));
    else if (!freedom && finite && k == 0)
        text_add(out, "at least 0 degrees of freedom: no position was found that the conditions "
                      "allow\n");
    else
        text_addf(out, "%zu degree%s of freedom\n", k, plural(k));
}

static void counts_text(const Show *show, const InquiryFreedom *freedom, Text *out)
{
    const Motion *motion = show->motion;
    size_t finite = 0, curved = 0;
    for (size_t i = 0; i < motion->m; i++) {
        finite += !expr_is_none(motion->rows[i].position);
        curved += motion->rows[i].constraint->keeps == CONSTRAINT_NONLINEAR;
    }
    size_t states = motion->model->rated_count, n = motion->n - states, m = motion->m - states;
    for (size_t i = 0; i < motion->m; i++)
        curved -= motion->rows[i].constraint->rated && !motion->rows[i].linear;
    text_addf(out, "%zu coordinate%s, ", n, plural(n));
    if (states > 0)
        text_addf(out, "%zu continuous state%s, ", states, plural(states));
    text_addf(out,
              "%zu independent condition%s (%zu finite, %zu linear in the "
              "velocities",
              m, plural(m), finite, m - finite - curved);
    if (curved > 0)
        text_addf(out, ", %zu not linear", curved);
    text_add(out, "), ");
    freedom_text(motion, freedom, finite > 0, out);
    seconds_text(motion, out);
    for (size_t i = 0; i < motion->aside.count; i++)
        text_addf(out, "set aside: %s, which %s\n", motion->aside.at[i].constraint->name,
                  motion->aside.at[i].identity ? "holds by itself"
                                               : "follows from the ones before it");
}

static void growth_text(const InquiryKind *kind, Text *out)
{
    text_add(out, "(");
    for (size_t i = 0; i < kind->growth.count; i++)
        text_addf(out, "%s%zu", i ? ", " : "", kind->growth.at[i]);
    text_add(out, ")");
}

static void relations_text(const Show *show, const InquiryKind *kind, Text *out)
{
    for (size_t i = 0; i < kind->relations.count; i++) {
        Text line = {0};
        text_add(&line, "  ");
        show_expr(show, kind->relations.at[i].value, &line);
        text_add(&line, " = const");
        show_line(line.at, out);
        text_clear(&line);
    }
    size_t missing = kind->hidden - kind->relations.count;
    if (missing > 0)
        text_addf(out, "  %zu%s that the search for it%s did not find\n", missing,
                  kind->relations.count ? " more" : "", missing > 1 ? "self" : "");
}

static bool is_aside(const Motion *motion, const ModelConstraint *constraint)
{
    for (size_t i = 0; i < motion->aside.count; i++)
        if (motion->aside.at[i].constraint == constraint)
            return true;
    return false;
}

static void names_of(const Motion *motion, const InquiryKind *kind, Answer answer, Text *out)
{
    const Model *model = motion->model;
    bool begun = false;
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        if (constraint->kind == CONSTRAINT_FINITE || constraint->kind == CONSTRAINT_ONE_SIDED ||
            constraint->rated > 0 || kind->integrable[i] != answer || is_aside(motion, constraint))
            continue;
        text_addf(out, "%s%s", begun ? ", " : "", constraint->name);
        begun = true;
    }
}

static void integrability_text(const Show *show, const InquiryKind *kind,
                               const InquiryFreedom *freedom, Text *out)
{
    const Motion *motion = show->motion;
    if (kind->reason) {
        text_addf(out, "whether the conditions are integrable is not known: %s\n", kind->reason);
        return;
    }
    size_t states = motion->model->rated_count, m = motion->m - states, linear = m - kind->finite;
    if (kind->apparent)
        text_addf(out,
                  "not holonomic in these parameters: %s, but they are no true coordinates, since "
                  "apparent forces Δ act beside T (Appell 15, 19)\n",
                  m == 0 ? "nothing constrains it" : "every condition is integrable");
    else if (m == 0)
        text_add(out, "holonomic: nothing constrains it\n");
    else if (linear == 0)
        text_add(out, "holonomic: every condition is finite\n");
    else if (kind->holonomic)
        text_addf(out,
                  "holonomic: the condition%s on velocities %s integrable, and come%s from %zu "
                  "finite relation%s\n",
                  plural(linear), linear == 1 ? "is" : "are", linear == 1 ? "s" : "", kind->hidden,
                  plural(kind->hidden));
    else if (kind->hidden > 0)
        text_addf(out,
                  "partly holonomic: the conditions on velocities hide %zu finite relation%s\n",
                  kind->hidden, plural(kind->hidden));
    else
        text_add(out, "not holonomic: no combination of the conditions on velocities is "
                      "integrable\n");
    relations_text(show, kind, out);
    Text names = {0};
    if (!kind->holonomic)
        names_of(motion, kind, ANSWER_YES, &names);
    if (names.length)
        text_addf(out, "integrable by themselves or with the others: %s\n", names.at);
    text_clear(&names);
    if (freedom && freedom->moves && !freedom->exact)
        return; // there are more than the count of the conditions leaves
    text_add(out, "directions that brackets open: ");
    growth_text(kind, out);
    text_addf(out, " of %zu coordinates%s\n", motion->n - states,
              kind->special ? ", for the values that the parameters have" : "");
}

static const char *parameter_name(const Motion *motion, size_t alpha)
{
    const MotionSpeed *speed = &motion->state.speeds[alpha];
    return speed->declared ? speed->name : motion->model->coords.at[speed->index].name;
}

static bool vanishes(const Show *show, Expr e)
{
    return !expr_is_none(e) && expr_is_zero(show->pool, e);
}

// "R_theta = …", or that it vanishes.
static void correction_text(const Show *show, const InquiryOrder *order, size_t alpha, Text *out)
{
    const char *name = parameter_name(show->motion, alpha);
    Text line = {0};
    text_add(&line, "  R_");
    show_name(name, &line);
    text_add(&line, " = ");
    if (vanishes(show, order->R[alpha]))
        text_add(&line, "0: the plain Lagrange equation is right");
    else
        show_readable(show, order->R[alpha], &line);
    if (order->holds[alpha] && !vanishes(show, order->R[alpha]))
        text_add(&line, ", which is 0 for the values that the parameters have");
    show_line(line.at, out);
    text_clear(&line);
}

static void choice_text(const Show *show, const InquiryChoice *choice, Text *out)
{
    text_add(out, "(");
    for (size_t i = 0; i < show->motion->k; i++) {
        text_add(out, i ? ", " : "");
        show_name(show->motion->model->coords.at[choice->parameters[i]].name, out);
    }
    text_add(out, ")");
}

// Whether the state's parameters are all the coordinates: there is no other choice of these then.
static bool has_all_coordinates(const Motion *motion)
{
    bool all = motion->m == motion->model->rated_count;
    for (size_t alpha = 0; alpha < motion->k && all; alpha++)
        all = !motion->state.speeds[alpha].declared;
    return all;
}

// The essential order is the least for all choices of parameters, coordinates or not (Appell 1);
// only some were looked at.
static void least_text(const InquiryOrder *order, Text *out)
{
    if (order->least == 0)
        text_add(out, "; the essential order (Appell 1) is 0\n");
    else
        text_addf(out,
                  "; the least of these choices is %zu, so that the essential order (Appell 1) is "
                  "at most that\n",
                  order->least);
}

static void choices_text(const Show *show, const InquiryOrder *order, Text *out)
{
    enum { FIRST_CHOICES = 12 };
    const Motion *motion = show->motion;
    if (order->too_many)
        text_addf(out,
                  "more than %d choices of coordinates as parameters: not looked at; "
                  "one can be named as independent\n",
                  INQUIRY_MOST_CHOICES);
    if (order->open)
        text_add(out, "order for other coordinates as parameters: not known: functions in the "
                      "corrections may be related\n");
    if (has_all_coordinates(motion) || order->choices.count == 0)
        return;
    text_addf(out, "order for other coordinates as parameters: ");
    for (size_t i = 0; i < order->choices.count && i < FIRST_CHOICES; i++) {
        choice_text(show, &order->choices.at[i], out);
        text_addf(out, " %zu%s", order->choices.at[i].order,
                  i + 1 < order->choices.count ? ", " : "");
    }
    if (order->choices.count > FIRST_CHOICES)
        text_addf(out, "… (%zu choices)", order->choices.count);
    least_text(order, out);
}

static void order_text(const Show *show, const InquiryOrder *order, Text *out)
{
    const Motion *motion = show->motion;
    if (order->reason) {
        text_addf(out, "order of non-holonomy: not known: %s\n", order->reason);
        return;
    }
    text_addf(out, "order of non-holonomy %zu for the parameter%s ", order->order,
              plural(motion->k));
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        text_add(out, alpha ? ", " : "");
        show_name(parameter_name(motion, alpha), out);
    }
    if (order->general != order->order)
        text_addf(out, " and the values given; %zu for others", order->general);
    text_add(out, "\n");
    if (order->general == 0 && motion->k > 0)
        text_add(out, "  every R vanishes: the plain Lagrange equations are right\n");
    for (size_t alpha = 0; alpha < motion->k && order->general > 0; alpha++)
        correction_text(show, order, alpha, out);
    choices_text(show, order, out);
}

void show_kind_text(const Show *show, const ShowCheck *check, Text *out)
{
    assert(check->kind && check->order);
    counts_text(show, check->freedom, out);
    show_servos_text(show, check, out);
    integrability_text(show, check->kind, check->freedom, out);
    order_text(show, check->order, out);
    show_exact_text(show, check->exact, out);
    show_realizations_text(check, out);
}

// ---- JSON.

void show_kind_json_constraints(const Show *show, const InquiryKind *kind, Text *out)
{
    const Model *model = show->motion->model;
    bool first = true;
    text_add(out, "\"constraints\":[");
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        if (constraint->rated)
            continue;
        text_add(out, first ? "{\"name\":" : ",{\"name\":");
        first = false;
        show_json_string(constraint->name, out);
        bool finite =
            constraint->keeps == CONSTRAINT_FINITE || constraint->kind == CONSTRAINT_ONE_SIDED;
        Answer integrable = kind ? kind->integrable[i] : finite ? ANSWER_YES : ANSWER_UNKNOWN;
        text_addf(out, ",\"kind\":\"%s\",\"integrable\":%s}",
                  constraint_kind_name(constraint->kind), show_json_answer(integrable));
    }
    text_add(out, "]");
}

void show_kind_json(const Show *show, const InquiryKind *kind, Text *out)
{
    if (!kind || kind->reason) {
        text_add(out, "\"holonomic\":null,\"relations\":null,\"growth\":null,");
        return;
    }
    text_addf(out, "\"holonomic\":%s,\"relations\":[",
              kind->holonomic && !kind->apparent ? "true" : "false");
    for (size_t i = 0; i < kind->relations.count; i++) {
        text_add(out, i ? "," : "");
        show_json_expr(show, kind->relations.at[i].value, out);
    }
    text_addf(out, "],\"hidden_relations\":%zu,\"growth\":[", kind->hidden);
    for (size_t i = 0; i < kind->growth.count; i++)
        text_addf(out, "%s%zu", i ? "," : "", kind->growth.at[i]);
    text_add(out, "],");
}

void show_order_json(const Show *show, const InquiryOrder *order, Text *out)
{
    const Motion *motion = show->motion;
    if (!order || order->reason) {
        text_add(out, ",\"order\":null,\"orders\":null,\"lagrange_holds\":null,");
        return;
    }
    text_addf(out, ",\"order\":%zu,\"orders\":[", order->order);
    for (size_t i = 0; i < order->choices.count; i++) {
        const InquiryChoice *choice = &order->choices.at[i];
        text_add(out, i ? ",{\"parameters\":[" : "{\"parameters\":[");
        for (size_t j = 0; j < motion->k; j++) {
            text_add(out, j ? "," : "");
            show_json_string(motion->model->coords.at[choice->parameters[j]].name, out);
        }
        text_addf(out, "],\"order\":%zu}", choice->order);
    }
    text_add(out, "],\"lagrange_holds\":[");
    bool begun = false;
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        if (!order->holds[alpha])
            continue;
        text_add(out, begun ? "," : "");
        show_json_string(parameter_name(motion, alpha), out);
        begun = true;
    }
    text_addf(out, "],\"essential_order_at_most\":%zu,", order->least);
}
