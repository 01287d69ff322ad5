// fmu.c: the motion as an FMU (FMI 3.0): the description, the source, the source compiled.
#include "export/fmu_impl.h"

#include "model/friction.h"
#include "motion/frictions.h"
#include "program/digest.h"

#include <math.h>
#include <string.h>

#if defined __aarch64__
#define ARCHITECTURE "aarch64"
#elif defined __x86_64__
#define ARCHITECTURE "x86_64"
#elif defined __i386__
#define ARCHITECTURE "x86"
#else
#define ARCHITECTURE "unknown"
#endif
#ifdef __APPLE__
#define PLATFORM ARCHITECTURE "-darwin"
#define ENDING   ".dylib"
#else
#define PLATFORM ARCHITECTURE "-linux"
#define ENDING   ".so"
#endif

// Beyond so many characters a compiler that tries less is quicker.
enum { LONG_SOURCE = 400000 };

// The same for the same model, settings and version.
static void make_token(const Exported *exported, char token[2 * DIGEST_BYTES + 3])
{
    const ExportOrigin *origin = exported->origin;
    Text all = {0};
    unsigned char digest[DIGEST_BYTES];
    text_addf(&all, "%s %d\n", origin->version, origin->whole);
    text_add_str(&all, origin->text);
    for (size_t i = 0; i < exported->params; i++)
        text_addf(&all, "\n%.17g", exported->param_values[i]);
    for (size_t i = 0; i < exported->n + exported->k; i++)
        text_addf(&all, "\n%.17g", i < exported->n ? exported->q[i] : exported->u[i - exported->n]);
    digest_bytes(all.at, all.length, digest);
    token[0] = '{';
    digest_print(digest, token + 1);
    strcat(token, "}");
    text_clear(&all);
}

// What stands beside contacts and impulses, or beside conditions that hold for a while alone, that
// an FMU does not follow there; false: nothing does.
static bool beside(const Motion *motion, bool ideal, Text *what)
{
    size_t count = motion->m + motion->side_count;
    for (size_t i = 0; i < motion->second_count; i++)
        return text_addf(what, "the condition on accelerations '%s'",
                         motion->seconds[i].row.constraint->name),
               true;
    for (size_t i = 0; i < count; i++) {
        const MotionRow *row =
            i < motion->m ? &motion->rows[i] : motion_side(motion, i - motion->m);
        const char *name = row->constraint->name;
        if (row->servo && ideal)
            return text_addf(what, "the servo '%s'", name), true;
        if (!row->linear)
            return text_addf(what, "the condition '%s', which is not linear in the velocities",
                             name),
                   true;
        if (row->d != row->b && ideal)
            return text_addf(what, "forces that hold the reaction of '%s'", name), true;
    }
    if (motion->curved)
        text_add(what, "speeds that are not linear in the velocities");
    return motion->curved;
}

// Contacts, friction and impulses act beside ideal reactions.
static Status check_ideal(const Exported *exported, Diag *diag)
{
    const Model *model = exported->model;
    bool sides = fmu_one_sided(exported) > 0, rubs = exported->motion->friction_count > 0;
    bool impulses = model->impulses.count + fmu_event_blows(model) > 0;
    bool ideal = sides || rubs || impulses;
    const char *who = sides      ? "one-sided conditions"
                      : rubs     ? "friction"
                      : impulses ? "impulses"
                                 : "conditions that hold for a while";
    Text what = {0};
    Status status = STATUS_OK;
    if ((ideal || exported->sides > 0) && beside(exported->motion, ideal, &what)) {
        Place place = exported->sides > 0         ? exported->side_rows[0]->constraint->place
                      : rubs                      ? exported->motion->frictions[0].friction->place
                      : model->impulses.count > 0 ? model->impulses.at[0].place
                                                  : model->events.at[0].place;
        status = diag_error(diag, place, "an FMU does not follow %s beside %s", who, what.at);
    }
    text_clear(&what);
    return status;
}

// So many touch at once in an FMU, as in fmu/fmu_types.h.
enum { MOST_CONTACTS = 8 };

// An FMU that cannot start from the model's start is of no use.
static Status check_contacts(const Exported *exported, Diag *diag)
{
    ExprRow sides = {0};
    Text names = {0};
    size_t count = 0, one_sided = fmu_one_sided(exported);
    double *values = base_alloc((exported->sides + 1) * sizeof *values), size = 1;
    for (size_t i = 0; i < one_sided; i++)
        array_push(&sides, exported->side_rows[i]->position);
    for (size_t i = 0; i < exported->n; i++)
        size = fmax(size, fabs(exported->q[i]));
    exported_start_values(exported, &sides, values);
    for (size_t i = 0; i < one_sided; i++)
        if (exported->side_rows[i]->constraint->waits == 0 &&
            fabs(values[i]) <= exported->tolerance * size)
            text_addf(&names, "%s%s", count++ ? ", " : "",
                      exported->side_rows[i]->constraint->name);
    Status status = STATUS_OK;
    if (count > MOST_CONTACTS)
        status = diag_error(diag, exported->side_rows[0]->constraint->place,
                            "at the start %zu one-sided conditions touch at once, and an FMU takes "
                            "%d: %s",
                            count, MOST_CONTACTS, names.at);
    text_clear(&names);
    array_clear(&sides);
    base_free(values);
    return status;
}

static Status compile(const Text *source, Diag *diag, Text *object)
{
    Text why = {0};
    NativeKind kind = source->length > LONG_SOURCE ? NATIVE_LIBRARY_LONG : NATIVE_LIBRARY;
    bool done = native_object(source->at, kind, object, &why);
    if (!done)
        diag_error(diag, place_hint(HINT_SOURCES_ONLY),
                   "the FMU cannot be compiled: %s; its sources alone need no compiler",
                   why.length ? why.at : "unknown reason");
    text_clear(&why);
    return done ? STATUS_OK : STATUS_FAILED;
}

static Status write_parts(const Exported *exported, bool binary, Diag *diag, Text *file)
{
    char token[2 * DIGEST_BYTES + 3];
    Text source = {0}, description = {0}, build = {0}, object = {0}, path = {0};
    make_token(exported, token);
    Status status = fmu_source(exported, token, diag, &source);
    if (status == STATUS_OK && binary)
        status = compile(&source, diag, &object);
    if (status == STATUS_OK) {
        fmu_description(exported, token, &description);
        fmu_build_description(exported, &build);
        text_addf(&path, "binaries/" PLATFORM "/%s" ENDING, exported->system);
        const ZipEntry entries[] = {
            {"modelDescription.xml", {description.at, description.length}, false},
            {"sources/buildDescription.xml", {build.at, build.length}, false},
            {"sources/fmu.c", {source.at, source.length}, false},
            {path.at, {object.at, object.length}, true}};
        zip_write(entries, binary ? 4 : 3, file);
    }
    text_clear(&source);
    text_clear(&description);
    text_clear(&build);
    text_clear(&object);
    text_clear(&path);
    return status;
}

// Where the speeds may cease to determine the velocities on the way, all of these are in the state.
static Status choose_state(Exported *exported, Simulation *run, Motion *motion,
                           ExportOrigin *origin, Diag *diag, RunFormulasRoom **room)
{
    TRY(exported_init(exported, run, motion, &export_c_language, origin, diag, room));
    if (!exported->guards_speeds)
        return STATUS_OK;
    exported_clear(exported);
    run_formulas_free(*room);
    *room = NULL;
    *exported = (Exported){0};
    origin->whole = true;
    return exported_init(exported, run, motion, &export_c_language, origin, diag, room);
}

Status export_fmu(Simulation *run, Motion *motion, const ExportOrigin *given, bool binary,
                  Diag *diag, Text *file)
{
    Exported exported = {0};
    ExportOrigin origin = *given;
    RunFormulasRoom *room = NULL;
    Motion *own = given->acting ? given->acting : motion;
    Status status = left_out_check_fmu(own, diag);
    MotionFriction *frictions = own->frictions;
    size_t friction_count = own->friction_count;
    fmu_split_frictions(own);
    if (status == STATUS_OK)
        status = choose_state(&exported, run, motion, &origin, diag, &room);
    if (status == STATUS_OK)
        status = check_ideal(&exported, diag);
    if (status == STATUS_OK)
        status = fmu_check_frictions(own, diag);
    if (status == STATUS_OK)
        status = check_contacts(&exported, diag);
    if (status == STATUS_OK)
        status = fmu_check_events(&exported, diag);
    if (status == STATUS_OK)
        status = fmu_check_tables(&exported, diag);
    if (status == STATUS_OK)
        status = write_parts(&exported, binary, diag, file);
    exported_clear(&exported);
    run_formulas_free(room);
    own->frictions = frictions;
    own->friction_count = friction_count;
    return status;
}
