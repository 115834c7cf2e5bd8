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
 * by number from a store, in any order (data/reader/stored.c); a
 * stream reads text once from front to back (data/reader/stream.c). Both give rows to
 * threads through a cursor.
 */
struct tacit_reader_ops {
  /* A cursor over all rows of a pass, in a secret order if takes_order is set (NULL: by
     row number). Threads take at most block_rows rows at once. */
  tacit_status (*cursor)(tacit_reader *reader, const tacit_order *order, size_t threads,
                         int64_t block_rows, tacit_cursor **out, tacit_error *err);
  /* Optional. TACIT_EDATA when the files have changed since they were opened. */
  tacit_status (*check)(const tacit_reader *reader, tacit_error *err);
  /* Optional. Makes the next range begin at place 0 again. */
  void (*rewind)(tacit_reader *reader);
  /* Adds the content of all rows, or of those of this rank. */
  tacit_status (*content)(tacit_reader *reader, struct tacit_content_work *work,
                          tacit_error *err);
  void (*free)(tacit_reader *reader);
};

/* The start of every reader; a kind of reader has more members after it. */
struct tacit_reader {
  const struct tacit_reader_ops *ops;
  int64_t rows;       /* in one pass; -1: unknown until the end */
  int can_rewind;     /* the rows can be read again */
  int is_shuffled;    /* a run uses the rows in a secret uniform order */
  int takes_order;    /* … which it draws; 0: the rows are stored in it */
  int is_partitioned; /* some rows belong to other ranks */
  tacit_identity identity;
  tacit_unit *units;              /* ids of all rows; NULL: none, or in the rows */
  int has_units;                  /* rows have ids, here or in themselves */
  int has_hashes;                 /* … which are keyed hashes, of a cache */
  unsigned char units_digest[32]; /* of `units`, which are freed once counted */
  tacit_roster *roster;           /* NULL until tacit_reader_units */
  uint32_t *unit_rows;            /* of the rows that tacit_reader_next gave last */
  tacit_batch view;               /* … which shows them, if there is a roster */
  const struct tacit_group *group;
  double *weights;  /* by row number, 0 … 1; NULL: none of its own */
  int is_weighted;  /* rows have weights, whose ever */
  int64_t keep_max; /* bytes that a run may keep of its rows; 0 for arrays, which
                       are in memory already */

  tacit_cursor *cursor; /* of tacit_reader_next; NULL before the first call */
  int64_t given;        /* rows of this pass that tacit_reader_next gave */
  int is_dead;          /* after an error */
};

/* A reader that takes rows by number. */
typedef struct tacit_stored_reader {
  tacit_reader base;
  tacit_store store;
  tacit_text_files *text; /* the files of a text store, else NULL */
} tacit_stored_reader;

/* What bounds the memory of a reader. */
typedef struct tacit_reader_limits {
  int64_t max_held;    /* bytes of decoded files kept in memory: 128 MiB */
  size_t max_line;     /* bytes of one line: TACIT_LINE_MAX */
  int64_t piece_bytes; /* of a file that one thread scans at once: 4 MiB */
  int64_t max_offsets; /* of rows, in the index: 2^23 */
  int64_t max_mapped;  /* bytes of mapped files: an eighth of the machine's memory */
  int64_t max_temp;    /* bytes of decoded files in temporary files: 64 GiB */
  size_t max_open;     /* files that are kept open all the time: 64 */
  int64_t max_kept;    /* bytes of rows kept between passes: as max_mapped */
} tacit_reader_limits;

/* tacit_reader_open with other limits; tests use small ones. */
tacit_status tacit_reader_open_limited(const char *const *paths, size_t n_paths,
                                       const tacit_reader_options *options,
                                       const tacit_reader_limits *limits,
                                       tacit_reader **out, tacit_error *err);

/* data/reader/reader.c: what the engine asks of a reader. */
tacit_status tacit_reader_cursor(tacit_reader *reader, const tacit_order *order,
                                 size_t threads, int64_t block_rows, tacit_cursor **out,
                                 tacit_error *err);
/* Call after the last row of a pass: TACIT_EDATA when the files have changed. */
tacit_status tacit_reader_check(const tacit_reader *reader, tacit_error *err);
/* After TACIT_EDATA in *io_err: rows are read in a secret order by several threads, so
   the fault that was met may be any. Reads stored rows again in the order of their
   files, and *io_err becomes the first fault there. Unchanged if there is none. */
void tacit_reader_first_fault(tacit_reader *reader, tacit_error *io_err);
/* Every later call fails: a run never goes on with a part of the data. */
tacit_status tacit_reader_kill(tacit_reader *reader, tacit_status status);

/* data/reader/stored.c: a reader of `rows` rows. It owns the store from now on, also
   when this fails. takes_order: runs draw a secret order for its rows. */
tacit_status tacit_stored_new(const tacit_store *store, int64_t rows, int takes_order,
                              tacit_stored_reader **out, tacit_error *err);

/* data/reader/stream.c: reads the files front to back; it owns them from now on, also
   when this fails. `declared` is the number of rows the caller expects; -1: none. */
tacit_status tacit_stream_new(tacit_text_files *files, int64_t declared,
                              tacit_reader **out, tacit_error *err);
/* The files of a stream. */
tacit_text_files *tacit_stream_files(tacit_reader *reader);

/* data/reader/weights.c: gives a reader of `rows` rows its weights, from a file or from
   an array of as many numbers. TACIT_EDATA for another number of them, and for what is
   no weight. */
tacit_status tacit_reader_weigh(tacit_reader *reader, const double *weights,
                                const tacit_reader_options *options, tacit_error *err);

/* data/reader/open.c: gives a reader its weights and out, if all ranks have opened
   theirs. `status` says whether this rank has; if not, `reader` is NULL. */
tacit_status tacit_reader_open_end(const tacit_reader_options *options,
                                   tacit_status status, tacit_reader *reader,
                                   tacit_reader **out, tacit_error *err);

/* data/reader/text.c and data/reader/binary.c: readers of files. Ranks of a group open
   text together, and fail together. */
tacit_status tacit_reader_open_text(const char *const *paths, size_t n_paths,
                                    const tacit_reader_options *options,
                                    const tacit_reader_limits *limits,
                                    tacit_reader **out, tacit_error *err);
tacit_status tacit_reader_open_binary(tacit_file_kind kind, const char *path,
                                      const tacit_reader_options *options,
                                      tacit_reader **out, tacit_error *err);

#endif
