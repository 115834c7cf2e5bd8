/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_MACHINE_H
#define TACIT_BASE_MACHINE_H

#include <stdint.h>

/* Bytes of memory that this process may use: those of the machine, or fewer where a
   container or a limit of the process says so. 0: not known. */
int64_t tacit_machine_memory(void);

#endif
