/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_CACHE_CACHE_H
#define TACIT_DATA_CACHE_CACHE_H

#include <tacit/files.h>

#include "admit/packed.h"
#include "data/bytes/content_hash.h"

/*
 * The cache file: parsed rows in blocks, with checksums on everything
 * (docs/cache-format.md). Every number that is read is checked again, because anybody
 * can write a file.
 */
enum {
  TACIT_CACHE_VERSION = 4, /* files of other versions are refused */
  TACIT_CACHE_MAGIC = 8,   /* bytes of the mark at the beginning */
  TACIT_CACHE_HEAD = 128,  /* bytes before the schema */
  TACIT_CACHE_ENTRY = 32,  /* bytes per block in the index */
  TACIT_CACHE_DIGEST = 32, /* bytes of the digests of head and sources */
  TACIT_CACHE_BLOCK_DIGEST = 16,
  TACIT_CACHE_BLOCK_HEAD = TACIT_PACKED_ALIGN, /* bytes of a head */
  TACIT_CACHE_ROWS = 256,                      /* largest number of rows per block */
  TACIT_CACHE_ENTRIES = 1 << 16 /* a block with this many entries is full */
};

/* The fixed part of the file. */
typedef struct tacit_cache_head {
  int is_shuffled; /* 1 if rows are in a secret order */
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

/* The bytes of one block, and the rows in them. Zero it before use. */
typedef struct tacit_cache_block {
  tacit_batch view; /* the rows, after they were read */
  unsigned char *bytes;
  size_t size, capacity; /* of `bytes` */
  tacit_packed_room room;
} tacit_cache_block;

void tacit_cache_block_fini(tacit_cache_block *block);
/* Makes room for the bytes of a block. The old bytes are lost. */
tacit_status tacit_cache_block_reserve(tacit_cache_block *block, size_t size,
                                       tacit_error *err);
/* Returns how many rows of a batch from row `first` on fill a block. */
int64_t tacit_cache_block_rows(const tacit_batch *batch, int64_t first);
/* Packs all rows of a batch into the bytes of a block. */
tacit_status tacit_cache_encode(const tacit_batch *batch, tacit_cache_block *out,
                                tacit_error *err);
/* Unpacks the bytes of a block into its view. If they are wrong, returns TACIT_EDATA,
   leaves err unchanged, and sets *out_fault to what is wrong, in a few words. n_classes
   is the number of classes of the labels, 0 for numbers. */
tacit_status tacit_cache_decode(tacit_cache_block *block, const tacit_cache_head *head,
                                int64_t n_rows, size_t n_classes,
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
/* Reads and checks a block. No other thread may use `out`. */
tacit_status tacit_cache_read(const tacit_cache *cache, int64_t block,
                              tacit_cache_block *out, tacit_error *err);

#endif
