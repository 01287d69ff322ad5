// scene_mesh.c: meshes from files beside the model: STL, in text or in bytes, and OBJ.
#include "base/base.h"
#include "base/guard.h"
#include "show/scene_impl.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

// What a page can show at once.
enum { MOST_FACES = 200000 };
enum { MOST_BYTES = 64 << 20 };
enum { STL_HEADER = 84, STL_FACE = 50 };

typedef struct {
    const ModelDraw *draw;
    Diag *diag;
    SceneMesh *mesh;
    char *at; // the file, with a zero behind it
    size_t length;
} Reading;

static Status fail(const Reading *reading, const char *why)
{
    return diag_error(reading->diag, reading->draw->text_place, "'%s' %s", reading->draw->text,
                      why);
}

static Status fail_to_read(const Reading *reading, const char *why)
{
    return diag_error(reading->diag, reading->draw->text_place,
                      "cannot read '%s' beside the model: %s", reading->draw->text, why);
}

// ---- The file.

// The path starts at the model's folder.
static char *path_of(const ModelDraw *draw)
{
    Place place = place_origin(draw->place);
    const char *model = place.source ? place.source->name : "";
    const char *slash = strrchr(model, '/');
    Text path = {0};
    if (slash && draw->text[0] != '/')
        text_add_str(&path, (Str){model, (size_t)(slash - model) + 1});
    text_add(&path, draw->text);
    return path.at;
}

static void close_file(void *file)
{
    fclose(file);
}

static Status read_whole(Reading *reading)
{
    char *path = path_of(reading->draw);
    struct stat what;
    FILE *file = fopen(path, "rb");
    base_free(path);
    if (!file)
        return fail_to_read(reading, strerror(errno));
    if (fstat(fileno(file), &what) != 0 || !S_ISREG(what.st_mode)) {
        fclose(file);
        return fail_to_read(reading, "it is no file");
    }
    if (what.st_size > MOST_BYTES) {
        fclose(file);
        return fail_to_read(reading, "it is larger than 64 MiB");
    }
    BaseCleanup cleanup;
    base_cleanup_add(&cleanup, close_file, file);
    reading->at = base_alloc((size_t)what.st_size + 1);
    base_cleanup_remove(&cleanup);
    reading->length = fread(reading->at, 1, (size_t)what.st_size, file);
    bool wrong = ferror(file);
    fclose(file);
    return wrong ? fail_to_read(reading, "it could not be read to its end") : STATUS_OK;
}

// ---- Faces.

static bool push_vertex(Reading *reading, const double at[3])
{
    for (int i = 0; i < 3; i++) {
        if (!isfinite(at[i]))
            return false;
        array_push(&reading->mesh->vertices, at[i]);
    }
    return true;
}

static Status check_faces(const Reading *reading)
{
    size_t faces = reading->mesh->corners.count / 3;
    if (faces == 0)
        return fail(reading, "holds no faces");
    if (faces > MOST_FACES)
        return fail(reading, "has more than 200000 faces; make it coarser");
    return STATUS_OK;
}

static float float_at(const unsigned char *bytes)
{
    uint32_t bits = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                    (uint32_t)bytes[3] << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static Status read_stl_bytes(Reading *reading)
{
    const unsigned char *bytes = (const unsigned char *)reading->at;
    size_t faces = (reading->length - STL_HEADER) / STL_FACE;
    if (faces > MOST_FACES)
        return fail(reading, "has more than 200000 faces; make it coarser");
    for (size_t i = 0; i < faces; i++)
        for (size_t j = 0; j < 3; j++) {
            const unsigned char *corner = bytes + STL_HEADER + i * STL_FACE + 12 + 12 * j;
            double at[3] = {float_at(corner), float_at(corner + 4), float_at(corner + 8)};
            if (!push_vertex(reading, at))
                return fail(reading, "holds a corner that is no number");
            array_push(&reading->mesh->corners, (uint32_t)(3 * i + j));
        }
    return check_faces(reading);
}

static bool read_three(const char *text, double at[3])
{
    for (int i = 0; i < 3; i++) {
        char *end;
        at[i] = strtod(text, &end);
        if (end == text)
            return false;
        text = end;
    }
    return true;
}

static const char *skip_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t' || *text == '\r')
        text++;
    return text;
}

// The line behind this one; it is cut off at its end.
static char *cut_line(char *line)
{
    char *end = strchr(line, '\n');
    if (!end)
        return NULL;
    *end = '\0';
    return end + 1;
}

static Status read_stl_text(Reading *reading)
{
    SceneMesh *mesh = reading->mesh;
    for (char *line = reading->at, *next; line; line = next) {
        next = cut_line(line);
        const char *text = skip_blanks(line);
        double at[3];
        if (strncmp(text, "vertex", 6) != 0)
            continue;
        if (!read_three(text + 6, at) || !push_vertex(reading, at))
            return fail(reading, "holds a vertex without three numbers");
        array_push(&mesh->corners, (uint32_t)(mesh->vertices.count / 3 - 1));
    }
    mesh->corners.count -= mesh->corners.count % 3;
    return check_faces(reading);
}

// f 1/2/3 4/5/6 …: the first number of each is a corner; below 0 it counts from the end.
static bool read_face(Reading *reading, const char *text)
{
    SceneMesh *mesh = reading->mesh;
    long count = (long)(mesh->vertices.count / 3);
    uint32_t first = 0, before = 0;
    for (size_t i = 0;; i++) {
        char *end;
        text = skip_blanks(text);
        if (*text == '\0' || *text == '#')
            return i > 2;
        long corner = strtol(text, &end, 10);
        if (end == text || corner == 0 || corner > count || corner < -count)
            return false;
        uint32_t at = (uint32_t)(corner > 0 ? corner - 1 : count + corner);
        if (i >= 2) {
            array_push(&mesh->corners, first);
            array_push(&mesh->corners, before);
            array_push(&mesh->corners, at);
        }
        first = i == 0 ? at : first;
        before = at;
        for (text = end; *text && *text != ' ' && *text != '\t' && *text != '\r';)
            text++;
    }
}

static Status read_obj(Reading *reading)
{
    for (char *line = reading->at, *next; line; line = next) {
        next = cut_line(line);
        const char *text = skip_blanks(line);
        double at[3];
        bool vertex = text[0] == 'v' && (text[1] == ' ' || text[1] == '\t');
        bool face = text[0] == 'f' && (text[1] == ' ' || text[1] == '\t');
        if (vertex && (!read_three(text + 1, at) || !push_vertex(reading, at)))
            return fail(reading, "holds a vertex without three numbers");
        if (face && !read_face(reading, text + 1))
            return fail(reading, "holds a face whose corners are not in it");
        if (reading->mesh->corners.count / 3 > MOST_FACES)
            break;
    }
    return check_faces(reading);
}

static Status read_faces(Reading *reading)
{
    size_t length = strlen(reading->draw->text);
    if (strcasecmp(reading->draw->text + length - 4, ".obj") == 0)
        return read_obj(reading);
    // In bytes the length follows from the number of faces; text may begin alike.
    bool bytes = reading->length >= STL_HEADER;
    if (bytes) {
        const unsigned char *count = (const unsigned char *)reading->at + 80;
        uint64_t faces = (uint64_t)count[0] | (uint64_t)count[1] << 8 | (uint64_t)count[2] << 16 |
                         (uint64_t)count[3] << 24;
        bytes = reading->length == STL_HEADER + faces * STL_FACE;
    }
    if (!bytes && strncmp(skip_blanks(reading->at), "solid", 5) != 0)
        return fail(reading, "is no STL file, or is cut off");
    return bytes ? read_stl_bytes(reading) : read_stl_text(reading);
}

Status scene_mesh_read(const ModelDraw *draw, Diag *diag, SceneMesh *mesh)
{
    Reading reading = {.draw = draw, .diag = diag, .mesh = mesh};
    *mesh = (SceneMesh){.corner_count = 3};
    Status status = read_whole(&reading);
    if (status == STATUS_OK)
        status = read_faces(&reading);
    base_free(reading.at);
    if (status != STATUS_OK)
        scene_mesh_clear(mesh);
    return status;
}
