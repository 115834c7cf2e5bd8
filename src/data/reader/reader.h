/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_READER_READER_H
#define TACIT_DATA_READER_READER_H

#include <tacit/files.h>
#include <tacit/group.h>

#include "admit/cursor.h"
#include "admit/order.h"
#include "admit/roster.h"
#include "admit/store.h"
#include "data/reader/content.h"
#include "data/text/files.h"

/*
 * A reader has rows of files or arrays. There are two kinds: a stored reader takes rows
 * by number from a store, in any order (data/reader/stored.c); a stream reads text once
 * from front to back (data/reader/stream.c). Both give rows to threads through a
 * cursor.
 */
struct tacit_reader_ops {
  /* Makes a cursor over all rows of a pass: in a secret order if takes_order is set, or
     by row number if `order` is NULL. Threads take at most block_rows rows at once. */
  tacit_status (*cursor)(tacit_reader *reader, const tacit_order *order, size_t threads,
                         int64_t block_rows, tacit_cursor **out, tacit_error *err);
  /* Returns TACIT_EDATA if the files have changed since they were opened. May be
     NULL. */
  tacit_status (*check)(const tacit_reader *reader, tacit_error *err);
  /* Makes the next range begin at place 0 again. May be NULL. */
  void (*rewind)(tacit_reader *reader);
  /* Adds the content of all rows, or of the rows of this rank. */
  tacit_status (*content)(tacit_reader *reader, struct tacit_content_work *work,
                          tacit_error *err);
  void (*free)(tacit_reader *reader);
};

/* The first members of every reader; each kind of reader has more members after
   them. */
struct tacit_reader {
  const struct tacit_reader_ops *ops;
  int64_t rows;       /* rows in one pass; -1 if unknown until the end */
  int can_rewind;     /* 1 if the rows can be read again */
  int is_shuffled;    /* 1 if a run uses the rows in a secret uniform order */
  int takes_order;    /* 1 if the run draws that order; 0 if the rows are stored in
                         it */
  int is_partitioned; /* 1 if some rows belong to other ranks */
  tacit_identity identity;
  tacit_unit *units;              /* ids of all rows; NULL without ids, or if they are
                                     in the rows */
  int has_units;                  /* 1 if rows have ids, in `units` or in themselves */
  int has_hashes;                 /* 1 if the ids are keyed hashes, from a cache */
  unsigned char units_digest[32]; /* digest of `units`, which are freed once they are
                                     counted */
  tacit_roster *roster;           /* NULL until tacit_reader_units */
  uint32_t *unit_rows;            /* shares of the rows that tacit_reader_next gave
                                     last */
  tacit_batch view;               /* these rows with their shares, if there is a
                                     roster */
  const struct tacit_group *group;
  double *weights;  /* weights of --weights by row number, 0 … 1, or NULL */
  int is_weighted;  /* 1 if rows have weights, from a file or a column */
  int64_t keep_max; /* bytes that a run may keep of its rows; 0 for arrays, which are in
                       memory already */

  tacit_cursor *cursor; /* cursor of tacit_reader_next; NULL before the first call */
  int64_t given;        /* rows of this pass that tacit_reader_next gave */
  int is_dead;          /* 1 after an error */
};

/* A reader that takes rows by number. */
typedef struct tacit_stored_reader {
  tacit_reader base;
  tacit_store store;
  tacit_text_files *text; /* the files of a text store; NULL for other stores */
} tacit_stored_reader;

/* What bounds the memory of a reader. The numbers are those that tacit_reader_open
   sets. */
typedef struct tacit_reader_limits {
  int64_t max_held;    /* bytes of decoded files kept in memory: 128 MiB */
  size_t max_line;     /* bytes of one line: TACIT_LINE_MAX */
  int64_t piece_bytes; /* bytes of a file that one thread scans at once: 4 MiB */
  int64_t max_offsets; /* offsets of rows in the index: 2^23 */
  int64_t max_mapped;  /* bytes of mapped files: an eighth of the machine's memory */
  int64_t max_temp;    /* bytes of decoded files in temporary files: 64 GiB */
  size_t max_open;     /* files that are kept open all the time: 64 */
  int64_t max_kept;    /* bytes of rows kept between passes: an eighth of the machine's
                          memory */
} tacit_reader_limits;

/* Returns the bytes of rows that a run may keep between passes. */
int64_t tacit_reader_keep_max(const tacit_reader_options *options);

/* Opens a reader like tacit_reader_open, with other limits; tests use small ones. */
tacit_status tacit_reader_open_limited(const char *const *paths, size_t n_paths,
                                       const tacit_reader_options *options,
                                       const tacit_reader_limits *limits,
                                       tacit_reader **out, tacit_error *err);

/* Makes the cursor through which the engine gets rows. */
tacit_status tacit_reader_cursor(tacit_reader *reader, const tacit_order *order,
                                 size_t threads, int64_t block_rows, tacit_cursor **out,
                                 tacit_error *err);
/* Goes back to the first row, for another pass in the same order. */
tacit_status tacit_reader_rewind(tacit_reader *reader, tacit_error *err);
/* Returns TACIT_EDATA if the files have changed. Must be called after the last row of a
   pass. */
tacit_status tacit_reader_check(const tacit_reader *reader, tacit_error *err);
/* Looks for the first fault of the data after TACIT_EDATA in *io_err. Several threads
   read rows in a secret order, so the fault that was met may be any. Reads stored rows
   again in the order of their files, and sets *io_err to the first fault there. Leaves
   it as it is if no fault is found. */
void tacit_reader_first_fault(tacit_reader *reader, tacit_error *io_err);
/* Makes every later call fail, because a run must never continue with a part of the
   data. Returns `status`. */
tacit_status tacit_reader_kill(tacit_reader *reader, tacit_status status);

/* Makes a reader of `rows` rows (data/reader/stored.c). It owns the store, and frees it
   even on failure. takes_order must be 1 if runs draw a secret order for the rows. */
tacit_status tacit_stored_new(const tacit_store *store, int64_t rows, int takes_order,
                              tacit_stored_reader **out, tacit_error *err);

/* Makes a reader that reads the files front to back (data/reader/stream.c). It owns the
   files, and frees them even on failure. `declared` is the number of rows that the
   caller expects, or -1. */
tacit_status tacit_stream_new(tacit_text_files *files, int64_t declared,
                              tacit_reader **out, tacit_error *err);
/* Returns the files of a stream. */
tacit_text_files *tacit_stream_files(tacit_reader *reader);

/* Gives a reader of `rows` rows its weights, from a file or from an array
   (data/reader/weights.c). Returns TACIT_EDATA if their number is not `rows` or one is
   not a weight. */
tacit_status tacit_reader_weigh(tacit_reader *reader, const double *weights,
                                const tacit_reader_options *options, tacit_error *err);

/* Gives a reader its weights, and gives it out if all ranks have opened theirs
   (data/reader/open.c). `status` says whether this rank has; if it has not, `reader` is
   NULL. */
tacit_status tacit_reader_open_end(const tacit_reader_options *options,
                                   tacit_status status, tacit_reader *reader,
                                   tacit_reader **out, tacit_error *err);

/* Open readers of files (data/reader/text.c, data/reader/binary.c). Ranks of a group
   open text together, and fail together. */
tacit_status tacit_reader_open_text(const char *const *paths, size_t n_paths,
                                    const tacit_reader_options *options,
                                    const tacit_reader_limits *limits,
                                    tacit_reader **out, tacit_error *err);
tacit_status tacit_reader_open_binary(tacit_file_kind kind, const char *path,
                                      const tacit_reader_options *options,
                                      tacit_reader **out, tacit_error *err);

#endif
