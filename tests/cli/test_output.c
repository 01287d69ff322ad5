// What a run leaves behind, and what it does not: plots and HDF5, full disks, terminals.
#include "cli/output_files.h"
#include "show/xml.h"

#include <signal.h>

static void read_text(hid_t file, const char *name, char *out, size_t size)
{
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    char *value;
    assert_true(H5Aread(attribute, type, &value) >= 0);
    snprintf(out, size, "%s", value);
    H5free_memory(value);
    H5Tclose(type);
    H5Aclose(attribute);
}

// ---- Good outputs.

static void test_several_outputs(void **state)
{
    (void)state;
    assert_good("run " BLADE " --to 1 --out b.h5 --plot b.svg --plot x,y:path.svg");
    assert_non_null(strstr(outcome.out, "rows in b.h5\na plot in b.svg\na plot in path.svg\n"));
    slurp("b.svg", outcome.out);
    assert_true(xml_is_well_formed(outcome.out));
    assert_non_null(strstr(outcome.out, ">θ</text>"));
    slurp("path.svg", outcome.out);
    assert_true(xml_is_well_formed(outcome.out));
    hid_t file = open_hdf5("b.h5");
    assert_int_equal(rows_of(file, "theta'"), 21);
    assert_int_equal(is_complete(file), 1);
    H5Fclose(file);
    assert_no_parts();
    // Events are lines across time, and dots on a path.
    static char text[MOST_OUTPUT];
    assert_good("run '" ZWANG_SOURCE_DIR "/models/string_pendulum.zw' --to 2 --quiet --plot e.svg "
                "--plot x,z:p.svg");
    slurp("e.svg", text);
    const char *marks = strstr(text, "class=\"event\" d=\"M");
    assert_non_null(marks);
    assert_non_null(strchr(strchr(marks, 'M') + 1, 'M'));
    slurp("p.svg", text);
    assert_non_null(strstr(text, "<circle"));
    assert_good("run " BLADE " --to 1 --out - --plot b.svg --quiet");
    assert_begins(outcome.out, "t,x,y,");
    assert_string_equal(outcome.err, "");
    assert_good("run '" ZWANG_SOURCE_DIR "/models/pendulum.zw' --set N=13 --to 0.1 --plot b.svg");
    assert_non_null(strstr(outcome.err, "'b.svg' shows the first 12 of 13 coordinates"));
}

// What is said of pictures before the first is for all, behind one for that one alone.
static void test_looks_of_plots(void **state)
{
    (void)state;
    static char text[MOST_OUTPUT];
    assert_good("run " BLADE " --to 1 --quiet --plot-size 90x60mm --plot-title All "
                "--plot-label x=far --plot a.svg --plot-label 'theta=turned by' "
                "--plot x,y:b.svg --plot-title 'The track' --plot-size 60x60mm");
    slurp("a.svg", text);
    assert_non_null(strstr(text, " width=\"90mm\" height=\"60mm\""));
    assert_non_null(strstr(text, ">All</text>"));
    assert_non_null(strstr(text, ">far</text>"));
    assert_non_null(strstr(text, ">turned by</text>"));
    slurp("b.svg", text);
    assert_non_null(strstr(text, " width=\"60mm\" height=\"60mm\""));
    assert_non_null(strstr(text, ">The track</text>"));
    assert_null(strstr(text, ">All</text>"));
    assert_non_null(strstr(text, ">far</text>"));
    assert_null(strstr(text, "turned by"));
    assert_good("stability " BLADE " --at v=1,w=0 --vary s=-0.5:0.5:20 --plot s.svg --plot-size "
                "80x60mm --plot-label 's=distance s' --plot-range s=0:0.4 --plot-axis 1/s");
    slurp("s.svg", text);
    assert_true(xml_is_well_formed(text));
    assert_non_null(strstr(text, " width=\"80mm\" height=\"60mm\""));
    assert_non_null(strstr(text, ">distance s</text>"));
    assert_null(strstr(text, ">0.5</text>"));
    assert_wrong("run " BLADE " --plot-size 80x60mm", "there is no --plot");
    assert_wrong("run " BLADE " --plot a.svg --plot-size 80x60mm --plot-size 9x9mm",
                 "--plot-size is given twice for one picture");
    assert_wrong("run " BLADE " --plot a.svg --plot-size 80", "as in 86x60mm (see --plot-size)");
    assert_wrong("stability " BLADE " --at v=1,w=0 --vary s=-0.5:0.5:20 --plot a.svg "
                 "--plot-label q=1",
                 "nothing here is called 'q'");
    assert_wrong("stability " BLADE " --plot-log v", "does not take --plot-log");
    assert_false(exists("a.svg"));
}

// The command that a file names makes the same file again.
static void test_a_file_is_reproduced(void **state)
{
    (void)state;
    static char first[MOST_OUTPUT], again[MOST_OUTPUT], command[1024];
    assert_good("run " BLADE " --to 1 --set \"s=0.4,x=pi/2\" --set 'v=2*s' --residuals "
                "--plot \"theta,theta':r.svg\" --out r.h5");
    hid_t file = open_hdf5("r.h5");
    read_text(file, "command", command, sizeof command);
    H5Fclose(file);
    assert_begins(command, "zwang run ");
    slurp("r.h5", first);
    assert_good(command + strlen("zwang "));
    slurp("r.h5", again);
    assert_memory_equal(first, again, MOST_OUTPUT);
}

static void test_h5dump_reads_it(void **state)
{
    (void)state;
    if (!is_found("h5dump"))
        skip();
    assert_good("run " BLADE " --to 1 --out d.h5");
    char command[512];
    snprintf(command, sizeof command, "cd %s && h5dump -d lambda.edge -s 0 -c 1 d.h5 >d.txt",
             folder);
    assert_int_equal(system(command), 0);
    slurp("d.txt", outcome.out);
    assert_non_null(strstr(outcome.out, "-0.275"));
}

// The error is estimated, and the rows are what they are without that.
static void test_audit(void **state)
{
    (void)state;
    static char rows[MOST_OUTPUT];
    assert_good("run " BEAD " --out - --quiet");
    strcpy(rows, outcome.out);
    assert_good("run " BEAD " --out - --audit");
    assert_string_equal(outcome.out, rows);
    assert_non_null(
        strstr(outcome.err, "\naudit: a second run (taylor, tolerance 1e-14), and a third (erk) "));
    assert_non_null(strstr(outcome.err, "\n  energy less the work done, 1627.53: drifts"));
    assert_non_null(strstr(outcome.err, "in positions to "));
    assert_good("run " BEAD " --audit --quiet");
    assert_string_equal(outcome.out, "");
    assert_string_equal(outcome.err, "");

    put_model("coord r, theta\nkinetic (r'^2 + r^2*theta'^2)/2\npotential -1/r\n"
              "initial r = 0.4, theta' = 5\n");
    assert_good("run m.zw --audit --method bdf --tolerance 1e-6");
    assert_non_null(strstr(outcome.out, "audit: a second run (taylor, tolerance 1e-14)"));
    assert_non_null(strstr(outcome.out, "\n  momentum of θ = 0.8 drifts by at most "));
    assert_good("run m.zw --audit --method erk");
    assert_good("run m.zw --audit --method adams");

    // A bad estimate is a negative answer.
    zwang("run '" ZWANG_SOURCE_DIR "/models/pendulum.zw' --set N=2,theta=2.2 --to 40 --audit");
    assert_int_equal(outcome.code, 1);
    assert_non_null(strstr(outcome.err, "error: the estimated error of theta["));
    assert_non_null(
        strstr(outcome.out, " on no digit is sure; the difference grows e times every 0."));
    put_model("coord x\nacceleration_energy x''^2/2 + x'*x''\nforce sin(t) along x\n");
    assert_good("run m.zw --audit");
    assert_non_null(
        strstr(outcome.out, "energy: none is defined: no T belongs to the acceleration_energy"));
    put_model("coord x\nkinetic x'^2/2\nforce sin(t) along x\n");
    assert_good("run m.zw --audit --method erk");
    assert_non_null(strstr(outcome.out, "less the work done"));
    assert_good("run m.zw --audit --method timestepping");
    assert_non_null(strstr(outcome.out, "the method knows no states inside its steps"));

    // What cannot be followed is compared as far as it went.
    put_model("coord x\nkinetic x'^2/2\npotential -1/x\ninitial x = 1\nrun to 5 every 0.1\n");
    zwang("run m.zw --audit");
    assert_int_equal(outcome.code, 1);
    assert_non_null(strstr(outcome.out, "\n  up to t = 1.1 about "));
    assert_wrong("run m.zw --audit=2", "--audit takes no value");
}

// `run … method NAME` is what --method says, and --method comes before it.
static void test_method_in_the_model(void **state)
{
    (void)state;
    put_model("system s\ncoord x\nmass 1 at [x, 0, 0]\npotential 2*x^2\ninitial x = 1\n"
              "run to 1 every 0.5 method erk\n");
    static char rows[MOST_OUTPUT];
    assert_good("run m.zw --quiet --out -");
    memcpy(rows, outcome.out, sizeof rows);
    assert_good("run m.zw --method erk --quiet --out -");
    assert_string_equal(outcome.out, rows);
    assert_good("run m.zw --method auto --quiet --out -");
    assert_string_not_equal(outcome.out, rows);
}

static void test_audit_in_hdf5(void **state)
{
    (void)state;
    static char json[4096];
    assert_good("run '" ZWANG_SOURCE_DIR "/models/wheels.zw' --audit --out w.h5 --quiet");
    hid_t file = open_hdf5("w.h5");
    assert_int_equal(is_complete(file), 1);
    read_text(file, "audit", json, sizeof json);
    H5Fclose(file);
    assert_begins(json, "{\"method\":\"taylor\",\"tolerance\":");
    static const char *const pieces[] = {
        ",\"horizon\":null,\"expected\":null,\"differences\":{\"coordinates\":{\"worst\":\"phi",
        ",\"opinion\":\"erk\",\"agreement\":",
        ",\"energy\":{\"name\":\"energy\",",
        ",\"total\":false,\"work\":0.72",
        ",\"integrals\":[{\"name\":\"completed energy\",",
        "\"positions\":null,\"velocities\":{\"worst\":\"gear\",\"miss\":"};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        if (!strstr(json, pieces[i]))
            fail_msg("no %s in %s", pieces[i], json);
}

// A run that cannot go on leaves what it reached, in every format.
static void test_early_stop(void **state)
{
    (void)state;
    put_model("coord x\nkinetic x'^2/2\npotential -1/x\ninitial x = 1\nrun to 5 every 0.1\n");
    zwang("run m.zw --out e.h5 --plot e.svg --plot x,x\\':f.svg");
    assert_int_equal(outcome.code, 1);
    hid_t file = open_hdf5("e.h5");
    assert_int_equal(rows_of(file, "x"), 12);
    assert_int_equal(is_complete(file), 0);
    H5Fclose(file);
    slurp("e.svg", outcome.out);
    assert_true(xml_is_well_formed(outcome.out));
    slurp("f.svg", outcome.out);
    assert_true(xml_is_well_formed(outcome.out));
    assert_no_parts();
    zwang("run m.zw --every 5 --out e.csv");
    assert_non_null(strstr(outcome.out, "\n1 row in e.csv\n"));
}

// On a turntable T + U is not constant; what the page says of its run is what the run says.
static void test_energy_of_a_page(void **state)
{
    (void)state;
    static const char constant[] = "energy (Σ q′ ∂T/∂q′ − T + U) changes by at most ";
    put_model("coord x, y\nkinetic ((x' - y)^2 + (y' + x)^2)/2\npotential 2*x^2 + 3*y^2\n"
              "initial x = 1, y' = 0.3\nrun to 5\n");
    assert_good("run m.zw");
    const char *line = strstr(outcome.out, constant);
    assert_non_null(line);
    assert_true(strtod(line + strlen(constant), NULL) < 1e-9);
    char said[128];
    (void)snprintf(said, sizeof said, "%.*s", (int)strcspn(line, "\n"), line);
    zwang("view m.zw --out v.html");
    if (strstr(outcome.err, "built without its page"))
        skip();
    assert_int_equal(outcome.code, 0);
    char find[512];
    (void)snprintf(find, sizeof find, "grep -qF \"%s\" '%s/v.html'", said, folder);
    assert_int_equal(system(find), 0);
}

// ---- Wrong use.

static void test_wrong_outputs(void **state)
{
    (void)state;
    assert_wrong("run " BLADE " --plot b.gif", "ends in .svg, .png or .pdf");
    assert_wrong("run " BLADE " --plot", "--plot needs a value");
    assert_wrong("run " BLADE " --plot thta:b.svg", "did you mean 'theta'?");
    assert_wrong("run " BLADE " --plot b.svg --plot x:b.svg", "'b.svg' is asked for twice");
    assert_wrong("run " BLADE " --plot b.svg --out b.svg", "'b.svg' is asked for twice");
    assert_wrong("derive " BLADE " --plot b.svg", "does not take --plot");
    assert_wrong("run " BLADE " --out nowhere/b.h5", "there is no folder 'nowhere'; make it first");
    assert_wrong("run " BLADE " --plot nowhere/b.svg", "there is no folder 'nowhere'");
    assert_wrong("run " BLADE " --picture nowhere/b.svg", "there is no folder 'nowhere'");
    assert_wrong("view " BLADE " --out nowhere/b.html", "there is no folder 'nowhere'");
    put_model("");
    assert_wrong("run " BLADE " --out m.zw/b.csv", "'m.zw' is not a folder");
    assert_wrong("run " BLADE " --out .", "it is a folder; name a file in it");
    assert_int_equal(mkfifo(in_folder("pipe.h5"), 0600), 0);
    assert_wrong("run " BLADE " --out pipe.h5", "name a regular file");
    if (geteuid() != 0) {
        assert_int_equal(mkdir(in_folder("locked"), 0500), 0);
        assert_wrong("run " BLADE " --out locked/b.csv", "you may not write there");
    } else {
        print_message(
            "skipped: a folder that may not be written to, for root may write anywhere\n");
    }
    // A wrong plot takes the files of the others along, and nothing that stood there before.
    put_file("old.csv", "old\n", 4);
    assert_wrong("run " BLADE " --out old.csv --plot new.svg --plot zz:z.svg", "no column 'zz'");
    assert_false(exists("new.svg"));
    slurp("old.csv", outcome.out);
    assert_string_equal(outcome.out, "old\n");
    assert_no_parts();
}

// The model, by whatever name, is never written over, and no two outputs share a file.
static void test_files_that_are_one(void **state)
{
    (void)state;
    const char *text = "system s\nparam k = 1\ncoord x\nkinetic x'^2/2\npotential k*x^2/2\n"
                       "initial x = 1\nrun to 1\n";
    put_model(text);
    assert_int_equal(symlink("m.zw", in_folder("link.zw")), 0);
    char of_model[512];
    snprintf(of_model, sizeof of_model, "%s", in_folder("m.zw"));
    assert_int_equal(link(of_model, in_folder("hard.svg")), 0);
    const char *const words[] = {"run m.zw --out m.zw",
                                 "run m.zw --out ./m.zw",
                                 "run link.zw --out m.zw",
                                 "run m.zw --out link.zw",
                                 "run m.zw --events m.zw",
                                 "run m.zw --plot hard.svg",
                                 "view m.zw --out m.zw",
                                 "export m.zw --to python --out m.zw",
                                 "export m.zw --to latex --out link.zw",
                                 "stability m.zw --vary k=1:2:3 --plot hard.svg"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_wrong(words[i], "is the model; name another file");
    put_model("include \"p.zw\"\ncoord x\nkinetic k*x'^2/2\nrun to 1\n");
    put_file("p.zw", "param k = 1\n", 12);
    const char *const over[] = {"run m.zw --out ./p.zw", "run m.zw --events p.zw",
                                "view m.zw --out p.zw", "export m.zw --to python --out p.zw"};
    for (size_t i = 0; i < sizeof over / sizeof *over; i++)
        assert_wrong(over[i], "is a file that the model includes");
    slurp("p.zw", outcome.out);
    assert_string_equal(outcome.out, "param k = 1\n");
    put_model(text);
    assert_wrong("run m.zw --out a.csv --events ./a.csv", "'./a.csv' is asked for twice");
    assert_wrong("run m.zw --plot x:a.svg --plot x:./a.svg", "'./a.svg' is asked for twice");
    assert_wrong("run m.zw --out - --events -", "cannot both go to standard output");
    slurp("m.zw", outcome.out);
    assert_string_equal(outcome.out, text);
    remove(in_folder("link.zw"));
    remove(in_folder("hard.svg"));
    assert_no_parts();
}

// A file that is written anew keeps its rights, and a link to it stays a link.
static void test_rights_and_links_stay(void **state)
{
    (void)state;
    struct stat there;
    put_file("rows.csv", "old\n", 4);
    assert_int_equal(chmod(in_folder("rows.csv"), 0604), 0);
    assert_int_equal(symlink("rows.csv", in_folder("link.csv")), 0);
    assert_good("run " BLADE " --to 1 --out link.csv");
    assert_int_equal(lstat(in_folder("link.csv"), &there), 0);
    assert_true(S_ISLNK(there.st_mode));
    assert_int_equal(lstat(in_folder("rows.csv"), &there), 0);
    assert_int_equal(there.st_mode & 07777, 0604);
    slurp("rows.csv", outcome.out);
    assert_begins(outcome.out, "t,x,y,theta");
    remove(in_folder("link.csv"));
    assert_no_parts();
}

// ---- Full disks: code 3, the file named, and the whole rows that there was room for.

static void assert_full(const char *before, const char *words, const char *name)
{
    char command[1024];
    snprintf(command, sizeof command, "cd %s && (%s; exec '%s' run %s %s) >.out 2>.err </dev/null",
             folder, before, ZWANG_PROGRAM, BLADE, words);
    int status = system(command);
    assert_true(WIFEXITED(status));
    slurp(".out", outcome.out);
    slurp(".err", outcome.err);
    if (WEXITSTATUS(status) != 3)
        print_message("%s %s: exit %d, said: %s\n", before, words, WEXITSTATUS(status),
                      outcome.err);
    assert_int_equal(WEXITSTATUS(status), 3);
    char message[128];
    snprintf(message, sizeof message, "error: cannot write '%s': ", name);
    assert_non_null(strstr(outcome.err, message));
}

// What is left of the file begins as the whole one does, ends with a row, and fills the room.
static void assert_cut(const char *name)
{
    static char whole[MOST_OUTPUT];
    char words[200];
    size_t length = strlen(outcome.out), same = 0;
    assert_true(length > 40000 && length <= 102400);
    assert_int_equal(outcome.out[length - 1], '\n');
    assert_non_null(strstr(outcome.err, "the whole rows that there was room for"));
    snprintf(words, sizeof words, "run " BLADE " --every 0.001 --out whole%s --quiet",
             strchr(name, '.'));
    snprintf(whole, sizeof whole, "cd %s && '%s' %s", folder, ZWANG_PROGRAM, words);
    assert_int_equal(system(whole), 0);
    snprintf(words, sizeof words, "whole%s", strchr(name, '.'));
    slurp(words, whole);
    while (outcome.out[same] == whole[same])
        same++;
    bool json = strcmp(name, "l.json") == 0;
    assert_true(json ? length - same < 40 : same == length);
    assert_true(!json || strcmp(outcome.out + same - 1, "]\n],\"events\":[]}\n") == 0 ||
                strstr(outcome.out + same - 2, "\n],\"events\":["));
}

// The rows of a dataset, for free; how many.
static size_t read_column(const char *name, const char *column, double **values)
{
    hid_t file = open_hdf5(name), dataset = H5Dopen2(file, column, H5P_DEFAULT);
    hid_t space = H5Dget_space(dataset);
    size_t count = (size_t)H5Sget_simple_extent_npoints(space);
    *values = calloc(count + 1, sizeof **values);
    assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) >= 0);
    H5Sclose(space);
    H5Dclose(dataset);
    H5Fclose(file);
    return count;
}

// HDF5 has whole chunks of all columns, with the same numbers as a run that has room, and the
// events up to there; it says that it is not complete. The more room, the more rows.
static void test_full_disk_hdf5(void **state)
{
    (void)state;
    static const char *const columns[] = {"t", "z", "z'", "events/t"};
    static const char run[] =
        "run '" ZWANG_SOURCE_DIR "/models/bouncing_ball.zw' --to 3 --every 1e-4";
    char command[1024];
    size_t last = 0;
    snprintf(command, sizeof command, "%s --out whole.h5 --quiet", run);
    assert_good(command);
    for (int blocks = 300; blocks < 3000; blocks += 450) {
        snprintf(command, sizeof command,
                 "cd %s && rm -f c.h5 && (ulimit -f %d; exec '%s' %s --out c.h5) >.out 2>.err",
                 folder, blocks, ZWANG_PROGRAM, run);
        int status = system(command);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
        slurp(".err", outcome.err);
        assert_non_null(strstr(outcome.err, "'c.h5' has the whole rows that there was room for"));
        for (size_t i = 0; i < 4; i++) {
            double *whole, *cut;
            size_t all = read_column("whole.h5", columns[i], &whole);
            size_t count = read_column("c.h5", columns[i], &cut);
            assert_true(count < all && (i == 3 || count > last));
            assert_memory_equal(cut, whole, count * sizeof *cut);
            last = i == 2 ? count : last;
            free(whole);
            free(cut);
        }
    }
    assert_true(last > 10000);
    assert_no_parts();
}

static void test_full_disk(void **state)
{
    (void)state;
    static const char *const names[] = {"l.csv", "l.json", "l.jsonl", "l.h5"};
    char words[128];
    for (size_t i = 0; i < 4; i++) {
        put_file(names[i], "old", 3);
        snprintf(words, sizeof words, "--every 0.001 --out %s", names[i]);
        assert_full("ulimit -f 100", words, names[i]);
        assert_non_null(strstr(outcome.err, "ulimit -f"));
        slurp(names[i], outcome.out);
        if (i == 3)
            assert_string_equal(outcome.out, "old"); // there is no room for a chunk of each column
        else
            assert_cut(names[i]);
    }
    // Not even the beginning of an HDF5 file has room.
    assert_full("ulimit -f 1", "--out l.h5", "l.h5");
    assert_full("ulimit -f 4", "--plot l.svg", "l.svg");
    assert_false(exists("l.h5"));
    assert_false(exists("l.svg"));
    assert_no_parts();
    assert_int_equal(symlink("/dev/full", in_folder("f.svg")), 0);
    assert_full(":", "--plot f.svg", "f.svg");
    assert_non_null(strstr(outcome.err, "the disk is full"));
    assert_full(":", "--out /dev/full", "/dev/full");
    assert_full("exec 1>/dev/full", "--out -", "-");
}

// ---- Terminals.

// What `zwang WORDS` writes on a terminal of so many columns, for a few seconds.
static bool on_terminal(const char *words, int width, int seconds)
{
    if (!is_found("script") || !is_found("timeout"))
        return false;
    char command[1024];
    snprintf(command, sizeof command,
             "cd %s && script -qec \"stty cols %d; timeout --foreground -s INT %d '%s' %s\" "
             "/dev/null >.tty "
             "</dev/null",
             folder, width, seconds, ZWANG_PROGRAM, words);
    assert_true(system(command) != -1);
    slurp(".tty", outcome.out);
    return true;
}

static void test_progress_on_a_terminal(void **state)
{
    (void)state;
    if (!on_terminal("run " BLADE " --to 1e9 --every 1e6", 60, 4))
        skip();
    assert_non_null(strstr(outcome.out, "] "));
    assert_non_null(strstr(outcome.out, "left\033[K"));
    assert_non_null(strstr(outcome.out, "zwang: interrupted"));
    // No look of the bar is wider than the terminal, and the last one was taken away.
    for (const char *at = strchr(outcome.out, '['); at; at = strstr(at + 1, "\r["))
        assert_true(strcspn(at + 1, "\033") < 60);
    assert_non_null(strstr(outcome.out, "\r\033[K\033[1;36mnote:"));
    assert_true(on_terminal("run " BLADE " --to 1e9 --every 1e6 --quiet", 60, 2));
    assert_null(strstr(outcome.out, "left"));
}

static void test_no_progress_in_a_pipe(void **state)
{
    (void)state;
    char command[512];
    snprintf(
        command, sizeof command,
        "cd %s && timeout --foreground -s INT 2 '%s' run %s --to 1e9 --every 1e6 2>&1 | cat >.out",
        folder, ZWANG_PROGRAM, BLADE);
    assert_true(system(command) != -1);
    slurp(".out", outcome.out);
    assert_null(strstr(outcome.out, "left"));
    assert_null(strchr(outcome.out, '\r'));
}

// Single precision is for rows that go somewhere.
static void test_rows_float32(void **state)
{
    (void)state;
    assert_good("run " ZWANG_SOURCE_DIR
                "/models/blade.zw --to 0.1 --every 0.1 --rows float32 --quiet --out f.csv");
    assert_good("run " ZWANG_SOURCE_DIR
                "/models/blade.zw --to 0.1 --every 0.1 --rows float32 --quiet --out f.h5");
    hid_t file = open_hdf5("f.h5"), dataset = H5Dopen2(file, "theta", H5P_DEFAULT);
    hid_t type = H5Dget_type(dataset);
    assert_int_equal(H5Tget_size(type), 4);
    H5Tclose(type);
    H5Dclose(dataset);
    H5Fclose(file);
    assert_wrong("run " ZWANG_SOURCE_DIR "/models/blade.zw --rows float32",
                 "need a file that they go to");
    assert_wrong("run " ZWANG_SOURCE_DIR "/models/blade.zw --rows double --out f.csv",
                 "there is float32");
}

// So many digits in tables; without it, all.
static void test_digits(void **state)
{
    (void)state;
    put_model("param m = 3\ncoord x\nmass m at [x, 0, 0]\nforce 1 along x\ninitial x = 1/7\n");
    zwang("run m.zw --to 1 --every 1 --quiet --out - --digits 3");
    assert_string_equal(outcome.out, "t,x,x',energy\n0,0.143,0,0\n1,0.31,0.333,0.167\n");
    zwang("at m.zw --digits 4");
    assert_non_null(strstr(outcome.out, "0.1429 "));
    assert_non_null(strstr(outcome.out, "0.3333"));
    assert_null(strstr(outcome.out, "0.14285"));
    zwang("at m.zw");
    assert_non_null(strstr(outcome.out, "0.1428571429"));
    assert_wrong("run m.zw --digits 3", "the file that rows go to");
    assert_wrong("at m.zw --digits no", "is not a number of digits");
}

// One spelling for people, another for machines and in quotes.
static void test_names(void **state)
{
    (void)state;
    put_model("coord theta, phi1\nkinetic (theta'^2 + phi1'^2)/2\n");
    zwang("run m.zw --to 0.1");
    assert_non_null(strstr(outcome.err, "so 0: θ, φ₁, θ′, φ₁′\n"));
    assert_non_null(strstr(outcome.out, "momentum of φ₁ changes"));
    zwang("run m.zw --to 0.1 --ascii");
    assert_non_null(strstr(outcome.err, "so 0: theta, phi1, theta', phi1'\n"));
    zwang("run m.zw --to 0.1 --quiet --out -");
    assert_non_null(strstr(outcome.out, "t,theta,phi1,theta',phi1',"));
    assert_wrong("run m.zw --set \"thet'=1\"", "'thet'; did you mean 'theta'?");
    assert_good("run m.zw --to 0.1 --quiet --set \"θ′=1\"");
}

// What an event takes of the energy is told: an impulse of 3 stops a mass with T = 9/2, a `set`
// that halves its velocity leaves a quarter.
static void test_energy_of_events(void **state)
{
    (void)state;
    put_model("coord x\nmass 1 at [x, 0, 0]\nevent hit: x <= -1 { impulse 3 along x }\n"
              "initial x' = -3\n");
    zwang("run m.zw --to 1");
    assert_non_null(strstr(outcome.out, "beside what events change"));
    assert_non_null(strstr(outcome.out, "energy: 4.5 taken by events\n"));
    put_model("coord x\nmass 2 at [x, 0, 0]\nevent hit: x <= -1 { set x' = x'/2 }\n"
              "initial x' = -3\n");
    zwang("run m.zw --to 1");
    assert_non_null(strstr(outcome.out, "energy: 6.75 taken by events\n"));
}

int main(void)
{
    signal(SIGINT, SIG_DFL); // a shell in the background ignores it, and what it starts
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_energy_of_events),
        cmocka_unit_test(test_digits),
        cmocka_unit_test(test_several_outputs),
        cmocka_unit_test(test_rows_float32),
        cmocka_unit_test(test_looks_of_plots),
        cmocka_unit_test(test_a_file_is_reproduced),
        cmocka_unit_test(test_audit),
        cmocka_unit_test(test_method_in_the_model),
        cmocka_unit_test(test_audit_in_hdf5),
        cmocka_unit_test(test_h5dump_reads_it),
        cmocka_unit_test(test_early_stop),
        cmocka_unit_test(test_energy_of_a_page),
        cmocka_unit_test(test_wrong_outputs),
        cmocka_unit_test(test_files_that_are_one),
        cmocka_unit_test(test_rights_and_links_stay),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_full_disk_hdf5),
        cmocka_unit_test(test_progress_on_a_terminal),
        cmocka_unit_test(test_no_progress_in_a_pipe),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
