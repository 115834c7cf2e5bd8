/* SPDX-License-Identifier: MIT */
/* What the commands share: error lines, exit codes, the list of commands. */
#ifndef TACIT_CLI_H
#define TACIT_CLI_H

#include <jansson.h>
#include <stdio.h>
#include <tacit/status.h>

#include "base/output.h"
#include "options.h"

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* Prints one line, "tacit COMMAND: message", on standard error and returns exit_code.
   Control characters are replaced, so that it is one line. */
int cli_fail(int exit_code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Prints such a line about wrong use and returns CLI_USAGE. */
int cli_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints the error of a library call and returns its exit code. */
int cli_fail_error(const tacit_error *err);
/* Returns 0 for TACIT_OK, otherwise prints the error and returns its exit code. */
int cli_judge(tacit_status status, const tacit_error *err);
/* Returns the exit code of a call if it is not 0. Use it where nothing has to be
   freed. */
#define CLI_TRY(call)                                                                  \
  do {                                                                                 \
    int cli_try_code = (call);                                                         \
    if (cli_try_code != 0) return cli_try_code;                                        \
  } while (0)
/* Flushes standard output. If that fails, prints a line and returns exit code 1. */
int cli_close_stdout(void);

/* A program and its commands. */
struct cli_program {
  const char *name;
  const char *about; /* what it does, after its name and version */
  const char *hint;  /* the last line of its help */
  const struct cli_command *const *commands; /* NULL-ended */
  const char *elsewhere; /* what to do about commands that it lacks, or NULL */
};

/* Opens /dev/null for each of the descriptors 0 to 2 that is closed. Otherwise the
   first file that a command opens would become its standard output. Must be the first
   call of a program; returns the exit code. */
int cli_open_standard(void);
/* Runs the command that the words name and returns the exit code of the process. */
int cli_run(const struct cli_program *program, int n_words, char **words);
/* Returns the program that cli_run runs. */
const struct cli_program *cli_this(void);
/* Returns the command that runs, or NULL before it is known. */
const struct cli_command *cli_current(void);
/* Return the name of the program, and its last error line without that name. */
const char *cli_name(void);
const char *cli_last_line(void);
/* Returns the path by which this program was called, for commands that users paste. */
const char *cli_program(void);

/* The documented exit codes. A NULL text ends the list. */
struct cli_exit_code {
  int code;
  const char *brief; /* for the short help */
  const char *text;
};
extern const struct cli_exit_code cli_exit_codes[];

extern const struct cli_command cli_account, cli_audit, cli_cache, cli_check,
    cli_completion, cli_demo, cli_describe, cli_eval, cli_export, cli_infer, cli_ledger,
    cli_plan, cli_predict, cli_report, cli_schema, cli_show, cli_stream, cli_train,
    cli_version;

/* ---- JSON ---- */

/* Prints and frees the object; returns the exit code. NULL means that memory ran out
   and is reported. Numbers have 17 digits, so reading gives the same double. */
int cli_print_json(json_t *object);
/* A key and its value as JSON text of the library; a NULL key ends a list. */
struct cli_json_part {
  const char *key, *text;
};
/* Makes a list of parts where it is used. */
#define CLI_PARTS(...)                                                                 \
  (const struct cli_json_part[]) {                                                     \
    __VA_ARGS__, { NULL, NULL }                                                        \
  }
/* Like cli_print_json, and prints these parts after the members of the object. */
int cli_print_json_parts(json_t *object, const struct cli_json_part *parts);
/* Returns a JSON number, or null if the value is not finite, because JSON has no such
   numbers. */
json_t *cli_json_number(double value);
/* Returns a list of cli_json_number, or of zeros if `values` is NULL. */
json_t *cli_json_numbers(const double *values, size_t count);

/* Returns JSON text of the library as a value, or NULL if memory ran out. */
json_t *cli_json_read(const char *text);
/* Return a member of an object, or 0 or "" if it does not exist. */
double cli_json_real(const json_t *object, const char *key);
long long cli_json_count(const json_t *object, const char *key);
const char *cli_json_text(const json_t *object, const char *key);
int cli_json_is_true(const json_t *object, const char *key);

/* ---- output files ---- */

/* A file being written (base/output.h), or standard output. */
struct cli_output {
  const char *path;   /* NULL for standard output */
  FILE *stream;       /* opened by cli_output_open */
  tacit_output *file; /* NULL for standard output */
};

/* Opens a file for writing through output->stream; path NULL or "-" is standard output.
   Returns the exit code. */
int cli_output_open(struct cli_output *output, const char *path);
/* Opens a file for writing through output->file; `mode` is the mode of a new file. */
int cli_output_begin(struct cli_output *output, const char *path, unsigned mode);
/* Completes the file without placing it; reports any failed write. For `durable` see
   tacit_output_complete. */
int cli_output_complete(struct cli_output *output, int durable);
/* Gives the complete file its name: the last step of a command that can fail. */
int cli_output_place(struct cli_output *output);
/* Completes and places the file. */
int cli_output_close(struct cli_output *output);
/* Deletes an unfinished file. Has no effect after place or close. */
void cli_output_abandon(struct cli_output *output);
/* Writes a text to the file that an option names, if it is given, and completes it
   without placing it. Frees the text with tacit_string_free. */
int cli_stage(const struct cli_args *args, const char *option, char *text,
              struct cli_output *output);
/* Writes to the file of --output, or to standard output, and frees the bytes with
   tacit_string_free. A text gets a newline at its end if that is missing. */
int cli_emit(const struct cli_args *args, char *bytes, size_t size, int is_text);

/* Checks, without touching it, that a file of this name could be written. Returns the
   exit code. *out_regular is 1 if a rename would place it, 0 for a device or pipe. */
int cli_output_check(const char *path, int *out_regular);

/* ---- signals and core dumps ---- */

/* Installs the handlers. A first SIGINT or SIGTERM only asks for a stop. If the program
   has not ended after a second (it may wait for a pipe), or after half a minute in a
   group (it may wait for other ranks), or after a second signal, the handler prints the
   line and ends the process. */
void cli_stop_catch(void);
/* Sets the advice at the end of the line that a stopped run prints, instead of "run it
   again". Must be called before cli_stop_catch. The text must remain valid. */
void cli_stop_advise(const char *advice);
/* Installs one handler, for commands that a signal may end at any time: if a mapped
   file is cut short, the process prints a line and ends with the exit code of bad
   data. */
void cli_stop_faults(void);
/* Returns the signal that asked for a stop, or 0. */
int cli_stop_signal(void);
/* Names the temporary file that the signal handler removes if it ends the process, or
   NULL for no file. The text must remain valid until the next call. */
void cli_stop_remove(const char *temporary);
/* Blocks signals, for a short last part that must not be interrupted. A closed pipe on
   standard output is then a failed write. */
void cli_stop_hold(void);
/* Prints the line of a run that a signal stopped; returns 128 + signal. */
int cli_stop_fail(int signal_number);

/* Prevents core dumps, because memory holds records. `paths` and `output` are the files
   that the process will open. */
void cli_no_core_dumps(const char *const *paths, size_t n_paths, const char *output);

#endif
