/* SPDX-License-Identifier: MIT */
/* Bytes as files, and what must hold for every reader and input: values are in range
   and finite, an error has a message of one line, and that a file is to be shuffled
   changes nothing. */
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "data/reader/reader.h"

void fuzz_fail(const char *file, int line, const char *condition) {
  (void)fprintf(stderr, "%s:%d: broken: %s\n", file, line, condition);
  abort();
}

int fuzz_file(const uint8_t *data, size_t size, char out[32]) {
  int fd = memfd_create("fuzz", MFD_CLOEXEC);
  FUZZ_CHECK(fd >= 0);
  for (size_t done = 0; done < size;) {
    ssize_t count = write(fd, data + done, size - done);
    FUZZ_CHECK(count > 0);
    done += (size_t)count;
  }
  (void)snprintf(out, 32, "/proc/self/fd/%d", fd);
  return fd;
}

static uint64_t mix(uint64_t digest, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < size; ++i)
    digest = (digest ^ at[i]) * UINT64_C(1099511628211);
  return digest;
}

static int is_label(double label, size_t classes) {
  if (classes == 2) return label == 1 || label == -1;
  if (classes > 2)
    return label >= 0 && label < (double)classes && label == floor(label) &&
           !signbit(label);
  return isfinite(label);
}

static void take_row(const tacit_batch *batch, int64_t i, size_t classes,
                     struct fuzz_outcome *outcome) {
  uint64_t digest = UINT64_C(14695981039346656037);
  int64_t begin = batch->raw_row_start[i], end = batch->raw_row_start[i + 1];
  FUZZ_CHECK(begin <= end);
  for (int64_t j = begin; j < end; ++j) {
    FUZZ_CHECK(batch->raw_indices[j] < batch->n_features);
    FUZZ_CHECK(j == begin || batch->raw_indices[j] > batch->raw_indices[j - 1]);
    FUZZ_CHECK(isfinite(batch->raw_values[j]));
    digest = mix(digest, &batch->raw_indices[j], sizeof batch->raw_indices[j]);
    digest = mix(digest, &batch->raw_values[j], sizeof batch->raw_values[j]);
  }
  if (batch->raw_labels != NULL) {
    double label = batch->raw_labels[i];
    FUZZ_CHECK(is_label(label, classes));
    digest = mix(digest, &label, sizeof label);
  }
  ++outcome->rows;
  outcome->sum += digest;
}

struct fuzz_outcome fuzz_rows(tacit_status status, tacit_reader *reader,
                              const tacit_schema *schema, int labels,
                              tacit_error *err) {
  struct fuzz_outcome outcome = {status, 0, 0};
  size_t classes = tacit_schema_classes(schema);
  FUZZ_CHECK((status == TACIT_OK) == (reader != NULL));
  const tacit_batch *batch = NULL;
  while (outcome.status == TACIT_OK) {
    outcome.status = tacit_reader_next(reader, &batch, err);
    if (outcome.status != TACIT_OK || batch->n_rows == 0) break;
    FUZZ_CHECK(batch->n_features == tacit_schema_features(schema));
    FUZZ_CHECK((batch->raw_labels != NULL) == labels);
    for (int64_t i = 0; i < batch->n_rows; ++i)
      take_row(batch, i, classes, &outcome);
  }
  if (outcome.status == TACIT_OK)
    FUZZ_CHECK(outcome.rows >= 1 && outcome.rows == tacit_reader_rows(reader));
  tacit_reader_free(reader);
  return outcome;
}

static struct fuzz_outcome read_file(const char *path, const tacit_schema *schema,
                                     int shuffle, int labels) {
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = schema;
  options.shuffle = shuffle;
  options.labels = labels;
  tacit_reader_limits limits = {1 << 28, 1 << 20, 7, 5, 0, 1 << 30, 64, 0};
  tacit_reader *reader = NULL;
  tacit_error err = {TACIT_OK, ""};
  tacit_status status =
      tacit_reader_open_limited(&path, 1, &options, &limits, &reader, &err);
  struct fuzz_outcome outcome = fuzz_rows(status, reader, schema, labels, &err);
  if (outcome.status != TACIT_OK) {
    FUZZ_CHECK(outcome.status == TACIT_EDATA && err.status == TACIT_EDATA);
    FUZZ_CHECK(strncmp(err.message, path, strlen(path)) == 0);
    FUZZ_CHECK(strchr(err.message, '\n') == NULL);
  }
  return outcome;
}

void fuzz_reader(const uint8_t *data, size_t size, const tacit_schema *schema) {
  char path[32];
  int fd = fuzz_file(data, size, path);
  for (int labels = 0; labels < 2; ++labels) {
    struct fuzz_outcome plain = read_file(path, schema, 0, labels);
    struct fuzz_outcome mixed = read_file(path, schema, 1, labels);
    FUZZ_CHECK(plain.status == mixed.status);
    if (plain.status == TACIT_OK)
      FUZZ_CHECK(plain.rows == mixed.rows && plain.sum == mixed.sum);
  }
  (void)close(fd);
}
