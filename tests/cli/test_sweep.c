// Sweeps as a user makes them: bytes that do not depend on threads, sweeps that are killed and gone
// on with, interrupts, exit codes, and what is wrong with the words.
#include "program.h"

#include "base/base.h"
#include "test_size.h"

#include <signal.h>

#define HOOP "'" ZWANG_SOURCE_DIR "/models/hoop.zw'"

static int shell(const char *words)
{
    char command[2000];
    snprintf(command, sizeof command, "cd %s && %s", folder, words);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 137;
}

static const char ball[] =
    "param e = 0.7, h = 1, g = 9.81, m = 1\ncoord x, z\nmass m at [x, 0, z]\n"
    "gravity [0, 0, -g]\nconstraint floor: z >= 0 restitution e\npotential x^2/2\n"
    "initial z = h, x = 0, z' = 0, x' = 2\nrun to 3 every 0.05\n";

// ---- Bytes.

static void test_bytes(void **state)
{
    (void)state;
    put_model(ball);
    static const char *const keeps[] = {"final", "rows", "events",
                                        "'section(floor),max(z),mean(x*z),count(impact)'"};
    for (size_t i = 0; i < sizeof keeps / sizeof *keeps; i++) {
        for (int threads = 1; threads <= 3; threads++) {
            char words[400];
            snprintf(words, sizeof words,
                     "sweep m.zw --vary e=0.2:0.9:4 --vary 'h=uniform(0.5, 1)' --samples 3 --seed "
                     "5 --keep %s --threads %d --out t%d.csv",
                     keeps[i], threads, threads);
            assert_good(words);
        }
        assert_int_equal(shell("cmp t1.csv t2.csv && cmp t1.csv t3.csv"), 0);
        assert_false(exists("t1.csv.part"));
        assert_int_equal(shell("test $(cut -d, -f1 t1.csv | sort -u | wc -l) = 13"), 0);
    }
}

// The rows that are kept are those of a run.
static void test_rows(void **state)
{
    (void)state;
    put_model(ball);
    assert_good("sweep m.zw --vary 'e=[0.3, 0.6]' --keep rows --out s.csv");
    assert_good("run m.zw --set e=0.6 --out r.csv --quiet");
    assert_int_equal(shell("tail -n +2 r.csv >a.txt && grep '^1,0.6,' s.csv | "
                           "sed 's/^1,0.6,//; s/,ok,.*//' >b.txt && test -s a.txt && "
                           "cmp a.txt b.txt"),
                     0);
    assert_good("sweep m.zw --vary 'e=[0.3, 0.6]' --out -");
    assert_begins(outcome.out, "run,e,x,z,x',z',");
    assert_non_null(strstr(outcome.err, "m: 2 runs, 2 ok;"));
    // z = e·g·t1·s − g·s²/2 behind the first impact at t1, s = t − t1: ∂z/∂e = g·t1·s.
    assert_good("sweep m.zw --vary 'e=[0.8]' --to 1 --keep 'diff(z, e),last(z/2 + diff(z,e))' "
                "--out d.csv");
    assert_int_equal(shell("tail -n 1 d.csv | awk -F, '{t1 = sqrt(2/9.81); d = 9.81*t1*(1 - t1); z "
                           "= 0.8*d - 9.81*(1 - t1)^2/2; a = $3 - d; b = $4 - z/2 - d; exit a*a + "
                           "b*b > 1e-18}'"),
                     0);
    assert_good("sweep m.zw --vary 'e=[0.8]' --to 1 --keep events --sensitivity h --out d.csv");
    assert_int_equal(shell("tail -n 1 d.csv | awk -F, '{a = $8 - sqrt(2/9.81)/2; exit a*a > "
                           "1e-18}'"),
                     0);
    assert_wrong("sweep m.zw --vary e,h", "each is varied by itself");
    assert_wrong("sweep m.zw --vary e=0:1:3 --keep 'diff(q,e)'", "no column 'diff(q,e)'");
    assert_good("sweep m.zw --vary h=1:2:2 --vary x=0:1:2 --out -");
    assert_begins(outcome.out, "run,h,x(0),x,z,");
}

// What a run warns of, a sweep says of the runs that it is about, for any number of threads.
static void test_warnings(void **state)
{
    (void)state;
    static const double moments[] = {1, 3, 0.5, 5, 2, 2.5, 1.5};
    put_model("param C = 1\ncoord a, b, c\n"
              "frame F = world rotate a about z rotate b about x rotate c about z\n"
              "body top frame F mass 1 at [0, 0, 0] inertia [1, 1, C]\n"
              "initial b = 1, c' = 1\nrun to 0.1\n");
    for (int threads = 1; threads <= 3; threads++) {
        char words[200];
        snprintf(words, sizeof words,
                 "sweep m.zw --vary 'C=[1, 3, 0.5, 5, 2, 2.5, 1.5]' --keep 'last(c)' --threads %d "
                 "--out -",
                 threads);
        assert_good(words);
        assert_non_null(strstr(outcome.err, "3 runs have a warning (run 1: this body's principal"));
        const char *line = outcome.out;
        for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
            line = strchr(line, '\n') + 1;
            size_t length = strcspn(line, "\n");
            bool warned = false;
            for (size_t k = 0; k < length; k++)
                warned = warned || strncmp(line + k, "no body has such an inertia", 27) == 0;
            assert_int_equal(warned, moments[i] > 2);
        }
    }
    assert_good("sweep m.zw --vary 'C=[1, 2]' --out -");
    assert_null(strstr(outcome.err, "warning"));
    assert_null(strstr(outcome.out, "warning"));
}

// No two columns have one name, whatever the model calls its own.
static void test_own_columns(void **state)
{
    (void)state;
    put_model("param v = 1\ncoord x\nmass 1 at [x, 0, 0]\noutput steps = 3*x\n"
              "output status = 5*x\noutput message = 7*x\noutput error = x\n"
              "initial x' = v\nrun to 1 every 0.5\n");
    assert_good("sweep m.zw --vary v=1:2:2 --out -");
    assert_begins(outcome.out, "run,v,x,x',");
    assert_non_null(strstr(outcome.out, ",steps,status,message,error,"));
    assert_non_null(strstr(outcome.out, ",sweep.status,sweep.steps,sweep.error,t,sweep.message\n"));
    assert_good("sweep m.zw --vary v=1:2:2 --keep rows --out -");
    assert_non_null(strstr(outcome.out, ",sweep.status,sweep.steps,sweep.error,t,sweep.message\n"));
    assert_good("sweep m.zw --vary v=1:2:2 --keep 'last(x)' --out -");
    assert_begins(outcome.out, "run,v,last(x),status,steps,error,t,message\n");
    if (!is_found("h5dump"))
        return;
    assert_good("sweep m.zw --vary v=1:2:2 --out s.h5");
    assert_int_equal(shell("h5dump -y -w 1 -d /final/steps s.h5 | grep -q '^ *6$' && "
                           "h5dump -d /steps s.h5 >/dev/null && h5dump -d /status s.h5 | grep -q "
                           "'\"ok\"'"),
                     0);
}

// HDF5 has the numbers of CSV, for any number of threads.
static void test_hdf5(void **state)
{
    (void)state;
    if (!is_found("h5dump"))
        return;
    put_model(ball);
    static const char *const threads[] = {"1", "3"};
    for (size_t i = 0; i < 2; i++) {
        char words[400];
        snprintf(words, sizeof words,
                 "sweep m.zw --vary e=0.2:0.9:4 --vary 'h=uniform(0.5, 1)' --samples 3 --keep "
                 "'final,rows,events,section(floor),max(z/h)' --threads %s --out t%s.h5",
                 threads[i], threads[i]);
        assert_good(words);
        assert_false(exists("t1.h5.part"));
    }
    assert_good("sweep m.zw --vary e=0.2:0.9:4 --vary 'h=uniform(0.5, 1)' --samples 3 --keep "
                "'last(x),max(z/h)' --out t.csv");
    assert_int_equal(
        shell("for d in /final/x /axes/h /rows/z /events/kind /events/time '/section(floor)/x' "
              "/status /steps '/keep/max(z∕h)'; do h5dump -y -w 0 -m %.17g -d \"$d\" t1.h5 | tail "
              "-n +2 >a.txt && h5dump -y -w 0 -m %.17g -d \"$d\" t3.h5 | tail -n +2 >b.txt && test "
              "-s a.txt && cmp a.txt b.txt || exit 1; done"),
        0);
    // Number by number, to its digits.
    assert_int_equal(shell("h5dump -y -w 1 -m %.12e -d /final/x t1.h5 | grep -o "
                           "'[-0-9.]*e[-+0-9]*' >a.txt && tail "
                           "-n +2 t.csv | cut -d, -f4 | awk '{printf \"%.12e\\n\", $1}' >b.txt && "
                           "cmp a.txt b.txt"),
                     0);
    assert_int_equal(
        shell("h5dump -a /seed -a /command -a /complete t1.h5 | grep -q 'zwang sweep'"), 0);
}

// ---- Pictures.

static size_t occurrences(const char *text, const char *word)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, word)); at++)
        count++;
    return count;
}

static void test_pictures(void **state)
{
    (void)state;
    put_model(ball);
    assert_good("sweep m.zw --vary e=0.2:0.9:5 --keep 'max(z),last(x)' --plot c.svg "
                "--plot 'max(z),last(x):d.svg' --plot-title Heights");
    slurp("c.svg", outcome.out);
    assert_non_null(strstr(outcome.out, ">max(z)</text>"));
    slurp("d.svg", outcome.out);
    assert_non_null(strstr(outcome.out, ">last(x)</text>"));
    assert_non_null(strstr(outcome.out, ">Heights</text>"));
    assert_good(
        "sweep m.zw --vary 'e=normal(0.5, 0.1)' --samples 20 --keep 'mean(z)' --plot h.svg");
    slurp("h.svg", outcome.out);
    assert_non_null(strstr(outcome.out, ">runs</text>"));
    // A number behind a sign is no index of a name.
    assert_good("sweep m.zw --vary e=0.2:0.9:3 --keep 'last(h/2 - h*3)' --plot s.svg");
    slurp("s.svg", outcome.out);
    assert_non_null(strstr(outcome.out, ">last(h/2 - h*3)</text>"));
    // A map: a picture of 3 by 2 cells, which PNG readers read.
    assert_good("sweep m.zw --vary e=0.2:0.9:3 --vary h=1:2:2 --keep 'count(impact),max(z)' "
                "--plot 'max(z):m.svg' --plot 'count(impact):n.svg'");
    slurp("m.svg", outcome.out);
    assert_int_equal(occurrences(outcome.out, "<image"), 1);
    // Its colours: one for h = 1 and one for h = 2.
    assert_int_equal(occurrences(outcome.out, "<rect fill=\"#"), 2);
    assert_non_null(strstr(outcome.out, ">2</text>"));
    if (is_found("python3")) {
        put_file("m.svg", outcome.out, strlen(outcome.out));
        assert_int_equal(
            shell("python3 -c \"import base64,re,struct,zlib; "
                  "b=base64.b64decode(re.search('base64,([^\\\"]*)', "
                  "open('m.svg').read()).group(1)); "
                  "assert struct.unpack('>II', b[16:24]) == (3, 2); n=struct.unpack('>I', "
                  "b[33:37])[0]; r=zlib.decompress(b[41:41+n]); assert len(r) == 20; assert "
                  "struct.unpack('>I', b[41+n:45+n])[0] == zlib.crc32(b[37:41+n]); "
                  "assert r[1:4] == r[4:7] != r[11:14]\""),
            0);
    }
    assert_good("sweep m.zw --vary e=0.2:0.9:3 --vary h=-0.5:2:4 --keep 'max(z*e)' --plot f.svg "
                "--allow-failures");
    slurp("f.svg", outcome.out);
    assert_int_equal(occurrences(outcome.out, "<rect fill=\"#"), 6);
    assert_non_null(strstr(outcome.out, ">no value</text>"));
    assert_good("sweep m.zw --vary e=0.2:0.9:3 --keep 'section(floor)' --plot x:i.svg");
    assert_wrong("sweep m.zw --vary e=0:1:3 --keep 'max(z)' --plot y:a.svg", "is not kept");
    assert_wrong("sweep m.zw --vary e=0:1:3 --plot a.txt", "no place for a plot");
    assert_wrong("sweep m.zw --vary e=0:1:3 --vary h=1:2:2 --vary g=9:10:2 --plot a.svg",
                 "these are 3 axes");
    assert_wrong("sweep m.zw --vary e=0:1:3 --vary 'h=[1, 2]' --plot a.svg", "two ranges");
    assert_wrong("sweep m.zw --vary e=0:1:3 --plot m.zw", "");
    assert_false(exists("a.svg"));
}

// A converter smooths cells into each other: what it is given has so many pixels of each that this
// is not seen. One that only copies shows what that is.
static void test_converted_map(void **state)
{
    (void)state;
    if (!is_found("python3")) {
        print_message("skipped: python3 is not there to read a picture\n");
        return;
    }
    put_model(ball);
    assert_int_equal(shell("mkdir -p bin && printf '#!/bin/sh\\nexec cat\\n' >bin/rsvg-convert && "
                           "chmod +x bin/rsvg-convert"),
                     0);
    assert_int_equal(shell("PATH=\"$PWD/bin:$PATH\" '" ZWANG_PROGRAM
                           "' sweep m.zw --vary e=0.2:0.9:3 --vary h=1:2:2 --keep 'max(z)' "
                           "--plot m.png --quiet"),
                     0);
    assert_int_equal(
        shell("python3 -c \"import base64,re,struct,zlib; "
              "b=base64.b64decode(re.search('base64,([^\\\"]*)', open('m.png').read()).group(1)); "
              "w,h=struct.unpack('>II', b[16:24]); n=struct.unpack('>I', b[33:37])[0]; "
              "r=zlib.decompress(b[41:41+n]); assert len(r) == h*(1+3*w); "
              "assert min(w, h) >= 1500 and w%3 == h%2 == 0; "
              "rows=[r[i*(1+3*w)+1:(i+1)*(1+3*w)] for i in range(h)]; "
              "assert all(x == rows[0] for x in rows[:h//2]) and rows[h//2] == rows[-1] != rows[0];"
              "assert all(x == x[:3]*w for x in rows)\""),
        0);
}

// ---- Broken off.

static void kill_and_go_on(const char *options, Random *random)
{
    char begin[600], words[800];
    snprintf(begin, sizeof begin, "'%s' sweep m.zw --quiet %s --out k.csv --threads 2",
             ZWANG_PROGRAM, options);
    snprintf(words, sizeof words, "rm -f k.csv* && %s && mv k.csv whole.csv", begin);
    assert_int_equal(shell(words), 0);
    int code = 137;
    for (int i = 0; i < 5 && code != 0; i++) {
        snprintf(words, sizeof words, "timeout -s KILL %g %s %s >.out 2>.err",
                 i < 4 ? 0.03 + 0.2 * (double)random_below(random, 100) / 100 : 100.0, begin,
                 exists("k.csv.part") ? "--resume" : "");
        code = shell(words);
        slurp(".err", outcome.err);
        if (code != 0 && code != 137)
            fail_msg("exit %d: %s", code, outcome.err);
        // The signal may come between the last rename and the end of the process.
        if (code == 137 && exists("k.csv") && !exists("k.csv.part"))
            break;
    }
    assert_true(exists("k.csv"));
    assert_false(exists("k.csv.part"));
    if (shell("cmp k.csv whole.csv") != 0)
        fail_msg("%s: other bytes", options);
}

static void test_killed(void **state)
{
    (void)state;
    Random random = random_seed(24);
    put_model(ball);
    size_t rounds = 1 + 10 * (test_size() > 1);
    for (size_t i = 0; i < rounds; i++) {
        kill_and_go_on("--vary 'e=uniform(0.2, 0.9)' --samples 300", &random);
        kill_and_go_on("--vary 'e=uniform(0.2, 0.9)' --samples 200 --keep 'events,max(z)'",
                       &random);
    }
}

static void test_interrupted(void **state)
{
    (void)state;
    put_model(ball);
    char words[900];
    snprintf(words, sizeof words,
             "rm -f k.csv* && { '%s' sweep m.zw --vary e=0.2:0.9:1000000 --out k.csv >.o 2>.e & } "
             "&& pid=$! && n=0 && while test $n -lt 600 && ! test $(stat -c %%s k.csv.part "
             "2>/dev/null || echo 0) -gt 4000; do sleep 0.05; n=$((n + 1)); done; kill -TERM $pid; "
             "wait $pid; test $? = 1 && test -s k.csv && test -s k.csv.part && "
             "grep -q 'interrupted; what was done' .e && grep -q 'not made' .o",
             ZWANG_PROGRAM);
    assert_int_equal(shell(words), 0);
    // Whole lines, of runs that come to their end.
    assert_int_equal(shell("test $(tail -n +2 k.csv | grep -vc ',ok,') = 0"), 0);
    assert_wrong("sweep m.zw --vary e=0.2:0.9:1000000 --out k.csv", "broken off");
    assert_wrong("sweep m.zw --vary e=0.2:0.8:1000000 --out k.csv --resume",
                 "it was made with 'vary: e=0.2:0.9:1000000'");
    assert_int_equal(shell("rm k.csv*"), 0);
}

// Where no more can be written it ends with what is complete, and can be gone on with.
static void test_full(void **state)
{
    (void)state;
    put_model(ball);
    char words[900];
    snprintf(words, sizeof words,
             "rm -f k.csv* && (ulimit -f 8; trap '' XFSZ; '%s' sweep m.zw --vary e=0.2:0.9:150 "
             "--out k.csv >.o 2>.e; test $? = 3) && test -s k.csv.part && ! test -e k.csv && "
             "grep -q \"cannot write 'k.csv.part'\" .e",
             ZWANG_PROGRAM);
    assert_int_equal(shell(words), 0);
    assert_good("sweep m.zw --vary e=0.2:0.9:150 --out k.csv --resume");
    assert_good("sweep m.zw --vary e=0.2:0.9:150 --out whole.csv");
    assert_int_equal(shell("cmp k.csv whole.csv"), 0);
}

// ---- Exit codes and messages.

static void test_failures(void **state)
{
    (void)state;
    put_model("param k = 1, m = 1\ncoord x\nmass m at [x, 0, 0]\nforce k/(1 - x) along x\n"
              "initial x' = 1\nrun to 2\n");
    zwang("sweep m.zw --vary k=-1:1:3 --out f.csv");
    assert_int_equal(outcome.code, 1);
    assert_non_null(strstr(outcome.out, "m: 3 runs, 2 ok, 1 failed (run 2: "));
    assert_good("sweep m.zw --vary k=-1:1:3 --allow-failures --out f.csv");
    assert_int_equal(shell("grep -q '^0,-1,.*,ok,' f.csv && grep -q '^2,1,nan,.*,failed,' f.csv"),
                     0);
    assert_good("sweep m.zw --vary 'k=[-1]' --until 'x >= 0.3' --out -");
    assert_non_null(strstr(outcome.out, ",stopped,"));
    zwang("sweep m.zw --vary k=0:1:3 --device gpu");
    assert_int_equal(outcome.code, 3);
    assert_non_null(strstr(outcome.err, "no GPU: "));
}

static void test_wrong(void **state)
{
    (void)state;
    put_model(ball);
    assert_wrong("sweep m.zw", "nothing is varied");
    assert_wrong("sweep m.zw --vary e=0:10", "a range is FROM:TO:COUNT");
    assert_wrong("sweep m.zw --vary q=0:1:3",
                 "unknown name 'q'; the model has e, h, g, m, x, x', z, z' (see --vary)");
    assert_wrong("sweep m.zw --vary e=0:1:3 --samples 4", "belongs to a random axis");
    assert_wrong("sweep m.zw --vary e=0:1:10 --vary h=1:2:9 --zip", "e has 10 values and h has 9");
    assert_wrong("sweep m.zw --vary none.csv", "cannot read 'none.csv'");
    assert_wrong("sweep m.zw --vary e=0:1:3 --keep 'max(w)'", "the run has no column 'w'");
    assert_wrong("sweep m.zw --vary e=0:1:3 --keep 'count(wall)'", "this model has floor");
    assert_wrong("sweep m.zw --vary e=0:1:3 --keep nothing", "nothing that can be kept");
    assert_wrong("sweep m.zw --vary e=0:1:3 --keep 'max(z),max(z)'", "kept twice");
    assert_wrong("sweep m.zw --vary e=0:1:3 --keep rows,events --out a.csv", "are two");
    assert_wrong("sweep m.zw --vary e=0:1:3 --keep rows,final --out a.csv", "same names");
    assert_wrong("sweep m.zw --vary e=0:1:3 --out a.json", "a sweep is written as");
    assert_wrong("sweep m.zw --vary e=0:1:3 --out m.zw", "is the model");
    put_file("axis.csv", "e\n0.5\n", 6);
    assert_wrong("sweep m.zw --vary axis.csv --out ./axis.csv", "is read by this command");
    assert_wrong("sweep m.zw --vary e=0:1:3 --out no/where.csv", "there is no folder 'no'");
    assert_wrong("sweep m.zw --vary e=0:1:3 --resume", "name that");
    assert_wrong("sweep m.zw --vary e=0:1:3 --threads 0", "a whole number, 1 or more");
    assert_wrong("sweep m.zw --vary e=0:1:3 --samples -1", "a whole number, 1 or more");
    assert_wrong("sweep m.zw --vary e=0:1:3 --limit-each 0", "a number of seconds");
    assert_wrong("sweep m.zw --vary e=0:1:3 --device tpu", "cpu, gpu and auto");
    assert_wrong("sweep m.zw --vary e=0:1:3 --to 0", "");
    zwang("sweep m.zw --vary e=0:1:10000000000000 --out a.csv");
    assert_int_equal(outcome.code, 3);
    assert_non_null(strstr(outcome.err, "10000000000000 runs need about"));
    assert_false(exists("a.csv.part"));
}

// What an output is for a moment only is not missed: by the time, and by the place.
static void test_narrow(void **state)
{
    (void)state;
    put_model("param c = 3.3, w = 1e-6\ncoord x\nmass 1 at [x, 0, 0]\npotential x^2/2\n"
              "output p = exp(-((t - c)/w)^2)\noutput q = 2/cosh((x - 1/2)/w)^2\n"
              "output r = max(0, 1 - abs(t - c)/w)\ninitial x = 1\nrun to 10 every 0.5\n");
    assert_good("sweep m.zw --vary 'w=[1e-2, 1e-4, 1e-6, 1e-8]' --keep "
                "'max(p),max(q),max(r),max(1/(1 + ((x - c/10)/w)^2)),mean(p/w)' --out n.csv");
    assert_int_equal(shell("test $(tail -n +2 n.csv | awk -F, 'function far(a, b) { return a < b - "
                           "1e-8 || a > b + 1e-8 } !(far($3, 1) || far($4, 2) || far($5, 1) || "
                           "far($6, 1) || far($7, 0.17724538509))' | wc -l) = 4"),
                     0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),         cmocka_unit_test(test_rows),
        cmocka_unit_test(test_warnings),      cmocka_unit_test(test_own_columns),
        cmocka_unit_test(test_hdf5),          cmocka_unit_test(test_pictures),
        cmocka_unit_test(test_converted_map), cmocka_unit_test(test_full),
        cmocka_unit_test(test_killed),        cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_failures),      cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_wrong),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
