// agree_case.h: what must vanish, and forms that must agree; a failure is shown with its reason.
#ifndef ZWANG_TESTS_AGREE_CASE_H
#define ZWANG_TESTS_AGREE_CASE_H

#include "support.h"

#include "inquiry/inquiry.h"

static inline void assert_yes(Verdict verdict, const char *name, const char *what)
{
    if (verdict.answer != ANSWER_YES)
        print_message("%s: %s: %s %s\n", name, what, verdict.reason ? verdict.reason : "",
                      verdict.witness ? verdict.witness : "");
    assert_int_equal(verdict.answer, ANSWER_YES);
    verdict_clear(&verdict);
}

static inline void assert_zero(Motion *motion, const char *name, const char *what, Expr e)
{
    assert_yes(algebra_is_zero(motion->algebra, e), name, what);
}

// Every form against the one of multipliers.
static inline void assert_forms_agree(Motion *motion, const char *name)
{
    Form *yardstick = form_derive(FORM_MULTIPLIERS, motion);
    for (int i = 0; i < FORM_COUNT; i++) {
        // These are Hamel's equations for speeds that are not linear.
        if (i == FORM_MULTIPLIERS || i == FORM_JOHNSEN1 || i == FORM_JOHNSEN2)
            continue;
        Form *form = form_derive((FormKind)i, motion);
        assert_yes(inquiry_forms_agree(motion, yardstick, form), name, form_name((FormKind)i));
        form_free(form);
    }
    form_free(yardstick);
}

#endif
