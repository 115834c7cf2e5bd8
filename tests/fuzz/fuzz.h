/* SPDX-License-Identifier: MIT */
/* What the fuzz targets share: bytes as a file, and checks that end the program. */
#ifndef TACIT_TESTS_FUZZ_H
#define TACIT_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/data.h>

/* One input; always returns 0. A broken promise of the library aborts. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Makes the bytes a regular file without a name and writes its path under /proc to out.
   Returns the descriptor, which the caller closes. */
int fuzz_file(const uint8_t *data, size_t size, char out[32]);

/* Aborts with a line that says what was expected. */
#define FUZZ_CHECK(condition)                                                          \
  do {                                                                                 \
    if (!(condition)) fuzz_fail(__FILE__, __LINE__, #condition);                       \
  } while (0)
void fuzz_fail(const char *file, int line, const char *condition);

struct tacit_schema;

/* What rows were read: their number, and a sum of digests that is the same in any
   order. */
struct fuzz_outcome {
  tacit_status status;
  int64_t rows;
  uint64_t sum;
};

/* Reads all rows of a reader, which was opened with this status, checks that they are
   valid, and frees it. */
struct fuzz_outcome fuzz_rows(tacit_status status, tacit_reader *reader,
                              const struct tacit_schema *schema, int labels,
                              tacit_error *err);
/* Reads the bytes with and without shuffling, with and without labels, and checks that
   the rows are valid and the same each time. */
void fuzz_reader(const uint8_t *data, size_t size, const struct tacit_schema *schema);

#endif
