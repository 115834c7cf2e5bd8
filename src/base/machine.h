/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_MACHINE_H
#define TACIT_BASE_MACHINE_H

#include <stdint.h>

/* Returns the bytes of memory that this process may use: the machine's memory, or less
   if a container or a limit of the process says so. Returns 0 if it is not known. */
int64_t tacit_machine_memory(void);

#endif
