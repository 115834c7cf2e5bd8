/* SPDX-License-Identifier: MIT */
/*
 * The options that describe the data, and the schema made from them. A cache contains
 * its schema and a .npy file its shape, so these files need no options; if options are
 * given nevertheless, the library checks that they agree.
 */
#include "data.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

const struct cli_group cli_data_group = GROUP(
    "Data",
    INPUT("schema", "FILE",
          "JSON schema of a CSV file: types, bounds, categories, label (\"tacit "
          "schema\" writes a template)",
          COMMON),
    INTEGER("features", "N", 1, 2147483647,
            "number of columns of a LIBSVM file: declared, because finding it out from "
            "the data would leak; a cache and a .npy file store their own",
            COMMON),
    PAIR("labels", "MIN,MAX",
         "for LIBSVM and .npy: labels are numbers, clamped to these bounds",
         DEFAULT("two classes, 0/1 or -1/+1"), COMMON),
    INTEGER("classes", "K", 3, 100000,
            "for LIBSVM and .npy: labels are K classes, 0 to K-1",
            DEFAULT("two classes, 0/1 or -1/+1"), COMMON),
    TACIT_DATA_FIELDS(FIELD) LAST);

const struct cli_group cli_label_group =
    GROUP("Labels and weights",
          INPUT("label-file", "FILE",
                "for a .npy file of rows: the .npy file with their labels"),
          INPUT("weights", "FILE",
                "for LIBSVM and .npy: weight of every row, 0 to 1, from its row alone"),
          REAL("max-weight", "M", 1e-100, 1e100,
               "largest weight: --weights are divided by it", DEFAULT("1")));

#define UNIT(rest)                                                                     \
  INPUT("unit", "FILE",                                                                \
        "for LIBSVM and .npy: the ids of the persons whom the rows belong to, "        \
        "one per line, or a .npy file of whole numbers" rest)
const struct cli_group cli_person_group =
    GROUP("Persons", UNIT("; the guarantee is then for persons, with all their rows"),
          TACIT_PERSON_FIELDS(FIELD) LAST);

const struct cli_group cli_unit_group = GROUP("Persons", UNIT(""));

int cli_is_pipe(const char *path) {
  struct stat facts;
  return strcmp(path, "-") == 0 || (stat(path, &facts) == 0 &&
                                    !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode));
}

static int check_data(const struct cli_args *args, tacit_file_kind kind) {
  int schema = cli_given(args, "schema");
  int features = cli_given(args, "features");
  if (schema && features)
    return cli_refuse("--schema is for CSV and --features for LIBSVM: give one");
  if (schema && cli_given(args, "labels"))
    return cli_refuse("--labels is for LIBSVM: for CSV the schema declares the "
                      "bounds of the label");
  if (schema && cli_given(args, "classes"))
    return cli_refuse("--classes is for LIBSVM: for CSV the schema declares the "
                      "classes");
  if (cli_given(args, "labels") && cli_given(args, "classes"))
    return cli_refuse("--labels is for numbers and --classes for classes: give one");
  if (schema && kind == TACIT_FILE_NPY)
    return cli_refuse("--schema is for CSV: the shape of a .npy file says what "
                      "its columns are");
  if (schema || features || kind != TACIT_FILE_TEXT) return 0;
  /* A missing file may be a cache, which needs no columns: report it as missing. */
  const char *path = args->n_operands > 0 ? args->operands[0] : "-";
  if (strcmp(path, "-") != 0 && access(path, F_OK) != 0)
    return cli_fail(CLI_FAILED, "%s: %s", path, strerror(errno));
  return cli_refuse("the columns are missing: give --features N for a LIBSVM "
                    "file or --schema FILE for a CSV file");
}

static tacit_status plain_schema(const struct cli_args *args, size_t features,
                                 tacit_schema **out, tacit_error *err) {
  const struct cli_value *labels = cli_value(args, "labels");
  if (cli_given(args, "features")) features = (size_t)cli_integer(args, "features", 0);
  size_t classes = labels->given ? 0 : (size_t)cli_integer(args, "classes", 2);
  return tacit_schema_libsvm(features, classes, labels->number, labels->second, out,
                             err);
}

static tacit_status cache_schema(const struct cli_args *args, const char *path,
                                 tacit_schema **out, tacit_error *err) {
  tacit_schema *own = NULL;
  tacit_status status = tacit_cache_schema(path, &own, err);
  int says = cli_given(args, "features") || cli_given(args, "classes") ||
             cli_given(args, "labels");
  if (status == TACIT_OK && says) {
    status = plain_schema(args, tacit_schema_features(own), out, err);
    tacit_schema_free(own);
  } else if (status == TACIT_OK) {
    *out = own;
  }
  return status;
}

void cli_note_other(const tacit_schema *schema) {
  tacit_term term = {.struct_size = sizeof term};
  for (size_t i = 0; tacit_schema_term(schema, i, &term, NULL) == TACIT_OK; ++i)
    if (term.has_other)
      (void)cli_fail(CLI_OK,
                     "note: column '%s': the declared value \"other\" shares its "
                     "input with every value that is not declared",
                     term.name);
}

int cli_data_schema(const struct cli_args *args, tacit_schema **out) {
  const char *path = args->n_operands > 0 ? args->operands[0] : NULL;
  tacit_file_kind kind = tacit_file_kind_of(path);
  CLI_TRY(check_data(args, kind));
  tacit_error err;
  tacit_status status;
  int64_t rows;
  size_t columns = 0;
  if (cli_given(args, "schema")) {
    status = tacit_schema_load(cli_text(args, "schema", NULL), cli_limit_model(args),
                               out, &err);
  } else if (kind == TACIT_FILE_CACHE) {
    status = cache_schema(args, path, out, &err);
  } else {
    status = kind == TACIT_FILE_NPY ? tacit_npy_shape(path, &rows, &columns, &err)
                                    : TACIT_OK;
    if (status == TACIT_OK) status = plain_schema(args, columns, out, &err);
  }
  if (status != TACIT_OK) return cli_fail_error(&err);
  cli_note_other(*out);
  return 0;
}

tacit_status cli_model_load(const struct cli_args *args, const char *path,
                            tacit_model **out, tacit_error *err) {
  tacit_status status = tacit_model_load(path, cli_limit_model(args), out, err);
  if (status == TACIT_OK && tacit_model_digest(*out) == NULL)
    (void)cli_fail(CLI_OK,
                   "note: %s is of format version 1 and has no digest: edits of the "
                   "file cannot be detected",
                   path);
  return status;
}
