// zw_gallery.c: the models that come with the library; their texts are put into it when it is
// built.
#include "api/api_impl.h"
#include "api/call_impl.h"
#include "base/base.h"
#include "zwang.h"

#include <string.h>

static const struct {
    const char *name, *title, *text;
} models[] = {
#define MODEL(name, title, text) {name, title, text},
#define FILE_BESIDE(name, text)
#include "api/gallery_models.def"
#undef FILE_BESIDE
#undef MODEL
};

// What models read.
static const struct {
    const char *name, *text;
} files[] = {
#define MODEL(name, title, text)
#define FILE_BESIDE(name, text) {name, text},
#include "api/gallery_models.def"
#undef FILE_BESIDE
#undef MODEL
    {NULL, NULL},
};

enum { MODEL_COUNT = sizeof models / sizeof *models };

size_t zw_gallery_count(void)
{
    return MODEL_COUNT;
}

const char *zw_gallery_name(size_t index)
{
    return index < MODEL_COUNT ? models[index].name : NULL;
}

const char *zw_gallery_title(size_t index)
{
    return index < MODEL_COUNT ? models[index].title : NULL;
}

const char *api_gallery_file(const char *name)
{
    for (size_t i = 0; files[i].name; i++)
        if (strcmp(files[i].name, name) == 0)
            return files[i].text;
    return NULL;
}

const char *zw_gallery_text(const char *name)
{
    for (size_t i = 0; i < MODEL_COUNT && name; i++)
        if (strcmp(models[i].name, name) == 0)
            return models[i].text;
    return name ? api_gallery_file(name) : NULL;
}

const char *zw_gallery_nearest(const char *name)
{
    Str names[MODEL_COUNT];
    for (size_t i = 0; i < MODEL_COUNT; i++)
        names[i] = str_of(models[i].name);
    ptrdiff_t nearest = name ? api_nearest(str_of(name), names, MODEL_COUNT) : -1;
    return nearest < 0 ? NULL : models[nearest].name;
}
