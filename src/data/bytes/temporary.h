/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_BYTES_TEMPORARY_H
#define TACIT_DATA_BYTES_TEMPORARY_H

/* Opens an empty file without a name, in TMPDIR or otherwise in /var/tmp. The file
   disappears when the process ends, even if it is killed. Returns its descriptor, or -1
   with errno set. */
int tacit_temporary_open(void);

#endif
