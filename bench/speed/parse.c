/* SPDX-License-Identifier: MIT */
/*
 * parse [--json] [--megabytes M] [--runs N]: how fast one thread parses text in memory,
 * best of N (7), compared with three limits on the same bytes: a copy, a search for the
 * ends of lines, and a plain loop of strtod over the numbers.
 *
 * parse --count CASE: parses about a megabyte of one case and does nothing else, for
 * parse.sh to count instructions; prints the bytes. parse --cases: names and functions.
 *
 * parse --exact N: compares N random texts with strtod bit for bit.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "data/text/format.h"
#include "data/text/number.h"
#include "unit/data/text/number_shapes.h"

enum {
  CSV_COLUMNS = 128,
  LONG_COLUMNS = 32,
  CURVES = 20,
  SPARSE = 40,
  ROOM_OF_ROW = 8192
};

struct text {
  char *bytes;
  size_t size, header; /* the rows begin at bytes + header */
  int64_t rows;
};

struct sample {
  const char *name, *what, *function;
  tacit_status (*schema)(tacit_schema **out, tacit_error *err);
  size_t (*header)(char *out);
  size_t (*row)(uint64_t *state, char *out);
};

static double uniform(uint64_t *state) {
  return (double)(number_word(state) >> 11) * 0x1p-53;
}

static tacit_status schema_a9a(tacit_schema **out, tacit_error *err) {
  return tacit_schema_libsvm(123, 2, 0, 0, out, err);
}

/* About 14 of 123 features, all 1, and a space before the end of the line. */
static size_t row_a9a(uint64_t *state, char *out) {
  char *at = out + sprintf(out, "%s ", number_word(state) & 1 ? "+1" : "-1");
  for (unsigned j = 1 + (unsigned)(number_word(state) % 17); j <= 123;
       j += 1 + (unsigned)(number_word(state) % 17))
    at += sprintf(at, "%u:1 ", j);
  *at++ = '\n';
  return (size_t)(at - out);
}

static tacit_status schema_sparse(tacit_schema **out, tacit_error *err) {
  return tacit_schema_libsvm(1 << 20, 2, 0, 0, out, err);
}

static size_t row_sparse(uint64_t *state, char *out) {
  char *at = out + sprintf(out, "%d", number_word(state) & 1 ? 1 : -1);
  unsigned step = (1 << 20) / SPARSE;
  for (unsigned j = 0; j < SPARSE; ++j)
    at += sprintf(at, " %u:%.6f", 1 + j * step + (unsigned)(number_word(state) % step),
                  2 * uniform(state) - 1);
  *at++ = '\n';
  return (size_t)(at - out);
}

static tacit_status schema_dense(tacit_schema **out, tacit_error *err) {
  return tacit_schema_libsvm(CSV_COLUMNS, 2, 0, 0, out, err);
}

static size_t row_dense(uint64_t *state, char *out) {
  char *at = out + sprintf(out, "%d", (int)(number_word(state) & 1));
  for (unsigned j = 1; j <= CSV_COLUMNS; ++j)
    at += sprintf(at, " %u:%.6f", j, 2 * uniform(state) - 1);
  *at++ = '\n';
  return (size_t)(at - out);
}

static tacit_status schema_csv(int columns, const char *shape, tacit_schema **out,
                               tacit_error *err) {
  char json[16384];
  int size =
      sprintf(json, "{\"tacit_schema\": 2, \"label\": {\"column\": \"y\", \"classes\": "
                    "[\"0\", \"1\"]}, \"columns\": [");
  for (int j = 0; j < columns; ++j)
    size += sprintf(json + size,
                    "%s{\"name\": \"x%d\", \"type\": \"numeric\", \"min\": -3, "
                    "\"max\": 3%s}",
                    j > 0 ? "," : "", j, shape);
  size += sprintf(json + size, "]}");
  return tacit_schema_parse(json, (size_t)size, "bench", out, err);
}

static size_t header_csv(int columns, char *out) {
  char *at = out;
  for (int j = 0; j < columns; ++j)
    at += sprintf(at, "x%d,", j);
  return (size_t)(at - out) + (size_t)sprintf(at, "y\n");
}

static size_t row_csv(uint64_t *state, int columns, const char *format, char *out) {
  char *at = out;
  for (int j = 0; j < columns; ++j)
    at += sprintf(at, format, 2 * uniform(state) - 1);
  return (size_t)(at - out) +
         (size_t)sprintf(at, "%d\n", (int)(number_word(state) & 1));
}

static tacit_status schema_csv_short(tacit_schema **out, tacit_error *err) {
  return schema_csv(CSV_COLUMNS, "", out, err);
}
static size_t header_csv_short(char *out) { return header_csv(CSV_COLUMNS, out); }
static size_t row_csv_short(uint64_t *state, char *out) {
  return row_csv(state, CSV_COLUMNS, "%.6f,", out);
}

static tacit_status schema_csv_long(tacit_schema **out, tacit_error *err) {
  return schema_csv(LONG_COLUMNS, "", out, err);
}
static size_t header_csv_long(char *out) { return header_csv(LONG_COLUMNS, out); }
static size_t row_csv_long(uint64_t *state, char *out) {
  return row_csv(state, LONG_COLUMNS, "%.17g,", out);
}

static tacit_status schema_lines(tacit_schema **out, tacit_error *err) {
  return schema_csv(CURVES, "", out, err);
}
static tacit_status schema_curves(tacit_schema **out, tacit_error *err) {
  return schema_csv(CURVES, ", \"curve\": 16", out, err);
}
static size_t header_curves(char *out) { return header_csv(CURVES, out); }
static size_t row_curves(uint64_t *state, char *out) {
  return row_csv(state, CURVES, "%.3f,", out);
}

/* A census: six numbers, six categories, the classes as text. */
static const char *const work[] = {"Private",      "Self-emp",  "Federal-gov",
                                   "Local-gov",    "State-gov", "Without-pay",
                                   "Never-worked", "?"};
static const char *const school[] = {
    "Bachelors", "Some-college", "11th",    "HS-grad",  "Prof-school", "Assoc-acdm",
    "Assoc-voc", "9th",          "7th-8th", "12th",     "Masters",     "1st-4th",
    "10th",      "Doctorate",    "5th-6th", "Preschool"};
static const char *const state_of[] = {"Married", "Divorced", "Never-married",
                                       "Separated", "Widowed"};
static const char *const kin[] = {"Wife",          "Own-child", "Husband",
                                  "Not-in-family", "Unmarried", "Other-relative"};
static const char *const sex[] = {"Female", "Male"};
static const char *const country[] = {"United-States", "Cambodia", "England", "Mexico",
                                      "Germany",       "Canada",   "India",   "Japan"};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static size_t add_values(char *out, const char *name, const char *const *values,
                         size_t count) {
  char *at = out + sprintf(out,
                           ", {\"name\": \"%s\", \"type\": \"category\", "
                           "\"values\": [",
                           name);
  for (size_t i = 0; i < count; ++i)
    at += sprintf(at, "%s\"%s\"", i > 0 ? "," : "", values[i]);
  return (size_t)(at - out) + (size_t)sprintf(at, "]}");
}

static tacit_status schema_mixed(tacit_schema **out, tacit_error *err) {
  static const char *const numbers[] = {"age",  "weight", "years",
                                        "gain", "loss",   "hours"};
  char json[16384];
  char *at =
      json + sprintf(json, "{\"tacit_schema\": 1, \"label\": {\"column\": \"y\", "
                           "\"classes\": [\"<=50K\", \">50K\"]}, \"columns\": [");
  for (size_t i = 0; i < COUNT(numbers); ++i)
    at += sprintf(at,
                  "%s{\"name\": \"%s\", \"type\": \"numeric\", \"min\": 0, "
                  "\"max\": 100}",
                  i > 0 ? "," : "", numbers[i]);
  at += add_values(at, "work", work, COUNT(work));
  at += add_values(at, "school", school, COUNT(school));
  at += add_values(at, "state", state_of, COUNT(state_of));
  at += add_values(at, "kin", kin, COUNT(kin));
  at += add_values(at, "sex", sex, COUNT(sex));
  at += add_values(at, "country", country, COUNT(country));
  at += sprintf(at, "]}");
  return tacit_schema_parse(json, (size_t)(at - json), "bench", out, err);
}

static size_t header_mixed(char *out) {
  return (size_t)sprintf(
      out, "age,weight,years,gain,loss,hours,work,school,state,kin,sex,country,y\n");
}

static const char *one_of(uint64_t *state, const char *const *values, size_t count) {
  /* the first words are the most frequent, as in real data */
  size_t a = (size_t)(number_word(state) % count),
         b = (size_t)(number_word(state) % count);
  return values[a < b ? a : b];
}

static size_t row_mixed(uint64_t *state, char *out) {
  return (size_t)sprintf(
      out, "%d,%d,%d,%d,%d,%d,%s,%s,%s,%s,%s,%s,%s\n",
      17 + (int)(number_word(state) % 70), 10000 + (int)(number_word(state) % 400000),
      1 + (int)(number_word(state) % 16),
      number_word(state) % 10 == 0 ? (int)(number_word(state) % 20000) : 0,
      number_word(state) % 20 == 0 ? (int)(number_word(state) % 3000) : 0,
      10 + (int)(number_word(state) % 60), one_of(state, work, COUNT(work)),
      one_of(state, school, COUNT(school)), one_of(state, state_of, COUNT(state_of)),
      one_of(state, kin, COUNT(kin)), one_of(state, sex, COUNT(sex)),
      one_of(state, country, COUNT(country)),
      number_word(state) % 4 == 0 ? ">50K" : "<=50K");
}

static const struct sample samples[] = {
    {"libsvm-a9a", "LIBSVM, 14 of 123 ones", "libsvm_parse", schema_a9a, NULL, row_a9a},
    {"libsvm-sparse", "LIBSVM, 40 of 2^20, 6 places", "libsvm_parse", schema_sparse,
     NULL, row_sparse},
    {"libsvm-dense", "LIBSVM, 128 of 128, 6 places", "libsvm_parse", schema_dense, NULL,
     row_dense},
    {"csv-dense", "CSV, 128 numbers, 6 places", "csv_parse", schema_csv_short,
     header_csv_short, row_csv_short},
    {"csv-17-digits", "CSV, 32 numbers, 17 digits", "csv_parse", schema_csv_long,
     header_csv_long, row_csv_long},
    {"csv-lines", "CSV, 20 numbers, 3 places", "csv_parse", schema_lines, header_curves,
     row_curves},
    {"csv-curves", "CSV, 20 curves of 16 bins", "csv_parse", schema_curves,
     header_curves, row_curves},
    {"csv-mixed", "CSV, 6 numbers, 6 categories", "csv_parse", schema_mixed,
     header_mixed, row_mixed},
};

/* The processor time of this thread: others use the machine too. */
static double now_s(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void die(const char *message) {
  (void)fprintf(stderr, "parse: %s\n", message);
  exit(1);
}

/* Generates rows for the first four megabytes and then repeats them. */
static struct text make_text(const struct sample *sample, size_t size) {
  struct text text = {malloc(size + 2 * ROOM_OF_ROW), 0, 0, 0};
  if (text.bytes == NULL) die("out of memory");
  uint64_t state = UINT64_C(88172645463325252);
  if (sample->header != NULL) text.header = sample->header(text.bytes);
  text.size = text.header;
  while (text.size < size && text.size < (4u << 20)) {
    text.size += sample->row(&state, text.bytes + text.size);
    ++text.rows;
  }
  size_t part = text.size - text.header;
  int64_t part_rows = text.rows;
  for (; text.size + part <= size; text.rows += part_rows) {
    memcpy(text.bytes + text.size, text.bytes + text.header, part);
    text.size += part;
  }
  memset(text.bytes + text.size, 0, ROOM_OF_ROW);
  return text;
}

struct parser {
  const struct tacit_format_ops *format;
  tacit_schema *schema;
  tacit_parse parse;
  tacit_rows rows;
  void *layout;
};

static void open_parser(const struct sample *sample, const struct text *text,
                        struct parser *out) {
  tacit_error err;
  memset(out, 0, sizeof *out);
  if (sample->schema(&out->schema, &err) != TACIT_OK) die(err.message);
  out->format = tacit_format_of(out->schema);
  if (tacit_parse_init(&out->parse, out->schema, 1, &err) != TACIT_OK ||
      tacit_rows_init(&out->rows, tacit_schema_features(out->schema), 2, 1, &err) !=
          TACIT_OK)
    die(err.message);
  /* A reader grows its arrays once; that is not measured. */
  if (tacit_rows_reserve(&out->rows, 1 << 18, &err) != TACIT_OK) die(err.message);
  out->parse.name = sample->name;
  if (text->header > 0) {
    tacit_line line = {
        .begin = text->bytes, .end = text->bytes + text->header - 1, .number = 1};
    if (out->format->header(&out->parse, &line, &out->layout, &err) != TACIT_OK)
      die(err.message);
    out->parse.layout = out->layout;
  }
}

static void close_parser(struct parser *parser) {
  if (parser->format->layout_free != NULL) parser->format->layout_free(parser->layout);
  tacit_rows_fini(&parser->rows);
  tacit_parse_fini(&parser->parse);
  tacit_schema_free(parser->schema);
}

static double parse_text(struct parser *parser, const struct text *text) {
  tacit_error err;
  tacit_text at = {text->bytes + text->header, text->bytes + text->size, 1};
  double start = now_s();
  int64_t rows = 0, taken;
  while (at.at < at.end) {
    tacit_rows_clear(&parser->rows);
    if (parser->format->parse(&parser->parse, &at, INT64_MAX, &parser->rows, &taken,
                              &err) != TACIT_OK)
      die(err.message);
    rows += taken;
  }
  if (rows != text->rows) die("rows were lost");
  return now_s() - start;
}

static double copy_text(const struct text *text, char *to) {
  double start = now_s();
  memcpy(to, text->bytes, text->size);
  return now_s() - start;
}

static double count_lines(const struct text *text) {
  double start = now_s();
  const char *at = text->bytes, *end = text->bytes + text->size;
  int64_t lines = 0;
  for (; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; ++at)
    ++lines;
  if (lines != text->rows + (text->header > 0)) die("lines were lost");
  return now_s() - start;
}

/* The minimum of a simple reader: strtod on every number, other text skipped. */
static double strtod_text(const struct text *text) {
  double start = now_s(), sum = 0;
  const char *end = text->bytes + text->size;
  for (char *at = text->bytes + text->header; at < end;) {
    char *stop;
    sum += strtod(at, &stop);
    at = stop > at ? stop : at + strcspn(at, ",: \n");
    at += at < end;
  }
  if (isnan(sum)) die("strtod found no number");
  return now_s() - start;
}

struct speeds {
  double parse, copy, lines, strtod;
};

static struct speeds measure(const struct sample *sample, size_t size, int runs) {
  struct text text = make_text(sample, size);
  struct parser parser;
  open_parser(sample, &text, &parser);
  char *to = malloc(text.size);
  if (to == NULL) die("out of memory");
  memset(to, 1, text.size);
  struct speeds best = {0, 0, 0, 0};
  double megabytes = 1e-6 * (double)text.size;
  for (int r = 0; r < runs; ++r) {
    best.parse = fmax(best.parse, megabytes / parse_text(&parser, &text));
    best.copy = fmax(best.copy, megabytes / copy_text(&text, to));
    best.lines = fmax(best.lines, megabytes / count_lines(&text));
    if (r < 2) best.strtod = fmax(best.strtod, megabytes / strtod_text(&text));
  }
  free(to);
  close_parser(&parser);
  free(text.bytes);
  return best;
}

static void show(const struct sample *sample, const struct speeds *speeds, int json,
                 int is_first) {
  if (!json) {
    if (is_first)
      printf("%-32s %9s %9s %9s %9s\n", "MB/s, one thread", "parse", "strtod", "lines",
             "copy");
    printf("%-32s %9.0f %9.0f %9.0f %9.0f\n", sample->what, speeds->parse,
           speeds->strtod, speeds->lines, speeds->copy);
    return;
  }
  printf("%s  {\"case\": \"%s\", \"parse_mb_s\": %.1f, \"strtod_mb_s\": %.1f, "
         "\"lines_mb_s\": %.1f, \"copy_mb_s\": %.1f}",
         is_first ? "[\n" : ",\n", sample->name, speeds->parse, speeds->strtod,
         speeds->lines, speeds->copy);
}

static int count_one(const char *name) {
  for (size_t i = 0; i < COUNT(samples); ++i) {
    if (strcmp(samples[i].name, name) != 0) continue;
    struct text text = make_text(&samples[i], 1 << 20);
    struct parser parser;
    open_parser(&samples[i], &text, &parser);
    (void)parse_text(&parser, &text);
    printf("%zu\n", text.size - text.header);
    close_parser(&parser);
    free(text.bytes);
    return 0;
  }
  die("no such case");
  return 1;
}

static int check_exact(long count) {
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  uint64_t state = UINT64_C(1442695040888963407);
  for (long i = 0; i < count; ++i) {
    char text[NUMBER_SHAPE_ROOM];
    size_t size = number_shape(&state, text);
    double expected = strtod_l(text, NULL, c_locale), got = 0;
    int is_number = tacit_number_parse(text, text + size, c_locale, &got);
    if (is_number != isfinite(expected) ||
        (is_number && memcmp(&expected, &got, sizeof got) != 0)) {
      printf("%s: %a, strtod %a\n", text, got, expected);
      return 1;
    }
  }
  printf("%ld random texts: all as strtod\n", count);
  freelocale(c_locale);
  return 0;
}

int main(int argc, char **argv) {
  int json = 0, runs = 7;
  size_t size = 48u << 20;
  for (int i = 1; i < argc; ++i) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(argv[i], "--json") == 0) {
      json = 1;
    } else if (strcmp(argv[i], "--cases") == 0) {
      for (size_t j = 0; j < COUNT(samples); ++j)
        printf("%s %s\n", samples[j].name, samples[j].function);
      return 0;
    } else if (strcmp(argv[i], "--count") == 0) {
      return count_one(value);
    } else if (strcmp(argv[i], "--exact") == 0) {
      return check_exact(atol(value));
    } else if (strcmp(argv[i], "--runs") == 0) {
      runs = atoi(argv[++i]);
    } else if (strcmp(argv[i], "--megabytes") == 0) {
      size = (size_t)atol(argv[++i]) << 20;
    } else {
      die("[--json] [--megabytes M] [--runs N] | --cases | --count CASE | --exact N");
    }
  }
  for (size_t i = 0; i < COUNT(samples); ++i) {
    struct speeds speeds = measure(&samples[i], size, runs);
    show(&samples[i], &speeds, json, i == 0);
  }
  if (json) printf("\n]\n");
  return 0;
}
