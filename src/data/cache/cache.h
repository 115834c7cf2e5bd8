/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_CACHE_CACHE_H
#define TACIT_DATA_CACHE_CACHE_H

#include <tacit/files.h>

#include "batch/unit.h"
#include "data/bytes/content_hash.h"

/*
 * The cache file: parsed rows in blocks, with checksums on everything
 * (docs/cache-format.md). Every number that is read is checked again, because anybody
 * can write a file.
 */
enum {
  TACIT_CACHE_VERSION = 3, /* files of versions 1 and 2 can be read as well */
  TACIT_CACHE_BLAKE2B = 2, /* last version in which the checksum of a block is
                              BLAKE2b */
  TACIT_CACHE_MAGIC = 8,   /* bytes */
  TACIT_CACHE_HEAD = 128,  /* bytes before the schema */
  TACIT_CACHE_ENTRY = 32,  /* bytes per block in the index */
  TACIT_CACHE_DIGEST = 32, /* bytes of the digests of head and sources */
  TACIT_CACHE_BLOCK_DIGEST = 16,
  TACIT_CACHE_BLOCK_HEAD = 16,  /* bytes */
  TACIT_CACHE_ROWS = 256,       /* largest number of rows per block */
  TACIT_CACHE_ENTRIES = 1 << 16 /* a block with this many entries is full */
};

/* The fixed part of the file. */
typedef struct tacit_cache_head {
  uint32_t version;
  int is_shuffled; /* 1 if rows are not in the order of the files */
  int is_public;   /* 1 if they are in the public order of version 1 */
  int has_labels;
  int has_weights; /* 1 if some blocks have weights */
  int has_units;   /* 1 if rows have ids of persons, as keyed hashes whose key was
                      thrown away */
  int is_dense;    /* 1 if batches have dense rows, as the rows were written */
  int64_t n_rows;
  size_t n_features;
  size_t schema_size; /* bytes of JSON after the head */
  int64_t n_blocks;
  int64_t block_bytes;                       /* bytes of all blocks together */
  unsigned char sources[TACIT_CACHE_DIGEST]; /* digest of the sources; all zero if they
                                                are not known */
  unsigned char digest[TACIT_CACHE_DIGEST];  /* digest of head, schema and index */
} tacit_cache_head;

/* Returns 1 if a file that starts with these bytes is a cache. */
int tacit_cache_match(const void *bytes, size_t size);
/* Writes the 128 bytes of the head. */
void tacit_cache_head_write(const tacit_cache_head *head, unsigned char *out);
/* Reads the head of a file of `size` bytes. Returns TACIT_EDATA for another version or
   byte order, or if the numbers do not match the size; `name` starts the message. */
tacit_status tacit_cache_head_read(const unsigned char *bytes, int64_t size,
                                   const char *name, tacit_cache_head *out,
                                   tacit_error *err);
/* Writes the JSON text of a schema, which is always the same for the same schema. Free
   *out with tacit_array_free. */
tacit_status tacit_cache_schema_text(const tacit_schema *schema, char **out,
                                     tacit_error *err);
/* Computes the digest of the names, sizes and times of the sources as they are now, and
   of the reading options that the rows depend on. The digest is all zero if there are
   no sources. */
tacit_status tacit_cache_sources(const tacit_cache_options *options,
                                 unsigned char out[TACIT_CACHE_DIGEST],
                                 tacit_error *err);

/* The rows of one block, and the batch that shows them. Zero it before use. */
typedef struct tacit_cache_rows {
  tacit_batch view;
  double *values;
  uint32_t *indices;
  int64_t *row_start;
  double *labels, *weights;
  tacit_unit *units;
  size_t n_entries, entry_room, row_room;
} tacit_cache_rows;

void tacit_cache_rows_fini(tacit_cache_rows *rows);
/* Makes room for this many rows and entries in all. Keeps the rows that are there. */
tacit_status tacit_cache_rows_reserve(tacit_cache_rows *rows, size_t n_rows,
                                      size_t n_entries, tacit_error *err);
/* Adds row i of a batch. The first row decides whether rows are dense. */
tacit_status tacit_cache_rows_add(tacit_cache_rows *rows, const tacit_batch *batch,
                                  int64_t i, tacit_error *err);
void tacit_cache_rows_clear(tacit_cache_rows *rows);
int tacit_cache_rows_full(const tacit_cache_rows *rows);

/* The bytes of a block. Raw memory, grown as needed. */
typedef struct tacit_cache_bytes {
  unsigned char *data;
  size_t size, room;
} tacit_cache_bytes;

void tacit_cache_bytes_fini(tacit_cache_bytes *bytes);
/* Makes room for at least `size` bytes. The old contents are lost. */
tacit_status tacit_cache_bytes_reserve(tacit_cache_bytes *bytes, size_t size,
                                       tacit_error *err);

/* Encodes rows as the bytes of a block. */
tacit_status tacit_cache_encode(const tacit_cache_rows *rows, tacit_cache_bytes *out,
                                tacit_error *err);
/* Decodes the bytes of a block. If they are wrong, returns TACIT_EDATA, leaves err
   unchanged, and sets *out_fault to what is wrong, in a few words. n_classes is the
   number of classes of the labels, 0 for numbers. */
tacit_status tacit_cache_decode(const unsigned char *bytes, size_t size,
                                const tacit_cache_head *head, int64_t n_rows,
                                size_t n_classes, tacit_cache_rows *out,
                                const char **out_fault, tacit_error *err);

/* Compute the public pads of checksums, and the checksum of the bytes of a block. */
void tacit_cache_pads_fill(tacit_content_key *out);
void tacit_cache_checksum(const tacit_content_key *pads, const unsigned char *bytes,
                          size_t size, unsigned char out[TACIT_CACHE_BLOCK_DIGEST]);

/* An open cache. Immutable: threads share it. */
typedef struct tacit_cache tacit_cache;

/* Opens a regular file and checks its head, schema and index. */
tacit_status tacit_cache_open(const char *path, tacit_cache **out, tacit_error *err);
void tacit_cache_free(tacit_cache *cache);
const tacit_cache_head *tacit_cache_head_of(const tacit_cache *cache);
/* Returns the path as shown in messages. */
const char *tacit_cache_name(const tacit_cache *cache);
/* Return the size of the file when it was opened, and read `size` bytes of it. */
int64_t tacit_cache_size(const tacit_cache *cache);
tacit_status tacit_cache_read_bytes(const tacit_cache *cache, int64_t offset, void *out,
                                    size_t size, tacit_error *err);
/* Sets *out to 1 if the cache was made with this schema, otherwise to 0. */
tacit_status tacit_cache_agrees(const tacit_cache *cache, const tacit_schema *schema,
                                int *out, tacit_error *err);
/* Returns the block that contains a row, and sets *out_first to the first row of the
   block. */
int64_t tacit_cache_block_of(const tacit_cache *cache, int64_t row, int64_t *out_first);
/* Reads and checks a block. No other thread may use `scratch` and `out`. */
tacit_status tacit_cache_read(const tacit_cache *cache, int64_t block,
                              tacit_cache_bytes *scratch, tacit_cache_rows *out,
                              tacit_error *err);

#endif
