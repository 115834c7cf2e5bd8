/* SPDX-License-Identifier: MIT */
/*
 * `tacit schema`: a schema from public sources: the header line of a CSV file, a data
 * dictionary, a public sample, a model, or answers of a person. No record of the data
 * is read, so what these do not say is left to a person who knows the data's domain.
 */
#include <string.h>
#include <tacit/extra/draft.h>
#include <unistd.h>

#include "cli.h"
#include "data.h"

/* Asks on standard error: the schema may go to standard output. */
static int ask(void *self, const char *question, char *answer, size_t room) {
  (void)self;
  (void)fputs(question, stderr);
  (void)fflush(stderr);
  if (fgets(answer, (int)room, stdin) == NULL) return 0;
  size_t size = strcspn(answer, "\n");
  int c = answer[size] == '\n' ? '\n' : getchar();
  while (c != '\n' && c != EOF) /* the rest of an answer that is too long */
    c = getchar();
  answer[size] = '\0';
  return 1;
}

static int is_number(const char *name) {
  return name != NULL && name[strspn(name, "0123456789.+-")] == '\0' &&
         strpbrk(name, "0123456789") != NULL;
}

/* The first line of a file without a header is a record, and its cells are then names
   of the template. Records have numbers; names rarely are. */
static int may_quote_a_record(const char *text) {
  json_t *schema = cli_json_read(text);
  const json_t *columns = json_object_get(schema, "columns");
  const json_t *label = json_object_get(schema, "label");
  int found = is_number(cli_json_text(label, "column"));
  for (size_t i = 0; i < json_array_size(columns); ++i) {
    const json_t *name = json_object_get(json_array_get(columns, i), "name");
    found |= is_number(json_string_value(name));
  }
  json_decref(schema);
  return found;
}

static int has_null(const json_t *value) {
  const json_t *item;
  const char *key;
  size_t i;
  int found = json_is_null(value);
  json_array_foreach((json_t *)value, i, item) found |= json_is_null(item);
  json_object_foreach((json_t *)value, key, item) found |= has_null(item);
  return found;
}

/* Returns the number of columns, with the label, that are not complete. Does not print
   their names, because names of a file without a header are a record. */
static size_t columns_to_complete(const char *text) {
  json_t *schema = cli_json_read(text);
  const json_t *columns = json_object_get(schema, "columns");
  size_t count = (size_t)has_null(json_object_get(schema, "label"));
  for (size_t i = 0; i < json_array_size(columns); ++i)
    count += (size_t)has_null(json_array_get(columns, i));
  json_decref(schema);
  return count;
}

/* The options that only a new schema has. */
static const char *const drafting[] = {"header", "dictionary", "public", "label", "ask",
                                       "rows",   "epsilon",    "delta",  NULL};

static int from_model(const struct cli_args *args, const char *path) {
  tacit_model *model = NULL;
  tacit_error err;
  char *text = NULL;
  const char *other = cli_first_given(args, drafting);
  if (other != NULL)
    return cli_refuse("--from gives the schema of a model as it is; --%s does not go "
                      "with it",
                      other);
  if (cli_model_load(args, path, &model, &err) != TACIT_OK) return cli_fail_error(&err);
  const tacit_schema *schema = tacit_model_schema(model);
  if (!tacit_schema_is_csv(schema)) {
    tacit_model_free(model);
    return cli_refuse("%s: the model is not of CSV files: it has no columns", path);
  }
  tacit_status status = tacit_schema_to_text(schema, &text, &err);
  tacit_model_free(model);
  return status == TACIT_OK ? cli_emit(args, text, strlen(text), 1)
                            : cli_fail_error(&err);
}

/* The schema in `path` with knots from private counts. */
static int from_counts(const struct cli_args *args, const char *path) {
  tacit_schema *schema = NULL;
  tacit_error err;
  char *text = NULL;
  int is_private = 0;
  if (path == NULL)
    return cli_refuse("--counts needs --from SCHEMA, the schema that was described");
  const char *other = cli_first_given(args, drafting);
  if (other != NULL) return cli_refuse("--%s does not go with --counts", other);
  uint64_t limit = cli_limit_model(args);
  tacit_status status = tacit_schema_load(path, limit, &schema, &err);
  if (status == TACIT_OK)
    status = tacit_schema_knots(schema, cli_text(args, "counts", NULL), limit, &text,
                                &is_private, &err);
  tacit_schema_free(schema);
  if (status != TACIT_OK) return cli_fail_error(&err);
  if (!is_private)
    (void)fputs("note: the counts are not private, so the schema is not either\n",
                stderr);
  return cli_emit(args, text, strlen(text), 1);
}

static int run(const struct cli_args *args) {
  const char *model = cli_text(args, "from", NULL);
  tacit_draft_options draft;
  tacit_draft_options_init(&draft);
  draft.header = cli_text(args, "header", NULL);
  draft.sample = cli_text(args, "public", NULL);
  draft.dictionary = cli_text(args, "dictionary", NULL);
  draft.label = cli_text(args, "label", NULL);
  draft.rows = cli_integer(args, "rows", 0);
  draft.epsilon = cli_number(args, "epsilon", 0);
  draft.delta = cli_number(args, "delta", 0);
  draft.max_line = cli_limit_line(args);
  if (cli_given(args, "counts")) return from_counts(args, model);
  if (model != NULL) return from_model(args, model);
  if (draft.header == NULL && draft.sample == NULL)
    return cli_refuse(
        "--header FILE is missing: the CSV file whose first line names the columns (or "
        "--public FILE, or --from MODEL)");
  if (cli_given(args, "ask")) {
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
      return cli_refuse("--ask needs a terminal; --dictionary FILE reads the "
                        "answers from a file");
    draft.ask = ask;
  }
  tacit_error err;
  char *text = NULL;
  if (tacit_schema_draft(&draft, &text, &err) != TACIT_OK) return cli_fail_error(&err);
  int is_doubtful = draft.header != NULL && may_quote_a_record(text);
  size_t left = columns_to_complete(text);
  int exit_code = cli_emit(args, text, strlen(text), 1);
  if (exit_code == 0 && left > 0)
    (void)fprintf(stderr,
                  "note: %zu column%s to be completed: replace every null, or give the "
                  "column the type \"ignore\"\n",
                  left, left > 1 ? "s have" : " has");
  if (exit_code == 0 && is_doubtful)
    (void)fputs("note: names of columns are numbers: if the file has no header line, "
                "the schema quotes a record; add a header\n",
                stderr);
  return exit_code;
}

static const struct cli_group group = GROUP(
    "Options",
    INPUT("header", "FILE",
          "CSV file whose first line names the columns, - for standard input; no other "
          "line is read"),
    INPUT("dictionary", "FILE",
          "data dictionary: a CSV file with a line per column and the headings name, "
          "type, min, max, values (separated by |, ; or ,), format"),
    INPUT("public", "FILE",
          "CSV file with the same header whose rows are public: types, bounds, values "
          "and classes are read off them. Never the data to be protected"),
    INPUT("from", "FILE",
          "model file: its schema, for files of the same columns; with --counts, the "
          "schema that was described"),
    INPUT("counts", "FILE",
          "private counts of the data, from \"tacit describe --bins 256 --json\": "
          "numbers with knots get them where the rows are, which is better for skewed "
          "columns"),
    FLAG("ask", "ask on the terminal for what is not known, column by column"),
    TEXT("label", "NAME", "column that is the label", DEFAULT("the last column")),
    OUTPUT_OR_PRINT("output", "FILE", "file the template is written to", LETTER('o')));

static const struct cli_group curve_group = GROUP(
    "Lines or curves",
    INTEGER("rows", "N", 1, INT64_MAX, "number of rows of the data, which is public"),
    REAL("epsilon", "E", 1e-6, 1e6,
         "epsilon of the training. Of few rows and a small epsilon, straight lines are "
         "learnt better than curves, which numbers become otherwise"),
    REAL("delta", "D", 1e-300, 0.5, "delta of the training",
         DEFAULT("1/N^2, at most 1e-6")));

CLI_COMMAND(schema, "", 0, 0,
            "a schema from a header line, a data dictionary or a public sample",
            GROUPS(&group, &curve_group, &cli_limit_schema_group));
