/* SPDX-License-Identifier: MIT */
/* Output files for commands: errors become one line and an exit code. */
#include "cli.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <tacit/data.h>
#include <unistd.h>

static int cannot_write(const char *path) {
  return cli_fail(CLI_FAILED, "cannot write %.200s: %s", path, strerror(errno));
}

int cli_output_check(const char *path, int *out_regular) {
  struct stat facts;
  struct cli_output probe;
  *out_regular =
      stat(path, &facts) != 0 || S_ISREG(facts.st_mode) || S_ISDIR(facts.st_mode);
  if (!*out_regular) return access(path, W_OK) == 0 ? 0 : cannot_write(path);
  int exit_code = cli_output_begin(&probe, path, 0600);
  cli_output_abandon(&probe);
  return exit_code;
}

int cli_output_begin(struct cli_output *output, const char *path, unsigned mode) {
  tacit_error err;
  *output = (struct cli_output){.path = path};
  CLI_TRY(cli_judge(tacit_output_open(path, mode, &output->file, &err), &err));
  cli_stop_remove(tacit_output_temporary(output->file));
  return 0;
}

int cli_output_open(struct cli_output *output, const char *path) {
  if (path == NULL || strcmp(path, "-") == 0) {
    *output = (struct cli_output){.stream = stdout};
    return 0;
  }
  CLI_TRY(cli_output_begin(output, path, 0666));
  int fd = dup(tacit_output_descriptor(output->file));
  output->stream = fd >= 0 ? fdopen(fd, "w") : NULL;
  if (output->stream != NULL) return 0;
  int exit_code = cannot_write(path);
  if (fd >= 0) close(fd);
  cli_output_abandon(output);
  return exit_code;
}

/* Flushes the stream to the file. */
static int end_stream(struct cli_output *output) {
  FILE *stream = output->stream;
  if (stream == NULL) return 0;
  output->stream = NULL;
  int failed = fflush(stream) != 0 || ferror(stream), reason = errno;
  if (fclose(stream) != 0 && !failed) {
    failed = 1;
    reason = errno;
  }
  errno = reason;
  return failed ? cannot_write(output->path) : 0;
}

int cli_output_complete(struct cli_output *output, int durable) {
  tacit_error err;
  if (output->file == NULL) return cli_close_stdout();
  int exit_code = end_stream(output);
  if (exit_code == 0 && tacit_output_complete(output->file, durable, &err) != TACIT_OK)
    exit_code = cli_fail_error(&err);
  if (exit_code != 0)
    cli_output_abandon(output);
  else
    cli_stop_remove(tacit_output_temporary(output->file));
  return exit_code;
}

int cli_output_place(struct cli_output *output) {
  tacit_error err;
  if (output->file == NULL) return 0;
  int exit_code = cli_judge(tacit_output_place(output->file, &err), &err);
  cli_output_abandon(output);
  return exit_code;
}

int cli_output_close(struct cli_output *output) {
  int exit_code = cli_output_complete(output, 1);
  return exit_code != 0 ? exit_code : cli_output_place(output);
}

void cli_output_abandon(struct cli_output *output) {
  if (output->file == NULL) return;
  if (output->stream != NULL) fclose(output->stream);
  cli_stop_remove(NULL);
  tacit_output_free(output->file);
  *output = (struct cli_output){0};
}

int cli_stage(const struct cli_args *args, const char *option, char *text,
              struct cli_output *output) {
  int exit_code = cli_output_open(output, cli_text(args, option, NULL));
  if (exit_code == 0) {
    (void)fputs(text, output->stream);
    exit_code = cli_output_complete(output, 1);
  }
  tacit_string_free(text);
  return exit_code;
}

int cli_emit(const struct cli_args *args, char *bytes, size_t size, int is_text) {
  struct cli_output output;
  int exit_code = cli_output_open(&output, cli_text(args, "output", NULL));
  if (exit_code == 0) {
    (void)fwrite(bytes, 1, size, output.stream);
    if (is_text && size > 0 && bytes[size - 1] != '\n')
      (void)fputc('\n', output.stream);
    exit_code = cli_output_close(&output);
  }
  tacit_string_free(bytes);
  return exit_code;
}
