/* SPDX-License-Identifier: MIT */
/*
 * `tacit predict`: one prediction per row, in file order. The output depends on the
 * rows without noise, so it is only for those who may see the rows.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "data.h"
#include "metrics.h"

enum { KEEP_MAX = 64 };

struct writer {
  FILE *stream;
  const tacit_model *model;
  int json;  /* 1 if texts and rows are JSON */
  int lines; /* 1 if each row is an object on a line, and nothing is around the rows */
  int all_scores;
  double threshold;           /* NaN if not given */
  size_t n_names, n_scores;   /* classes (0 for numbers), and scores per row */
  char **names;               /* names of the classes, quoted for the format */
  char *unit;                 /* name of the column of ids, quoted, or NULL */
  const char *keep[KEEP_MAX]; /* names of the columns of --keep */
  char *kept[KEEP_MAX];       /* names of the columns of --keep, quoted */
  size_t n_keep;
  int64_t rows;
};

/* Prints 15 digits, or 17 if 15 do not read back as the same double. */
static void print_number(FILE *stream, double value) {
  char text[32];
  snprintf(text, sizeof text, "%.15g", value);
  if (strtod(text, NULL) != value) snprintf(text, sizeof text, "%.17g", value);
  fputs(text, stream);
}

/* A text as a CSV field or a JSON string. */
static void write_text(FILE *stream, const char *text, size_t size, int json) {
  int plain = !json;
  for (size_t i = 0; plain && i < size; ++i)
    plain = strchr(",\"\r\n", text[i]) == NULL;
  if (!plain) fputc('"', stream);
  for (size_t i = 0; i < size; ++i) {
    if (json && (unsigned char)text[i] < 0x20) {
      fprintf(stream, "\\u%04x", (unsigned)(unsigned char)text[i]);
      continue;
    }
    if (text[i] == '"') fputc(json ? '\\' : '"', stream);
    if (text[i] == '\\' && json) fputc('\\', stream);
    fputc(text[i], stream);
  }
  if (!plain) fputc('"', stream);
}

/* Returns a text as write_text writes it, for texts that are written often. */
static char *quote(const char *name, int json) {
  char *out = NULL;
  size_t size;
  FILE *stream = open_memstream(&out, &size);
  if (stream == NULL) return NULL;
  write_text(stream, name, strlen(name), json);
  if (fclose(stream) == 0) return out;
  free(out);
  return NULL;
}

/* Returns the name of the class of score `i`. With two classes the only score is the
   score of the second class. */
static const char *score_name(const struct writer *w, size_t i) {
  return w->names[w->n_scores == 1 ? 1 : i];
}

static void write_header(const struct writer *w) {
  if (w->lines) return;
  if (w->json) {
    fputs("{\n  \"predictions\": [", w->stream);
    return;
  }
  if (w->unit != NULL) fprintf(w->stream, "%s,", w->unit);
  for (size_t i = 0; i < w->n_keep; ++i)
    fprintf(w->stream, "%s,", w->kept[i]);
  fputs("prediction", w->stream);
  for (size_t i = 0; w->all_scores && i < w->n_scores; ++i)
    fprintf(w->stream, ",%s", score_name(w, i));
  fputs(!w->all_scores && w->names != NULL ? ",score\n" : "\n", w->stream);
}

static void write_scores(const struct writer *w, const double *scores) {
  if (w->json) fputs(", \"scores\": {", w->stream);
  for (size_t i = 0; i < w->n_scores; ++i) {
    if (w->json)
      fprintf(w->stream, "%s%s: ", i > 0 ? ", " : "", score_name(w, i));
    else
      fputc(',', w->stream);
    print_number(w->stream, scores[i]);
  }
  if (w->json) fputc('}', w->stream);
}

/* The id of row i and the columns that are kept, as they are in the file. */
static void write_texts(const struct writer *w, const tacit_batch *batch, int64_t i) {
  size_t first = w->unit != NULL;
  for (size_t j = 0; j < first + w->n_keep; ++j) {
    size_t size;
    const char *text = tacit_batch_text(batch, i, j, &size);
    if (w->json)
      fprintf(w->stream, "%s: ", j < first ? "\"unit\"" : w->kept[j - first]);
    write_text(w->stream, text, size, w->json);
    fputs(w->json ? ", " : ",", w->stream);
  }
}

static void write_row(struct writer *w, const tacit_batch *batch, int64_t i,
                      const double *scores) {
  size_t class = 0;
  if (w->lines)
    fputc('{', w->stream);
  else if (w->json)
    fputs(w->rows > 0 ? ",\n    {" : "\n    {", w->stream);
  write_texts(w, batch, i);
  if (w->json) fputs("\"prediction\": ", w->stream);
  if (w->names == NULL) {
    print_number(w->stream, scores[0]);
  } else {
    class = cli_class_of(w->model, w->threshold, scores);
    fputs(w->names[class], w->stream);
  }
  if (w->all_scores) {
    write_scores(w, scores);
  } else if (w->names != NULL) {
    fputs(w->json ? ", \"score\": " : ",", w->stream);
    print_number(w->stream, scores[w->n_scores > 1 ? class : 0]);
  }
  fputs(w->json ? "}" : "", w->stream);
  if (w->lines || !w->json) fputc('\n', w->stream);
  ++w->rows;
}

static tacit_status write_all(struct writer *w, tacit_reader *reader,
                              tacit_error *err) {
  double *scores = NULL;
  int64_t room = 0;
  tacit_status status;
  const tacit_batch *batch;
  write_header(w);
  while ((status = tacit_reader_next(reader, &batch, err)) == TACIT_OK) {
    if (batch->n_rows == 0 || ferror(w->stream) || cli_stop_signal() != 0) break;
    if (batch->n_rows > room) {
      room = batch->n_rows;
      free(scores);
      scores = calloc((size_t)room, w->n_scores * sizeof *scores);
    }
    if (scores == NULL) *err = (tacit_error){TACIT_ENOMEM, "out of memory"};
    status = scores != NULL ? tacit_model_scores(w->model, batch, scores, err)
                            : TACIT_ENOMEM;
    if (status != TACIT_OK) break;
    for (int64_t i = 0; i < batch->n_rows; ++i)
      write_row(w, batch, i, scores + (size_t)i * w->n_scores);
  }
  free(scores);
  if (w->json && !w->lines)
    fprintf(w->stream, "%s],\n  \"rows\": %" PRId64 "\n}\n", w->rows > 0 ? "\n  " : "",
            w->rows);
  return status;
}

static void free_names(struct writer *w) {
  for (size_t i = 0; w->names != NULL && i < w->n_names; ++i)
    free(w->names[i]);
  free(w->names);
  free(w->unit);
  for (size_t i = 0; i < w->n_keep; ++i)
    free(w->kept[i]);
}

/* Returns 0 if memory ran out. */
static int fill_names(struct writer *w) {
  const tacit_schema *schema = tacit_model_schema(w->model);
  const char *unit = tacit_schema_unit(schema);
  if (unit != NULL && (w->unit = quote(unit, w->json)) == NULL) return 0;
  for (size_t i = 0; i < w->n_keep; ++i) {
    w->kept[i] = quote(w->keep[i], w->json);
    if (w->kept[i] == NULL) return 0;
  }
  w->n_names = tacit_schema_classes(schema);
  if (w->n_names == 0) return 1;
  w->names = calloc(w->n_names, sizeof *w->names);
  for (size_t i = 0; w->names != NULL && i < w->n_names; ++i) {
    w->names[i] = quote(tacit_schema_class(schema, (int)i), w->json);
    if (w->names[i] == NULL) return 0;
  }
  return w->names != NULL;
}

static int write_output(const struct cli_args *args, struct writer *w,
                        tacit_reader *reader) {
  struct cli_output output;
  if (!fill_names(w)) return cli_fail(CLI_FAILED, "out of memory");
  CLI_TRY(cli_output_open(&output, cli_text(args, "output", NULL)));
  w->stream = output.stream;
  tacit_error err;
  tacit_status status = write_all(w, reader, &err);
  if (cli_stop_signal() == 0 && status == TACIT_OK) return cli_output_close(&output);
  cli_output_abandon(&output);
  return cli_stop_signal() != 0 ? cli_stop_fail(cli_stop_signal())
                                : cli_fail_error(&err);
}

/* Splits the names of --keep in place; the text is a copy. */
static int take_keep(const struct cli_args *args, char *names, struct writer *w) {
  const char *given = cli_text(args, "keep", NULL);
  if (given == NULL) return 0;
  if (!tacit_schema_is_csv(tacit_model_schema(w->model)))
    return cli_refuse("--keep is for CSV files: this model reads other rows");
  for (char *at = names; at != NULL;) {
    char *comma = strchr(at, ',');
    if (comma != NULL) *comma = '\0';
    if (*at == '\0' || w->n_keep == KEEP_MAX)
      return cli_refuse("--keep takes 1 to %d names of columns, separated by commas",
                        KEEP_MAX);
    w->keep[w->n_keep++] = at;
    at = comma != NULL ? comma + 1 : NULL;
  }
  return 0;
}

/* Fills in what the options say; returns 0, or prints one line and returns the exit
   code. */
static int take_options(const struct cli_args *args, char *names, struct writer *w) {
  w->lines = cli_given(args, "json-lines");
  w->json = w->lines || cli_given(args, "json");
  w->all_scores = cli_given(args, "scores");
  w->n_scores = tacit_model_outputs(w->model);
  if (w->lines && cli_given(args, "json"))
    return cli_refuse("--json and --json-lines exclude each other");
  if (w->all_scores && tacit_schema_classes(tacit_model_schema(w->model)) == 0)
    return cli_refuse("--scores is for classes: this model predicts a number");
  int exit_code = cli_threshold(args, w->model, &w->threshold);
  return exit_code != 0 ? exit_code : take_keep(args, names, w);
}

static tacit_status open_reader(const struct cli_args *args, const struct writer *w,
                                tacit_reader **out, tacit_error *err) {
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = tacit_model_schema(w->model);
  options.shuffle = 0;
  options.labels = 0;
  options.extra = cli_ignores_extra(args);
  options.keep = w->keep;
  options.n_keep = w->n_keep;
  cli_limit_reader(args, &options);
  return tacit_reader_open(args->operands + 1, args->n_operands - 1, &options, out,
                           err);
}

static int run(const struct cli_args *args) {
  cli_no_core_dumps(args->operands, args->n_operands, cli_text(args, "output", NULL));
  cli_stop_catch();
  tacit_error err;
  tacit_model *model = NULL;
  CLI_TRY(cli_judge(cli_model_load(args, args->operands[0], &model, &err), &err));
  char *names = strdup(cli_text(args, "keep", ""));
  struct writer w = {.model = model};
  tacit_reader *reader = NULL;
  int exit_code = names == NULL ? cli_fail(CLI_FAILED, "out of memory")
                                : take_options(args, names, &w);
  if (exit_code == 0)
    exit_code = open_reader(args, &w, &reader, &err) == TACIT_OK
                    ? write_output(args, &w, reader)
                    : cli_fail_error(&err);
  free_names(&w);
  free(names);
  tacit_reader_free(reader);
  tacit_model_free(model);
  return exit_code;
}

static const struct cli_group data_group =
    GROUP("Data", TACIT_CLI_EXTRA,
          TEXT("keep", "NAMES",
               "columns of a CSV file that are copied to the output, in front; "
               "separated by commas; the model need not know them"));

static const struct cli_group output_group = GROUP(
    "Output",
    OUTPUT_OR_PRINT("output", "FILE",
                    "file for the predictions, complete or not there at all",
                    LETTER('o')),
    FLAG("scores", "for classes: the score of every class, in columns named by the "
                   "class (one column, the positive class, of two)"),
    TACIT_CLI_THRESHOLD, FLAG("json", "write one JSON object instead of CSV"),
    FLAG("json-lines", "write one JSON object per row, each on a line of its own"));

CLI_COMMAND(predict, "MODEL DATA...", 2, ANY, "predictions of a model, one per row",
            GROUPS(&output_group, &data_group, &cli_limit_group));
