// questions.c: how every question is asked: (model, options, result).
#include "api/api_impl.h"
#include "api/call_impl.h"
#include "api/result_impl.h"

typedef struct {
    zw_model *model;
    const void *given;
    void *options;
    size_t bytes;
    ApiAnswer *answer;
    zw_result **out, *result;
} Question;

static Status answer_once(zw_model *model, void *context)
{
    Question *question = context;
    zw_result_free(question->result);
    question->result = result_new();
    return question->answer(model, question->options, question->result);
}

static Status ask(void *context)
{
    Question *question = context;
    zw_model *model = question->model;
    if (!question->out)
        return diag_error(model->diag, place_none(),
                          "no place for the result was given: it is NULL");
    TRY(api_take_options(question->given, question->options, question->bytes, model->diag));
    return api_with_zeros(model, answer_once, question);
}

zw_status api_ask(zw_model *model, const void *given, void *options, size_t bytes,
                  ApiAnswer *answer, bool optional, zw_result **out)
{
    zw_result *unread = NULL;
    if (out)
        *out = NULL;
    if (!model)
        return ZW_WRONG;
    // The result is no part of the model: it is freed by itself where memory ends.
    Question *question = &(Question){model, given, options, bytes, answer, out, NULL};
    if (!out && optional)
        question->out = &unread;
    Status status = api_guarded(&model->heap, &model->spoiled, ask, question);
    bool has_text = question->result && question->result->text && status != STATUS_FAILED;
    if (out && has_text)
        *out = question->result;
    else
        zw_result_free(question->result);
    return api_status(status);
}

typedef struct {
    const char *path;
    const zw_gallery_options *options;
    ApiGalleryWriter *write;
    zw_result *result;
} GalleryCall;

static Status write_gallery(void *context)
{
    GalleryCall *call = context;
    Text said = {0};
    call->result = result_new();
    Status status = call->write(call->path, call->options, &said);
    result_put_text(call->result, &said, ZW_TEXT, 0);
    return status;
}

zw_status api_write_gallery(const char *path, const zw_gallery_options *options,
                            ApiGalleryWriter *write, zw_result **out)
{
    if (out)
        *out = NULL;
    if (!path || !out)
        return ZW_WRONG;
    GalleryCall *call = &(GalleryCall){path, options, write, NULL};
    Status status = api_alone(write_gallery, call);
    if (call->result && call->result->text)
        *out = call->result;
    else
        zw_result_free(call->result);
    return api_status(status);
}
