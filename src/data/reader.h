/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_READER_H
#define TACIT_DATA_READER_H

#include "data/format.h"
#include "data/identity.h"
#include "data/index.h"
#include "data/memory.h"
#include "data/order.h"

/* What bounds the memory of a reader. */
typedef struct tacit_reader_limits {
  int64_t most_blocks; /* of the order: TACIT_ORDER_BLOCKS */
  int64_t most_loaded; /* bytes of compressed files held decoded: 2 GiB */
  size_t most_line;    /* bytes of one line: TACIT_LINE_MOST */
} tacit_reader_limits;

/* tacit_reader_open with other limits; tests use small ones. */
tacit_status tacit_reader_open_limited(const char *const *paths, size_t n_paths,
                                       const tacit_reader_options *options,
                                       const tacit_reader_limits *limits,
                                       tacit_reader **out, tacit_error *err);

/* One file of a reader. */
typedef struct tacit_reader_file {
  tacit_source *source;
  void *layout;      /* what its header said; NULL until it was read */
  tacit_place first; /* behind the header, once scanned */
} tacit_reader_file;

struct tacit_reader {
  const struct tacit_format_ops *format;
  tacit_reader_limits limits;
  tacit_parse parse;
  tacit_lines *lines;
  tacit_rows rows;
  char *raw_text; /* one line, as parsers want it */
  size_t text_size;
  tacit_reader_file *files;
  size_t n_files;
  tacit_identity identity; /* of the files */

  int64_t expected; /* rows in one pass; -1: unknown */
  int is_declared;  /* `expected` is what the caller said, not counted */
  int is_regular;   /* all files are */
  int is_dead;      /* after an error */

  size_t file;   /* the file at hand; n_files behind the last */
  int started;   /* the file at hand is being read */
  int64_t given; /* rows of this pass so far */

  tacit_order *order; /* NULL: as they stand */
  tacit_index index;
  int64_t position;   /* blocks taken so far */
  int64_t block_left; /* rows left in the block at hand */

  tacit_memory *memory; /* rows of arrays in place of files; NULL: files */
};

/* The next record in the order of the files, headers checked on the way; *out_more is 0
   behind the last. */
tacit_status tacit_reader_record(tacit_reader *reader, tacit_line *out, int *out_more,
                                 tacit_error *err);
/* Back to the first record of the first file. */
void tacit_reader_restart(tacit_reader *reader);
/* Counts the rows of regular files; with `indexed` also loads what cannot be read at
   random and notes where blocks begin. */
tacit_status tacit_reader_scan(tacit_reader *reader, int indexed, int64_t *out_rows,
                               tacit_error *err);

#endif
