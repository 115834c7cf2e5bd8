/* SPDX-License-Identifier: MIT */
/* The options that describe the data, shared by the commands that read rows. */
#ifndef TACIT_CLI_DATA_H
#define TACIT_CLI_DATA_H

#include <tacit/data.h>
#include <tacit/files.h>
#include <tacit/model.h>

#include "options.h"

/* "Data": features, schema, labels, classes, rows, no-shuffle. "Labels and
   weights": label-file, weights, max-weight. */
extern const struct cli_group cli_data_group, cli_label_group;
/* "Persons": unit, units, unit-rows; or unit alone. */
extern const struct cli_group cli_person_group, cli_unit_group;

/* Makes the schema from the options of the data group and, for a cache or a .npy file,
   from the first operand. Returns 0, or prints one line and returns the exit code. */
int cli_data_schema(const struct cli_args *args, tacit_schema **out);
/* Prints a note for every category of which "other" is declared. */
void cli_note_other(const tacit_schema *schema);
/* Returns 1 for standard input, pipes and devices. */
int cli_is_pipe(const char *path);

/* ---- models ---- */

/* Reads a model file of at most --max-model bytes. Prints a note on standard error if
   the file has no digest. */
tacit_status cli_model_load(const struct cli_args *args, const char *path,
                            tacit_model **out, tacit_error *err);

/* ---- limits: --max-line, --max-model, --max-temp, --max-kept ---- */

/* For commands that read rows once; for training, which may read them several times;
   for commands that read only models and schemas; for commands that read only a line;
   for the one that makes schemas. */
extern const struct cli_group cli_limit_group, cli_limit_train_group,
    cli_limit_model_group, cli_limit_line_group, cli_limit_schema_group;

/* Sets the limits of a reader. */
void cli_limit_reader(const struct cli_args *args, tacit_reader_options *options);
/* Sets the limits of the reader whose rows a run trains on. */
void cli_limit_train(const struct cli_args *args, tacit_reader_options *options);
/* Return the limit of a model or schema file, and of a line, in bytes. 0 means the
   library's limit. */
uint64_t cli_limit_model(const struct cli_args *args);
uint64_t cli_limit_line(const struct cli_args *args);

/* ---- weights of rows and of classes ---- */

/* Refuses options of weights that contradict each other. Returns 0, or prints one line
   and returns the exit code. */
int cli_weights_check(const struct cli_args *args);
/* Sets the files of labels, weights and ids that are not in the rows. */
void cli_row_files(const struct cli_args *args, tacit_reader_options *options);
/* Sets the options of a reader of labelled rows that are read once, in the order of the
   file. */
void cli_labelled_rows(const struct cli_args *args, const tacit_schema *schema,
                       tacit_reader_options *out);
/* Reads the declared weights of the classes of the schema. The caller frees *out, which
   is NULL without the option. Returns 0, or prints one line and returns the exit
   code. */
int cli_class_weights(const struct cli_args *args, const tacit_schema *schema,
                      double **out);

#endif
