/* SPDX-License-Identifier: MIT */
/*
 * make_data: the data of the speed bench, the same bytes on every machine.
 *
 *   make_data dense SEED ROWS FEATURES OUT   OUT.svm, OUT.csv, OUT.npy, OUT-labels.npy
 *   make_data csv SEED ROWS FEATURES OUT     OUT.csv alone (OUT may be - for a pipe)
 *   make_data svm SEED ROWS FEATURES OUT     OUT.svm alone
 *   make_data sparse SEED ROWS FEATURES OUT  OUT.svm, 40 non-zeros per row
 *   make_data binary SEED ROWS OUT           OUT.svm, the shape of a9a: 14 of 123 ones
 *   make_data vw IN.svm OUT.vw               the same rows as Vowpal Wabbit reads them
 *
 * Values have six decimals in (-1, 1). Labels follow a logistic model whose weights do
 * not depend on SEED, so that rows of another seed can be used as a test set.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONZEROS = 40, GROUPS = 14, BINARY = 123, MAX_CELL = 32, MILLION = 1000000 };

static _Noreturn void die(const char *what) {
  fprintf(stderr, "make_data: %s: %s\n", what, errno ? strerror(errno) : "wrong use");
  exit(1);
}

/* splitmix64: the whole state is a counter. */
static uint64_t next_word(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* A number below `count`; its bias of 2^-32 does not matter here. */
static uint32_t below(uint64_t *state, uint32_t count) {
  return (uint32_t)(((next_word(state) >> 32) * count) >> 32);
}

/* A value in millionths, in (-1, 1). */
static int32_t draw_value(uint64_t *state) {
  return (int32_t)below(state, 2 * MILLION - 1) - (MILLION - 1);
}

static double weight_of(uint64_t column) {
  uint64_t state = UINT64_C(1) << 40 | column;
  return 1e-6 * draw_value(&state);
}

static int draw_label(uint64_t *state, double margin) {
  double uniform = (double)(next_word(state) >> 11) * 0x1p-53;
  return uniform < 1 / (1 + exp(-margin));
}

struct out {
  FILE *file;
  char *data;
  size_t used;
};

enum { OUT_BYTES = 1 << 20 };

static struct out out_open(const char *stem, const char *ending) {
  struct out out = {.data = malloc(OUT_BYTES)};
  if (strcmp(stem, "-") == 0) {
    out.file = stdout;
  } else {
    char path[4096];
    int length = snprintf(path, sizeof path, "%s%s", stem, ending);
    if (length < 0 || length >= (int)sizeof path) die("name too long");
    out.file = fopen(path, "wb");
  }
  if (!out.file || !out.data) die(stem);
  return out;
}

static void out_flush(struct out *out) {
  if (fwrite(out->data, 1, out->used, out->file) != out->used) die("writing");
  out->used = 0;
}

static void out_close(struct out *out) {
  if (!out->file) return;
  out_flush(out);
  if (fclose(out->file) != 0) die("closing");
  free(out->data);
}

/* Returns room for `size` bytes; the caller adds what it wrote to `used`. */
static char *out_room(struct out *out, size_t size) {
  if (OUT_BYTES - out->used < size) out_flush(out);
  return out->data + out->used;
}

static void put(struct out *out, const void *bytes, size_t size) {
  memcpy(out_room(out, size), bytes, size);
  out->used += size;
}

static void put_text(struct out *out, const char *text) {
  put(out, text, strlen(text));
}

static size_t digits_of(char *at, uint32_t value) {
  char reversed[10];
  size_t count = 0;
  do {
    reversed[count++] = (char)('0' + value % 10);
  } while ((value /= 10) != 0);
  for (size_t i = 0; i < count; ++i)
    at[i] = reversed[count - 1 - i];
  return count;
}

static void put_value(struct out *out, int32_t millionths) {
  char *start = out_room(out, MAX_CELL), *at = start;
  uint32_t rest = (uint32_t)(millionths < 0 ? -millionths : millionths);
  if (millionths < 0) *at++ = '-';
  *at++ = '0';
  *at++ = '.';
  for (int i = 5; i >= 0; --i, rest /= 10)
    at[i] = (char)('0' + rest % 10);
  out->used += (size_t)(at + 6 - start);
}

/* " COLUMN:", columns counted from 1. */
static void put_column(struct out *out, uint32_t column) {
  char *start = out_room(out, MAX_CELL);
  *start = ' ';
  size_t length = 1 + digits_of(start + 1, column + 1);
  start[length] = ':';
  out->used += length + 1;
}

static void put_npy_header(struct out *out, const char *type, const char *shape) {
  char text[128];
  memset(text, ' ', sizeof text);
  memcpy(text, "\x93NUMPY\x01\x00\x76\x00", 10); /* 118 bytes follow */
  int length =
      snprintf(text + 10, sizeof text - 10,
               "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, shape);
  text[10 + length] = ' ';
  text[sizeof text - 1] = '\n';
  put(out, text, sizeof text);
}

struct dense {
  uint64_t state;
  long rows, features;
  struct out svm, csv, npy, labels;
  double *weight;
  int32_t *value;
};

static void dense_open(struct dense *dense, const char *kind, const char *stem) {
  int all = strcmp(kind, "dense") == 0;
  char shape[64];
  if (all || strcmp(kind, "svm") == 0) dense->svm = out_open(stem, ".svm");
  if (all || strcmp(kind, "csv") == 0) {
    dense->csv = out_open(stem, ".csv");
    for (long j = 1; j <= dense->features; ++j) {
      snprintf(shape, sizeof shape, "x%ld,", j);
      put_text(&dense->csv, shape);
    }
    put_text(&dense->csv, "y\n");
  }
  if (!all) return;
  dense->npy = out_open(stem, ".npy");
  snprintf(shape, sizeof shape, "%ld, %ld", dense->rows, dense->features);
  put_npy_header(&dense->npy, "<f4", shape);
  dense->labels = out_open(stem, "-labels.npy");
  snprintf(shape, sizeof shape, "%ld,", dense->rows);
  put_npy_header(&dense->labels, "<f4", shape);
}

static void dense_row(struct dense *dense) {
  double margin = 0;
  for (long j = 0; j < dense->features; ++j) {
    dense->value[j] = draw_value(&dense->state);
    margin += dense->weight[j] * dense->value[j];
  }
  int label = draw_label(&dense->state, 1e-6 * margin);
  if (dense->svm.file) {
    put_text(&dense->svm, label ? "1" : "0");
    for (long j = 0; j < dense->features; ++j) {
      put_column(&dense->svm, (uint32_t)j);
      put_value(&dense->svm, dense->value[j]);
    }
    put_text(&dense->svm, "\n");
  }
  if (dense->csv.file) {
    for (long j = 0; j < dense->features; ++j) {
      put_value(&dense->csv, dense->value[j]);
      put_text(&dense->csv, ",");
    }
    put_text(&dense->csv, label ? "1\n" : "0\n");
  }
  if (dense->npy.file) {
    for (long j = 0; j < dense->features; ++j) {
      float number = (float)(dense->value[j] / 1e6);
      put(&dense->npy, &number, sizeof number);
    }
    float number = (float)label;
    put(&dense->labels, &number, sizeof number);
  }
}

static void make_dense(const char *kind, uint64_t seed, long rows, long features,
                       const char *stem) {
  struct dense dense = {.state = seed << 32, .rows = rows, .features = features};
  dense.weight = calloc((size_t)features, sizeof *dense.weight);
  dense.value = calloc((size_t)features, sizeof *dense.value);
  if (!dense.weight || !dense.value) die("memory");
  for (long j = 0; j < features; ++j)
    dense.weight[j] = weight_of((uint64_t)j) * sqrt(128 / (double)features);
  dense_open(&dense, kind, stem);
  for (long i = 0; i < rows; ++i)
    dense_row(&dense);
  out_close(&dense.svm);
  out_close(&dense.csv);
  out_close(&dense.npy);
  out_close(&dense.labels);
  free(dense.weight);
  free(dense.value);
}

/*
 * Column c is about as frequent as 1 / (c + 64), as words are in text: one column from
 * each of 40 ranges whose ends grow geometrically. So columns ascend and are different.
 */
static void make_sparse(uint64_t seed, long rows, long features, const char *stem) {
  uint32_t end[NONZEROS + 1];
  for (int k = 0; k <= NONZEROS; ++k)
    end[k] =
        (uint32_t)(64 * (pow((double)features / 64 + 1, k / (double)NONZEROS) - 1));
  end[NONZEROS] = (uint32_t)features;
  uint64_t state = seed << 32;
  uint32_t column[NONZEROS];
  int32_t value[NONZEROS];
  struct out svm = out_open(stem, ".svm");
  for (long i = 0; i < rows; ++i) {
    double margin = 0;
    for (int k = 0; k < NONZEROS; ++k) {
      column[k] = end[k] + below(&state, end[k + 1] - end[k]);
      value[k] = draw_value(&state);
      margin += 2e-6 * weight_of(column[k]) * value[k];
    }
    put_text(&svm, draw_label(&state, margin) ? "1" : "0");
    for (int k = 0; k < NONZEROS; ++k) {
      put_column(&svm, column[k]);
      put_value(&svm, value[k]);
    }
    put_text(&svm, "\n");
  }
  out_close(&svm);
}

/* 123 columns in 14 groups, one of each group is 1. */
static void make_binary(uint64_t seed, long rows, const char *stem) {
  uint64_t state = seed << 32;
  uint32_t column[GROUPS];
  struct out svm = out_open(stem, ".svm");
  for (long i = 0; i < rows; ++i) {
    double margin = 0;
    for (uint32_t k = 0; k < GROUPS; ++k) {
      uint32_t start = k * BINARY / GROUPS, end = (k + 1) * BINARY / GROUPS;
      column[k] = start + below(&state, end - start);
      margin += 2 * weight_of(column[k]);
    }
    put_text(&svm, draw_label(&state, margin) ? "1" : "0");
    for (int k = 0; k < GROUPS; ++k) {
      put_column(&svm, column[k]);
      put_text(&svm, "1");
    }
    put_text(&svm, "\n");
  }
  out_close(&svm);
}

/* Writes the label, -1 or 1, then " |", then the columns unchanged. */
static void make_vw(const char *from, const char *to) {
  FILE *file = fopen(from, "rb");
  if (!file) die(from);
  struct out vw = out_open(to, "");
  char *line = NULL;
  size_t room = 0;
  ssize_t length;
  while ((length = getline(&line, &room, file)) > 0) {
    char *features = strchr(line, ' ');
    put_text(&vw, strtod(line, NULL) > 0 ? "1 |" : "-1 |");
    if (features)
      put(&vw, features, (size_t)(line + length - features));
    else
      put_text(&vw, "\n");
  }
  if (ferror(file)) die(from);
  free(line);
  fclose(file);
  out_close(&vw);
}

static long number_of(const char *text) {
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || value < 1 || value > 1L << 31) die(text);
  return value;
}

int main(int argc, char **argv) {
  const char *kind = argc > 1 ? argv[1] : "";
  if (strcmp(kind, "vw") == 0 && argc == 4) {
    make_vw(argv[2], argv[3]);
  } else if (strcmp(kind, "binary") == 0 && argc == 5) {
    make_binary((uint64_t)number_of(argv[2]), number_of(argv[3]), argv[4]);
  } else if (argc == 6) {
    uint64_t seed = (uint64_t)number_of(argv[2]);
    long rows = number_of(argv[3]), features = number_of(argv[4]);
    if (strcmp(kind, "sparse") == 0)
      make_sparse(seed, rows, features, argv[5]);
    else
      make_dense(kind, seed, rows, features, argv[5]);
  } else {
    die("arguments");
  }
  return 0;
}
