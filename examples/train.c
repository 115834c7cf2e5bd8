/* SPDX-License-Identifier: MIT */
/*
 * Trains a model on a CSV file: train DATA.csv SCHEMA.json MODEL.json
 *
 *   cc train.c $(pkg-config --cflags --libs tacit) -o train
 */
#include <stdio.h>
#include <tacit/tacit.h>

int main(int count, char **words) {
  if (count != 4)
    return fputs("usage: train DATA.csv SCHEMA.json MODEL.json\n", stderr), 2;
  const char *const files[] = {words[1]};
  tacit_schema *schema = NULL;
  tacit_reader *reader = NULL;
  tacit_train *train = NULL;
  tacit_model *model = NULL;
  tacit_config config;
  tacit_reader_options options;
  tacit_error err;
  tacit_config_init(&config);
  tacit_reader_options_init(&options);

  tacit_status status = tacit_schema_load(words[2], 0, &schema, &err);
  options.schema = schema;
  if (status == TACIT_OK) status = tacit_reader_open(files, 1, &options, &reader, &err);
  if (status == TACIT_OK) {
    config.epsilon = 1;
    config.schema = schema;
    config.rows = tacit_reader_rows(reader);
    config.shuffled = tacit_reader_shuffled(reader);
    status = tacit_train_new(&config, &train, &err);
  }
  if (status == TACIT_OK) status = tacit_train_run(train, reader, &err);
  if (status == TACIT_OK) status = tacit_train_finish(train, &model, &err);
  if (status == TACIT_OK) status = tacit_model_save(model, words[3], &err);
  if (status == TACIT_OK) puts(tacit_model_statement_text(model));
  if (status != TACIT_OK) fprintf(stderr, "%s\n", err.message);

  tacit_model_free(model);
  tacit_train_free(train);
  tacit_reader_free(reader);
  tacit_schema_free(schema);
  return tacit_status_exit_code(status);
}
