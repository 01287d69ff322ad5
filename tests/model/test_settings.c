// A setting replaces defaults and starts; what it cannot replace is an error.
#include "reading.h"

static const char text[] = "const N = 2\n"
                           "param m = 1, k = 2*m, g, length = 1\n"
                           "coord q[N], x\n"
                           "kinetic m*x'^2 + sum(i in 1..N, q[i]'^2)\n"
                           "speed u = x'\n"
                           "let c = m\n"
                           "initial x = 1, q[2]' = 3\n";

static const ModelStart *find_start(const Reading *reading, StartOf of, size_t target)
{
    for (size_t i = 0; i < reading->model->starts.count; i++)
        if (reading->model->starts.at[i].of == of && reading->model->starts.at[i].target == target)
            return &reading->model->starts.at[i];
    return NULL;
}

static void defaults_are_replaced(void **state)
{
    (void)state;
    Reading r = read_good_with(text, (const char *const[]){"m=3,g=m*k", NULL});
    double values[4];
    assert_int_equal(model_param_values(r.model, r.diag, values), STATUS_OK);
    assert_true(values[0] == 3 && values[1] == 6 && values[2] == 18);
    finish(&r);
    // A value may name a parameter that is declared below.
    r = read_good_with(text, (const char *const[]){"m=g/2", "g=4", NULL});
    assert_int_equal(model_param_values(r.model, r.diag, values), STATUS_OK);
    assert_true(values[0] == 2 && values[1] == 4 && values[2] == 4);
    finish(&r);
    // The last of several counts.
    r = read_good_with(text, (const char *const[]){"m=5,m=7", "g=0,m=9", NULL});
    assert_int_equal(model_param_values(r.model, r.diag, values), STATUS_OK);
    assert_true(values[0] == 9);
    finish(&r);
}

static void constants_are_replaced(void **state)
{
    (void)state;
    Reading r = read_good_with(text, (const char *const[]){"N=2+3", NULL});
    assert_int_equal(r.model->coords.count, 6);
    finish(&r);
}

static void starts_are_replaced(void **state)
{
    (void)state;
    Reading r =
        read_good_with(text, (const char *const[]){"x=m/2,x'=2", "u=4,q[2]'=-1,q=[8,9]", NULL});
    assert_means(&r, find_start(&r, START_COORD, 2)->value, "m/2");
    assert_means(&r, find_start(&r, START_VELOCITY, 2)->value, "2");
    assert_means(&r, find_start(&r, START_SPEED, 0)->value, "4");
    assert_means(&r, find_start(&r, START_VELOCITY, 1)->value, "-1");
    assert_means(&r, find_start(&r, START_COORD, 1)->value, "9");
    assert_int_equal(r.model->starts.count, 6);
    finish(&r);
}

static void mistakes_are_placed_in_the_command_line(void **state)
{
    (void)state;
    assert_wrong_with(text, (const char *const[]){"x=1,lenght=2", NULL},
                      "setting:1:5: error: unknown name 'lenght'; did you mean "
                      "'length'?\n"
                      "    x=1,lenght=2\n"
                      "        ^~~~~~\n");
    assert_wrong_with(text, (const char *const[]){"c=1", NULL},
                      "setting:1:1: error: a setting takes constants, parameters, coordinates, "
                      "velocities and speeds, and 'c' is an abbreviation\n"
                      "    c=1\n"
                      "    ^\n");
    assert_wrong_with(text, (const char *const[]){"m=x", NULL},
                      "setting:1:3: error: a parameter's value is made of numbers and "
                      "parameters, without coordinates\n"
                      "    m=x\n"
                      "      ^\n");
    assert_wrong_with(text, (const char *const[]){"m=2*k", NULL},
                      "setting:1:1: error: the value of 'm' depends on itself\n"
                      "    m=2*k\n"
                      "    ^\n");
    assert_wrong_with(text, (const char *const[]){"m=", NULL},
                      "setting:1:2: error: an expression is missing after '='\n"
                      "    m=\n"
                      "     ^\n");
    assert_wrong_with(text, (const char *const[]){"q[3]=1", NULL},
                      "setting:1:1: error: the index 3 is outside 1..2 of 'q'\n"
                      "    q[3]=1\n"
                      "    ^~~~\n");
    assert_wrong_with(text, (const char *const[]){"m", NULL},
                      "setting:1:1: error: '=' with a value is missing after 'm'\n"
                      "    m\n"
                      "    ^\n");
    assert_wrong_with(text, (const char *const[]){"N=1/2", NULL},
                      "setting:1:3: error: a constant is an integer, in numbers and earlier "
                      "constants\n"
                      "    N=1/2\n"
                      "      ^~~\n");
    assert_wrong_with(text, (const char *const[]){"x''=1", NULL},
                      "setting:1:1: error: a start has no accelerations; they follow from "
                      "the equations\n"
                      "    x''=1\n"
                      "    ^~~\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_replaced),
        cmocka_unit_test(constants_are_replaced),
        cmocka_unit_test(starts_are_replaced),
        cmocka_unit_test(mistakes_are_placed_in_the_command_line),
    };
    return cmocka_run_group_tests_name("model/settings", tests, NULL, NULL);
}
