// A run does not pass over what it cannot do: percussions are refused at their places.
#include "support.h"

#include "run/run.h"

static void impulses_are_refused(void **state)
{
    (void)state;
    Loaded loaded = load_good("m.zw", "coord x, y\nmass 1 at [x, y, 0]\n"
                                      "impulse 2 along x when t = 1\n"
                                      "impulse [0, 1, 0] at [x, y, 0] when t = 2\n");
    RunOptions options = run_options();
    Run *run;
    assert_int_equal(run_new(loaded.motion, &options, loaded.diag, &run), STATUS_WRONG);
    assert_null(run);
    Text said = {0};
    diag_render(loaded.diag, DIAG_ERROR, &said);
    assert_string_equal(said.at,
                        "m.zw:3:1: error: this version cannot run a model with 'impulse' yet; "
                        "remove it to run the motion without it\n"
                        "    impulse 2 along x when t = 1\n"
                        "    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                        "m.zw:4:1: error: this version cannot run a model with 'impulse' yet; "
                        "remove it to run the motion without it\n"
                        "    impulse [0, 1, 0] at [x, y, 0] when t = 2\n"
                        "    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
    text_clear(&said);
    unload(&loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(impulses_are_refused)};
    return cmocka_run_group_tests_name("run/impulse", tests, NULL, NULL);
}
