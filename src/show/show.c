// show.c: a Show is made and freed, and set how reports are to look.
#include "motion/reactions.h"
#include "show/quantities_impl.h"
#include "show/report_passes_impl.h"
#include "show/short_forms_impl.h"
#include "show/show_impl.h"
#include "show/symbol_class_impl.h"
#include "show/tree_size_impl.h"

#include <assert.h>

Show *show_new(Motion *motion)
{
    assert(motion);
    Show *show = base_alloc(sizeof *show);
    show->motion = motion;
    show->pool = motion->pool;
    show->classes = symbol_classes_new(motion);
    show->sizes = tree_sizes_new();
    show->short_forms = short_forms_new();
    show->quantities = quantities_new();
    show->report = report_state_new();
    show->reactions = base_alloc(sizeof *show->reactions);
    return show;
}

void show_free(Show *show)
{
    if (!show)
        return;
    symbol_classes_free(show->classes);
    tree_sizes_free(show->sizes);
    short_forms_free(show->short_forms);
    quantities_free(show->quantities);
    base_free(show->report);
    motion_reactions_free(*show->reactions);
    base_free(show->reactions);
    base_free(show);
}

void show_expand(Show *show)
{
    show->expand = true;
}

void show_with_reactions(Show *show, const Form *multipliers)
{
    show->reactions_by = multipliers;
}
