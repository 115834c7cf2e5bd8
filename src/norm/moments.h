/* SPDX-License-Identifier: MIT */
#ifndef TACIT_NORM_MOMENTS_H
#define TACIT_NORM_MOMENTS_H

#include <stddef.h>

/* Return the standard deviation of a coordinate, and E|x|^2 in the norm of `exponent`,
   of a vector x of `dim` independent standard normal numbers. */
double tacit_normal_std(size_t dim, double exponent);
double tacit_normal_second_moment(size_t dim, double exponent);
/* Returns the standard deviation of a coordinate with density exp(-|x|)/2 (Laplace). */
double tacit_laplace_std(size_t dim, double exponent);
/* Returns E|x|^2 for a vector x with density proportional to exp(-|x|), where both
   norms are the same. */
double tacit_exp_second_moment(size_t dim, double exponent);

#endif
