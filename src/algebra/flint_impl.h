// flint_impl.h: parts of FLINT 3 that came with Arb and Calcium before.
#ifndef ZWANG_ALGEBRA_FLINT_IMPL_H
#define ZWANG_ALGEBRA_FLINT_IMPL_H

#if __has_include(<flint/fmpz_mpoly_q.h>)
#include <flint/acb_mat.h>
#include <flint/acb_poly.h>
#include <flint/arb_mat.h>
#include <flint/fmpz_mpoly_q.h>
#else
#include <acb_mat.h>
#include <acb_poly.h>
#include <arb_mat.h>
#include <calcium/fmpz_mpoly_q.h>
#endif

#include <flint/fmpz_mpoly_factor.h>

#endif
