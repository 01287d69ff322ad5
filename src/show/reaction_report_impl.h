// reaction_report_impl.h: the reactions of the conditions as expressions.
#ifndef ZWANG_SHOW_REACTION_REPORT_IMPL_H
#define ZWANG_SHOW_REACTION_REPORT_IMPL_H

#include "motion/reactions.h"
#include "show/show.h"

// A multiplier that was solved for: over one denominator, unless that is much longer.
Expr show_multiplier(const Show *show, Expr lambda);
void show_reactions_text(const Show *show, Text *out);
// With the multipliers solved for, where that can be read; `form` is the one of multipliers.
void show_reactions_latex(const Show *show, const Form *form, Text *out);
void show_reactions_json(const Show *show, const Form *form, Text *out);
// {"condition":…,"at":…,"on":…,"balanced":…, without the brace that closes it.
void show_json_reaction_head(const MotionReaction *reaction, Text *out);
// ,"generalized":[…], the forces on coordinates as expressions; as these numbers, of every
// condition n, where they are not NULL.
void show_json_generalized(const Show *show, const MotionReactions *reactions,
                           const double *numbers, Text *out);

#endif
