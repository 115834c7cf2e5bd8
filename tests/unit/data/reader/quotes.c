/* SPDX-License-Identifier: MIT */
/* data/: line breaks between quotes, wherever files are cut. */
#include "unit/data_files.h"

enum { ROWS = 700 };

static tacit_schema *notes_schema(void) {
  static const char json[] =
      "{\"tacit_schema\": 2, \"quoted_newlines\": true, \"label\": {\"column\": \"y\", "
      "\"min\": 0, \"max\": 1000}, \"columns\": [{\"name\": \"x\", \"type\": "
      "\"numeric\", \"min\": 0, \"max\": 4, \"map\": [0, 1]}, {\"name\": \"note\", "
      "\"type\": \"ignore\"}, {\"name\": \"s\", \"type\": \"category\", \"values\": "
      "[\"a\", \"b\"]}]}";
  tacit_schema *schema = NULL;
  tacit_error err;
  CHECK_OK(tacit_schema_from_text(json, strlen(json), "s", &schema, &err), err);
  return schema;
}

/* Row i has the label i. Notes have line breaks, delimiters, doubled quotes, empty
   lines, and text that looks like a row. */
static char *notes(size_t *out_size, int64_t *lines) {
  static const char *const texts[] = {"plain",
                                      "\"two\nlines\"",
                                      "\"\"",
                                      "\"a \"\"quoted\"\"\n\n\nword\"",
                                      "\"\r\n1,x,a,999\r\n\"",
                                      "\"\"\"\n\"\"\"",
                                      "\"\n\"",
                                      " \"1,\"\"x\n\" "};
  char *text = malloc(ROWS * 60 + 100);
  assert_non_null(text);
  size_t size = (size_t)sprintf(text, "x,note,s,y\n");
  for (int i = 0; i < ROWS; ++i) {
    lines[i] = 1;
    for (size_t j = 0; j < size; ++j)
      lines[i] += text[j] == '\n';
    size += (size_t)sprintf(text + size, "%d,%s,%s,%d%s", i % 5, texts[i * i / 3 % 8],
                            i % 2 ? "a" : "\"b\"", i, i % 3 ? "\n" : "\r\n");
    if (i % 13 == 0 && i + 1 < ROWS) text[size++] = '\n';
  }
  text[size] = '\0';
  *out_size = size;
  return text;
}

static char *expected_rows(void) {
  char *text = malloc(ROWS * 40);
  assert_non_null(text);
  size_t size = 0;
  for (int i = 0; i < ROWS; ++i) {
    size += (size_t)sprintf(text + size, "%d", i);
    if (i % 5 > 0) size += (size_t)sprintf(text + size, " 1:%.17g", i % 5 / 4.0);
    size += (size_t)sprintf(text + size, " %d:1\n", i % 2 ? 2 : 3);
  }
  return text;
}

/* The rows of a file that is cut into pieces of this size; NULL: refused. */
static char *read_pieces(const char *path, const tacit_schema *schema, int64_t piece,
                         int shuffle, tacit_error *err) {
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = schema;
  options.shuffle = shuffle;
  options.threads = 1 + (unsigned)(piece % 3);
  options.map = piece % 5 == 0;
  tacit_reader_limits limits = {1 << 24, 1 << 20, piece, piece % 7 ? 1 << 20 : 5,
                                1 << 24, 1 << 30, 64,    0};
  tacit_reader *reader = NULL;
  if (tacit_reader_open_limited(&path, 1, &options, &limits, &reader, err) != TACIT_OK)
    return NULL;
  char *rows = rows_of(reader, err);
  tacit_reader_free(reader);
  return rows;
}

static void records_are_found_wherever_a_file_is_cut(void **state) {
  (void)state;
  int64_t lines[ROWS];
  size_t size, packed;
  tacit_schema *schema = notes_schema();
  char *text = notes(&size, lines), *expected = expected_rows();
  unsigned char *bytes = gzip_of(text, size, &packed);
  const char *paths[] = {file_of_bytes("notes.csv", text, size),
                         file_of_bytes("notes.csv.gz", bytes, packed)};
  for (int64_t piece = 1; piece < 40000; piece += 1 + piece / 3) {
    for (int way = 0; way < 4; ++way) {
      tacit_error err;
      char *rows = read_pieces(paths[way % 2], schema, piece, way / 2, &err);
      if (rows == NULL) fail_msg("%s", err.message);
      assert_string_equal(rows, expected);
      free(rows);
    }
  }
  free(bytes);
  free(text);
  free(expected);
  tacit_schema_free(schema);
}

static void faults_have_the_line_their_record_begins_on(void **state) {
  (void)state;
  int64_t lines[ROWS];
  size_t size;
  tacit_schema *schema = notes_schema();
  char *text = notes(&size, lines);
  for (int row = 0; row < ROWS; row += 101) {
    char *at = text, message[100];
    for (int64_t line = 1; line < lines[row]; ++line)
      at = strchr(at, '\n') + 1;
    char before = *at;
    *at = 'z'; /* not a number */
    const char *path = file_of_bytes("bad.csv", text, size);
    *at = before;
    (void)snprintf(message, sizeof message,
                   ": line %d, column 'x': not a finite number", (int)lines[row]);
    for (int64_t piece = 3; piece < 40000; piece *= 9) {
      for (int shuffle = 0; shuffle < 2; ++shuffle) {
        tacit_error err;
        assert_null(read_pieces(path, schema, piece, shuffle, &err));
        assert_string_equal(err.message + strlen(path), message);
      }
    }
  }
  free(text);
  tacit_schema_free(schema);
}

static void quotes_must_be_told_apart(void **state) {
  (void)state;
  tacit_schema *schema = notes_schema();
  static const char bare[] = ": line 2, field 2: a quote in a field without quotes; "
                             "quote the field and double the quote";
  check_refused(file_of("q.csv", "x,note,s,y\n1,5\" pipe,a,1\n2,,a,1\n"), schema,
                TACIT_EDATA, bare, "pipe");
  check_refused(file_of("q.csv", "x,note,s,y\n1,a \"b\" c,a,1\n"), schema, TACIT_EDATA,
                bare, NULL);
  check_refused(file_of("q.csv", "x,note,s,y\n1,\"a\n2,b,a,1\n"), schema, TACIT_EDATA,
                ": line 2, field 2: a quote is not closed", NULL);
  check_refused(file_of("q.csv", "x,note,s,y\n1,\"a\nb\" c,a,1\n"), schema, TACIT_EDATA,
                ": line 2, field 2: text after a closing quote; write a quote inside "
                "quotes twice",
                NULL);
  tacit_schema_free(schema);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(records_are_found_wherever_a_file_is_cut),
      cmocka_unit_test(faults_have_the_line_their_record_begins_on),
      cmocka_unit_test(quotes_must_be_told_apart),
  };
  return cmocka_run_group_tests(tests, folder_setup, folder_teardown);
}
