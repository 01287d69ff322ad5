// test_servos.c: conditions that active forces keep, on random systems: the forms that hold for
// them are proved equal, the others say why they do not.
#include "random_system.h"

#include "inquiry/inquiry.h"

#include <flint/flint.h>

enum { SYSTEMS = 60 };

// Some of the conditions are kept by a force along a coordinate or at a point, the first always.
static void write_kept_conditions(Writer *writer)
{
    for (int i = 1; i <= writer->m; i++) {
        bool servo = i == 1 || draw(writer, 2);
        text_addf(&writer->text, "%s c%d: q%d' = (", servo ? "servo" : "constraint", i, i);
        write_coefficient(writer);
        text_addf(&writer->text, ")*q%d'", writer->m + 1 + draw(writer, writer->n - writer->m));
        if (writer->rheonomic)
            text_addf(&writer->text, " + t*q%d", 1 + draw(writer, writer->n));
        if (servo && draw(writer, 3) == 0)
            text_addf(&writer->text, " by force [1 + q1^2, %d, 0] at P", small(writer));
        else if (servo)
            text_addf(&writer->text, " by q%d", 1 + draw(writer, writer->n));
        text_add(&writer->text, "\n");
    }
}

// A condition on accelerations beside them, where two velocities stay free.
static void write_second(Writer *writer)
{
    if (writer->n - writer->m < 2 || draw(writer, 2))
        return;
    text_addf(&writer->text, "constraint a: q%d'' = (", writer->n);
    write_coefficient(writer);
    text_addf(&writer->text, ")*q%d'' + q1'^2 - q%d\n", writer->m + 1, writer->n);
}

static Text write_servo_system(uint64_t seed)
{
    Writer writer = {.random = random_seed(seed)};
    writer.n = 2 + draw(&writer, 4);
    writer.m = 1 + draw(&writer, writer.n - 1 < 3 ? writer.n - 1 : 3);
    writer.rheonomic = draw(&writer, 2);
    text_add(&writer.text, "param m = 1, k = 2\ncoord ");
    for (int i = 1; i <= writer.n; i++)
        text_addf(&writer.text, "%sq%d", i > 1 ? ", " : "", i);
    text_add(&writer.text, "\n");
    write_energy(&writer);
    write_kept_conditions(&writer);
    write_second(&writer);
    write_speeds(&writer);
    return writer.text;
}

static bool holds_with_servos(FormKind kind, const Motion *motion)
{
    if (kind == FORM_KORTEWEG)
        return motion->second_count == 0;
    return kind == FORM_MAGGI || kind == FORM_APPELL || kind == FORM_KANE || kind == FORM_GAUSS;
}

static void prove(Motion *motion, const Form *yardstick, FormKind kind, const char *model,
                  uint64_t seed)
{
    Form *form = form_derive(kind, motion);
    if (holds_with_servos(kind, motion)) {
        assert_null(form->reason);
        Verdict verdict = inquiry_forms_agree(motion, yardstick, form);
        if (verdict.answer != ANSWER_YES) {
            print_message("seed %llu, %s: %s %s\n%s", (unsigned long long)seed, form_name(kind),
                          verdict.reason ? verdict.reason : "disagrees at",
                          verdict.witness ? verdict.witness : "", model);
            fail();
        }
        verdict_clear(&verdict);
    } else {
        assert_non_null(form->reason);
        if (motion->second_count == 0)
            assert_non_null(strstr(form->reason, "a servo keeps a condition"));
    }
    form_free(form);
}

static void forms_agree(void **state)
{
    (void)state;
    size_t proved = 0, wrong = 0, seconds = 0;
    for (uint64_t seed = 1; seed <= SYSTEMS * test_size(); seed++) {
        Text text = write_servo_system(seed);
        Loaded loaded = load_text("random", text.at);
        // A force may happen to be one that cannot keep its condition.
        bool good = loaded.status == STATUS_OK &&
                    motion_check_inertia(loaded.motion, loaded.diag) == STATUS_OK;
        if (good) {
            Form *yardstick = form_derive(FORM_MULTIPLIERS, loaded.motion);
            for (int i = 0; i < FORM_COUNT; i++)
                if (i != FORM_MULTIPLIERS)
                    prove(loaded.motion, yardstick, (FormKind)i, text.at, seed);
            form_free(yardstick);
        }
        proved += good;
        seconds += good && loaded.motion->second_count > 0;
        wrong += !good;
        unload(&loaded);
        text_clear(&text);
    }
    assert_true(proved > 2 * wrong);
    assert_true(seconds > SYSTEMS / 10);
}

// A force that is the condition's own reaction is an ideal condition: the same equations.
static void own_direction_is_ideal(void **state)
{
    (void)state;
    Loaded servo = load_good("m.zw", "coord x, y, z\npoint P = [x, y, z]\nmass 1 at P\n"
                                     "servo s: z' = y*x' by force [-y, 0, 1] at P\n");
    Loaded ideal = load_good("m.zw", "coord x, y, z\npoint P = [x, y, z]\nmass 1 at P\n"
                                     "constraint s: z' = y*x'\n");
    Text texts[2] = {0};
    Loaded *loaded[] = {&servo, &ideal};
    for (int i = 0; i < 2; i++) {
        Form *form = form_derive(FORM_MULTIPLIERS, loaded[i]->motion);
        for (size_t j = 0; j < form->equations.count; j++) {
            expr_print(loaded[i]->motion->pool, form->equations.at[j].right, &texts[i]);
            text_add(&texts[i], "; ");
        }
        form_free(form);
    }
    assert_string_equal(texts[0].at, texts[1].at);
    assert_string_equal(texts[0].at, "-y*lambda.s; 0; lambda.s; ");
    text_clear(&texts[0]);
    text_clear(&texts[1]);
    unload(&servo);
    unload(&ideal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_agree),
        cmocka_unit_test(own_direction_is_ideal),
    };
    int failed = cmocka_run_group_tests_name("inquiry/servos", tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
