/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TEXT_PARTITION_H
#define TACIT_DATA_TEXT_PARTITION_H

#include <tacit/group.h>

#include "data/text/files.h"
#include "data/text/row_index.h"

/*
 * Which rank reads which part of text files. If there are more ranks than files, each
 * plain file has several parts. Part k of file f is shard f·parts + k, and shards go to
 * the ranks in turn. A compressed file cannot be cut: its first part is all of it.
 */

/* Returns the parts per file. */
int64_t tacit_partition_parts(const tacit_text_files *files);
/* Returns 1 if this rank reads the part of a file, or any part of it for
   TACIT_PARTITION_ANY. */
#define TACIT_PARTITION_ANY INT64_C(-1)
int tacit_partition_is_ours(const tacit_text_files *files, size_t file, int64_t part);

/* Returns TACIT_EINVAL on all ranks unless all were given the same list of files. */
tacit_status tacit_partition_names(const tacit_group *group, const char *const *paths,
                                   size_t n_paths, tacit_error *err);
/* Numbers the rows and lines of this rank's pieces among those that all ranks have.
 *out_rows becomes the number of rows of all ranks. */
tacit_status tacit_partition_number(const tacit_text_files *files,
                                    tacit_row_index *index, int64_t *out_rows,
                                    tacit_error *err);

/* Steps in which ranks open a reader together. At each step every rank calls
   tacit_group_agree with its own status, so that all continue or all fail. */
enum {
  TACIT_PARTITION_STEP_COUNTED = 0x636e7400,
  TACIT_PARTITION_STEP_NAMES,
  TACIT_PARTITION_STEP_NUMBERED,
  TACIT_PARTITION_STEP_OPEN,
  TACIT_PARTITION_STEP_SCANNED
};

#endif
