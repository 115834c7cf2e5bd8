/* SPDX-License-Identifier: MIT */
/* Output files: a temporary name and a rename, devices and pipes directly. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "stop.h"

/* The path a link leads to, so that a rename replaces the file and not the link. */
static char *resolve(const char *path) {
  char *target = realpath(path, NULL);
  return target != NULL ? target : strdup(path);
}

/* A new file beside `target`, open for writing; NULL with errno on failure. */
static char *create_beside(const char *target, int *out_fd) {
  size_t size = strlen(target) + 16;
  char *name = malloc(size);
  if (name == NULL) return NULL;
  snprintf(name, size, "%s.tmp-XXXXXX", target);
  *out_fd = mkstemp(name);
  if (*out_fd >= 0) return name;
  int reason = errno;
  free(name);
  errno = reason;
  return NULL;
}

static int cannot_write(const struct cli_command *command, const char *path) {
  return tacit_cli_fail(command, CLI_FAILED, "cannot write %s: %s", path,
                        strerror(errno));
}

int tacit_cli_output_check(const struct cli_command *command, const char *path,
                           int *out_regular) {
  struct stat facts;
  int exists = stat(path, &facts) == 0;
  *out_regular = !exists || S_ISREG(facts.st_mode);
  if (exists && S_ISDIR(facts.st_mode)) {
    errno = EISDIR;
    return cannot_write(command, path);
  }
  if (!*out_regular) return access(path, W_OK) == 0 ? 0 : cannot_write(command, path);
  char *target = resolve(path);
  if (target == NULL) return tacit_cli_fail(command, CLI_FAILED, "out of memory");
  int fd = -1;
  char *probe = create_beside(target, &fd);
  int exit_code = probe != NULL ? 0 : cannot_write(command, path);
  if (probe != NULL) {
    close(fd);
    unlink(probe);
  }
  free(probe);
  free(target);
  return exit_code;
}

int tacit_cli_output_open(struct cli_output *output, const struct cli_command *command,
                          const char *path) {
  memset(output, 0, sizeof *output);
  output->command = command;
  if (path == NULL || strcmp(path, "-") == 0) {
    output->stream = stdout;
    return 0;
  }
  output->path = path;
  struct stat facts;
  if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode)) {
    output->stream = fopen(path, "w");
    return output->stream != NULL ? 0 : cannot_write(command, path);
  }
  int fd = -1;
  output->target = resolve(path);
  if (output->target != NULL) output->temporary = create_beside(output->target, &fd);
  if (output->temporary != NULL) {
    tacit_cli_stop_remove(output->temporary);
    /* mkstemp makes private files; an output gets the usual permissions. */
    mode_t mask = umask(0);
    umask(mask);
    (void)fchmod(fd, 0666 & ~mask);
    output->stream = fdopen(fd, "w");
  }
  if (output->stream != NULL) return 0;
  int exit_code = cannot_write(command, path);
  if (fd >= 0) close(fd);
  tacit_cli_output_abandon(output);
  return exit_code;
}

int tacit_cli_output_close(struct cli_output *output) {
  if (output->path == NULL) return tacit_cli_close_stdout(output->command);
  int failed = fflush(output->stream) != 0 || ferror(output->stream);
  if (!failed && output->temporary != NULL) failed = fsync(fileno(output->stream)) != 0;
  int reason = errno;
  if (fclose(output->stream) != 0 && !failed) {
    failed = 1;
    reason = errno;
  }
  output->stream = NULL;
  if (!failed && output->temporary != NULL) {
    failed = rename(output->temporary, output->target) != 0;
    reason = errno;
    if (!failed) {
      tacit_cli_stop_remove(NULL);
      free(output->temporary);
      output->temporary = NULL;
    }
  }
  int exit_code = 0;
  if (failed) {
    errno = reason;
    exit_code = cannot_write(output->command, output->path);
  }
  tacit_cli_output_abandon(output);
  return exit_code;
}

void tacit_cli_output_abandon(struct cli_output *output) {
  if (output->path != NULL && output->stream != NULL) fclose(output->stream);
  if (output->temporary != NULL) unlink(output->temporary);
  tacit_cli_stop_remove(NULL);
  free(output->temporary);
  free(output->target);
  memset(output, 0, sizeof *output);
}
