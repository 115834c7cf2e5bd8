/* SPDX-License-Identifier: MIT */
/*
 * `tacit check`: compares CSV files with a schema. The report comes straight from the
 * records: it is for the holder of the data, and says so.
 */
#include <stdlib.h>
#include <string.h>
#include <tacit/extra/check.h>

#include "cli.h"
#include "data.h"

static const char closing[] =
    "Bounds, categories or classes changed because of this output leak; take them from "
    "the data dictionary, or from a private description.\n";

/* Writes a share like "12.5%". Writes "<0.1%" for a small one, so that only nothing is
   printed as 0. */
static const char *share(long long part, long long whole, char out[16]) {
  double percent = whole > 0 ? 100 * (double)part / (double)whole : 0;
  if (part > 0 && percent < 0.1)
    snprintf(out, 16, "<0.1%%");
  else
    snprintf(out, 16, percent < 10 ? "%.1f%%" : "%.0f%%", percent);
  return out;
}

/* Returns the separator before the next part of a line: a space for the first part, a
   semicolon for the others. */
static const char *next(const char **separator) {
  const char *now = *separator;
  *separator = "; ";
  return now;
}

/* Prints name and type of a column, and what is unusual about its cells. */
static void print_column(const json_t *column, long long rows) {
  char a[16], b[16];
  long long missing = cli_json_count(column, "missing"),
            bad = cli_json_count(column, "bad");
  long long below = cli_json_count(column, "below"),
            above = cli_json_count(column, "above");
  long long other = cli_json_count(column, "other"),
            atoms = cli_json_count(column, "atoms");
  long long as_number = cli_json_count(column, "other_as_number") +
                        cli_json_count(column, "bad_as_number");
  const char *sorted = cli_json_text(column, "sorted"), *separator = " ";
  printf("%-24.40s %-9s", cli_json_text(column, "name"), cli_json_text(column, "type"));
  if (below + above > 0)
    printf("%s%s clamped (%s below)", next(&separator), share(below + above, rows, a),
           share(below, rows, b));
  if (atoms > 0) printf("%s%s atoms", next(&separator), share(atoms, rows, a));
  if (other > 0) printf("%s%s in other", next(&separator), share(other, rows, a));
  if (as_number > 0)
    printf("%s%s would match a declared value if read as a number", next(&separator),
           share(as_number, rows, a));
  if (missing > 0) printf("%s%s missing", next(&separator), share(missing, rows, a));
  if (*sorted != '\0')
    printf(strcmp(sorted, "constant") == 0 ? "%s%s" : "%ssorted: %s", next(&separator),
           sorted);
  if (bad > 0) printf("%s%lld BAD", next(&separator), bad);
  puts(*separator == ' ' ? " -" : "");
}

static void print_label(const json_t *label, long long rows) {
  char a[16];
  const json_t *class;
  size_t i;
  printf("\nlabel %s:", cli_json_text(label, "name"));
  json_array_foreach(json_object_get(label, "classes"), i, class) printf(
      "%s %s %lld (%s)", i > 0 ? "," : "", cli_json_text(class, "class"),
      cli_json_count(class, "rows"), share(cli_json_count(class, "rows"), rows, a));
  if (json_object_get(label, "below") != NULL)
    printf(" a number, %s clamped",
           share(cli_json_count(label, "below") + cli_json_count(label, "above"), rows,
                 a));
  if (cli_json_count(label, "missing") > 0)
    printf("; %s missing", share(cli_json_count(label, "missing"), rows, a));
  if (cli_json_count(label, "bad_as_number") > 0)
    printf("; %s would match a declared class if read as a number",
           share(cli_json_count(label, "bad_as_number"), rows, a));
  if (cli_json_count(label, "bad") > 0)
    printf("; %lld BAD", cli_json_count(label, "bad"));
  if (json_object_get(label, "sorted") != NULL)
    printf("; sorted: %s", cli_json_text(label, "sorted"));
  putchar('\n');
}

static void print_faults(const json_t *report) {
  const json_t *faults = json_object_get(report, "first_faults"), *fault;
  size_t i;
  if (json_array_size(faults) == 0) return;
  printf("\nFaults: %lld, in %lld rows; training would fail. The first:\n",
         cli_json_count(report, "faults"), cli_json_count(report, "bad_rows"));
  json_array_foreach(faults, i, fault) {
    printf("  %s", cli_json_text(fault, "message"));
    if (json_object_get(fault, "cell") != NULL)
      printf(" [%s]", cli_json_text(fault, "cell"));
    putchar('\n');
  }
}

static void print_warnings(const json_t *report) {
  const json_t *warning;
  size_t i;
  json_array_foreach(json_object_get(report, "warnings"), i, warning)
      printf("%sWARNING: %s\n", i == 0 ? "\n" : "", json_string_value(warning));
}

static void print_report(const json_t *report) {
  long long rows = cli_json_count(report, "rows");
  const json_t *column;
  size_t i;
  printf("NOT PRIVATE: from the records, without noise. For the holder of the data "
         "only.\n\nrows %lld\n\n",
         rows);
  json_array_foreach(json_object_get(report, "columns"), i, column)
      print_column(column, rows);
  print_label(json_object_get(report, "label"), rows);
  printf("largest norm of a row, with its bias: %.4g",
         cli_json_real(report, "largest_norm"));
  if (json_object_get(report, "longer_rows") != NULL) {
    char a[16];
    long long longer = cli_json_count(report, "longer_rows");
    printf("; %lld rows (%s) are longer than %.4g", longer, share(longer, rows, a),
           cli_json_real(report, "row_norm"));
  }
  putchar('\n');
  print_faults(report);
  if (rows == 0) puts("\nThere are no rows: training would fail.");
  printf("\n%s", closing);
  print_warnings(report);
}

/* Prints a name out of a refused file, with ? for control characters. */
static void print_plain(const char *text) {
  for (; *text != '\0'; ++text)
    putchar((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text);
}

/* Prints the keys of an object of a schema that are null, or lists of nulls. */
static void print_nulls_of(const char *what, json_t *object, int *found) {
  const char *key;
  json_t *value;
  size_t count = 0;
  if (strcmp(cli_json_text(object, "type"), "ignore") == 0) return;
  json_object_foreach(object, key, value) {
    if (!json_is_null(value) && !json_is_null(json_array_get(value, 0))) continue;
    if (!(*found)++)
      puts("Not filled in; give what you know without looking at the data:");
    if (count == 0) printf("  %s ", what);
    if (count == 0)
      print_plain(
          cli_json_text(object, strcmp(what, "label") == 0 ? "column" : "name"));
    printf(count++ == 0 ? ": " : ", ");
    print_plain(key);
  }
  if (count > 0) putchar('\n');
}

/* Prints everything in a refused schema that is not filled in: a message has room for
   the first column only. */
static void print_nulls(const char *path) {
  FILE *file = fopen(path, "r");
  char *text = NULL;
  size_t i, room = 0;
  int found = 0;
  json_t *schema = NULL, *column;
  if (file == NULL) return;
  if (getdelim(&text, &room, '\0', file) > 0) schema = cli_json_read(text);
  print_nulls_of("label", json_object_get(schema, "label"), &found);
  json_array_foreach(json_object_get(schema, "columns"), i, column)
      print_nulls_of("column", column, &found);
  json_decref(schema);
  free(text);
  fclose(file);
}

static int print(const struct cli_args *args, const char *text) {
  json_t *report = cli_json_read(text);
  if (report == NULL) return cli_fail(CLI_FAILED, "out of memory");
  if (cli_given(args, "json")) {
    json_object_set_new(report, "note", json_string(closing));
    return cli_print_json(report);
  }
  print_report(report);
  json_decref(report);
  return cli_close_stdout();
}

static int run(const struct cli_args *args) {
  const char *path = cli_text(args, "schema", NULL);
  if (path == NULL)
    return cli_refuse("--schema FILE is missing: what the data is compared with");
  cli_no_core_dumps(args->operands, args->n_operands, NULL);
  cli_stop_faults();
  tacit_error err;
  tacit_schema *schema = NULL;
  tacit_check_options options;
  char *text = NULL;
  int trains = 0;
  tacit_check_options_init(&options);
  options.row_norm = cli_number(args, "row-norm", 0);
  options.values = cli_given(args, "values");
  options.max_line = cli_limit_line(args);
  tacit_status status = tacit_schema_load(path, 0, &schema, &err);
  options.schema = schema;
  if (status == TACIT_OK) cli_note_other(schema);
  if (status == TACIT_OK)
    status = tacit_check_files(args->operands, args->n_operands, &options, &text,
                               &trains, &err);
  tacit_schema_free(schema);
  if (status != TACIT_OK) {
    if (strstr(err.message, "not filled in") != NULL && !cli_given(args, "json"))
      print_nulls(path);
    return cli_fail_error(&err);
  }
  int exit_code = print(args, text);
  tacit_string_free(text);
  if (exit_code != 0) return exit_code;
  if (trains) return CLI_OK;
  return cli_fail(tacit_status_exit_code(TACIT_EDATA),
                  "training on these files would fail: see the report");
}

static const struct cli_group group = GROUP(
    "Options",
    INPUT("schema", "FILE", "JSON file that says what each column is; required"),
    FLAG("values", "print the cells of the first bad lines, which are someone's data"),
    REAL("row-norm", "R", 1e-100, 1e100,
         "count the rows, with their bias, whose Euclidean norm is above R"),
    JSON);

CLI_COMMAND(check, "DATA...", 1, ANY,
            "compare CSV files with a schema, before training",
            GROUPS(&group, &cli_limit_schema_group));
