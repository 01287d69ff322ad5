// branch_choices_impl.h: by which branches a run leaves singular positions.
#ifndef ZWANG_API_BRANCH_CHOICES_IMPL_H
#define ZWANG_API_BRANCH_CHOICES_IMPL_H

#include "api/api_impl.h"
#include "simulate/simulate.h"

// What options->branches says, into the options of the run; the motion is there.
BASE_MUST_USE Status api_branch_choices(zw_model *model, const zw_run_options *options,
                                        RunOptions *wanted);

#endif
