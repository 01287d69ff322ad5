// test_steps.c: derivations written out step by step. Every line that claims an identity is
// proved by another road, from the lines before it: a derivative of a function that was shown is
// taken again, the conditions are put in again, and the last step is put together from its parts
// as its formula says. For every model of the gallery and every form.
#include "files.h"
#include "steps_last.h"

#include <flint/flint.h>

// Where the velocities are not known as functions, later lines are derivatives of what no line
// shows; that their equations are right is proved against other forms (inquiry/test_curved.c). The
// derivatives of the velocities are checked here: they leave every condition as it is.
static bool check_open(const Board *board)
{
    const Form *form = board->form;
    const Motion *motion = board->motion;
    const FormStep *open = NULL;
    for (size_t i = 0; i < form->steps.count; i++)
        if (form->steps.at[i].kind == STEP_CURVED_OPEN)
            open = &form->steps.at[i];
    for (size_t i = 0; open && i < open->count; i++) {
        const FormLine *first = &form->lines.at[open->first + i];
        for (size_t mu = 0; mu < motion->m; mu++) {
            Expr sum = expr_diff(board->pool, motion->rows[mu].velocity,
                                 expr_symbol(board->pool, first->by));
            for (size_t j = 0; j < open->count; j++) {
                const FormLine *line = &form->lines.at[open->first + j];
                if (strcmp(line->by, first->by) == 0)
                    sum = plus(board, sum,
                               times(board, line->value,
                                     expr_diff(board->pool, motion->rows[mu].velocity,
                                               expr_symbol(board->pool, line->of))));
            }
            assert_zero(board, sum, first);
        }
    }
    return open != NULL;
}

static size_t check_form(Loaded *loaded, FormKind kind, const char *model, Proved *proved)
{
    // Conditions on accelerations add a last step of their own to a derivation without them.
    if (loaded->motion->second_count > 0)
        return 0;
    Form *form = form_derive_in(kind, loaded->motion, FORM_IN_STEPS);
    Board board = {.loaded = loaded,
                   .motion = loaded->motion,
                   .pool = loaded->motion->pool,
                   .form = form,
                   .model = model,
                   .proved = proved};
    size_t steps = form->reason || check_open(&board) ? 0 : form->steps.count;
    for (size_t i = 0; i < form->lines.count && steps; i++) {
        board.upto = i;
        check_line(&board, &form->lines.at[i]);
    }
    board.upto = form->lines.count;
    if (steps && kind == FORM_HAMEL)
        check_hamel(&board);
    if (steps && is_johnsen(form) && !form->reason)
        check_johnsen(&board);
    if (steps)
        check_equations(&board);
    array_clear(&board.symbols);
    array_clear(&board.values);
    form_free(form);
    return steps;
}

static size_t check_all_forms(Loaded *loaded, const char *name)
{
    size_t steps = 0;
    Proved proved = {0};
    for (int kind = 0; kind < FORM_COUNT; kind++)
        steps += check_form(loaded, (FormKind)kind, name, &proved);
    array_clear(&proved);
    return steps;
}

// Sanitizers take their share of time: without the model whose proofs take half of it.
#if defined(__SANITIZE_ADDRESS__)
static const char LEFT_OUT[] = "bicycle";
#else
static const char LEFT_OUT[] = "";
#endif

static void test_gallery(void **state)
{
    (void)state;
    const ModelNames *models = model_names(ZWANG_SOURCE_DIR "/models");
    size_t steps = 0;
    for (size_t i = 0; i < models->count; i++) {
        const char *name = models->at[i];
        // The field has long lists of short lines.
        if (!test_takes_model(i) || strcmp(name, LEFT_OUT) == 0 || strcmp(name, "field") == 0)
            continue;
        Text text = read_file(ZWANG_SOURCE_DIR "/models/", name, ".zw");
        Loaded loaded = load_text(name, text.at);
        if (loaded.status == STATUS_OK)
            steps += check_all_forms(&loaded, name);
        unload(&loaded);
        text_clear(&text);
    }
    assert_true(steps > 1000);
}

// With roots in the coefficients, and speeds that have numbers in their names.
static void test_orthonormal(void **state)
{
    (void)state;
    static const char *const models[] = {"blade", "cart", "hoop", "bead"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        Loaded loaded = load_model(models[i]);
        assert_int_equal(motion_orthonormal(loaded.motion, loaded.diag), STATUS_OK);
        assert_true(check_all_forms(&loaded, models[i]) > 50);
        unload(&loaded);
    }
}

// Nothing is recorded where nobody asks, and the equations are the same.
static void test_costs_nothing(void **state)
{
    (void)state;
    Loaded loaded = load_model("hoop");
    for (int kind = 0; kind < FORM_COUNT; kind++) {
        Form *bare = form_derive_in((FormKind)kind, loaded.motion, FORM_TO_RUN);
        Form *read = form_derive((FormKind)kind, loaded.motion);
        size_t size = expr_pool_size(loaded.motion->pool);
        Form *again = form_derive_in((FormKind)kind, loaded.motion, FORM_TO_RUN);
        assert_int_equal(expr_pool_size(loaded.motion->pool), size);
        assert_int_equal(bare->steps.count + read->steps.count + again->steps.count, 0);
        assert_int_equal(bare->equations.count, read->equations.count);
        for (size_t i = 0; i < bare->equations.count; i++) {
            assert_true(expr_same(bare->equations.at[i].left, read->equations.at[i].left));
            assert_true(expr_same(bare->equations.at[i].right, read->equations.at[i].right));
        }
        form_free(bare);
        form_free(read);
        form_free(again);
    }
    unload(&loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gallery),
        cmocka_unit_test(test_orthonormal),
        cmocka_unit_test(test_costs_nothing),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
