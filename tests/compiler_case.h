// compiler_case.h: tests that need a compiler say so and are left out where there is none.
#ifndef ZWANG_TESTS_COMPILER_CASE_H
#define ZWANG_TESTS_COMPILER_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"
#include "program/native.h"

static inline void need_compiler(void)
{
    Text why = {0};
    NativeCode *code = native_code_new("int zwang_here = 1;\n", NATIVE_EXACT, NATIVE_COMPILE, &why);
    if (!code) {
        print_message("skipped: %s\n", why.at);
        text_clear(&why);
        skip();
    }
    native_code_free(code);
    text_clear(&why);
}

#endif
