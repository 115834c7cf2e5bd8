/* SPDX-License-Identifier: MIT */
#ifndef TACIT_RUN_ROWS_H
#define TACIT_RUN_ROWS_H

#include <tacit/train.h>

/* Threads that read the rows of a reader and add them to the open round. */
typedef struct tacit_row_threads tacit_row_threads;

tacit_status tacit_row_threads_new(tacit_train *train, tacit_reader *reader,
                                   tacit_row_threads **out, tacit_error *err);
void tacit_row_threads_free(tacit_row_threads *threads);

/* Reads and adds all rows of the open round. The first round of a pass starts the
   reader again; the last one checks that the pass was whole. */
tacit_status tacit_row_threads_add(tacit_row_threads *threads, tacit_error *err);

#endif
