/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_BYTES_TEMPORARY_H
#define TACIT_DATA_BYTES_TEMPORARY_H

/* Opens an empty file without a name, in TMPDIR, else in /var/tmp: it is gone when the
   process ends, however it ends. Returns its descriptor, or -1 and errno. */
int tacit_temporary_open(void);

#endif
