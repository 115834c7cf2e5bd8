/* SPDX-License-Identifier: MIT */
/*
 * `tacit predict`: one prediction a row, in file order. What it prints depends on the
 * rows it is given: it is for whoever holds them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/model.h>

#include "cli.h"
#include "output.h"
#include "stop.h"

struct writer {
  FILE *stream;
  const tacit_model *model;
  int json, classes;
  char *names[2]; /* class names as the format wants them */
  int64_t rows;
};

/* Shortest of 15 or 17 digits that reads back as the same double. */
static void print_number(FILE *stream, double value) {
  char text[32];
  snprintf(text, sizeof text, "%.15g", value);
  if (strtod(text, NULL) != value) snprintf(text, sizeof text, "%.17g", value);
  fputs(text, stream);
}

/* A class name as a CSV field or a JSON string. */
static char *quote(const char *name, int json) {
  char *out = malloc(6 * strlen(name) + 3);
  if (out == NULL) return NULL;
  int plain = !json && strpbrk(name, ",\"\r\n") == NULL;
  char *to = out;
  if (!plain) *to++ = '"';
  for (; *name != '\0'; ++name) {
    if (json && (unsigned char)*name < 0x20) {
      to += sprintf(to, "\\u%04x", (unsigned)(unsigned char)*name);
      continue;
    }
    if (*name == '"') *to++ = json ? '\\' : '"';
    if (*name == '\\' && json) *to++ = '\\';
    *to++ = *name;
  }
  if (!plain) *to++ = '"';
  *to = '\0';
  return out;
}

static void write_row(struct writer *w, double value) {
  const char *name = w->classes ? w->names[tacit_model_class(w->model, value)] : NULL;
  if (w->json) fputs(w->rows > 0 ? ",\n" : "\n", w->stream);
  if (w->json && name != NULL)
    fprintf(w->stream, "    {\"prediction\": %s, \"score\": ", name);
  else if (name != NULL)
    fprintf(w->stream, "%s,", name);
  else if (w->json)
    fputs("    {\"prediction\": ", w->stream);
  print_number(w->stream, value);
  fputs(w->json ? "}" : "\n", w->stream);
  ++w->rows;
}

static tacit_status write_all(struct writer *w, tacit_reader *reader,
                              tacit_error *err) {
  double *values = NULL;
  int64_t room = 0;
  tacit_status status;
  const tacit_batch *batch;
  if (w->json)
    fputs("{\n  \"predictions\": [", w->stream);
  else
    fputs(w->classes ? "prediction,score\n" : "prediction\n", w->stream);
  while ((status = tacit_reader_next(reader, &batch, err)) == TACIT_OK) {
    if (batch->n_rows == 0 || ferror(w->stream) || tacit_cli_stop_signal() != 0) break;
    if (batch->n_rows > room) {
      room = batch->n_rows;
      free(values);
      values = calloc((size_t)room, sizeof *values);
    }
    if (values == NULL) {
      *err = (tacit_error){TACIT_ENOMEM, "out of memory"};
      status = TACIT_ENOMEM;
      break;
    }
    status = tacit_model_predict(w->model, batch, values, err);
    if (status != TACIT_OK) break;
    for (int64_t i = 0; i < batch->n_rows; ++i)
      write_row(w, values[i]);
  }
  free(values);
  if (w->json)
    fprintf(w->stream, "%s],\n  \"rows\": %" PRId64 "\n}\n", w->rows > 0 ? "\n  " : "",
            w->rows);
  return status;
}

static int predict_reader(const struct cli_arguments *arguments,
                          const tacit_model *model, tacit_reader *reader) {
  const tacit_schema *schema = tacit_model_schema(model);
  struct writer w = {.model = model, .json = tacit_cli_given(arguments, "json")};
  w.classes = tacit_schema_label(schema, NULL, NULL) == TACIT_LABEL_CLASSES;
  for (int i = 0; w.classes && i < 2; ++i) {
    w.names[i] = quote(tacit_schema_class(schema, i), w.json);
    if (w.names[i] == NULL) {
      free(w.names[0]);
      return tacit_cli_fail(arguments->command, CLI_FAILED, "out of memory");
    }
  }
  struct cli_output output;
  int exit_code = tacit_cli_output_open(&output, arguments->command,
                                        tacit_cli_text(arguments, "output", NULL));
  if (exit_code == 0) {
    w.stream = output.stream;
    tacit_error err;
    tacit_status status = write_all(&w, reader, &err);
    if (tacit_cli_stop_signal() != 0) {
      tacit_cli_output_abandon(&output);
      exit_code = tacit_cli_stop_fail();
    } else if (status != TACIT_OK) {
      tacit_cli_output_abandon(&output);
      exit_code = tacit_cli_fail_error(arguments->command, &err);
    } else {
      exit_code = tacit_cli_output_close(&output);
    }
  }
  free(w.names[0]);
  free(w.names[1]);
  return exit_code;
}

static int run(const struct cli_arguments *arguments) {
  const struct cli_command *command = arguments->command;
  tacit_cli_no_core_dumps(arguments->operands, arguments->n_operands,
                          tacit_cli_text(arguments, "output", NULL));
  tacit_cli_stop_catch(command);
  tacit_error err;
  tacit_model *model = NULL;
  if (tacit_model_load(arguments->operands[0], &model, &err) != TACIT_OK)
    return tacit_cli_fail_error(command, &err);
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = tacit_model_schema(model);
  options.shuffle = 0;
  options.labels = 0;
  tacit_reader *reader = NULL;
  int exit_code;
  if (tacit_reader_open(arguments->operands + 1, arguments->n_operands - 1, &options,
                        &reader, &err) != TACIT_OK)
    exit_code = tacit_cli_fail_error(command, &err);
  else
    exit_code = predict_reader(arguments, model, reader);
  tacit_reader_free(reader);
  tacit_model_free(model);
  return exit_code;
}

static const struct cli_option output_options[] = {
    {.name = "output",
     .letter = 'o',
     .placeholder = "FILE",
     .kind = CLI_TEXT,
     .fallback = "standard output",
     .help = "file the predictions are written to, whole or not at all"},
    {.name = "json", .kind = CLI_FLAG, .help = "write one JSON object in place of CSV"},
    {0}};
static const struct cli_group output_group = {"Output", output_options};
static const struct cli_group *const groups[] = {&output_group, NULL};

const struct cli_command tacit_cli_predict = {
    .name = "predict",
    .operands = "MODEL DATA...",
    .summary = "predictions of a model, one a row",
    .description =
        "Writes one prediction for each row of DATA, in file order, as CSV with a "
        "header "
        "line. For classes: the class and its score, which is the probability of the "
        "positive class for the logistic loss and the margin otherwise. For numbers: "
        "the "
        "prediction in the units of the label. Rows need no label. A single - is "
        "standard "
        "input.\n\n"
        "Predictions depend on the rows they are made for: they are for the holder of "
        "these rows and outside the privacy guarantee of the model.",
    .examples = "tacit predict model.json patients.csv -o predictions.csv\n"
                "zcat new.gz | tacit predict model.json - --json\n",
    .groups = groups,
    .min_operands = 2,
    .max_operands = (size_t)-1,
    .run = run,
};
