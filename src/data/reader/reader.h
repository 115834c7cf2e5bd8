/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_READER_READER_H
#define TACIT_DATA_READER_READER_H

#include "admit/cursor.h"
#include "admit/order.h"
#include "admit/store.h"
#include "data/reader/identity.h"
#include "data/text/format.h"
#include "data/text/row_index.h"

/* What bounds the memory of a reader. */
typedef struct tacit_reader_limits {
  int64_t max_blocks;  /* of the order: TACIT_ORDER_BLOCKS */
  int64_t max_held;    /* bytes of decoded files kept in memory: 128 MiB */
  size_t max_line;     /* bytes of one line: TACIT_LINE_MAX */
  int64_t piece_bytes; /* of a file that one worker scans at once: 4 MiB */
  int64_t max_places;  /* of rows, in the index: 4 times max_blocks */
  int64_t max_mapped;  /* bytes of files that are mapped: an eighth of the machine's */
  int64_t max_temp;    /* bytes of decoded files in temporary files: 64 GiB */
  size_t max_open;     /* files that are kept open all the time: 64 */
} tacit_reader_limits;

/* tacit_reader_open with other limits; tests use small ones. */
tacit_status tacit_reader_open_limited(const char *const *paths, size_t n_paths,
                                       const tacit_reader_options *options,
                                       const tacit_reader_limits *limits,
                                       tacit_reader **out, tacit_error *err);

/* Some lines of a stream, for a worker to parse. */
typedef struct tacit_chunk {
  char *text;
  size_t size, capacity;
  int64_t rows;
  int64_t line; /* of the first */
  size_t file;
} tacit_chunk;

struct tacit_reader {
  const struct tacit_format_ops *format; /* NULL: not text */
  tacit_reader_limits limits;
  const tacit_schema *schema;
  int labels;
  int must_rest;                  /* files are closed while they are not read */
  tacit_random_access_space room; /* what holding them may take */
  tacit_reader_file *files;       /* source NULL: of other ranks */
  size_t n_files;
  const struct tacit_group *group; /* NULL: alone */
  tacit_identity identity;         /* of the files */

  int64_t expected; /* rows in one pass; -1: unknown */
  int is_declared;  /* `expected` is what the caller said, not counted */
  int is_regular;   /* all files are: they can be read again */
  int is_dead;      /* after an error */
  int64_t given;    /* rows of this pass so far */

  /* By row number; store.ops is NULL for a stream. */
  tacit_store store;
  tacit_order *order;         /* NULL: as they stand */
  int is_stored_shuffled;     /* they stand in the public order already */
  struct tacit_npy_data *npy; /* what the arrays of the store are in; NULL: none */
  tacit_cursor *cursor;       /* of tacit_reader_next */

  /* A stream: line after line. */
  tacit_parse parse; /* of headers */
  tacit_lines *lines;
  size_t file;   /* the file at hand; n_files behind the last */
  int started;   /* the file at hand is being read */
  int line_kept; /* the line below was read and not yet taken */
  tacit_line line;
  tacit_chunk chunk;                 /* of tacit_reader_next, */
  tacit_text text;                   /* what is left of it, */
  struct tacit_text_builder *parser; /* and what parses it */
};

/* data/reader/array.c: makes the store of arrays, which it borrows, for a new reader.
 */
tacit_status tacit_reader_take_arrays(tacit_reader *reader, const tacit_arrays *arrays,
                                      const tacit_reader_options *options,
                                      tacit_error *err);
/* data/reader/binary.c: makes the store when the file is binary; *out_binary is 0 for
 * text. */
tacit_status tacit_reader_open_binary(tacit_reader *reader, const char *const *paths,
                                      size_t n_paths,
                                      const tacit_reader_options *options,
                                      int *out_binary, tacit_error *err);
void tacit_reader_close_binary(tacit_reader *reader);

/* data/reader/text.c: holds the files, counts their rows on `threads` threads and makes
   the store. `status` and *err say how this rank got so far: in a group, ranks fail
   together. */
tacit_status tacit_reader_open_text(tacit_reader *reader, unsigned threads,
                                    tacit_status status, int64_t *out_rows,
                                    tacit_error *err);

/* data/reader/partition.c: what part of the files is ours. Shards are parts of files,
   in the order of their rows. */
int64_t tacit_partition_parts(const tacit_reader *reader);
/* 1 when we have part `part` of a file, or, for -1, any of it. */
int tacit_partition_is_ours(const tacit_reader *reader, size_t file, int64_t part);
/* TACIT_EINVAL on all ranks unless all were given the same list of files. */
tacit_status tacit_partition_names(const tacit_reader *reader, const char *const *paths,
                                   size_t n_paths, tacit_error *err);
/* Numbers the rows and lines of our pieces among those of all ranks; all rows there
   are. `status` and *err say how this rank got so far. */
tacit_status tacit_partition_number(const tacit_reader *reader, tacit_row_index *index,
                                    tacit_status status, int64_t *out_rows,
                                    tacit_error *err);
/* The reader is open on this rank, or failed to be: then it fails on all. */
tacit_status tacit_partition_end(const tacit_reader *reader, tacit_status status,
                                 tacit_error *err);
/* Name of the input for messages about all of it. */
const char *tacit_reader_name(const tacit_reader *reader);

/* data/reader/stream.c: the next record in the order of the files, headers checked on
 *the way; out_more is 0 behind the last. */
tacit_status tacit_stream_record(tacit_reader *reader, tacit_line *out, int *out_more,
                                 tacit_error *err);
/* Reads the header of the file at hand, which stands at its first line. */
tacit_status tacit_stream_header(tacit_reader *reader, tacit_error *err);
/* Back to the first record of the first file. */
void tacit_stream_restart(tacit_reader *reader);
/* Counts the rows of regular files. */
tacit_status tacit_stream_count(tacit_reader *reader, int64_t *out_rows,
                                tacit_error *err);
/* The next records of one file, at most `most`; no rows at the end. A number of rows
   other than expected is TACIT_EDATA, told before the last are handed out. */
tacit_status tacit_stream_cut(tacit_reader *reader, int64_t max, tacit_chunk *out,
                              tacit_error *err);
/* Parses a chunk, whole: rows that do not fit one batch come with the next call. */
tacit_status tacit_stream_parse(const tacit_reader *reader, const tacit_chunk *chunk,
                                struct tacit_text_builder *builder, tacit_text *text,
                                const tacit_batch **out, tacit_error *err);
void tacit_chunk_fini(tacit_chunk *chunk);

/* Ends the reader for good: a run never goes on with a part of the data. */
tacit_status tacit_reader_kill(tacit_reader *reader, tacit_status status);

#endif
