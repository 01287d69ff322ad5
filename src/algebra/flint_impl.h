// flint_impl.h: parts of FLINT 3 that came with Arb and Calcium before.
#ifndef ZWANG_ALGEBRA_FLINT_IMPL_H
#define ZWANG_ALGEBRA_FLINT_IMPL_H

#if __has_include(<flint/fmpz_mpoly_q.h>)
#include <flint/acb_mat.h>
#include <flint/acb_poly.h>
#include <flint/arb_fmpz_poly.h>
#include <flint/arb_mat.h>
#include <flint/fmpz_mpoly_q.h>
#else
#include <acb_mat.h>
#include <acb_poly.h>
#include <arb_fmpz_poly.h>
#include <arb_mat.h>
#include <calcium/fmpz_mpoly_q.h>
#include <calcium/utils_flint.h>
#endif

#include <flint/fmpq_mat.h>
#include <flint/fmpq_mpoly.h>
#include <flint/fmpq_poly.h>
#include <flint/fmpz_mpoly_factor.h>

#endif
