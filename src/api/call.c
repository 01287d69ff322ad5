// call.c: how every question is asked: what may not be NULL, options as they are given, a result.
#include "api/api_impl.h"
#include "api/result_impl.h"

#include <string.h>

#define WRITTEN(number)            #number
#define WRITE(major, minor, patch) WRITTEN(major) "." WRITTEN(minor) "." WRITTEN(patch)

const char *zw_version(void)
{
    return WRITE(ZW_VERSION_MAJOR, ZW_VERSION_MINOR, ZW_VERSION_PATCH);
}

zw_status api_status(Status status)
{
    return (zw_status)status;
}

// No options struct of any version is larger.
enum { MOST_BYTES = 4096 };

Status api_take_options(const void *given, void *options, size_t bytes, Diag *diag)
{
    memset(options, 0, bytes);
    if (!given)
        return STATUS_OK;
    size_t told;
    memcpy(&told, given, sizeof told);
    size_t size = told ? told : bytes;
    if (size < sizeof told || size > MOST_BYTES)
        return diag_error(diag, place_none(),
                          "the size of these options is %zu; it is 0 or the sizeof of their struct",
                          told);
    const unsigned char *at = given;
    for (size_t i = bytes; i < size; i++)
        if (at[i] != 0)
            return diag_error(diag, place_none(),
                              "these options set something that version %s of the library does "
                              "not know; use a later one",
                              zw_version());
    memcpy(options, given, size < bytes ? size : bytes);
    return STATUS_OK;
}

zw_status api_write_gallery(const char *path, const zw_gallery_options *options,
                            ApiGalleryWriter *write, zw_result **out)
{
    if (out)
        *out = NULL;
    if (!path || !out)
        return ZW_WRONG;
    Text said = {0};
    Status status = write(path, options, &said);
    *out = result_new();
    result_put_text(*out, &said, ZW_TEXT, 0);
    return api_status(status);
}

zw_status api_ask(zw_model *model, const void *given, void *options, size_t bytes,
                  ApiAnswer *answer, bool optional, zw_result **out)
{
    if (out)
        *out = NULL;
    if (!model)
        return ZW_WRONG;
    if (!out && !optional)
        return api_status(
            diag_error(model->diag, place_none(), "no place for the result was given: it is NULL"));
    Status status = api_take_options(given, options, bytes, model->diag);
    if (status != STATUS_OK)
        return api_status(status);
    zw_result *result = result_new();
    status = answer(model, options, result);
    if (out && result->text)
        *out = result;
    else
        zw_result_free(result);
    return api_status(status);
}
