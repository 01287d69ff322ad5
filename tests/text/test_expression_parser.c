// Expressions become the trees that the precedence of the language asks for.
#include "tree.h"

static void assert_tree(const char *text, const char *expected)
{
    Source *source = source_new("e", text, strlen(text));
    Diag *diag = diag_new();
    Text out = {0};
    Syntax *syntax = syntax_read_expression(source, diag);
    write_messages(diag, &out);
    if (!syntax->statements.at[0].broken)
        write_node(syntax, syntax->parts.at[0].span.root, &out);
    assert_string_equal(out.at, expected);
    text_clear(&out);
    syntax_free(syntax);
    diag_free(diag);
    source_free(source);
}

static void operators_bind_by_rank(void **state)
{
    (void)state;
    assert_tree("a+b-c+d", "(+ a b -c d)");
    assert_tree("a*b/c*d", "(* a b /c d)");
    assert_tree("a-b*c^d", "(+ a -(* b (^ c d)))");
    assert_tree("a^b^c", "(^ a (^ b c))");
    assert_tree("-x^2", "(neg (^ x 2))");
    assert_tree("-x*y", "(* (neg x) y)");
    assert_tree("2^-1", "(^ 2 (neg 1))");
    assert_tree("2^-x^2*y", "(* (^ 2 (neg (^ x 2))) y)");
    assert_tree("a*-b", "(* a (neg b))");
    assert_tree("a - -b", "(+ a -(neg b))");
    assert_tree("+a", "a");
    assert_tree("--a", "(neg (neg a))");
}

// Digits above the line belong to what stands before them, as printed equations have them.
static void raised_digits_are_powers(void **state)
{
    (void)state;
    assert_tree("x²", "(^ x 2)");
    assert_tree("-x²*y", "(* (neg (^ x 2)) y)");
    assert_tree("x′²", "(^ (' 1 x) 2)");
    assert_tree("(a + b)¹⁰", "(^ (+ a b) 10)");
    assert_tree("2^x²", "(^ 2 (^ x 2))");
    assert_tree("x⁻¹ + q[2]⁻²³", "(+ (^ x (neg 1)) (^ q[2] (neg 23)))");
    assert_tree("sin(x)²", "(^ (sin x) 2)");
}

// Behind the primes of a function stand its arguments; a number for each derivative may come first.
static void functions_have_derivatives(void **state)
{
    (void)state;
    assert_tree("f'(s)", "(f' s)");
    assert_tree("f\'\'(s)*x'", "(* (f\'\' s) (' 1 x))");
    assert_tree("f′(s)²", "(^ (f' s) 2)");
    assert_tree("f″′(s)", "(f\'\'\' s)");
    assert_tree("U'[1,2](x, y)", "(U'[2] 1 2 x y)");
    assert_tree("U'[i](f(x), -y)'", "(' 1 (U'[1] i (f x) (neg y)))");
    assert_tree("f'()", "(f')");
    assert_tree("q[2]'", "(' 1 q[2])");
    assert_tree("x'[2]", "e:1:3: error: only a name can have an index; a component is written v.x, "
                         "v.y or v.z\n    x'[2]\n      ^\n");
    assert_tree("U'[1,](x)", "e:1:3: error: only a name can have an index; a component is written "
                             "v.x, v.y or v.z\n    U'[1,](x)\n      ^\n");
}

static void parentheses_stay_as_nesting(void **state)
{
    (void)state;
    assert_tree("(a+b)+c", "(+ (+ a b) c)");
    assert_tree("a-(b-c)", "(+ a -(+ b -c))");
    assert_tree("a/(b*c)", "(* a /(* b c))");
    assert_tree("((((a))))", "a");
    assert_tree("(a^b)^c", "(^ (^ a b) c)");
}

static void primes_bind_tightest(void **state)
{
    (void)state;
    assert_tree("x'^2", "(^ (' 1 x) 2)");
    assert_tree("x''", "(' 2 x)");
    assert_tree("(a*b)'", "(' 1 (* a b))");
    assert_tree("q[2]'", "(' 1 q[2])");
    assert_tree("P.x'", "(' 1 P.x)");
    assert_tree("sin(x)'", "(' 1 (sin x))");
    assert_tree("-x'", "(neg (' 1 x))");
}

static void other_spellings_mean_the_same(void **state)
{
    (void)state;
    assert_tree("θ", "theta");
    assert_tree("ϑ + ϕ + ϵ + µ", "(+ theta phi epsilon mu)");
    assert_tree("ω₁₂", "omega12");
    assert_tree("Ω_θ", "Omega_theta");
    assert_tree("θ′ + θ″ − a·b", "(+ (' 1 theta) (' 2 theta) -(* a b))");
    assert_tree("x″′", "(' 3 x)");
    assert_tree("π", "pi");
}

static void numbers_end_where_they_should(void **state)
{
    (void)state;
    assert_tree("1e0", "1e0");
    assert_tree("1.5e-3", "1.5e-3");
    assert_tree("2e+4*e0", "(* 2e+4 e0)");
    assert_tree("E1", "E1");
    assert_tree("q[1..N]", "q[(.. 1 N)]");
    assert_tree("q[0.5..2]", "q[(.. 0.5 2)]");
    assert_tree("2e", "e:1:2: error: 'e' cannot follow '2' directly; a product is written with "
                      "'*'\n    2e\n     ^\n");
    assert_tree(".5", "e:1:1: error: a number begins with a digit; write 0.5\n    .5\n    ^\n");
}

static void calls_vectors_and_sums(void **state)
{
    (void)state;
    assert_tree("atan2(y, x)", "(atan2 y x)");
    assert_tree("f()", "(f)");
    assert_tree("sin", "sin");
    assert_tree("[a, b, c] in F", "(in (vec a b c) F)");
    assert_tree("[a, b, c] in F[2]*2", "(* (in (vec a b c) F[2]) 2)");
    assert_tree("([1, 2, 3] in F)'", "(' 1 (in (vec 1 2 3) F))");
    assert_tree("[1, 2, 3].x", "(vec 1 2 3).x");
    assert_tree("velocity(K on hoop)", "(velocity (on K hoop))");
    assert_tree("velocity(K + r*e.z on B[i])", "(velocity (on (+ K (* r e.z)) B[i]))");
    assert_tree("h[i, j+1, mod(k, N)]", "h[i (+ j 1) (mod k N)]");
    assert_tree("lambda.roll.x", "lambda.roll.x");
    assert_tree("lambda.c[2].x", "lambda.c[2].x");
    assert_tree("sum(i in 1..N, q[i])", "(sum (each i 1 N) q[i])");
    assert_tree("sum(i in 1..N, j in i..2*N, q[i]*q[j])",
                "(sum (each i 1 N) (each j i (* 2 N)) (* q[i] q[j]))");
    assert_tree("sum(k in 1..2, i, j in pairs(1..N + 1), k*q[i]*q[j])",
                "(sum (each k 1 2) (each i 1 (+ N 1)) (each j (+ N 1)) (* k q[i] q[j]))");
    assert_tree("2*sum(i in 1..2, sum(j in 1..i, j))",
                "(* 2 (sum (each i 1 2) (sum (each j 1 i) j)))");
}

static void lines_do_not_matter_inside_brackets(void **state)
{
    (void)state;
    assert_tree("(a\n+\nb\n)", "(+ a b)");
    assert_tree("[a,\n # one\n b\n , c]", "(vec a b c)");
}

static void mistakes_have_their_sentence(void **state)
{
    (void)state;
    assert_tree("(a, b)", "e:1:3: error: a comma cannot stand in '(…)'; a vector is written "
                          "[a, b, c]\n    (a, b)\n      ^\n");
    assert_tree("(a + b", "e:1:1: error: this '(' is not closed; a ')' is missing\n"
                          "    (a + b\n    ^\n");
    assert_tree("sin(a]", "e:1:6: error: '(' is closed by ')', not by ']'\n"
                          "    sin(a]\n         ^\n");
    assert_tree("a)", "e:1:2: error: this ')' closes no bracket\n    a)\n     ^\n");
    assert_tree("a*", "e:1:2: error: an expression is missing after '*'\n    a*\n     ^\n");
    assert_tree("()", "e:1:2: error: an expression is expected here, not ')'\n    ()\n     ^\n");
    assert_tree("x**2", "e:1:3: error: a power is written with '^', not '**'\n"
                        "    x**2\n      ^\n");
    assert_tree("(a)[1]", "e:1:4: error: only a name can have an index; a component is written "
                          "v.x, v.y or v.z\n    (a)[1]\n       ^\n");
    assert_tree("sum(q)", "e:1:1: error: 'sum' runs over a range; write sum(i in 1..N, …)\n"
                          "    sum(q)\n    ^~~\n");
    assert_tree("a == b", "e:1:3: error: an equation is written with one '='\n"
                          "    a == b\n      ^~\n");
    assert_tree("x⁻", "e:1:2: error: digits follow a raised minus, as in x⁻¹\n    x⁻\n     ^\n");
    assert_tree("é", "e:1:1: error: 'é' is not part of the language; a name is made of Latin and "
                     "Greek letters, digits and '_'\n    é\n    ^\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_bind_by_rank),
        cmocka_unit_test(raised_digits_are_powers),
        cmocka_unit_test(functions_have_derivatives),
        cmocka_unit_test(parentheses_stay_as_nesting),
        cmocka_unit_test(primes_bind_tightest),
        cmocka_unit_test(other_spellings_mean_the_same),
        cmocka_unit_test(numbers_end_where_they_should),
        cmocka_unit_test(calls_vectors_and_sums),
        cmocka_unit_test(lines_do_not_matter_inside_brackets),
        cmocka_unit_test(mistakes_have_their_sentence),
    };
    return cmocka_run_group_tests_name("text/expression", tests, NULL, NULL);
}
