// Columns and matrices against the same formulas written out: two texts of one model.
#include "same_model.h"
#include "test_size.h"
#include "uniform.h"

static size_t draw(Random *random, size_t most)
{
    return 1 + (size_t)uniform(random, 0, (double)most - 1e-9);
}

// Σ over k of NAME[i,k]·other.
static void add_row(Text *text, const char *name, size_t i, size_t columns, const char *column)
{
    for (size_t k = 1; k <= columns; k++)
        text_addf(text, "%s%s[%zu,%zu]*%s[%zu]", k > 1 ? " + " : "", name, i, k, column, k);
}

static void add_matrix(Text *text, const char *name, size_t rows, size_t columns, bool nested)
{
    text_addf(text, "param %s[%zu,%zu] = [", name, rows, columns);
    for (size_t i = 0; i < rows; i++) {
        text_add(text, i ? ", " : "");
        text_add(text, nested ? "[" : "");
        for (size_t j = 0; j < columns; j++)
            text_addf(text, "%s%zu", j ? ", " : "", 7 * i + 3 * j + 2);
        text_add(text, nested ? "]" : "");
    }
    text_add(text, "]\n");
}

// Forces −K·q − D·q' along q, K and D drawn; a potential and a norm; sums and differences.
static void feedback(void **state)
{
    (void)state;
    Random random = random_seed(81);
    for (size_t round = 0; round < 8 * test_size(); round++) {
        size_t n = draw(&random, 4);
        Text one = {0}, two = {0};
        for (int other = 0; other < 2; other++) {
            Text *text = other ? &two : &one;
            add_matrix(text, "K", n, n, !other);
            add_matrix(text, "D", n, n, other);
            text_addf(text, "coord q[%zu]\nfor i in 1..%zu { kinetic q[i]'^2 }\n", n, n);
        }
        text_add(&one, "let u = -K*q - D*q'/2\nforce u along q\n"
                       "potential dot(q, transpose(K)*q)\noutput e = norm(2*q)\n"
                       "output w = (K - D)*q\n");
        for (size_t i = 1; i <= n; i++) {
            text_add(&two, "force -(");
            add_row(&two, "K", i, n, "q");
            text_add(&two, ") - (");
            for (size_t k = 1; k <= n; k++)
                text_addf(&two, "%sD[%zu,%zu]*q[%zu]'", k > 1 ? " + " : "", i, k, k);
            text_addf(&two, ")/2 along q[%zu]\n", i);
        }
        text_addf(&two, "potential sum(i in 1..%zu, q[i]*sum(k in 1..%zu, K[k,i]*q[k]))\n", n, n);
        text_addf(&two, "output e = sqrt(sum(i in 1..%zu, (2*q[i])^2))\n", n);
        for (size_t i = 1; i <= n; i++)
            text_addf(&two, "output w[%zu] = sum(k in 1..%zu, (K[%zu,k] - D[%zu,k])*q[k])\n", i, n,
                      i, i);
        assert_same_models(one.at, two.at);
        text_clear(&one);
        text_clear(&two);
    }
}

// A column of one entry, also by its name, is a number wherever one stands.
static void columns_of_one(void **state)
{
    (void)state;
    const char *head = "param K[1,2] = [[3, 2]]\ncoord x\nkinetic x'^2/2\n";
    Text one = {0}, two = {0};
    text_addf(&one,
              "%slet u = -K*[x, x']\nforce u along x\nforce 0.3*x - 2*u + 1 along x\n"
              "force sin(u)/(2 + u^2) along x\noutput e = 1/u\noutput f = max(u, x)\n",
              head);
    text_addf(&two,
              "%slet u = -K[1,1]*x - K[1,2]*x'\nforce u along x\nforce 0.3*x - 2*u + 1 along x\n"
              "force sin(u)/(2 + u^2) along x\noutput e = 1/u\noutput f = max(u, x)\n",
              head);
    assert_same_models(one.at, two.at);
    text_clear(&one);
    text_clear(&two);
}

// A product of three with other sizes, and a column of one as a scalar.
static void products(void **state)
{
    (void)state;
    Random random = random_seed(82);
    for (size_t round = 0; round < 8 * test_size(); round++) {
        size_t a = draw(&random, 4), b = draw(&random, 3), c = draw(&random, 3);
        Text one = {0}, two = {0};
        for (int other = 0; other < 2; other++) {
            Text *text = other ? &two : &one;
            add_matrix(text, "A", a, b, true);
            add_matrix(text, "B", b, c, true);
            text_addf(text, "coord x[%zu], y[%zu]\nkinetic x[1]'^2 + y[1]'^2\n", a, c);
        }
        text_add(&one, "potential transpose(x)*A*B*y\n");
        text_addf(&two,
                  "potential sum(k in 1..%zu, sum(j in 1..%zu, sum(i in 1..%zu, x[i]*A[i,j])"
                  "*B[j,k])*y[k])\n",
                  c, b, a);
        assert_same_models(one.at, two.at);
        text_clear(&one);
        text_clear(&two);
    }
}

// Vectors are columns beside matrices, and columns of three are vectors.
static void vectors(void **state)
{
    (void)state;
    assert_same_models(
        "param R[3,3] = [[1, 2, 0], [0, 1, 3], [4, 0, 1]]\ncoord x, q[3]\n"
        "mass 1 at R*[x, 0, 1]\nkinetic q[1]'^2 + q[2]'^2 + q[3]'^2\nforce q at [x, 0, 0] on [x, "
        "0, 0]\n"
        "force [x, 2, 3] along q\ninitial q = R*[1, 0, 0], q' = [1, 2, 3]\n",
        "param R[3,3] = [1, 2, 0, 0, 1, 3, 4, 0, 1]\ncoord x, q[3]\n"
        "mass 1 at [R[1,1]*x + R[1,3], R[2,1]*x + R[2,3], R[3,1]*x + R[3,3]]\n"
        "kinetic q[1]'^2 + q[2]'^2 + q[3]'^2\n"
        "force [q[1], q[2], q[3]] at [x, 0, 0] on [x, 0, 0]\n"
        "force x along q[1]; force 2 along q[2]; force 3 along q[3]\n"
        "initial q[1] = R[1,1], q[2] = R[2,1], q[3] = R[3,1], q[1]' = 1, q[2]' = 2, q[3]' = 3\n");
}

// Entries have units of their own.
static void units(void **state)
{
    (void)state;
    const char *data =
        "param m = 2 kg, l = 1 m, A = 1 m^2\n"
        "param K[2,4] = [[3 N/m, 1 N, 2 N*s/m, 5 N*s], [4 N, 5 N*m, 1 N*s, 3 N*m*s]]\n"
        "param F[2,3] = [1 N/m, 2 N/m, 3 N, 4 N, 5 N, 6 N*m]\n"
        "coord x in m, theta in rad, q[2] in m\n"
        "kinetic m*x'^2/2 + m*l^2*theta'^2/2\nfor i in 1..2 { kinetic m*q[i]'^2/2 }\n";
    Text one = {0}, two = {0};
    text_addf(&one,
              "%slet u = -K*[x, theta, x', theta']\nforce u[1] along x\nforce u[2] along theta\n"
              "force -F[1,1]*q - K[1,3]*q' along q\noutput e = norm(q), w = dot(q, q)/A\n"
              "output v in mm = 2*q\ninitial q = [30 cm, 2 m]\n",
              data);
    text_addf(&two,
              "%sforce -(K[1,1]*x + K[1,2]*theta + K[1,3]*x' + K[1,4]*theta') along x\n"
              "force -(K[2,1]*x + K[2,2]*theta + K[2,3]*x' + K[2,4]*theta') along theta\n"
              "for i in 1..2 { force -F[1,1]*q[i] - K[1,3]*q[i]' along q[i] }\n"
              "output e = sqrt(q[1]^2 + q[2]^2), w = (q[1]^2 + q[2]^2)/A\n"
              "output v[1] in mm = 2*q[1], v[2] in mm = 2*q[2]\ninitial q[1] = 30 cm, q[2] = 2 m\n",
              data);
    assert_same_models(one.at, two.at);
    text_clear(&one);
    text_clear(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feedback), cmocka_unit_test(columns_of_one), cmocka_unit_test(products),
        cmocka_unit_test(vectors),  cmocka_unit_test(units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
