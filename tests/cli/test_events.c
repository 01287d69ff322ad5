// Events in files of every kind: a ball that bounces, whose events are known in closed form, read
// back from HDF5, JSON, JSON lines and CSV.
#include "cli/program.h"

#include <hdf5.h>
#include <math.h>

#define BALL "'" ZWANG_SOURCE_DIR "/models/bouncing_ball.zw'"

enum { MOST_EVENTS = 128 };

// An event, as it was read from a file.
typedef struct {
    double t, before[2], after[2], impulse, energy_lost;
    char kind[16], constraint[16];
} Record;

static Record records[MOST_EVENTS];
static size_t count;

// ---- The closed form: m = 1, from the height 1, with the restitution e. The speed of the k-th
// impact is e^k g t₁, and the ball flies 2 e^k t₁ after it.
static void assert_ball(double e, size_t impacts)
{
    const double g = 9.81, first = sqrt(2 / g);
    double t = first, speed = g * first;
    assert_true(count >= impacts);
    for (size_t i = 0; i < impacts; i++) {
        const Record *record = &records[i];
        assert_string_equal(record->kind, "impact");
        assert_string_equal(record->constraint, "floor");
        assert_true(fabs(record->t - t) < 1e-10 * (1 + t));
        assert_true(fabs(record->before[0] - 2) < 1e-10 && fabs(record->after[0] - 2) < 1e-10);
        assert_true(fabs(record->before[1] + speed) < 1e-9);
        assert_true(fabs(record->after[1] - e * speed) < 1e-9);
        assert_true(fabs(record->impulse - (1 + e) * speed) < 1e-9);
        assert_true(fabs(record->energy_lost - (1 - e * e) * speed * speed / 2) < 1e-8);
        speed *= e;
        t += 2 * speed / g;
    }
}

// ---- HDF5.

static const char *in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

// Reads a dataset of so many values an event; how many events there are.
static size_t read_numbers(hid_t file, const char *name, size_t width, double *values)
{
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(dataset >= 0);
    hid_t space = H5Dget_space(dataset);
    size_t total = (size_t)H5Sget_simple_extent_npoints(space);
    assert_true(total <= MOST_EVENTS * width);
    assert_int_equal(H5Sget_simple_extent_ndims(space), width > 1 ? 2 : 1);
    assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    H5Dclose(dataset);
    return total / width;
}

static void read_texts(hid_t file, const char *name, size_t expected, char **values)
{
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(dataset >= 0);
    hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
    assert_int_equal(H5Sget_simple_extent_npoints(space), (hssize_t)expected);
    assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(dataset);
}

static void read_hdf5(const char *name)
{
    static double t[MOST_EVENTS], before[2 * MOST_EVENTS], after[2 * MOST_EVENTS];
    static double impulse[MOST_EVENTS], lost[MOST_EVENTS], rows[7 * MOST_EVENTS];
    static char *kinds[MOST_EVENTS], *constraints[MOST_EVENTS], *whats[MOST_EVENTS];
    hid_t file = H5Fopen(in_folder(name), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    count = read_numbers(file, "events/t", 1, t);
    assert_int_equal(read_numbers(file, "events/before", 2, before), count);
    assert_int_equal(read_numbers(file, "events/after", 2, after), count);
    assert_int_equal(read_numbers(file, "events/impulse", 1, impulse), count);
    assert_int_equal(read_numbers(file, "events/energy_lost", 1, lost), count);
    assert_int_equal(read_numbers(file, "events/state", 7, rows), count);
    for (size_t i = 0; i < count; i++)
        assert_true(rows[7 * i] == t[i] && rows[7 * i + 4] == after[2 * i + 1]);
    read_texts(file, "events/kind", count, kinds);
    read_texts(file, "events/constraint", count, constraints);
    read_texts(file, "events/what", count, whats);
    for (size_t i = 0; i < count; i++) {
        records[i] = (Record){.t = t[i],
                              .before = {before[2 * i], before[2 * i + 1]},
                              .after = {after[2 * i], after[2 * i + 1]},
                              .impulse = impulse[i],
                              .energy_lost = lost[i]};
        snprintf(records[i].kind, sizeof records[i].kind, "%s", kinds[i]);
        snprintf(records[i].constraint, sizeof records[i].constraint, "%s", constraints[i]);
        assert_string_equal(whats[i], "");
        H5free_memory(kinds[i]);
        H5free_memory(constraints[i]);
        H5free_memory(whats[i]);
    }
    hid_t velocities = H5Aopen_by_name(file, "events", "velocities", H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = H5Aget_type(velocities);
    char *names[2];
    assert_true(H5Aread(velocities, type, names) >= 0);
    assert_string_equal(names[0], "x'");
    assert_string_equal(names[1], "z'");
    H5free_memory(names[0]);
    H5free_memory(names[1]);
    H5Tclose(type);
    H5Aclose(velocities);
    H5Fclose(file);
}

static bool has_dataset(const char *name, const char *dataset)
{
    hid_t file = H5Fopen(in_folder(name), H5F_ACC_RDONLY, H5P_DEFAULT);
    bool there = H5Lexists(file, dataset, H5P_DEFAULT) > 0;
    H5Fclose(file);
    return there;
}

// ---- Text.

// One JSON record; where the next one may begin.
static const char *read_json(const char *at)
{
    Record *record = &records[count];
    int length = 0;
    *record = (Record){0};
    int read = sscanf(at,
                      "{\"t\":%lf,\"kind\":\"%15[a-z]\",\"constraint\":\"%15[a-z]\","
                      "\"before\":{\"x'\":%lf,\"z'\":%lf},\"after\":{\"x'\":%lf,\"z'\":%lf}%n",
                      &record->t, record->kind, record->constraint, &record->before[0],
                      &record->before[1], &record->after[0], &record->after[1], &length);
    assert_int_equal(read, 7);
    at += length;
    if (sscanf(at, ",\"impulse\":%lf,\"energy_lost\":%lf%n", &record->impulse, &record->energy_lost,
               &length) == 2)
        at += length;
    // A rest says how far its time may be off; nothing else does.
    double uncertainty;
    bool rest = strcmp(record->kind, "rest") == 0;
    bool told = sscanf(at, ",\"uncertainty\":%lf%n", &uncertainty, &length) == 1;
    assert_true(told == rest);
    if (told) {
        assert_true(uncertainty >= 0 && uncertainty < 1e-6);
        at += length;
    }
    // The row after it.
    double t, vx, vz;
    assert_int_equal(sscanf(at,
                            ",\"state\":{\"t\":%lf,\"x\":%*f,\"z\":%*f,\"x'\":%lf,\"z'\":%lf,%n",
                            &t, &vx, &vz, &length),
                     3);
    assert_true(t == record->t && vx == record->after[0] && vz == record->after[1]);
    at = strchr(at, '}') + 1;
    assert_true(*at == '}');
    count++;
    return at + 1;
}

static void read_lines(const char *text)
{
    count = 0;
    while (*text) {
        text = read_json(text);
        assert_true(*text == '\n');
        text++;
    }
}

static void read_csv(const char *text)
{
    static const char head[] = "t,kind,constraint,before.x',before.z',after.x',after.z',impulse,"
                               "energy_lost,what,doubtful,rank,cone,branches,event,from,to,state.t,"
                               "state.x,state.z,state.x',"
                               "state.z',state.lambda.floor,state.energy\n";
    assert_begins(text, head);
    text += strlen(head);
    for (count = 0; *text; count++) {
        Record *record = &records[count];
        int length = 0;
        *record = (Record){0};
        int read = sscanf(text, "%lf,%15[a-z],%15[a-z],%lf,%lf,%lf,%lf,%lf,%lf,,0,,,%n", &record->t,
                          record->kind, record->constraint, &record->before[0], &record->before[1],
                          &record->after[0], &record->after[1], &record->impulse,
                          &record->energy_lost, &length);
        assert_int_equal(read, 9);
        double t, vz;
        read = sscanf(text + length, ",,,,%lf,%*f,%*f,%*f,%lf,", &t, &vz);
        assert_true(read == 2 && t == record->t && vz == record->after[1]);
        text = strchr(text, '\n') + 1;
    }
}

// ---- Tests.

static void test_beside_the_rows(void **state)
{
    (void)state;
    static char text[MOST_OUTPUT];
    // A hundred events are more than one chunk.
    assert_good("run " BALL " --set e=1 --to 90.4 --every 10 --quiet --out b.h5");
    read_hdf5("b.h5");
    assert_int_equal(count, 100);
    assert_ball(1, 100);
    assert_good("run " BALL " --set e=0.1 --quiet --out b.h5 --events e.jsonl");
    read_hdf5("b.h5");
    assert_int_equal(count, 7);
    assert_ball(0.1, 5); // the sixth is the last: it does not rebound
    assert_string_equal(records[6].kind, "rest");
    assert_true(fabs(records[6].t - sqrt(2 / 9.81) * 1.1 / 0.9) < 1e-10);
    // Both files say the same.
    Record kept[7];
    memcpy(kept, records, sizeof kept);
    slurp("e.jsonl", text);
    read_lines(text);
    assert_int_equal(count, 7);
    for (size_t i = 0; i < 7; i++)
        assert_true(records[i].t == kept[i].t && records[i].after[1] == kept[i].after[1] &&
                    strcmp(records[i].kind, kept[i].kind) == 0);
    assert_good("run " BALL " --to 2 --quiet --out b.json");
    slurp("b.json", text);
    const char *at = strstr(text, "\n],\"events\":[\n");
    assert_non_null(at);
    count = 0;
    for (at = strchr(at, '{'); at; at = *at == ',' ? at + 2 : NULL)
        at = read_json(at);
    assert_int_equal(count, 4);
    assert_ball(0.7, 4);
    const char *facts = strstr(text, "}\n],\"watched\":[\"energy\",\"momentum of x\"],");
    assert_non_null(facts);
    assert_non_null(strstr(facts, ",\"stopped\":null,\"warnings\":[],\"zwang_version\":\""));
}

static void test_in_a_file_of_their_own(void **state)
{
    (void)state;
    static char text[MOST_OUTPUT];
    assert_good("run " BALL " --to 2 --quiet --events e.hdf5");
    read_hdf5("e.hdf5");
    assert_int_equal(count, 4);
    assert_ball(0.7, 4);
    assert_false(has_dataset("e.hdf5", "t"));
    assert_good("run " BALL " --to 2 --quiet --events e.csv");
    slurp("e.csv", text);
    read_csv(text);
    assert_int_equal(count, 4);
    assert_ball(0.7, 4);
    assert_good("run " BALL " --to 2 --quiet --events e.json");
    slurp("e.json", text);
    read_lines(text);
    assert_ball(0.7, 4);
    assert_wrong("run " BALL " --events e.h5 --out e.h5", "'e.h5' is asked for twice");
    assert_wrong("run " BALL " --events nowhere/e.h5", "there is no folder 'nowhere'");
    assert_false(exists("e.h5"));
}

// Without events there is the group all the same, empty; JSON lines are rows and nothing else.
// A force that grows from 0 takes a mass off the wall where it begins: nothing has a size at t = 0.
static void test_off_the_wall(void **state)
{
    (void)state;
    static const char *const forces[] = {"t", "t^2", "sin(t)"};
    const double ends[] = {1.0 / 6, 1.0 / 12, 1 - sin(1)};
    for (size_t i = 0; i < 3; i++) {
        char model[200];
        snprintf(model, sizeof model,
                 "coord x\nmass 1 at [x, 0, 0]\nforce %s along x\nconstraint c: x >= 0\n"
                 "run to 1 every 1\n",
                 forces[i]);
        put_model(model);
        assert_good("run m.zw --quiet --out -");
        const char *last = strstr(outcome.out, "\n1,");
        assert_non_null(last);
        assert_true(fabs(strtod(last + 3, NULL) - ends[i]) < 1e-12);
    }
}

static void test_none(void **state)
{
    (void)state;
    static char text[MOST_OUTPUT];
    assert_good("run " BALL " --to 0.4 --quiet --out n.h5");
    read_hdf5("n.h5");
    assert_int_equal(count, 0);
    assert_good("run " BALL " --to 0.4 --every 0.2 --quiet --out n.json");
    slurp("n.json", text);
    assert_non_null(strstr(text, "\n],\"events\":[],\"watched\":["));
    assert_good("run " BALL " --to 2 --every 1 --quiet --out n.jsonl");
    slurp("n.jsonl", text);
    size_t lines = 0;
    for (const char *at = text; *at; at = strchr(at, '\n') + 1, lines++)
        assert_begins(at, "{\"t\":");
    assert_int_equal(lines, 3 + 2 * 4); // two at each event
    assert_null(strstr(text, "kind"));
}

// A column has the name before the group has it.
static void test_a_column_named_events(void **state)
{
    (void)state;
    put_model(
        "system m\ncoord z\npoint P = [0, 0, z]\nmass 1 at P\ngravity [0, 0, -2]\n"
        "constraint floor: z >= 0\ninitial z = 1\noutput events = z^2\nrun to 2 every 0.02\n");
    assert_good("run m.zw --quiet --out c.h5");
    assert_true(has_dataset("c.h5", "run.events/t"));
    hid_t file = H5Fopen(in_folder("c.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    static double squares[MOST_EVENTS], t[MOST_EVENTS];
    assert_true(read_numbers(file, "events", 1, squares) > 100);
    assert_true(squares[0] == 1);
    assert_true(read_numbers(file, "run.events/t", 1, t) >= 1);
    assert_true(fabs(t[0] - 1) < 1e-11);
    H5Fclose(file);
}

// ---- Friction: a block thrown along a slope that holds it, then pushed on; in every format.

#define SLOPE_HEAD                                                                                 \
    "t,kind,constraint,before.s',before.n',after.s',after.n',impulse,energy_lost,what,doubtful,"   \
    "rank,cone,branches,event,from,to,slip.x,slip.y,slip.z,friction.x,friction.y,friction.z,"      \
    "normal,mode,state.t,"

static void test_friction(void **state)
{
    (void)state;
    static char text[MOST_OUTPUT];
    const double g = 9.81, a = 0.3, up = g * (sin(a) + 0.5 * cos(a)), hold = g * sin(a);
    put_model("system m\ncoord s, n\nframe F = world rotate -0.3 about y\n"
              "point P = [s, 0, n] in F\nmass 1 at P\ngravity [0, 0, -9.81]\n"
              "constraint floor: n >= 0 friction 0.5 at P on P\ninitial s' = 2\nrun to 1\n");
    assert_good("run m.zw --quiet --events f.csv --out f.h5");
    slurp("f.csv", text);
    assert_begins(text, SLOPE_HEAD);
    const char *at = strchr(text, '\n') + 1;
    double t, force[3], normal;
    int read = sscanf(at,
                      "%lf,stick,floor,%*f,%*f,0,0,0,0,,0,,,,,,,%*f,0,%*f,%lf,%lf,%lf,%lf,slips "
                      "sticks,",
                      &t, &force[0], &force[1], &force[2], &normal);
    assert_int_equal(read, 5);
    assert_true(fabs(t - 2 / up) < 1e-12 && fabs(normal - g * cos(a)) < 1e-11);
    assert_true(fabs(force[0] - hold * cos(a)) < 1e-11 && fabs(force[2] - hold * sin(a)) < 1e-11);
    hid_t file = H5Fopen(in_folder("f.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    double forces[3], normals[1];
    char *modes[1];
    assert_int_equal(read_numbers(file, "events/friction", 3, forces), 1);
    assert_int_equal(read_numbers(file, "events/normal", 1, normals), 1);
    read_texts(file, "events/mode", 1, modes);
    assert_true(forces[0] == force[0] && forces[2] == force[2] && normals[0] == normal);
    assert_string_equal(modes[0], "slips sticks");
    H5free_memory(modes[0]);
    H5Fclose(file);
    assert_good("run m.zw --quiet --events f.jsonl");
    slurp("f.jsonl", text);
    assert_non_null(strstr(text, ",\"mode\":[\"slips\",\"sticks\"],"));
    // Where there is none, nothing is said of it.
    assert_good("run " BALL " --to 1 --quiet --events f.h5");
    assert_false(has_dataset("f.h5", "events/mode"));
}

// A sledge that is pushed aslant, harder and harder, leaves its cone at the edge of it: the record
// has the force of the edge, where the normal force holds the push too.
static void test_friction_that_gives_way(void **state)
{
    (void)state;
    static char text[MOST_OUTPUT];
    const double weight = 2 * 9.81, mu = 0.3, c = 4, a = 0.5;
    const double begins = mu * weight / (c * (cos(a) - mu * sin(a)));
    const double pressing = weight + c * begins * sin(a);
    put_model("system m\ncoord x, z\npoint P = [x, 0, z]\nmass 2 at P\ngravity [0, 0, -9.81]\n"
              "constraint floor: z >= 0 friction 0.3 at P on P\n"
              "force 4*t*[cos(0.5), 0, -sin(0.5)] at P\nrun to 3\n");
    assert_good("run m.zw --quiet --events f.csv");
    slurp("f.csv", text);
    double t, force, normal;
    int read = sscanf(strchr(text, '\n') + 1,
                      "%lf,slip,floor,0,0,0,0,0,0,,0,,,,,,,0,0,0,%lf,0,0,%lf,sticks slips,", &t,
                      &force, &normal);
    assert_int_equal(read, 3);
    assert_true(fabs(t - begins) < 1e-12 && fabs(normal - pressing) < 1e-11);
    assert_true(fabs(force + mu * pressing) < 1e-11);
}

// ---- The row behind each event. No force acts behind these, so that its velocity is the one that
// the record has after the event.
static double number_after(const char *text, const char *first, const char *second)
{
    const char *at = strstr(text, first);
    assert_non_null(at);
    at = strstr(at, second);
    assert_non_null(at);
    return strtod(at + strlen(second), NULL);
}

static void test_states(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *options, *model;
    } cases[] = {
        {"singular", "", "constraint lines: x*y = 0\ninitial x = 1, y = 0, x' = -2\n"},
        {"singular", "--branch 0.5:2",
         "constraint lines: x*y = 0\ninitial x = 1, y = 0, x' = -2\n"},
        {"impulse", "", "impulse 2 along x when t = 0.25\ninitial x' = 1\n"},
        {"impulse", "--method timestepping", "impulse 2 along x when t = 0.25\ninitial x' = 1\n"},
        {"impact", "", "constraint c: x <= 1 restitution 0.5\ninitial x = 0, x' = 2\n"},
        {"impact", "--method erk", "constraint c: x <= 1 restitution 0.5\ninitial x = 0, x' = 2\n"},
        {"impact", "--method timestepping",
         "constraint c: x <= 1 restitution 0.5\ninitial x = 0, x' = 2\n"},
        {"switch", "", "force max(0, x - 1) along y\ninitial x = 0, x' = 2\n"},
        {"percussion", "", "constraint c: y = max(0, x - 1)\ninitial x = 0, x' = 2\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char words[128], kind[32];
        char model[256];
        snprintf(model, sizeof model, "coord x, y\nkinetic (x'^2 + y'^2)/2\n%srun to 1 every 0.3\n",
                 cases[i].model);
        put_model(model);
        snprintf(words, sizeof words, "run m.zw %s --quiet --events -", cases[i].options);
        snprintf(kind, sizeof kind, "\"kind\":\"%s\"", cases[i].kind);
        assert_good(words);
        assert_non_null(strstr(outcome.out, kind));
        for (const char *line = outcome.out; *line; line = strchr(line, '\n') + 1) {
            double after = number_after(line, "\"after\"", "\"x'\":");
            if (strcmp(cases[i].kind, "percussion") == 0)
                assert_true(fabs(number_after(line, "\"impulse\"", "\"x\":") - sqrt(2) + 2) < 1e-9);
            assert_true(fabs(number_after(line, "\"state\"", "\"x'\":") - after) < 1e-9);
            double late =
                number_after(line, "\"state\"", "\"t\":") - number_after(line, "{", "\"t\":");
            assert_true(late >= 0 && late <= (strstr(words, "timestepping") ? 0.05 : 1e-12));
        }
    }
}

// A blade that turns with θ = t: x' = cos t serves until it is small, then y' = sin t does, and so
// on. Neither rows nor the summary's list have these records.
static void test_other_speeds(void **state)
{
    (void)state;
    static char text[MOST_OUTPUT];
    put_model("coord x, y, theta\nkinetic (x'^2 + y'^2 + theta'^2)/2\n"
              "constraint y'*cos(theta) - x'*sin(theta) = 0\ninitial x' = 1, theta' = 1\n"
              "run to 30 every 1\n");
    static const char *const methods[] = {"taylor", "erk", "adams", "bdf"};
    for (size_t i = 0; i < 4; i++) {
        char words[128], told[32];
        snprintf(words, sizeof words, "run m.zw --method %s --quiet --events -", methods[i]);
        assert_good(words);
        size_t lines = 0;
        for (const char *line = outcome.out; *line; line = strchr(line, '\n') + 1, lines++) {
            const char *from = lines % 2
                                   ? "\"from\":[\"y'\",\"theta'\"],\"to\":[\"x'\",\"theta'\"]"
                                   : "\"from\":[\"x'\",\"theta'\"],\"to\":[\"y'\",\"theta'\"]";
            double t = number_after(line, "{", "\"t\":");
            assert_non_null(strstr(line, "\"kind\":\"speeds\",\"constraint\":null"));
            assert_begins(strstr(line, "\"from\""), from);
            // Where the one that is left is small, or would be at the end of a series' long step.
            assert_true(i == 0 || fabs(lines % 2 ? sin(t) : cos(t)) < 0.2);
            assert_true(fabs(number_after(line, "\"state\"", "\"y'\":") - sin(t)) < 1e-6);
        }
        assert_true(lines >= 1);
        snprintf(words, sizeof words, "run m.zw --method %s --width 0", methods[i]);
        assert_good(words);
        snprintf(told, sizeof told, "speeds taken %zu time", lines);
        assert_non_null(strstr(outcome.out, told));
    }
    assert_good("run m.zw --events s.csv --out s.json");
    assert_null(strstr(outcome.out, "events:"));
    slurp("s.json", text);
    assert_null(strstr(text, "\"kind\":\"speeds\""));
    slurp("s.csv", text);
    assert_non_null(strstr(text, ",speeds,,"));
    assert_non_null(strstr(text, ",x' theta',y' theta',"));
    assert_good("run m.zw --quiet --events s.h5");
    assert_true(has_dataset("s.h5", "events/from") && has_dataset("s.h5", "events/to"));
}

// An end that comes, one that does not, and one that is no relation.
static void test_until(void **state)
{
    (void)state;
    put_model("coord x\nmass 1 at [x, 0, 0]\ninitial x' = 2\nrun to 3 until x >= 4\n"
              "event half: x = 1 { record }\n");
    zwang("run m.zw --out rows.json");
    assert_int_equal(outcome.code, 0);
    assert_non_null(strstr(outcome.out, "stopped by 'x >= 4' at t = 2\n"));
    zwang("run m.zw --until \"x = 100\"");
    assert_int_equal(outcome.code, 0);
    assert_non_null(strstr(outcome.err, "'x = 100' did not become true up to t = 3"));
    zwang("run m.zw --until x");
    assert_int_equal(outcome.code, 2);
    assert_non_null(strstr(outcome.err, "a relation is written with '=', '<=' or '>='"));
}

// A record that waits for its row keeps its text: 'c begins' behind a condition that begins.
static void test_what_begins(void **state)
{
    (void)state;
    put_model("coord y, z\nmass 1 at [y, 0, 0]\nmass 1 at [z, 0, 0]\nstate s = 0\n"
              "friction f: 1 along y\nconstraint c: z' = 3 while s = 1\n"
              "sample a: 3/4 from 3/4 { set s = 1 - s }\n"
              "event b: t >= 5/4 { set s = 1 - s; impulse 0 along z }\n"
              "initial y' = 2, z' = 1\nrun to 3 every 1/2\n");
    zwang("run m.zw --method adams --events - --quiet");
    assert_int_equal(outcome.code, 0);
    size_t told = 0;
    for (const char *at = outcome.out; (at = strstr(at, "\"what\":")); at++, told++)
        assert_int_equal(strncmp(at, "\"what\":\"c begins\"", 17), 0);
    assert_int_equal(told, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_until),
        cmocka_unit_test(test_off_the_wall),
        cmocka_unit_test(test_what_begins),
        cmocka_unit_test(test_beside_the_rows),
        cmocka_unit_test(test_in_a_file_of_their_own),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_a_column_named_events),
        cmocka_unit_test(test_friction),
        cmocka_unit_test(test_friction_that_gives_way),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_other_speeds),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
