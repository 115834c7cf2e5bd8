/* SPDX-License-Identifier: MIT */
/* What the files of `tacit stream` share. */
#ifndef TACIT_CLI_STREAM_H
#define TACIT_CLI_STREAM_H

#include <tacit/extra/stream.h>

#include "cli.h"
#include "settings.h"

/* Options and config of init and plan; path NULL: of plan. Returns the exit code. */
int cli_stream_settings(const struct cli_args *args, const char *path,
                        tacit_stream_options *options, struct cli_run *run);
/* `tacit stream plan`. */
int cli_stream_plan(const struct cli_args *args);
/* A number in a JSON text, or in an object of it. */
double cli_number_in(const char *text, const char *key);
/* The actions; `path` is of the state, and `look` is status, or close. */
int cli_stream_init(const struct cli_args *args, const char *path);
int cli_stream_feed(const struct cli_args *args, const char *path);
int cli_stream_look(const struct cli_args *args, const char *path, int closes);

#endif
