// The systems that everybody knows, at tolerance 1e-11: closed forms, and second formulations in
// other coordinates, to 1e-9 of the size of what is compared.
#include "run_case.h"

#include "files.h"

#define TOLERANCE 1e-11
#define AGREE     1e-9

static const char models[] = ZWANG_SOURCE_DIR "/models/";
static const char twins[] = ZWANG_SOURCE_DIR "/tests/gallery/twins/";

// A model from a file, with settings and with lines added to it, run as it says but for the
// tolerance.
typedef struct {
    RunCase kase;
    Text text;
    Source *setting;
} FileCase;

static FileCase run_file(const char *folder, const char *name, const char *settings,
                         const char *lines)
{
    FileCase file = {.text = read_file(folder, name, ".zw")};
    RunCase *kase = &file.kase;
    text_addf(&file.text, "\n%s", lines);
    kase->diag = diag_new();
    kase->source = source_new(name, file.text.at, file.text.length);
    file.setting = source_new("setting", settings, strlen(settings));
    RunOptions options = run_options();
    options.tolerance = TOLERANCE;
    ModelSetting setting = {file.setting};
    kase->status = model_read(kase->source, &setting, settings[0] != 0, kase->diag, &kase->model);
    if (kase->status == STATUS_OK)
        kase->status = hidden_motion_new(kase->model, false, kase->diag, &kase->motion);
    if (kase->status == STATUS_OK)
        kase->status = run_new(kase->motion, &options, kase->diag, &kase->run);
    if (kase->status == STATUS_OK)
        kase->columns = run_column_count(kase->run);
    case_go(kase);
    case_expect(kase, STATUS_OK);
    return file;
}

static void file_case_free(FileCase *file)
{
    case_free(&file->kase);
    source_free(file->setting);
    text_clear(&file->text);
}

// ---- Closed forms: an output `is` and an output `should`, with a number behind each.

static const struct {
    const char *model, *settings, *lines;
    size_t count;
} closed[] = {
    {"blade", "",
     "let V = sqrt(1 + I/(4*m))\nlet Th = tanh(m*s*V*t/I)\n"
     "output is1 = v\noutput should1 = V*(V*Th - 1)/(V - Th)\n"
     "output is2 = w\noutput should2 = V/2*sqrt(1 - Th^2)/(V - Th)\n",
     2},
    // Without the pull it is a blade: v = h tanh.
    {"cart", "Z=0",
     "let M0 = m + 2*CR/r^2\nlet I0 = I + 2*CR*b^2/r^2\nlet h = sqrt(1 + I0/(4*M0))\n"
     "let Th = tanh(h*m*a*t/I0)\n"
     "output is1 = v\noutput should1 = h*(1 + h*Th)/(h + Th)\n"
     "output is2 = w\noutput should2 = 0.5*h*sqrt(1 - Th^2)/(h + Th)\n",
     2},
    {"cylinder", "",
     "let k = sqrt(J/(J + m*a^2))*n\nlet s = -m*g*a^2/(J*n^2)\n"
     "output is1 = x\noutput should1 = (R - a)*(0.6*cos(n*t) - 0.8*sin(n*t))\n"
     "output is2 = z\noutput should2 = s*(1 - cos(k*t)) + 0.1*sin(k*t)/k\n"
     "output is3 = drill\noutput should3 = n/a*(s*(1 - cos(k*t)) + 0.1*sin(k*t)/k)\n",
     3},
};

static void test_closed_forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
        FileCase file = run_file(models, closed[i].model, closed[i].settings, closed[i].lines);
        for (size_t c = 1; c <= closed[i].count; c++) {
            char is[32], should[32];
            snprintf(is, sizeof is, "is%zu", c);
            snprintf(should, sizeof should, "should%zu", c);
            double size = case_largest(&file.kase, should), most = 0;
            for (size_t row = 0; row < case_row_count(&file.kase); row++)
                most = fmax(most, fabs(case_value(&file.kase, row, is) -
                                       case_value(&file.kase, row, should)));
            if (!(most <= AGREE * size))
                fail_msg("%s: %s misses its closed form by %g", closed[i].model, is, most / size);
        }
        file_case_free(&file);
    }
}

// ---- Second formulations: the same outputs of both, as vectors.

static const struct {
    const char *one, *settings, *of_one;
    const char *folder, *two, *of_two;
} pairs[] = {
    {"hoop", "", "output centre = G\noutput axle = lean.y\noutput mark = wheel.x\n", twins,
     "hoop_quaternion", "output centre = G\noutput axle = wheel.y\noutput mark = wheel.x\n"},
    {"top", "", "output centre = G\noutput axle = F.y\n", models, "top_quaternion",
     "output centre = G\noutput axle = F.y\n"},
    {"chaplygin", "e0=cos(1/2),e1=sin(1/2),e2=0,e3=0,p=1,q=0.5,r=10",
     "output centre = G\noutput axle = F.z\noutput mark = F.x\n", twins, "chaplygin_angles",
     "output centre = G\noutput axle = F.z\noutput mark = F.x\n"},
    {"fourbar", "", "output centre = P\noutput axle = Q\noutput mark = velocity(Q)\n", twins,
     "fourbar_points",
     "output centre = [px, py, 0]\noutput axle = [qx, qy, 0]\noutput mark = [qx', qy', 0]\n"},
};

static void test_second_formulations(void **state)
{
    (void)state;
    static const char *const columns[] = {"centre.x", "centre.y", "centre.z", "axle.x", "axle.y",
                                          "axle.z",   "mark.x",   "mark.y",   "mark.z"};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        FileCase one = run_file(models, pairs[i].one, pairs[i].settings, pairs[i].of_one);
        FileCase two = run_file(pairs[i].folder, pairs[i].two, "", pairs[i].of_two);
        assert_int_equal(case_row_count(&one.kase), case_row_count(&two.kase));
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
            // Of a vector, the whole is the measure.
            double size = 0, most = 0;
            for (size_t part = c / 3 * 3; part < c / 3 * 3 + 3; part++)
                size = fmax(size, case_largest(&one.kase, columns[part]));
            for (size_t row = 0; row < case_row_count(&one.kase); row++)
                most = fmax(most, fabs(case_value(&one.kase, row, columns[c]) -
                                       case_value(&two.kase, row, columns[c])));
            if (!(most <= AGREE * size))
                fail_msg("%s and %s differ by %g in %s", pairs[i].one, pairs[i].two, most / size,
                         columns[c]);
        }
        file_case_free(&one);
        file_case_free(&two);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_second_formulations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
