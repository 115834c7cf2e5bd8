/* SPDX-License-Identifier: MIT */
/* Tables give the rows of their CSV files, bit for bit, or the same fault. */
#include "unit/data_files.h"

#include "data/schema/date.h"
#include "data/table/arrow_abi.h"

enum { ROWS = 300, COLUMNS = 12, TEXT_ROOM = 48 };

static uint64_t random_state = 1;
static unsigned draw(unsigned below) {
  random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (unsigned)(random_state >> 33) % below;
}

/* Numbers, and how Python writes them. */
static const struct {
  double number;
  const char *text;
} doubles[] = {{0, "0.0"},
               {1, "1.0"},
               {2, "2.0"},
               {3, "3.0"},
               {8, "8.0"},
               {-9, "-9.0"},
               {-0.0, "-0.0"},
               {0.1, "0.1"},
               {0.5, "0.5"},
               {0.30000000000000004, "0.30000000000000004"},
               {123456.789, "123456.789"},
               {1e15, "1000000000000000.0"},
               {1e16, "1e+16"},
               {0.0001, "0.0001"},
               {1e-5, "1e-05"},
               {1.5e-7, "1.5e-07"},
               {1.2345678901234568e+17, "1.2345678901234568e+17"},
               {9007199254740993.0, "9007199254740992.0"},
               {-1e300, "-1e+300"}},
  singles[] = {{0, "0.0"},
               {1, "1.0"},
               {2, "2.0"},
               {8, "8.0"},
               {-0.0, "-0.0"},
               {0.1f, "0.1"},
               {0.33333334f, "0.33333334"},
               {16777216.0f, "16777216.0"},
               {123456789.0f, "123456790.0"},
               {3.4e38f, "3.4e+38"},
               {1e-10f, "1e-10"},
               {65.3f, "65.3"},
               {-2.5f, "-2.5"}};
static const char *const words[] = {"Clerk",
                                    "Nurse, night",
                                    "say \"x\"",
                                    "True",
                                    "False",
                                    "yes",
                                    "no",
                                    "1",
                                    "2",
                                    "2.0",
                                    "8",
                                    "NA",
                                    "",
                                    " 1 ",
                                    "a b",
                                    "5",
                                    "low",
                                    "high",
                                    "2024-02-29",
                                    "31.12.2023",
                                    "a category that is longer than forty characters",
                                    "7.5"};

enum {
  N_DOUBLES = sizeof doubles / sizeof *doubles,
  N_SINGLES = sizeof singles / sizeof *singles,
  N_WORDS = sizeof words / sizeof *words
};

/* A column in memory, and the texts of its cells. */
struct made {
  tacit_table_column column, levels;
  const void *buffers[1];
  unsigned char cells[(ROWS + 8) * 16], valid[ROWS], bytes[ROWS * TEXT_ROOM];
  unsigned char level_cells[64 * 16];
  char text[ROWS][TEXT_ROOM];
};

static void put(void *cells, int64_t i, const void *value, size_t size) {
  memcpy((unsigned char *)cells + (size_t)i * size, value, size);
}

static void make_integers(struct made *made, int64_t i, unsigned limit) {
  int64_t value = draw(4) == 0 ? (int64_t)draw(100) - 20 : (int64_t)draw(10);
  if (limit > 0) value = (int64_t)draw(limit);
  size_t size = 8;
  switch (made->column.type) {
  case TACIT_CELLS_INT64: put(made->cells, i, &value, 8); break;
  case TACIT_CELLS_UINT64:
    value = limit == 0 && draw(8) == 0 ? -1 : value & 63;
    put(made->cells, i, &value, 8);
    break;
  case TACIT_CELLS_INT32:
    put(made->cells, i, &(int32_t){(int32_t)value}, size = 4);
    break;
  case TACIT_CELLS_UINT32:
    value &= 63;
    put(made->cells, i, &(uint32_t){(uint32_t)value}, size = 4);
    break;
  case TACIT_CELLS_INT16:
    put(made->cells, i, &(int16_t){(int16_t)value}, size = 2);
    break;
  case TACIT_CELLS_UINT16:
    value &= 63;
    put(made->cells, i, &(uint16_t){(uint16_t)value}, size = 2);
    break;
  case TACIT_CELLS_INT8:
    put(made->cells, i, &(signed char){(signed char)value}, 1);
    break;
  default: value &= 63; put(made->cells, i, &(unsigned char){(unsigned char)value}, 1);
  }
  if (made->column.type == TACIT_CELLS_UINT64)
    (void)sprintf(made->text[i], "%llu", (unsigned long long)value);
  else
    (void)sprintf(made->text[i], "%lld", (long long)value);
  if (made->column.has_missing && value == made->column.missing)
    made->text[i][0] = '\0';
}

/* Days of 2019 to 2024, or a day long ago, with a time of the day. */
static void make_time(struct made *made, int64_t i, const char *format) {
  int64_t day = draw(20) == 0 ? -200000 : 17900 + (int64_t)draw(2000);
  int64_t per_day = made->column.per_day, units = day * per_day;
  tacit_date date = tacit_date_of(day);
  units += per_day > 1 ? (int64_t)(draw(1000) / 1000.0 * (double)per_day) : 0;
  units -= made->column.zone;
  if (made->column.type == TACIT_CELLS_FLOAT64) {
    double real = (double)units;
    int is_missing = draw(12) == 0;
    if (is_missing) real = NAN;
    put(made->cells, i, &real, 8);
    made->text[i][0] = '\0';
    if (is_missing) return;
  } else if (made->column.type == TACIT_CELLS_INT32) {
    put(made->cells, i, &(int32_t){(int32_t)units}, 4);
  } else {
    put(made->cells, i, &units, 8);
  }
  if (strcmp(format, "%d.%m.%Y") == 0)
    (void)sprintf(made->text[i], "%02d.%02d.%04d", date.day, date.month, date.year);
  else
    (void)sprintf(made->text[i], "%04d-%02d-%02d", date.year, date.month, date.day);
}

/* Texts as offsets and bytes, or as pointers and sizes. */
static void make_texts(struct made *made, int64_t count, char (*out_text)[TEXT_ROOM],
                       tacit_table_column *column, unsigned char *cells) {
  int64_t used = 0;
  column->raw_cells = cells;
  column->raw_bytes = made->bytes;
  for (int64_t i = 0; i < count; ++i) {
    const char *word = words[draw(N_WORDS)];
    size_t size = strlen(word);
    memcpy(made->bytes + used, word, size);
    (void)strcpy(out_text[i], word);
    if (column->type == TACIT_CELLS_TEXTS)
      put(cells, i, &(tacit_text_cell){size > 0 ? word : NULL, size}, 16);
    if (column->type == TACIT_CELLS_TEXT32) put(cells, i, &(int32_t){(int32_t)used}, 4);
    if (column->type == TACIT_CELLS_TEXT64) put(cells, i, &used, 8);
    if (column->type == TACIT_CELLS_VIEWS) {
      int32_t view[4] = {(int32_t)size, 0, 0, (int32_t)used};
      if (size <= 12) memcpy(view + 1, word, size);
      put(cells, i, view, 16);
    }
    used += (int64_t)size;
    if (column->type == TACIT_CELLS_TEXT32)
      put(cells, i + 1, &(int32_t){(int32_t)used}, 4);
    if (column->type == TACIT_CELLS_TEXT64) put(cells, i + 1, &used, 8);
  }
  made->buffers[0] = made->bytes;
  if (column->type == TACIT_CELLS_VIEWS) column->raw_bytes = made->buffers;
}

static void make_dictionary(struct made *made) {
  static char levels[20][TEXT_ROOM];
  made->levels.type = draw(2) ? TACIT_CELLS_TEXT32 : TACIT_CELLS_TEXTS;
  made->levels.n_cells = 20;
  make_texts(made, 20, levels, &made->levels, made->level_cells);
  made->column.type = TACIT_CELLS_INT32;
  made->column.base = draw(2);
  made->column.levels = &made->levels;
  for (int64_t i = 0; i < ROWS; ++i) {
    int32_t level = (int32_t)draw(21) - 1;
    (void)strcpy(made->text[i], level >= 0 ? levels[level] : "");
    put(made->cells, i, &(int32_t){level + (int32_t)made->column.base}, 4);
  }
}

static void make_decimal(struct made *made, int64_t i) {
  int64_t value = (int64_t)draw(2000) - 300;
  int64_t both[2] = {value, value < 0 ? -1 : 0};
  put(made->cells, i, both, 16);
  (void)sprintf(made->text[i], "%s%lld.%02lld", value < 0 ? "-" : "",
                (long long)llabs(value) / 100, (long long)llabs(value) % 100);
}

static void make_plain(struct made *made, int64_t i, unsigned limit,
                       const char *format) {
  unsigned k = draw(N_DOUBLES), s = draw(N_SINGLES), truth = draw(2);
  if (made->column.per_day != 0) {
    make_time(made, i, format);
    return;
  }
  switch (made->column.type) {
  case TACIT_CELLS_FLOAT64:
    put(made->cells, i, draw(9) ? &doubles[k].number : &(double){NAN}, 8);
    (void)strcpy(made->text[i], doubles[k].text);
    double value;
    memcpy(&value, made->cells + 8 * i, 8);
    if (isnan(value)) made->text[i][0] = '\0';
    break;
  case TACIT_CELLS_FLOAT32:
    put(made->cells, i, &(float){(float)singles[s].number}, 4);
    (void)strcpy(made->text[i], singles[s].text);
    break;
  case TACIT_CELLS_BOOL8:
    put(made->cells, i, &(unsigned char){(unsigned char)truth}, 1);
    break;
  case TACIT_CELLS_BOOL32: put(made->cells, i, &(int32_t){(int32_t)truth}, 4); break;
  case TACIT_CELLS_BIT:
    made->cells[i / 8] =
        (unsigned char)((made->cells[i / 8] & ~(1u << (i % 8))) | truth << (i % 8));
    break;
  case TACIT_CELLS_DECIMAL: make_decimal(made, i); break;
  case TACIT_CELLS_EMPTY: made->text[i][0] = '\0'; break;
  default: make_integers(made, i, limit);
  }
  if (made->column.type >= TACIT_CELLS_BOOL8 && made->column.type <= TACIT_CELLS_BIT)
    (void)strcpy(made->text[i], truth ? "True" : "False");
}

/* Draws a type whose cells a column can have: 'n' numbers, 'i' small integers, 'b'
   truth values too, 'd' dates, or 't' all types. */
static tacit_cells draw_type(char domain) {
  switch (domain) {
  case 'n':
    return draw(8) == 0 ? TACIT_CELLS_DECIMAL
                        : (tacit_cells)(TACIT_CELLS_FLOAT64 + draw(10));
  case 'i': return (tacit_cells)(TACIT_CELLS_INT64 + draw(8));
  case 'b': return (tacit_cells)(TACIT_CELLS_INT64 + draw(11));
  default: break;
  }
  return (tacit_cells)(TACIT_CELLS_EMPTY + draw(19));
}

/* Fills a column of random cells of a random type. Few cells break a rule. */
static void make_column(struct made *made, const char *name, char domain,
                        unsigned limit, const char *format) {
  static const tacit_cells times[] = {TACIT_CELLS_INT32, TACIT_CELLS_INT64,
                                      TACIT_CELLS_FLOAT64};
  memset(made, 0, sizeof *made);
  made->column =
      (tacit_table_column){.name = name, .n_cells = ROWS, .raw_cells = made->cells};
  if (draw(150) == 0) domain = 't';
  made->column.type = draw_type(domain);
  if (domain == 't' && draw(8) == 0) {
    make_dictionary(made);
  } else if (made->column.type >= TACIT_CELLS_TEXT32) {
    make_texts(made, ROWS, made->text, &made->column, made->cells);
  } else {
    if (domain == 'd') {
      unsigned which = draw(3);
      made->column.type = times[which];
      made->column.per_day = which == 0 ? 1 : 86400;
      made->column.zone = which == 1 ? 7200 : 0;
    }
    made->column.scale = made->column.type == TACIT_CELLS_DECIMAL ? 2 : 0;
    made->column.has_missing = made->column.per_day == 0 && limit == 0 &&
                               made->column.type >= TACIT_CELLS_INT64 &&
                               made->column.type <= TACIT_CELLS_UINT8 && draw(2);
    made->column.missing = 3;
    for (int64_t i = 0; i < ROWS; ++i)
      make_plain(made, i, limit, format);
  }
  if (draw(3) > 0 || limit > 4) return;
  made->column.raw_valid = made->valid;
  for (int64_t i = 0; i < ROWS; ++i)
    if (draw(10) > 0)
      made->valid[i / 8] |= (unsigned char)(1u << (i % 8));
    else
      made->text[i][0] = '\0';
}

static const char schema_text[] =
    "{\"tacit_schema\":2,\"format\":\"csv\",\"na\":[\"8\",\"NA\",\"-9.0\",\"2024-02-"
    "29\"],\"columns\":["
    "{\"name\":\"a\",\"type\":\"numeric\",\"min\":-5,\"max\":60,\"curve\":5,"
    "\"missing\":\"own\"},"
    "{\"name\":\"b\",\"type\":\"numeric\",\"min\":0,\"max\":10,\"missing\":1},"
    "{\"name\":\"c\",\"type\":\"category\",\"values\":[\"1\",\"2\",\"Clerk\",\"Nurse, "
    "night\","
    "\"True\",\"say \\\"x\\\"\",\"a category that is longer than forty characters\"]},"
    "{\"name\":\"d\",\"type\":\"hashed\",\"slots\":1000},"
    "{\"name\":\"e\",\"type\":\"text\",\"slots\":50},"
    "{\"name\":\"f\",\"type\":\"bool\",\"missing\":false},"
    "{\"name\":\"g\",\"type\":\"ordinal\",\"values\":[\"0\",\"1\",\"2\",\"3\"],"
    "\"missing\":\"own\"},"
    "{\"name\":\"h\",\"type\":\"date\",\"format\":\"%%Y-%%m-%%d\",\"min\":\"2020-01-"
    "01\",\"max\":\"2023-12-31\","
    "\"parts\":[\"month\",\"weekday\",\"days\"],\"missing\":\"own\"},"
    "{\"name\":\"i\",\"type\":\"date\",\"min\":\"2020-01-01\",\"max\":\"2023-12-31\","
    "\"format\":\"%%d.%%m.%%Y\",\"parts\":[\"year\"],\"missing\":\"own\"},"
    "{\"name\":\"j\",\"type\":\"ignore\"}],"
    "\"crosses\":[[\"a\",\"c\"]],\"missing_label\":\"skip\","
    "\"weight\":{\"column\":\"w\",\"max\":4},\"label\":{\"column\":\"y\",%s}}";
static const char *const labels[] = {
    "\"classes\":[\"0\",\"1\",\"2\",\"8\",\"True\",\"False\",\"yes\",\"no\"]",
    "\"min\":0,\"max\":9", "\"above\":2", "\"is\":[\"yes\",\"1\",\"True\"]"};

static tacit_schema *schema_of(const char *label) {
  char text[4096];
  tacit_schema *schema;
  tacit_error err;
  int size = snprintf(text, sizeof text, schema_text, label);
  CHECK_OK(tacit_schema_from_text(text, (size_t)size, "schema", &schema, &err), err);
  return schema;
}

static const char *write_csv(const struct made *made) {
  char *text = malloc(ROWS * COLUMNS * (2 * TEXT_ROOM)), *at = text;
  assert_non_null(text);
  for (int j = 0; j < COLUMNS; ++j)
    at += sprintf(at, "%s%c", made[j].column.name, j + 1 < COLUMNS ? ',' : '\n');
  for (int64_t i = 0; i < ROWS; ++i) {
    for (int j = 0; j < COLUMNS; ++j) {
      const char *cell = made[j].text[i];
      int quoted = strpbrk(cell, ",\"") != NULL;
      if (quoted) *at++ = '"';
      for (; *cell != '\0'; ++cell) {
        if (*cell == '"') *at++ = '"';
        *at++ = *cell;
      }
      if (quoted) *at++ = '"';
      *at++ = j + 1 < COLUMNS ? ',' : '\n';
    }
  }
  const char *path = file_of_bytes("rows.csv", text, (size_t)(at - text));
  free(text);
  return path;
}

/* The rows of columns that are cut into several tables. */
static char *rows_of_tables(const struct made *made, const tacit_schema *schema,
                            tacit_error *err) {
  enum { PARTS = 3 };
  static const int64_t cuts[PARTS + 1] = {0, 100, 101, ROWS};
  tacit_table tables[PARTS];
  tacit_table_column columns[PARTS][COLUMNS];
  for (int p = 0; p < PARTS; ++p) {
    tacit_table_init(&tables[p]);
    tables[p].n_rows = cuts[p + 1] - cuts[p];
    tables[p].n_columns = COLUMNS;
    tables[p].columns = columns[p];
    for (int j = 0; j < COLUMNS; ++j) {
      columns[p][j] = made[j].column;
      columns[p][j].first = cuts[p];
      columns[p][j].n_cells = tables[p].n_rows;
    }
  }
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = schema;
  options.shuffle = 0;
  tacit_reader *reader = NULL;
  if (tacit_reader_open_table(tables, PARTS, &options, &reader, err) != TACIT_OK)
    return NULL;
  char *rows = rows_of(reader, err);
  tacit_reader_free(reader);
  return rows;
}

/* Compares rows, and shows the first that differs. */
static void check_same(int trial, const char *rows, const char *expected) {
  for (int64_t row = 1; *rows != '\0' || *expected != '\0'; ++row) {
    size_t size = strcspn(rows, "\n"), wanted = strcspn(expected, "\n");
    if (size != wanted || memcmp(rows, expected, size) != 0)
      fail_msg("trial %d, row %lld: %.*s, expected %.*s", trial, (long long)row,
               (int)size, rows, (int)wanted, expected);
    rows += size + (rows[size] == '\n');
    expected += wanted + (expected[wanted] == '\n');
  }
}

/* Compares faults: the line of the file is the row and one for the header. */
static void check_fault(const char *of_file, const char *of_table) {
  const char *line = strstr(of_file, ": line ");
  char *after;
  assert_non_null(line);
  long number = strtol(line + 7, &after, 10);
  char expected[512];
  (void)snprintf(expected, sizeof expected, "row %ld%s", number - 1, after);
  assert_string_equal(of_table, expected);
}

static void tables_give_the_rows_or_the_fault_of_their_file(void **state) {
  static const char *const names[COLUMNS] = {"a", "b", "c", "d", "e", "f",
                                             "g", "h", "i", "j", "w", "y"};
  static const char domains[] = "nntttbiddti", label_domains[] = "bnnt";
  static const unsigned limits[COLUMNS] = {0, 0, 0, 0, 0, 2, 4, 0, 0, 0, 16},
                        label_limits[] = {3, 0, 0, 0};
  struct made *made = calloc(COLUMNS, sizeof *made);
  int equal = 0, faults = 0;
  (void)state;
  assert_non_null(made);
  for (int trial = 0; trial < 400; ++trial) {
    tacit_schema *schema = schema_of(labels[trial % 4]);
    for (int j = 0; j < COLUMNS; ++j)
      make_column(&made[j], names[j],
                  names[j][0] == 'y' ? label_domains[trial % 4] : domains[j],
                  names[j][0] == 'y' ? label_limits[trial % 4] : limits[j],
                  j == 8 ? "%d.%m.%Y" : "%Y-%m-%d");
    const char *path = write_csv(made);
    tacit_error err = {TACIT_OK, ""}, other = {TACIT_OK, ""};
    char *expected = read_rows(path, schema, 0, 1, &err);
    char *rows = rows_of_tables(made, schema, &other);
    if (expected == NULL) {
      assert_null(rows);
      check_fault(err.message, other.message);
      ++faults;
    } else {
      if (rows == NULL) fail_msg("trial %d: %s", trial, other.message);
      check_same(trial, rows, expected);
      ++equal;
    }
    free(rows);
    free(expected);
    tacit_schema_free(schema);
  }
  free(made);
  assert_true(equal >= 100 && faults >= 20);
}

/* A small schema, and a table of three rows that fits it. */
static tacit_schema *small_schema(const char *more) {
  char text[512];
  tacit_schema *schema;
  tacit_error err;
  int size =
      snprintf(text, sizeof text,
               "{\"tacit_schema\":2,\"format\":\"csv\",\"columns\":["
               "{\"name\":\"x\",\"type\":\"numeric\",\"min\":0,\"max\":10},"
               "{\"name\":\"c\",\"type\":\"category\",\"values\":[\"5\",\"TRUE\"]}],"
               "%s\"label\":{\"column\":\"y\",\"classes\":[\"no\",\"yes\"]}}",
               more);
  CHECK_OK(tacit_schema_from_text(text, (size_t)size, "schema", &schema, &err), err);
  return schema;
}

static const double small_x[] = {0, 5, 10}, small_c[] = {5, 6, 5};
static const tacit_text_cell small_y[] = {{"no", 2}, {"yes", 3}, {"yes!", 3}};

static tacit_table small_table(tacit_table_column columns[4]) {
  tacit_table table;
  tacit_table_init(&table);
  columns[0] = (tacit_table_column){
      .name = "y", .type = TACIT_CELLS_TEXTS, .n_cells = 3, .raw_cells = small_y};
  columns[1] = (tacit_table_column){
      .name = "x", .type = TACIT_CELLS_FLOAT64, .n_cells = 3, .raw_cells = small_x};
  columns[2] = (tacit_table_column){
      .name = "c", .type = TACIT_CELLS_FLOAT64, .n_cells = 3, .raw_cells = small_c};
  columns[3] = (tacit_table_column){.name = "z"};
  table.n_rows = 3;
  table.n_columns = 3;
  table.columns = columns;
  return table;
}

static tacit_status open_table(const tacit_table *table, const tacit_schema *schema,
                               tacit_reader **out, tacit_error *err) {
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = schema;
  options.shuffle = 0;
  return tacit_reader_open_table(table, 1, &options, out, err);
}

/* Opens and reads a table that breaks a rule. */
static void check_table_fault(const tacit_table *table, const char *more,
                              const char *message) {
  tacit_schema *schema = small_schema(more);
  tacit_reader *reader = NULL;
  tacit_error err = {TACIT_OK, ""};
  if (open_table(table, schema, &reader, &err) == TACIT_OK) {
    char *rows = rows_of(reader, &err);
    if (rows != NULL) fail_msg("accepted, expected: %s", message);
  }
  assert_int_equal(err.status, TACIT_EDATA);
  assert_string_equal(err.message, message);
  tacit_reader_free(reader);
  tacit_schema_free(schema);
}

static void tables_that_do_not_fit_are_refused_by_name(void **state) {
  tacit_table_column columns[4];
  tacit_table table = small_table(columns);
  (void)state;
  columns[1].type = TACIT_CELLS_UNKNOWN;
  check_table_fault(
      &table, "",
      "column 'x': numbers, texts, truth values, categories and dates are "
      "read, and it has another type");
  table = small_table(columns);
  columns[1].n_cells = 2;
  check_table_fault(
      &table, "", "column 'x': its cells are missing, or it has not one cell per row");
  table = small_table(columns);
  columns[2].name = "secret";
  check_table_fault(
      &table, "",
      "the table does not match the schema: missing 'c'; unknown 'secret' "
      "(declare it, or let the reader leave out what is not declared: "
      "extra)");
  table = small_table(columns);
  columns[2].name = "x";
  check_table_fault(&table, "", "the table has column 'x' twice");
  table = small_table(columns);
  table.n_columns = 4;
  columns[3].name = "who";
  columns[3].type = TACIT_CELLS_TEXTS;
  columns[3].n_cells = 3;
  columns[3].raw_cells = (const tacit_text_cell[]){{"a", 1}, {" ", 1}, {"b", 1}};
  check_table_fault(&table, "\"unit\":\"who\",",
                    "row 2, column 'who': no id; every row must say who it belongs to");
  table = small_table(columns);
  columns[0].raw_cells = (const tacit_text_cell[]){{"no", 2}, {"no\0x", 4}, {"no", 2}};
  check_table_fault(&table, "", "row 2, column 'y': the text has a NUL byte");
  table.n_rows = 0;
  for (int i = 0; i < 3; ++i)
    columns[i].n_cells = 0;
  check_table_fault(&table, "", "the table has no rows");
}

static void numbers_are_spelled_as_the_program_does(void **state) {
  tacit_table_column columns[4];
  tacit_table table = small_table(columns);
  tacit_schema *schema = small_schema("");
  tacit_error err;
  (void)state;
  for (int spelling = 0; spelling < 2; ++spelling) {
    const int32_t truths[] = {1, 0, 1};
    tacit_reader *reader = NULL;
    table.spelling = (tacit_spelling)spelling;
    columns[2].type = TACIT_CELLS_FLOAT64;
    columns[2].raw_cells = small_c;
    CHECK_OK(open_table(&table, schema, &reader, &err), err);
    char *rows = rows_of(reader, &err);
    assert_string_equal(rows, "-1 1:-1 2:1\n1 4:1\n1 1:1 2:1\n"); /* "5.0" is 5, too */
    free(rows);
    tacit_reader_free(reader);
    columns[2].type = TACIT_CELLS_BOOL32;
    columns[2].raw_cells = truths;
    CHECK_OK(open_table(&table, schema, &reader, &err), err);
    rows = rows_of(reader, &err);
    assert_string_equal(rows, spelling == TACIT_SPELLING_R
                                  ? "-1 1:-1 3:1\n1 4:1\n1 1:1 3:1\n"
                                  : "-1 1:-1 4:1\n1 4:1\n1 1:1 4:1\n");
    free(rows);
    tacit_reader_free(reader);
  }
  tacit_schema_free(schema);
}

/* The shares of the persons of a reader's rows, as text. */
static char *shares_of(tacit_reader *reader, int64_t *out_persons) {
  char *text = calloc(ROWS, 8), *at = text;
  const tacit_batch *batch;
  tacit_error err;
  assert_non_null(text);
  CHECK_OK(tacit_reader_units(reader, 0, out_persons, &err), err);
  for (;;) {
    CHECK_OK(tacit_reader_next(reader, &batch, &err), err);
    if (batch->n_rows == 0) return text;
    for (int64_t i = 0; i < batch->n_rows; ++i)
      at += sprintf(at, "%u ", batch->raw_unit_rows[i]);
  }
}

static void rows_of_a_person_share_a_bound_over_all_parts(void **state) {
  static const char schema_of_persons[] = "\"unit\":\"who\",";
  static double x[ROWS];
  static int64_t who[ROWS];
  static tacit_text_cell y[ROWS];
  tacit_schema *schema = small_schema(schema_of_persons);
  char csv[ROWS * 16] = "x,c,who,y\n", *at = csv + strlen(csv);
  tacit_table_column columns[2][4];
  tacit_table tables[2];
  tacit_reader_options options;
  tacit_reader *reader = NULL;
  tacit_error err;
  int64_t persons, expected_persons;
  (void)state;
  for (int i = 0; i < ROWS; ++i) {
    who[i] = (int64_t)draw(120);
    y[i] = (tacit_text_cell){"no", 2};
    at += sprintf(at, "0,5,%d,no\n", (int)who[i]);
  }
  for (int p = 0; p < 2; ++p) {
    int64_t first = p == 0 ? 0 : 170, n_rows = p == 0 ? 170 : ROWS - 170;
    const tacit_table_column made[4] = {
        {"x", TACIT_CELLS_FLOAT64, n_rows, first, .raw_cells = x},
        {"c", TACIT_CELLS_FLOAT64, n_rows, first, .raw_cells = x},
        {"who", TACIT_CELLS_INT64, n_rows, first, .raw_cells = who},
        {"y", TACIT_CELLS_TEXTS, n_rows, first, .raw_cells = y}};
    memcpy(columns[p], made, sizeof made);
    tacit_table_init(&tables[p]);
    tables[p].n_rows = n_rows;
    tables[p].n_columns = 4;
    tables[p].columns = columns[p];
  }
  tacit_reader_options_init(&options);
  options.schema = schema;
  options.shuffle = 0;
  const char *path = file_of("persons.csv", csv);
  CHECK_OK(tacit_reader_open(&path, 1, &options, &reader, &err), err);
  char *expected = shares_of(reader, &expected_persons);
  tacit_reader_free(reader);
  CHECK_OK(tacit_reader_open_table(tables, 2, &options, &reader, &err), err);
  char *shares = shares_of(reader, &persons);
  assert_int_equal(persons, expected_persons);
  assert_string_equal(shares, expected);
  tacit_reader_free(reader);
  free(shares);
  free(expected);
  tacit_schema_free(schema);
}

/* A stream of two batches of three columns: x of floats, c of categories, y of texts
   with 8-byte offsets. */
struct producer {
  int batch, releases, short_by;
};

static void release_schema(struct ArrowSchema *schema) {
  ++((struct producer *)schema->private_data)->releases;
  schema->release = NULL;
}

static void release_array(struct ArrowArray *array) {
  ++((struct producer *)array->private_data)->releases;
  array->release = NULL;
}

static void release_stream(struct ArrowArrayStream *stream) {
  ++((struct producer *)stream->private_data)->releases;
  stream->release = NULL;
}

static int give_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
  static struct ArrowSchema levels = {.format = "u"},
                            columns[4] = {{.format = "g", .name = "x"},
                                          {.format = "c",
                                           .name = "c",
                                           .dictionary = &levels},
                                          {.format = "U", .name = "y"},
                                          {.format = "l", .name = "__index_level_0__"}},
                            *children[4] = {&columns[0], &columns[1], &columns[2],
                                            &columns[3]};
  *out = (struct ArrowSchema){.format = "+s",
                              .n_children = 4,
                              .children = children,
                              .release = release_schema,
                              .private_data = stream->private_data};
  return 0;
}

static int give_batch(struct ArrowArrayStream *stream, struct ArrowArray *out) {
  static const double x[] = {99, 0, 5, 10, 10};
  static const signed char codes[] = {1, 0, 1, -1, 1};
  static const unsigned char valid[] = {0x17}; /* not cell 3 */
  static const char letters[] = "5TRUE", classes[] = "noyes";
  static const int32_t level_ends[] = {0, 1, 5};
  static const int64_t ends[] = {0, 2, 5, 5, 5, 5};
  static const void *of_x[] = {NULL, x}, *of_c[] = {valid, codes},
                    *of_levels[] = {NULL, level_ends, letters},
                    *of_y[] = {NULL, ends, classes}, *of_none[] = {NULL};
  static struct ArrowArray levels = {.length = 2, .n_buffers = 3, .buffers = of_levels},
                           columns[4],
                           *children[4] = {&columns[0], &columns[1], &columns[2],
                                           &columns[3]};
  struct producer *producer = stream->private_data;
  memset(out, 0, sizeof *out);
  if (producer->batch == 2) return 0;
  int64_t first = producer->batch++;
  columns[0] = (struct ArrowArray){
      .length = 1, .offset = 1 + first, .n_buffers = 2, .buffers = of_x};
  columns[1] = (struct ArrowArray){.length = producer->short_by == 0,
                                   .offset = 2 + first,
                                   .null_count = -1,
                                   .n_buffers = 2,
                                   .buffers = of_c,
                                   .dictionary = &levels};
  columns[2] = (struct ArrowArray){
      .length = 1, .offset = first, .n_buffers = 3, .buffers = of_y};
  columns[3] = columns[0];
  *out = (struct ArrowArray){.length = 1,
                             .n_buffers = 1,
                             .buffers = of_none,
                             .n_children = 4,
                             .children = children,
                             .release = release_array,
                             .private_data = producer};
  return 0;
}

static void arrow_streams_are_tables_and_are_released(void **state) {
  struct producer producer = {0, 0, 0};
  struct ArrowArrayStream stream = {.get_schema = give_schema,
                                    .get_next = give_batch,
                                    .release = release_stream,
                                    .private_data = &producer};
  tacit_schema *schema = small_schema("");
  tacit_reader_options options;
  tacit_reader *reader = NULL;
  tacit_arrow *arrow;
  tacit_error err;
  size_t count;
  (void)state;
  CHECK_OK(tacit_arrow_read(&stream, &arrow, &err), err);
  const tacit_table *tables = tacit_arrow_tables(arrow, &count);
  assert_int_equal(count, 2);
  assert_int_equal(tables[1].n_columns, 3);
  assert_int_equal(producer.releases, 1);
  tacit_reader_options_init(&options);
  options.schema = schema;
  options.shuffle = 0;
  CHECK_OK(tacit_reader_open_table(tables, count, &options, &reader, &err), err);
  char *rows = rows_of(reader, &err);
  assert_string_equal(rows, "-1 1:-1 3:1\n1 4:1\n");
  free(rows);
  tacit_reader_free(reader);
  tacit_arrow_free(arrow);
  assert_int_equal(producer.releases, 4);
  tacit_schema_free(schema);
  assert_int_equal(tacit_arrow_read(&stream, &arrow, &err), TACIT_EINVAL);
  /* A column with fewer rows than its batch is refused. */
  producer = (struct producer){0, 0, 1};
  stream.release = release_stream;
  assert_int_equal(tacit_arrow_read(&stream, &arrow, &err), TACIT_EDATA);
  assert_int_equal(producer.releases, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_give_the_rows_or_the_fault_of_their_file),
      cmocka_unit_test(tables_that_do_not_fit_are_refused_by_name),
      cmocka_unit_test(numbers_are_spelled_as_the_program_does),
      cmocka_unit_test(rows_of_a_person_share_a_bound_over_all_parts),
      cmocka_unit_test(arrow_streams_are_tables_and_are_released),
  };
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, folder_setup, folder_teardown);
}
