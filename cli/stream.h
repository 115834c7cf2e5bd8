/* SPDX-License-Identifier: MIT */
/* What the files of `tacit stream` share. */
#ifndef TACIT_CLI_STREAM_H
#define TACIT_CLI_STREAM_H

#include <tacit/extra/stream.h>

#include "cli.h"
#include "settings.h"

/* Reads options and config of init, or of plan if `path` is NULL. Returns the exit
   code. */
int cli_stream_settings(const struct cli_args *args, const char *path,
                        tacit_stream_options *options, struct cli_run *run);
/* Runs `tacit stream plan`. */
int cli_stream_plan(const struct cli_args *args);
/* Returns a number in a JSON text, or in an object in that text. */
double cli_number_in(const char *text, const char *key);
/* Run the actions on the state in `path`. `look` is the action status, or close if
   `closes` is 1. */
int cli_stream_init(const struct cli_args *args, const char *path);
int cli_stream_feed(const struct cli_args *args, const char *path);
int cli_stream_look(const struct cli_args *args, const char *path, int closes);

#endif
