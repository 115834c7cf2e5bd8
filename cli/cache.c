/* SPDX-License-Identifier: MIT */
/*
 * `tacit cache`: parsed rows in a binary file, for repeated passes and repeated runs.
 * The file contains the records, so only its owner may read it.
 */
#include "cache.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "data.h"

struct maker {
  int64_t rows, units; /* units: number of persons, or 0 if each row is a unit */
};

static int note_rows(void *cookie, int64_t rows) {
  ((struct maker *)cookie)->rows = rows;
  return cli_stop_signal() != 0;
}

/* Sets how the rows are read, and what the cache records about them. */
static void set_options(const struct cli_cache *cache, tacit_reader_options *reading,
                        tacit_cache_options *options) {
  tacit_reader_options_init(reading);
  reading->schema = cache->schema;
  reading->rows = cache->rows > 0 ? cache->rows : -1;
  reading->shuffle = cache->shuffle;
  reading->map = 1; /* cli_stop_catch handles SIGBUS */
  cli_row_files(cache->args, reading);
  cli_limit_reader(cache->args, reading);
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
  tacit_reader_options reading;
  tacit_cache_options options;
  set_options(cache, &reading, &options);
  options.descriptor = tacit_output_descriptor(output->file);
  options.progress = note_rows;
  options.progress_cookie = maker;
  tacit_error err;
  tacit_status status = make(cache, &options, maker, &err);
  int stopped_by = cli_stop_signal();
  if (stopped_by != 0) return cli_stop_fail(stopped_by);
  if (status != TACIT_OK) return cli_fail_error(&err);
  /* No sync: readers refuse a file whose head is not complete. */
  return cli_output_complete(output, 0);
}

/* Makes the cache without placing it, so that later steps may still fail. If the result
   is not 0, there is no output to abandon. */
static int make_complete(const struct cli_cache *cache, struct cli_output *output,
                         struct maker *maker) {
  int regular;
  CLI_TRY(cli_output_check(cache->path, &regular));
  if (!regular)
    return cli_fail(CLI_FAILED, "%.200s: a cache must be a regular file", cache->path);
  CLI_TRY(cli_output_begin(output, cache->path, 0600));
  int exit_code = fill(cache, output, maker);
  if (exit_code != 0) cli_output_abandon(output);
  return exit_code;
}

static int check(const struct cli_cache *cache) {
  for (size_t i = 0; i < cache->n_sources; ++i) {
    if (cli_is_pipe(cache->sources[i]))
      return cli_refuse("%s is there already, and it may not come from %s: train "
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
  return cli_judge(tacit_cache_check(cache->path, &options, cache->shuffle, &err),
                   &err);
}

int cli_cache_use(const struct cli_cache *cache) {
  for (size_t i = 0; i < cache->n_sources; ++i) {
    if (tacit_file_kind_of(cache->sources[i]) == TACIT_FILE_CACHE)
      return cli_refuse("%s is a cache already: drop --cache, which makes one",
                        cache->sources[i]);
  }
  struct stat facts;
  if (stat(cache->path, &facts) == 0) return check(cache);
  struct cli_output output;
  struct maker maker = {0};
  int exit_code = make_complete(cache, &output, &maker);
  return exit_code != 0 ? exit_code : cli_output_place(&output);
}

/* Prints the number of rows, or of persons, because their number of rows is secret. */
static int print(const struct cli_args *args, const char *path,
                 const struct maker *maker) {
  const char *name = maker->units > 0 ? "units" : "rows";
  int64_t count = maker->units > 0 ? maker->units : maker->rows;
  if (cli_given(args, "json"))
    return cli_print_json(
        json_pack("{s:s, s:I}", "cache", path, name, (json_int_t)count));
  printf("%s %" PRId64 "\n", name, count);
  return cli_close_stdout();
}

static int run(const struct cli_args *args) {
  struct cli_cache cache = {
      .args = args,
      .path = cli_text(args, "output", NULL),
      .sources = args->operands,
      .n_sources = args->n_operands,
      .rows = cli_integer(args, "rows", 0),
      .shuffle = !cli_given(args, "no-shuffle"),
  };
  if (cache.path == NULL)
    return cli_refuse("-o FILE is missing: the file the cache is written to");
  CLI_TRY(cli_weights_check(args));
  tacit_schema *schema = NULL;
  CLI_TRY(cli_data_schema(args, &schema));
  cache.schema = schema;
  cli_no_core_dumps(args->operands, args->n_operands, cache.path);
  cli_stop_catch();
  struct cli_output output;
  struct maker maker = {0};
  int exit_code = make_complete(&cache, &output, &maker);
  tacit_schema_free(schema);
  if (exit_code != 0) return exit_code;
  cli_stop_hold();
  exit_code = print(args, cache.path, &maker);
  if (exit_code == 0) return cli_output_place(&output);
  cli_output_abandon(&output);
  return exit_code;
}

static const struct cli_group output_group = GROUP(
    "Output",
    OUTPUT("output", "FILE",
           "file the cache is written to, whole or not at all; required", LETTER('o')),
    JSON);

CLI_COMMAND(cache, "-o FILE DATA...", 1, ANY,
            "parsed rows in a binary file, for repeated passes and runs",
            GROUPS(&output_group, &cli_data_group, &cli_label_group, &cli_unit_group,
                   &cli_limit_group));
