// What a run leaves behind, and what it does not: plots and HDF5, signals, full disks, terminals.
#include "cli/program.h"
#include "show/xml.h"

#include <fcntl.h>
#include <hdf5.h>
#include <signal.h>
#include <time.h>

// Nothing that was begun and not finished lies about.
static void assert_no_parts(void)
{
    char command[256];
    snprintf(command, sizeof command, "! ls -A %s | grep -q '\\.part\\.'", folder);
    assert_int_equal(system(command), 0);
}

static const char *in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static hid_t open_hdf5(const char *name)
{
    hid_t file = H5Fopen(in_folder(name), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static size_t rows_of(hid_t file, const char *column)
{
    hid_t dataset = H5Dopen2(file, column, H5P_DEFAULT);
    assert_true(dataset >= 0);
    hid_t space = H5Dget_space(dataset);
    hssize_t rows = H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    H5Dclose(dataset);
    return (size_t)rows;
}

static int is_complete(hid_t file)
{
    int complete = -1;
    hid_t attribute = H5Aopen(file, "complete", H5P_DEFAULT);
    assert_true(H5Aread(attribute, H5T_NATIVE_INT, &complete) >= 0);
    H5Aclose(attribute);
    return complete;
}

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
    static const char constant[] = "energy (Σ q' ∂T/∂q' − T + U) changes by at most ";
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

// ---- Full disks: code 3, the file named, nothing under its name.

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
        assert_string_equal(outcome.out, "old");
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

// ---- Signals.

static void nap(void)
{
    nanosleep(&(struct timespec){0, 10 * 1000 * 1000}, NULL);
}

// Starts a run that would not end, in the folder.
static pid_t start_long_run(const char *out, const char *plot)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0)
        return child;
    int quiet = open("/dev/null", O_RDWR);
    if (chdir(folder) != 0 || quiet < 0 || dup2(quiet, 1) < 0 || dup2(quiet, 2) < 0)
        _exit(99);
    execl(ZWANG_PROGRAM, "zwang", "run", ZWANG_SOURCE_DIR "/models/polar.zw", "--to", "1e9",
          "--every", "0.01", "--out", out, "--plot", plot, (char *)NULL);
    _exit(99);
}

// Until so many bytes of what is being written are there.
static void wait_for_bytes(const char *name, long bytes)
{
    char command[512];
    snprintf(command, sizeof command, "test \"$(cat %s/%s.part.* 2>/dev/null | wc -c)\" -ge %ld",
             folder, name, bytes);
    for (int i = 0; i < 3000 && system(command) != 0; i++)
        nap();
}

static int end_of(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void test_interrupted_csv(void **state)
{
    (void)state;
    pid_t child = start_long_run("i.csv", "i.svg");
    wait_for_bytes("i.csv", 20000);
    assert_false(exists("i.csv"));
    kill(child, SIGINT);
    int status = end_of(child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    // Whole rows, all of them.
    char command[512];
    snprintf(command, sizeof command,
             "cd %s && tail -c 1 i.csv | od -An -c | grep -q '\\\\n' && "
             "awk -F, 'NR == 1 { n = NF } NF != n { exit 1 } END { exit NR < 100 }' i.csv",
             folder);
    assert_int_equal(system(command), 0);
    slurp("i.svg", outcome.out);
    assert_true(xml_is_well_formed(outcome.out));
    assert_no_parts();
}

static void test_terminated_hdf5(void **state)
{
    (void)state;
    pid_t child = start_long_run("i.h5", "i.svg");
    wait_for_bytes("i.h5", 40000);
    kill(child, SIGTERM);
    int status = end_of(child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    hid_t file = open_hdf5("i.h5");
    assert_true(rows_of(file, "t") > 100);
    assert_int_equal(rows_of(file, "t"), rows_of(file, "theta'"));
    assert_int_equal(is_complete(file), 0);
    H5Fclose(file);
    assert_no_parts();
}

// A run that cannot be asked any more, since it waits for the reader of a pipe, ends at the second
// signal; nothing half-written has a name that was asked for.
static void test_interrupted_twice(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(in_folder("slow"), 0600), 0);
    int reader = open(in_folder("slow"), O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    pid_t child = start_long_run("slow", "twice.svg");
    // The pipe is full when nothing is read from it for a while.
    for (int i = 0; i < 100; i++)
        nap();
    kill(child, SIGINT);
    for (int i = 0; i < 20; i++)
        nap();
    kill(child, SIGINT);
    int status = end_of(child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    assert_false(exists("twice.svg"));
    close(reader);
    char command[256];
    snprintf(command, sizeof command, "rm %s/twice.svg.part.*", folder);
    assert_int_equal(system(command), 0);
}

// Starts `zwang run MODEL`, silent, in the folder.
static pid_t start_run(const char *model, const char *option, const char *value, const char *flag)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0)
        return child;
    int quiet = open("/dev/null", O_RDWR);
    if (chdir(folder) != 0 || quiet < 0 || dup2(quiet, 1) < 0 || dup2(quiet, 2) < 0)
        _exit(99);
    execl(ZWANG_PROGRAM, "zwang", "run", model, "--to", "1e9", "--out", "s.csv", option, value,
          flag, (char *)NULL);
    _exit(99);
}

// The process whose number is in a file of the folder, once it is there.
static pid_t process_in(const char *name)
{
    long process = 0;
    for (int i = 0; i < 3000 && process == 0; i++) {
        FILE *file = fopen(in_folder(name), "r");
        if (file && fscanf(file, "%ld\n", &process) != 1)
            process = 0;
        if (file)
            fclose(file);
        nap();
    }
    assert_true(process > 1);
    return (pid_t)process;
}

// Whether a process ends soon; one that nobody has waited for yet has ended, too.
static bool ends(pid_t process)
{
    char command[128];
    snprintf(command, sizeof command, "ps -o stat= -p %ld 2>/dev/null | grep -qv Z", (long)process);
    for (int i = 0; i < 500; i++) {
        if (kill(process, 0) != 0 || system(command) != 0)
            return true;
        nap();
    }
    return false;
}

// Whoever ends a run that waits for the compiler ends the compiler, and what that has started.
static void test_interrupted_compiler(void **state)
{
    (void)state;
    char script[400], compiler[300], cache[300];
    snprintf(script, sizeof script,
             "#!/bin/sh\nsleep 300 &\necho $! >%s/child\necho $$ >%s/compiler\nwait\n", folder,
             folder);
    put_file("slow_cc", script, strlen(script));
    snprintf(compiler, sizeof compiler, "%s", in_folder("slow_cc"));
    snprintf(cache, sizeof cache, "%s", in_folder("cache"));
    assert_int_equal(chmod(compiler, 0700), 0);
    setenv("CC", compiler, 1);
    setenv("XDG_CACHE_HOME", cache, 1);
    pid_t run = start_run(ZWANG_SOURCE_DIR "/models/blade.zw", "--engine", "native", NULL);
    pid_t processes[] = {process_in("compiler"), process_in("child")};
    kill(run, SIGTERM);
    int status = end_of(run);
    unsetenv("CC");
    unsetenv("XDG_CACHE_HOME");
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    assert_true(ends(processes[0]) && ends(processes[1]));
    assert_true(exists("s.csv"));
    assert_no_parts();
}

// A compiler that works beside the run inherits nothing of what the run writes: what it held open
// would stay locked until it has ended. Two of them may list at once: each list is there as a
// whole.
static void test_compiler_inherits_nothing(void **state)
{
    (void)state;
    const char *names[] = {"open.h5", "open.csv"};
    for (size_t i = 0; i < 2; i++) {
        char script[400], command[300];
        snprintf(script, sizeof script,
                 "#!/bin/sh\ncd %s\nls -l /proc/$$/fd >list.$$\nmv list.$$ held\n"
                 "echo $$ >listed%zu\nexit 1\n",
                 folder, i);
        put_file("list_cc", script, strlen(script));
        assert_int_equal(chmod(in_folder("list_cc"), 0700), 0);
        setenv("CC", in_folder("list_cc"), 1);
        setenv("XDG_CACHE_HOME", in_folder("none"), 1);
        pid_t run = start_long_run(names[i], "open.svg");
        snprintf(command, sizeof command, "listed%zu", i);
        process_in(command);
        kill(run, SIGTERM);
        end_of(run);
        unsetenv("CC");
        unsetenv("XDG_CACHE_HOME");
        snprintf(command, sizeof command, "grep -q null %s/held && ! grep -q open %s/held", folder,
                 folder);
        assert_int_equal(system(command), 0);
    }
}

// How many files a cache holds.
static int files_in(const char *cache)
{
    char command[300];
    int count = -1;
    snprintf(command, sizeof command, "find %s/%s -type f 2>/dev/null | wc -l", folder, cache);
    FILE *list = popen(command, "r");
    assert_non_null(list);
    assert_int_equal(fscanf(list, "%d", &count), 1);
    pclose(list);
    return count;
}

// A run with other parameters compiles nothing, and writes what one writes that has compiled for
// itself. With a parameter that is 0 other code is needed.
static void test_other_parameters(void **state)
{
    (void)state;
    const char *hoop = "run '" ZWANG_SOURCE_DIR "/models/hoop.zw' --engine native --to 1";
    const struct {
        const char *cache, *set, *out;
    } runs[] = {{"warm", "m=2.5", "first.csv"},
                {"warm", "m=3.75,r=0.41,g=9.7", "second.csv"},
                {"cold", "m=3.75,r=0.41,g=9.7", "fresh.csv"}};
    int kept[3];
    for (size_t i = 0; i < 3; i++) {
        char words[400];
        setenv("XDG_CACHE_HOME", in_folder(runs[i].cache), 1);
        snprintf(words, sizeof words, "%s --set %s --out %s", hoop, runs[i].set, runs[i].out);
        zwang(words);
        assert_int_equal(outcome.code, 0);
        kept[i] = files_in(runs[i].cache);
    }
    assert_true(kept[0] > 0 && kept[1] == kept[0] && kept[2] == kept[0]);
    char command[200];
    snprintf(command, sizeof command,
             "cd %s && cmp -s second.csv fresh.csv && ! cmp -s first.csv "
             "second.csv",
             folder);
    assert_int_equal(system(command), 0);
    setenv("XDG_CACHE_HOME", in_folder("warm"), 1);
    snprintf(command, sizeof command, "%s --set g=0 --out third.csv", hoop);
    zwang(command);
    assert_int_equal(outcome.code, 0);
    assert_true(files_in("warm") > kept[0]);
    unsetenv("XDG_CACHE_HOME");
}

// While equations are made nothing was reached, and nothing is left.
static void test_interrupted_before(void **state)
{
    (void)state;
    pid_t run = start_run(ZWANG_SOURCE_DIR "/models/field.zw", "--set", "N=8", NULL);
    for (int i = 0; i < 20; i++)
        nap();
    kill(run, SIGINT);
    int status = end_of(run);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    assert_no_parts();
}

// A run answers soon at any moment: while its model is read, its equations, programs, start and
// constants are sought, while it is compiled, and along it. What is drawn is the moment.
static void test_interrupted_anywhere(void **state)
{
    (void)state;
    static const struct {
        const char *model, *option, *value, *flag;
    } runs[] = {{"pendulum", "--set", "N=12", "--audit"},
                {"pendulum", "--set", "N=20", "--integrals"},
                {"field", "--set", "N=7", NULL},
                {"pendulum_space", "--form", "hamel", NULL},
                {"squeezer", "--engine", "native", "--audit"},
                {"rope", "--method", "bdf", NULL}};
    unsigned drawn = 7;
    for (size_t i = 0; i < 2 * sizeof runs / sizeof *runs; i++) {
        char model[512];
        size_t at = i % (sizeof runs / sizeof *runs);
        snprintf(model, sizeof model, "%s/models/%s.zw", ZWANG_SOURCE_DIR, runs[at].model);
        pid_t run = start_run(model, runs[at].option, runs[at].value, runs[at].flag);
        // Its program has to be there.
        drawn = 1664525 * drawn + 1013904223;
        size_t wait = 5 + (drawn >> 16) % 60;
        for (size_t k = 0; k < wait; k++)
            nap();
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        kill(run, SIGTERM);
        end_of(run);
        clock_gettime(CLOCK_MONOTONIC, &to);
        double took = difftime(to.tv_sec, from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
        // On an idle machine 0.2 s; other tests run beside this one.
        if (!(took < 1))
            fail_msg("%s after %zu ms: %.3f s", runs[at].model, 10 * wait, took);
        assert_no_parts();
    }
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_several_outputs),
        cmocka_unit_test(test_rows_float32),
        cmocka_unit_test(test_looks_of_plots),
        cmocka_unit_test(test_a_file_is_reproduced),
        cmocka_unit_test(test_audit),
        cmocka_unit_test(test_audit_in_hdf5),
        cmocka_unit_test(test_h5dump_reads_it),
        cmocka_unit_test(test_early_stop),
        cmocka_unit_test(test_energy_of_a_page),
        cmocka_unit_test(test_wrong_outputs),
        cmocka_unit_test(test_files_that_are_one),
        cmocka_unit_test(test_rights_and_links_stay),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_interrupted_csv),
        cmocka_unit_test(test_terminated_hdf5),
        cmocka_unit_test(test_interrupted_twice),
        cmocka_unit_test(test_interrupted_compiler),
        cmocka_unit_test(test_compiler_inherits_nothing),
        cmocka_unit_test(test_other_parameters),
        cmocka_unit_test(test_interrupted_before),
        cmocka_unit_test(test_interrupted_anywhere),
        cmocka_unit_test(test_progress_on_a_terminal),
        cmocka_unit_test(test_no_progress_in_a_pipe),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
