// check_servos.c: relative degrees of servos, conditions that the equations of motion hide, and the
// internal dynamics that servos leave.
#include "show/check_impl.h"

#include "show/equation_text_impl.h"
#include "show/json_impl.h"
#include "show/layout_impl.h"
#include "show/pretty_impl.h"
#include "show/short_forms_impl.h"
#include "show/show_impl.h"

#include <assert.h>

enum { MOST_EIGENVALUES = 12 };

static const ModelConstraint *condition_at(const Motion *motion, size_t index)
{
    assert(index < motion->model->constraints.count);
    return &motion->model->constraints.at[index];
}

static bool is_servo(const ModelConstraint *constraint)
{
    return constraint->kind == CONSTRAINT_SERVO && !constraint->hidden;
}

static bool holds_servo(const ModelHidden *hidden, size_t index)
{
    for (size_t i = 0; i < hidden->servo_count; i++)
        if (hidden->servos[i] == index)
            return true;
    return false;
}

// The order of derivative of its condition in which the force appears first; 0 where that is
// defined of several servos together alone.
static size_t relative_degree(const Motion *motion, size_t index)
{
    size_t degree = condition_at(motion, index)->keeps == CONSTRAINT_FINITE ? 2 : 1;
    for (size_t i = 0; i < motion->model->constraints.count; i++) {
        const ModelHidden *hidden = condition_at(motion, i)->hidden;
        if (!hidden || !holds_servo(hidden, index))
            continue;
        if (hidden->servo_count > 1)
            return 0;
        degree += hidden->orders;
    }
    return degree;
}

static bool has_servos(const Motion *motion)
{
    for (size_t i = 0; i < motion->m; i++)
        if (is_servo(motion->rows[i].constraint))
            return true;
    return false;
}

// How many numbers the state has: coordinates that finite conditions leave free, and speeds.
static size_t state_size(const Motion *motion)
{
    size_t size = motion->n + motion->k;
    for (size_t i = 0; i < motion->m; i++)
        size -= !expr_is_none(motion->rows[i].position);
    return size;
}

// ---- Text.

static void servo_text(const Motion *motion, const ModelConstraint *servo, Text *out)
{
    size_t degree = relative_degree(motion, (size_t)(servo - motion->model->constraints.at));
    if (degree > 0)
        text_addf(out, "kept by a servo: %s, of relative degree %zu\n", servo->name, degree);
    else
        text_addf(out,
                  "kept by a servo: %s, whose relative degree is defined together with that of "
                  "others only\n",
                  servo->name);
}

static void origin_text(const Motion *motion, const ModelHidden *hidden, Text *out)
{
    if (hidden->servo_count == 0)
        text_addf(out, "hidden: %s has no inertia, and the forces on it are in balance",
                  motion->model->coords.at[hidden->coordinate].name);
    for (size_t i = 0; i < hidden->servo_count; i++)
        text_addf(out, "%s%s",
                  i == 0                        ? "hidden by "
                  : i + 1 < hidden->servo_count ? ", "
                                                : " and ",
                  condition_at(motion, hidden->servos[i])->name);
    text_add(out, hidden->orders == 2 ? ", with its derivative: " : ": ");
}

static void hidden_text(const Show *show, const ModelConstraint *constraint, Text *out)
{
    Text line = {0};
    origin_text(show->motion, constraint->hidden, &line);
    show_expr(show, show_short(show, constraint->residual), &line);
    text_add(&line, " = 0");
    show_line(line.at, out);
    text_clear(&line);
}

static void eigenvalues_text(const InquiryLinear *linear, Text *out)
{
    text_add(out, "  near the steady state of the start: eigenvalues ");
    for (size_t i = 0; i < linear->size && i < MOST_EIGENVALUES; i++) {
        text_add(out, i ? ", " : "");
        if (linear->re[i] != 0 || linear->im[i] == 0)
            show_number(linear->re[i], out);
        if (linear->im[i] != 0) {
            text_add(out, linear->im[i] < 0 ? (linear->re[i] != 0 ? " - " : "-")
                                            : (linear->re[i] != 0 ? " + " : ""));
            show_number(linear->im[i] < 0 ? -linear->im[i] : linear->im[i], out);
            text_add(out, " i");
        }
    }
    text_addf(out, "%s: %s\n", linear->size > MOST_EIGENVALUES ? ", …" : "",
              inquiry_verdict_words(linear->verdict));
    if (linear->verdict == INQUIRY_UNSTABLE)
        text_add(out, "  a run forward in time is right, but grows; a bounded input is a "
                      "boundary-value problem, which this program does not solve\n");
}

static void internal_text(const Motion *motion, const ShowCheck *check, Text *out)
{
    size_t size = state_size(motion);
    if (size == 0) {
        text_add(out, "internal dynamics: none, the conditions determine the whole motion\n");
        return;
    }
    text_addf(out, "internal dynamics: of %zu dimension%s\n", size, size == 1 ? "" : "s");
    if (check->internal)
        eigenvalues_text(check->internal, out);
    else if (motion->k > 0)
        text_add(out, "  no steady state at the start, so that nothing is said of its stability\n");
}

void show_servos_text(const Show *show, const ShowCheck *check, Text *out)
{
    const Motion *motion = show->motion;
    for (size_t i = 0; i < motion->m; i++)
        if (is_servo(motion->rows[i].constraint))
            servo_text(motion, motion->rows[i].constraint, out);
    for (size_t i = 0; i < motion->m; i++)
        if (motion->rows[i].constraint->hidden)
            hidden_text(show, motion->rows[i].constraint, out);
    if (has_servos(motion))
        internal_text(motion, check, out);
}

// ---- JSON.

static void json_hidden(const Show *show, Text *out)
{
    const Motion *motion = show->motion;
    size_t written = 0;
    text_add(out, "\"hidden\":[");
    for (size_t i = 0; i < motion->m; i++) {
        const ModelConstraint *constraint = motion->rows[i].constraint;
        const ModelHidden *hidden = constraint->hidden;
        if (!hidden)
            continue;
        text_add(out, written++ ? ",{\"name\":" : "{\"name\":");
        show_json_string(constraint->name, out);
        text_add(out, ",\"equation\":");
        Text equation = {0};
        show_syntax(show, constraint->residual, &equation);
        text_add(&equation, " = 0");
        show_json_string(equation.at, out);
        text_clear(&equation);
        text_add(out, ",\"servos\":[");
        for (size_t j = 0; j < hidden->servo_count; j++) {
            text_add(out, j ? "," : "");
            show_json_string(condition_at(motion, hidden->servos[j])->name, out);
        }
        text_add(out, "],\"coordinate\":");
        show_json_string_or_null(
            hidden->servo_count ? NULL : motion->model->coords.at[hidden->coordinate].name, out);
        text_addf(out, ",\"orders\":%zu}", hidden->orders);
    }
    text_add(out, "],");
}

static void json_internal(const Motion *motion, const ShowCheck *check, Text *out)
{
    text_addf(out, "\"internal_dynamics\":{\"dimension\":%zu", state_size(motion));
    const InquiryLinear *linear = check->internal;
    for (size_t i = 0; linear && i < linear->size; i++) {
        text_add(out, i ? ",[" : ",\"eigenvalues\":[[");
        show_json_number(linear->re[i], out);
        text_add(out, ",");
        show_json_number(linear->im[i], out);
        text_add(out, "]");
    }
    if (linear)
        text_addf(out, "%s,\"verdict\":\"%s\"", linear->size ? "]" : "",
                  inquiry_verdict_name(linear->verdict));
    text_add(out, "},");
}

void show_servos_json(const Show *show, const ShowCheck *check, Text *out)
{
    const Motion *motion = show->motion;
    json_hidden(show, out);
    if (!has_servos(motion))
        return;
    size_t written = 0;
    text_add(out, "\"relative_degrees\":{");
    for (size_t i = 0; i < motion->m; i++) {
        const ModelConstraint *constraint = motion->rows[i].constraint;
        if (!is_servo(constraint))
            continue;
        size_t degree =
            relative_degree(motion, (size_t)(constraint - motion->model->constraints.at));
        text_add(out, written++ ? "," : "");
        show_json_string(constraint->name, out);
        text_add(out, ":");
        if (degree > 0)
            text_addf(out, "%zu", degree);
        else
            text_add(out, "null");
    }
    text_add(out, "},");
    json_internal(motion, check, out);
}
