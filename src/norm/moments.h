/* SPDX-License-Identifier: MIT */
#ifndef TACIT_NORM_MOMENTS_H
#define TACIT_NORM_MOMENTS_H

#include <stddef.h>

/* Standard deviation of a coordinate, and E|x|^2 in the norm of `exponent`, of a vector
   of `dim` independent standard normal numbers … */
double tacit_normal_std(size_t dim, double exponent);
double tacit_normal_second_moment(size_t dim, double exponent);
/* … of Laplace numbers with density exp(-|x|)/2 … */
double tacit_laplace_std(size_t dim, double exponent);
/* … and of density proportional to exp(-|x|), in the norm of that density. */
double tacit_exp_second_moment(size_t dim, double exponent);

#endif
