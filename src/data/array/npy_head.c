/* SPDX-License-Identifier: MIT */
/* Reads the header of a .npy file, versions 1.0 to 3.0: a magic, a length, and a
   dictionary as Python writes it, with exactly the keys descr, fortran_order and shape.
   No other form is accepted. */
#include <string.h>

#include "base/error.h"
#include "data/array/npy.h"
#include "data/schema/schema.h"

/* Numbers are used in place, so they must have the byte order of this machine, which is
   what NumPy writes by default. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define OWN_ORDER ">"
#define OTHER_ORDER '<'
#define OTHER_ORDER_NAME "little-endian"
#else
#define OWN_ORDER "<"
#define OTHER_ORDER '>'
#define OTHER_ORDER_NAME "big-endian"
#endif

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

/* The part of the dictionary that is still to be read. */
typedef struct text {
  const char *at, *end;
} text;

int tacit_npy_match(const void *bytes, size_t size) {
  return size >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

int64_t tacit_npy_size(tacit_npy_type type) {
  static const signed char sizes[] = {4, 8, 1, 4, 8, 1, 1};
  return sizes[type];
}

static void skip(text *t) {
  while (t->at < t->end && *t->at == ' ')
    ++t->at;
}

/* Skips blanks, then takes this character. Returns 0 if another character follows. */
static int take(text *t, char c) {
  skip(t);
  if (t->at == t->end || *t->at != c) return 0;
  ++t->at;
  return 1;
}

static int take_word(text *t, const char *word) {
  size_t size = strlen(word);
  skip(t);
  if ((size_t)(t->end - t->at) < size || memcmp(t->at, word, size) != 0) return 0;
  t->at += size;
  return 1;
}

/* Copies a string in single or double quotes, without escapes, to out. */
static int take_string(text *t, char *out, size_t room) {
  skip(t);
  if (t->at == t->end || (*t->at != '\'' && *t->at != '"')) return 0;
  char quote = *t->at++;
  size_t size = 0;
  for (; t->at < t->end && *t->at != quote; ++t->at) {
    if (size + 1 == room || *t->at == '\\') return 0;
    out[size++] = *t->at;
  }
  if (t->at == t->end) return 0;
  ++t->at;
  out[size] = '\0';
  return 1;
}

static int take_number(text *t, int64_t *out) {
  skip(t);
  if (t->at == t->end || *t->at < '0' || *t->at > '9') return 0;
  int64_t number = 0;
  for (; t->at < t->end && *t->at >= '0' && *t->at <= '9'; ++t->at) {
    if (number > (INT64_MAX - 9) / 10) return 0;
    number = 10 * number + (*t->at - '0');
  }
  *out = number;
  return 1;
}

/* Takes the tuple of the shape. Counts dimensions after the second, but does not store
   them. */
static int take_shape(text *t, int *out_dims, int64_t out_shape[2]) {
  int dims = 0;
  if (!take(t, '(')) return 0;
  while (!take(t, ')')) {
    int64_t number;
    if (dims == 64 || !take_number(t, &number)) return 0;
    if (dims < 2) out_shape[dims] = number;
    ++dims;
    if (take(t, ',')) continue;
    if (dims < 2 || !take(t, ')')) return 0; /* (3) is not a tuple */
    break;
  }
  *out_dims = dims;
  return 1;
}

/* The values of the dictionary, before they are checked. */
typedef struct said {
  char descr[16];
  int is_fortran, n_dims;
  int64_t shape[2];
} said;

static int take_entry(text *t, said *out, unsigned *seen) {
  char key[16];
  unsigned bit = 0;
  if (!take_string(t, key, sizeof key) || !take(t, ':')) return 0;
  if (strcmp(key, "descr") == 0) {
    bit = 1;
    if (!take_string(t, out->descr, sizeof out->descr)) return 0;
  } else if (strcmp(key, "fortran_order") == 0) {
    bit = 2;
    out->is_fortran = take_word(t, "True");
    if (!out->is_fortran && !take_word(t, "False")) return 0;
  } else if (strcmp(key, "shape") == 0) {
    bit = 4;
    if (!take_shape(t, &out->n_dims, out->shape)) return 0;
  }
  int is_new = bit != 0 && (*seen & bit) == 0;
  *seen |= bit;
  return is_new;
}

static int take_dictionary(text *t, said *out) {
  unsigned seen = 0;
  if (!take(t, '{')) return 0;
  while (!take(t, '}')) {
    if (!take_entry(t, out, &seen)) return 0;
    if (take(t, ',')) continue;
    if (!take(t, '}')) return 0;
    break;
  }
  skip(t);
  return seen == 7 && t->end - t->at == 1 && *t->at == '\n';
}

/* Finds the text of the dictionary. Returns 0 if the file is too short. */
static int find_dictionary(const unsigned char *bytes, size_t size, text *out) {
  size_t start, length;
  if (size < 12) return 0;
  if (bytes[6] == 1) {
    start = 10;
    length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
  } else {
    start = 12;
    length = (size_t)bytes[8] | (size_t)bytes[9] << 8 | (size_t)bytes[10] << 16 |
             (size_t)bytes[11] << 24;
  }
  if (length > size - start) return 0;
  out->at = (const char *)bytes + start;
  out->end = out->at + length;
  return 1;
}

static tacit_status find_type(const char *descr, const char *name, tacit_npy_type *out,
                              tacit_error *err) {
  static const char *const types[] = {
      OWN_ORDER "f4", OWN_ORDER "f8", "|i1", OWN_ORDER "i4",
      OWN_ORDER "i8", "|u1",          "|b1", NULL};
  for (int i = 0; types[i] != NULL; ++i) {
    if (strcmp(descr, types[i]) == 0) {
      *out = (tacit_npy_type)i;
      return TACIT_OK;
    }
  }
  if (descr[0] == OTHER_ORDER)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: its numbers are " OTHER_ORDER_NAME "; store them with "
                      "a.astype(a.dtype.newbyteorder('" OWN_ORDER "'))",
                      name);
  return tacit_fail(err, TACIT_EDATA,
                    "%s: numbers of a type that is not read; store them as float32 or "
                    "float64 (labels also as int8, uint8, bool, int32 or int64)",
                    name);
}

static tacit_status check_size(const tacit_npy_head *head, int64_t file_size,
                               const char *name, tacit_error *err) {
  int64_t room = file_size - head->offset;
  int64_t row_size = (int64_t)head->n_columns * tacit_npy_size(head->type);
  int64_t rows = room / row_size;
  if (rows < head->n_rows)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: cut off: shorter than its shape says; get the whole file",
                      name);
  if (rows > head->n_rows || room % row_size != 0)
    return tacit_fail(err, TACIT_EDATA, "%s: longer than its shape says", name);
  return TACIT_OK;
}

tacit_status tacit_npy_head_read(const unsigned char *bytes, size_t size,
                                 int64_t file_size, const char *name,
                                 tacit_npy_head *out, tacit_error *err) {
  text t = {NULL, NULL};
  said found = {0};
  if (size >= 8 && (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0))
    return tacit_fail(err, TACIT_EDATA,
                      "%s: version %d.%d of the .npy format, of which 1.0, 2.0 and 3.0 "
                      "are read",
                      name, bytes[6], bytes[7]);
  if (!tacit_npy_match(bytes, size) || !find_dictionary(bytes, size, &t) ||
      !take_dictionary(&t, &found))
    return tacit_fail(err, TACIT_EDATA,
                      "%s: damaged, or not a plain array: its header is not the one "
                      "numpy.save writes",
                      name);
  TACIT_TRY(find_type(found.descr, name, &out->type, err));
  if (found.n_dims < 1 || found.n_dims > 2)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: an array of %d dimensions; rows need two, labels one", name,
                      found.n_dims);
  out->is_fortran = found.is_fortran;
  out->n_dims = found.n_dims;
  out->n_rows = found.shape[0];
  int64_t columns = found.n_dims == 2 ? found.shape[1] : 1;
  out->offset = (const unsigned char *)t.end - bytes;
  if (out->n_rows < 1) return tacit_fail(err, TACIT_EDATA, "%s: no rows", name);
  if (columns < 1 || columns > (int64_t)TACIT_FEATURES_MAX)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: the number of columns must be from 1 to 2147483647", name);
  out->n_columns = (size_t)columns;
  return check_size(out, file_size, name, err);
}
