/* SPDX-License-Identifier: MIT */
/*
 * `tacit cache`: parsed rows in a binary file, for repeated passes and repeated runs.
 * The file contains the records, so only its owner may read it.
 */
#include "cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "data.h"
#include "json.h"
#include "limit.h"
#include "output.h"
#include "stop.h"
#include "weights.h"

struct maker {
  int64_t rows, units; /* persons; 0: each row is a unit */
};

static int note_rows(void *cookie, int64_t rows) {
  ((struct maker *)cookie)->rows = rows;
  return tacit_cli_stop_signal() != 0;
}

/* How the rows are read, and what the cache is told of them. */
static void set_options(const struct cli_cache *cache, tacit_reader_options *reading,
                        tacit_cache_options *options) {
  tacit_reader_options_init(reading);
  reading->schema = cache->schema;
  reading->rows = cache->rows > 0 ? cache->rows : -1;
  reading->shuffle = cache->shuffle;
  reading->map = 1; /* tacit_cli_stop_catch handles SIGBUS */
  tacit_cli_row_files(cache->arguments, reading);
  tacit_cli_limit_reader(cache->arguments, reading);
  tacit_cache_options_init(options);
  options->schema = cache->schema;
  options->sources = cache->sources;
  options->n_sources = cache->n_sources;
  options->reading = reading;
}

static tacit_status make(const struct cli_cache *cache,
                         const tacit_cache_options *options, struct maker *maker,
                         tacit_error *err) {
  tacit_reader *reader = NULL;
  tacit_status status = tacit_reader_open(cache->sources, cache->n_sources,
                                          options->reading, &reader, err);
  if (status == TACIT_OK) status = tacit_cache_write(reader, cache->path, options, err);
  if (status == TACIT_OK && tacit_reader_has_units(reader))
    status = tacit_reader_units(reader, 0, &maker->units, err);
  tacit_reader_free(reader);
  return status;
}

/* Writes the cache to an open output. */
static int fill(const struct cli_cache *cache, struct cli_output *output,
                struct maker *maker) {
  const struct cli_command *command = cache->arguments->command;
  tacit_reader_options reading;
  tacit_cache_options options;
  set_options(cache, &reading, &options);
  options.output = output->file;
  options.progress = note_rows;
  options.progress_cookie = maker;
  tacit_error err;
  tacit_status status = make(cache, &options, maker, &err);
  int stopped_by = tacit_cli_stop_signal();
  if (stopped_by != 0) return tacit_cli_stop_fail(stopped_by);
  if (status != TACIT_OK) return tacit_cli_fail_error(command, &err);
  /* No sync: readers refuse a file whose head is not complete. */
  return tacit_cli_output_complete(output, 0);
}

/* Makes the cache without placing it, so that later steps may still fail. If the result
   is not 0, there is no output to abandon. */
static int make_complete(const struct cli_cache *cache, struct cli_output *output,
                         struct maker *maker) {
  const struct cli_command *command = cache->arguments->command;
  int regular;
  int exit_code = tacit_cli_output_check(command, cache->path, &regular);
  if (exit_code != 0) return exit_code;
  if (!regular)
    return tacit_cli_fail(command, CLI_FAILED, "%.200s: a cache must be a regular file",
                          cache->path);
  exit_code = tacit_cli_output_begin(output, command, cache->path, 0600);
  if (exit_code != 0) return exit_code;
  exit_code = fill(cache, output, maker);
  if (exit_code != 0) tacit_cli_output_abandon(output);
  return exit_code;
}

static int check(const struct cli_cache *cache) {
  const struct cli_command *command = cache->arguments->command;
  for (size_t i = 0; i < cache->n_sources; ++i) {
    if (tacit_cli_is_pipe(cache->sources[i]))
      return tacit_cli_fail(command, CLI_USAGE,
                            "%s is there already, and it may not come from %s: train "
                            "from it (tacit train ... %s), or delete it",
                            cache->path,
                            strcmp(cache->sources[i], "-") == 0 ? "standard input"
                                                                : cache->sources[i],
                            cache->path);
  }
  tacit_error err;
  tacit_reader_options reading;
  tacit_cache_options options;
  set_options(cache, &reading, &options);
  return tacit_cache_check(cache->path, &options, cache->shuffle, &err) == TACIT_OK
             ? 0
             : tacit_cli_fail_error(command, &err);
}

int tacit_cli_cache_use(const struct cli_cache *cache) {
  for (size_t i = 0; i < cache->n_sources; ++i) {
    if (tacit_file_kind_of(cache->sources[i]) == TACIT_FILE_CACHE)
      return tacit_cli_fail(cache->arguments->command, CLI_USAGE,
                            "%s is a cache already: drop --cache, which makes one",
                            cache->sources[i]);
  }
  struct stat facts;
  if (stat(cache->path, &facts) == 0) return check(cache);
  struct cli_output output;
  struct maker maker = {0};
  int exit_code = make_complete(cache, &output, &maker);
  return exit_code != 0 ? exit_code : tacit_cli_output_place(&output);
}

/* The number of rows of persons is secret. */
static int print(const struct cli_arguments *arguments, const char *path,
                 const struct maker *maker) {
  const struct cli_command *command = arguments->command;
  const char *name = maker->units > 0 ? "units" : "rows";
  int64_t count = maker->units > 0 ? maker->units : maker->rows;
  if (tacit_cli_given(arguments, "json"))
    return tacit_cli_print_json(
        command, json_pack("{s:s, s:I}", "cache", path, name, (json_int_t)count));
  printf("%s %" PRId64 "\n", name, count);
  return tacit_cli_close_stdout(command);
}

static int run(const struct cli_arguments *arguments) {
  const struct cli_command *command = arguments->command;
  struct cli_cache cache = {
      .arguments = arguments,
      .path = tacit_cli_text(arguments, "output", NULL),
      .sources = arguments->operands,
      .n_sources = arguments->n_operands,
      .rows = tacit_cli_integer(arguments, "rows", 0),
      .shuffle = !tacit_cli_given(arguments, "no-shuffle"),
  };
  if (cache.path == NULL)
    return tacit_cli_refuse(arguments,
                            "-o FILE is missing: the file the cache is written to");
  int exit_code = tacit_cli_weights_check(arguments);
  if (exit_code != 0) return exit_code;
  tacit_schema *schema = NULL;
  exit_code = tacit_cli_data_schema(arguments, &schema);
  if (exit_code != 0) return exit_code;
  cache.schema = schema;
  tacit_cli_no_core_dumps(arguments->operands, arguments->n_operands, cache.path);
  tacit_cli_stop_catch(command);
  struct cli_output output;
  struct maker maker = {0};
  exit_code = make_complete(&cache, &output, &maker);
  tacit_schema_free(schema);
  if (exit_code != 0) return exit_code;
  tacit_cli_stop_hold();
  exit_code = print(arguments, cache.path, &maker);
  if (exit_code == 0) return tacit_cli_output_place(&output);
  tacit_cli_output_abandon(&output);
  return exit_code;
}

static const struct cli_group output_group = GROUP(
    "Output",
    OUTPUT("output", "FILE",
           "file the cache is written to, whole or not at all; required", LETTER('o')),
    JSON);

CLI_COMMAND(cache, "-o FILE DATA...", 1, ANY,
            "parsed rows in a binary file, for repeated passes and runs",
            GROUPS(&output_group, &tacit_cli_data_group, &tacit_cli_label_group,
                   &tacit_cli_unit_group, &tacit_cli_limit_group));
