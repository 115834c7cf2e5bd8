/* SPDX-License-Identifier: MIT */
/*
 * `tacit check`: compares CSV files with a schema. The report comes straight from the
 * records: it is for the holder of the data, and says so.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/extra/check.h>

#include "cli.h"
#include "data.h"

static const char closing[] =
    "Bounds, categories or classes changed because of this output leak; take them from "
    "the data dictionary, or from a private description.\n";

static int64_t count_of(const json_t *object, const char *key) {
  return json_integer_value(json_object_get(object, key));
}

static const char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text != NULL ? text : "";
}

/* "12.5%"; what is not nothing is not printed as 0. */
static const char *share(int64_t part, int64_t whole, char out[16]) {
  double percent = whole > 0 ? 100 * (double)part / (double)whole : 0;
  if (part > 0 && percent < 0.1)
    snprintf(out, 16, "<0.1%%");
  else
    snprintf(out, 16, percent < 10 ? "%.1f%%" : "%.0f%%", percent);
  return out;
}

/* What is remarkable about a column, after its name and type. */
static void print_column(const json_t *column, int64_t rows) {
  char a[16], b[16];
  int64_t missing = count_of(column, "missing"), bad = count_of(column, "bad");
  int64_t below = count_of(column, "below"), above = count_of(column, "above");
  int64_t other = count_of(column, "other");
  int64_t as_number =
      count_of(column, "other_as_number") + count_of(column, "bad_as_number");
  const char *sorted = text_of(column, "sorted"), *separator = " ";
  printf("%-24.40s %-9s", text_of(column, "name"), text_of(column, "type"));
  if (below + above > 0) {
    printf("%s%s clamped (%s below)", separator, share(below + above, rows, a),
           share(below, rows, b));
    separator = "; ";
  }
  if (other > 0) {
    printf("%s%s in other", separator, share(other, rows, a));
    separator = "; ";
  }
  if (as_number > 0) {
    printf("%s%s would match a declared value if read as a number", separator,
           share(as_number, rows, a));
    separator = "; ";
  }
  if (missing > 0) {
    printf("%s%s missing", separator, share(missing, rows, a));
    separator = "; ";
  }
  if (*sorted != '\0') {
    printf(strcmp(sorted, "constant") == 0 ? "%s%s" : "%ssorted: %s", separator,
           sorted);
    separator = "; ";
  }
  if (bad > 0) {
    printf("%s%" PRId64 " BAD", separator, bad);
    separator = "; ";
  }
  puts(*separator == ' ' ? " -" : "");
}

static void print_label(const json_t *label, int64_t rows) {
  char a[16];
  const json_t *class;
  size_t i;
  printf("\nlabel %s:", text_of(label, "name"));
  json_array_foreach(json_object_get(label, "classes"), i, class)
      printf("%s %s %" PRId64 " (%s)", i > 0 ? "," : "", text_of(class, "class"),
             count_of(class, "rows"), share(count_of(class, "rows"), rows, a));
  if (json_object_get(label, "below") != NULL)
    printf(" a number, %s clamped",
           share(count_of(label, "below") + count_of(label, "above"), rows, a));
  if (count_of(label, "missing") > 0)
    printf("; %s missing", share(count_of(label, "missing"), rows, a));
  if (count_of(label, "bad_as_number") > 0)
    printf("; %s would match a declared class if read as a number",
           share(count_of(label, "bad_as_number"), rows, a));
  if (count_of(label, "bad") > 0) printf("; %" PRId64 " BAD", count_of(label, "bad"));
  if (json_object_get(label, "sorted") != NULL)
    printf("; sorted: %s", text_of(label, "sorted"));
  putchar('\n');
}

static void print_faults(const json_t *report) {
  const json_t *faults = json_object_get(report, "first_faults"), *fault;
  size_t i;
  if (json_array_size(faults) == 0) return;
  printf("\nFaults: %" PRId64 ", in %" PRId64
         " rows; training would fail. The first:\n",
         count_of(report, "faults"), count_of(report, "bad_rows"));
  json_array_foreach(faults, i, fault) {
    printf("  %s", text_of(fault, "message"));
    if (json_object_get(fault, "cell") != NULL) printf(" [%s]", text_of(fault, "cell"));
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
  int64_t rows = count_of(report, "rows");
  const json_t *column;
  size_t i;
  printf("NOT PRIVATE: from the records, without noise. For the holder of the data "
         "only.\n\nrows %" PRId64 "\n\n",
         rows);
  json_array_foreach(json_object_get(report, "columns"), i, column)
      print_column(column, rows);
  print_label(json_object_get(report, "label"), rows);
  printf("largest norm of a row, with its bias: %.4g",
         json_number_value(json_object_get(report, "largest_norm")));
  if (json_object_get(report, "longer_rows") != NULL) {
    char a[16];
    int64_t longer = count_of(report, "longer_rows");
    printf("; %" PRId64 " rows (%s) are longer than %.4g", longer,
           share(longer, rows, a),
           json_number_value(json_object_get(report, "row_norm")));
  }
  putchar('\n');
  print_faults(report);
  if (rows == 0) puts("\nThere are no rows: training would fail.");
  printf("\n%s", closing);
  print_warnings(report);
}

/* Keeps the keys of an object that are null, or lists of nulls. */
static void find_nulls(json_t *found, const char *what, const json_t *object) {
  const char *name = text_of(object, strcmp(what, "label") == 0 ? "column" : "name");
  const char *key;
  json_t *value, *keys = json_array();
  json_object_foreach((json_t *)object, key, value) {
    if (json_is_null(value) || json_is_null(json_array_get(value, 0)))
      json_array_append_new(keys, json_string(key));
  }
  if (json_array_size(keys) > 0 && strcmp(text_of(object, "type"), "ignore") != 0)
    json_array_append_new(
        found, json_pack("{s:s, s:s, s:O}", "what", what, "name", name, "keys", keys));
  json_decref(keys);
}

/* Prints a character of a name of a file that was refused. */
static void print_plain(const char *text) {
  for (; *text != '\0'; ++text)
    putchar((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text);
}

/* Prints everything in a refused schema that is not filled in: a message has room for
   the first column only. */
static void print_nulls(const char *path) {
  json_t *schema = json_load_file(path, 0, NULL), *found = json_array();
  const json_t *column, *entry, *key;
  size_t i, j;
  find_nulls(found, "label", json_object_get(schema, "label"));
  json_array_foreach(json_object_get(schema, "columns"), i, column)
      find_nulls(found, "column", column);
  if (json_array_size(found) > 0)
    puts("Not filled in; give what you know without looking at the data:");
  json_array_foreach(found, i, entry) {
    printf("  %s ", text_of(entry, "what"));
    print_plain(text_of(entry, "name"));
    json_array_foreach(json_object_get(entry, "keys"), j, key) {
      printf(j == 0 ? ": " : ", ");
      print_plain(json_string_value(key));
    }
    putchar('\n');
  }
  json_decref(found);
  json_decref(schema);
}

static int print(const struct cli_arguments *args, const char *text) {
  json_error_t unused;
  json_t *report = json_loads(text, 0, &unused);
  if (report == NULL) return cli_fail(args->command, CLI_FAILED, "out of memory");
  if (cli_given(args, "json")) {
    json_object_set_new(report, "note", json_string(closing));
    return cli_print_json(args->command, report);
  }
  print_report(report);
  json_decref(report);
  return cli_close_stdout(args->command);
}

static int run(const struct cli_arguments *args) {
  const struct cli_command *command = args->command;
  const char *path = cli_text(args, "schema", NULL);
  if (path == NULL)
    return cli_refuse(args, "--schema FILE is missing: what the data is compared with");
  cli_no_core_dumps(args->operands, args->n_operands, NULL);
  cli_stop_faults(command);
  tacit_error err;
  tacit_schema *schema = NULL;
  tacit_check_options options;
  char *text = NULL;
  int trains = 0;
  tacit_check_options_init(&options);
  options.row_norm = cli_number(args, "row-norm", 0);
  options.values = cli_given(args, "values");
  options.max_line = cli_limit_line(args);
  tacit_status status = tacit_schema_load(path, &schema, &err);
  options.schema = schema;
  if (status == TACIT_OK) cli_note_other(command, schema);
  if (status == TACIT_OK)
    status = tacit_check_files(args->operands, args->n_operands, &options, &text,
                               &trains, &err);
  tacit_schema_free(schema);
  if (status != TACIT_OK) {
    if (strstr(err.message, "not filled in") != NULL && !cli_given(args, "json"))
      print_nulls(path);
    return cli_fail_error(command, &err);
  }
  int exit_code = print(args, text);
  tacit_string_free(text);
  if (exit_code != 0) return exit_code;
  if (trains) return CLI_OK;
  return cli_fail(command, tacit_status_exit_code(TACIT_EDATA),
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
