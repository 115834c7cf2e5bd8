/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_CACHE_CACHE_H
#define TACIT_DATA_CACHE_CACHE_H

#include <tacit/files.h>

#include "batch/unit.h"
#include "data/bytes/content_hash.h"

/*
 * The cache file: parsed rows in blocks, with checksums on everything
 * (docs/cache-format.md). What is read is checked again, because anybody can write a
 * file.
 */
enum {
  TACIT_CACHE_VERSION = 3, /* 1, whose shuffled rows are in a public order, is read */
  TACIT_CACHE_BLAKE2B = 2, /* up to this version the checksum of a block is BLAKE2b */
  TACIT_CACHE_MAGIC = 8,   /* bytes */
  TACIT_CACHE_HEAD = 128,  /* bytes before the schema */
  TACIT_CACHE_ENTRY = 32,  /* bytes per block in the index */
  TACIT_CACHE_DIGEST = 32, /* of the head, and of the sources */
  TACIT_CACHE_BLOCK_DIGEST = 16,
  TACIT_CACHE_BLOCK_HEAD = 16,  /* bytes */
  TACIT_CACHE_ROWS = 256,       /* max rows per block */
  TACIT_CACHE_ENTRIES = 1 << 16 /* a block with so many entries is full */
};

/* The fixed part of the file. */
typedef struct tacit_cache_head {
  uint32_t version;
  int is_shuffled; /* rows are not in the order of the files */
  int is_public;   /* … but in the public order of version 1 */
  int has_labels;
  int has_weights; /* in some blocks */
  int has_units;   /* rows have ids of persons: keyed hashes, whose key nobody has */
  int is_dense;    /* rows are given out dense, as they were written */
  int64_t n_rows;
  size_t n_features;
  size_t schema_size; /* bytes of JSON after the head */
  int64_t n_blocks;
  int64_t block_bytes;                       /* of all blocks together */
  unsigned char sources[TACIT_CACHE_DIGEST]; /* all zero: not known */
  unsigned char digest[TACIT_CACHE_DIGEST];  /* of head, schema and index */
} tacit_cache_head;

/* 1 if a file that starts with these bytes is a cache. */
int tacit_cache_match(const void *bytes, size_t size);
/* Writes the 128 bytes of the head. */
void tacit_cache_head_write(const tacit_cache_head *head, unsigned char *out);
/* Reads the head of a file of `size` bytes. TACIT_EDATA for another version or byte
   order, or numbers that do not match the size; `name` starts the message. */
tacit_status tacit_cache_head_read(const unsigned char *bytes, int64_t size,
                                   const char *name, tacit_cache_head *out,
                                   tacit_error *err);
/* JSON text of a schema, always the same for the same schema. Free it with
   tacit_array_free. */
tacit_status tacit_cache_schema_text(const tacit_schema *schema, char **out,
                                     tacit_error *err);
/* Digest of the names, sizes and times of the sources at this moment, and of what else
   the rows depend on; all zero if there are none. */
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
/* Makes room for this many rows and entries; keeps what is there. */
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
/* Makes room for at least `size` bytes; the old contents are lost. */
tacit_status tacit_cache_bytes_reserve(tacit_cache_bytes *bytes, size_t size,
                                       tacit_error *err);

/* Encodes rows as the bytes of a block. */
tacit_status tacit_cache_encode(const tacit_cache_rows *rows, tacit_cache_bytes *out,
                                tacit_error *err);
/* Decodes the bytes of a block. If they are wrong, *out_fault says so in a few words,
   the status is TACIT_EDATA, and err is unchanged. n_classes is the number of classes
   of the labels, 0 for numbers. */
tacit_status tacit_cache_decode(const unsigned char *bytes, size_t size,
                                const tacit_cache_head *head, int64_t n_rows,
                                size_t n_classes, tacit_cache_rows *out,
                                const char **out_fault, tacit_error *err);

/* The public pads of checksums, and the checksum of the bytes of a block. */
void tacit_cache_pads_fill(tacit_content_key *out);
void tacit_cache_checksum(const tacit_content_key *pads, const unsigned char *bytes,
                          size_t size, unsigned char out[TACIT_CACHE_BLOCK_DIGEST]);

/* An open cache. Immutable: threads share it. */
typedef struct tacit_cache tacit_cache;

/* Opens a regular file and checks its head, schema and index. */
tacit_status tacit_cache_open(const char *path, tacit_cache **out, tacit_error *err);
void tacit_cache_free(tacit_cache *cache);
const tacit_cache_head *tacit_cache_head_of(const tacit_cache *cache);
/* The path as shown in messages. */
const char *tacit_cache_name(const tacit_cache *cache);
/* The bytes of the file as it was opened: how many, and `size` of them. */
int64_t tacit_cache_size(const tacit_cache *cache);
tacit_status tacit_cache_read_bytes(const tacit_cache *cache, int64_t offset, void *out,
                                    size_t size, tacit_error *err);
/* *out is 1 if the cache was made with this schema. */
tacit_status tacit_cache_agrees(const tacit_cache *cache, const tacit_schema *schema,
                                int *out, tacit_error *err);
/* The block that holds a row, and its first row. */
int64_t tacit_cache_block_of(const tacit_cache *cache, int64_t row, int64_t *out_first);
/* Reads a block and checks it; `scratch` is the thread's own. */
tacit_status tacit_cache_read(const tacit_cache *cache, int64_t block,
                              tacit_cache_bytes *scratch, tacit_cache_rows *out,
                              tacit_error *err);

#endif
