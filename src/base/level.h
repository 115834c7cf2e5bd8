/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_LEVEL_H
#define TACIT_BASE_LEVEL_H

/* Levels are sets of instructions, lowest first: plain, baseline, avx2, avx512. A run
   uses the highest level of the processor, or the level that TACIT_DISPATCH names. */

/* Returns the name in TACIT_DISPATCH, or NULL if it is unset or empty. */
const char *tacit_level_wanted(void);
/* Returns 1 if TACIT_DISPATCH names no lower level than this one. */
int tacit_level_allows(const char *level);

#endif
