/* SPDX-License-Identifier: MIT */
/* The version of the library that is running. */
#include <tacit/version.h>

const char *tacit_version(void) { return TACIT_VERSION; }
int tacit_abi(void) { return TACIT_ABI; }
