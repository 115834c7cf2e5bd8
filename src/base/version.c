/* SPDX-License-Identifier: MIT */
/* Which library is running. */
#include <tacit/version.h>

const char *tacit_version(void) { return TACIT_VERSION; }
int tacit_abi(void) { return TACIT_ABI; }
