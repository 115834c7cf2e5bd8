/* SPDX-License-Identifier: MIT */
/* Writes into an event when it happens and who makes it happen, for people. */
#include "extra/ledger/who.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/extra/ledger.h>
#include <tacit/version.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

enum { NAME_SIZE = 256, RECORD_SIZE = 4096 };

/* Sets the time in UTC: "2026-01-31T12:00:00Z". */
static void set_time(json_t *event) {
  char text[32];
  time_t now = time(NULL);
  struct tm parts;
  if (gmtime_r(&now, &parts) == NULL ||
      strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
    text[0] = '\0';
  (void)json_object_set_new(event, "time", json_string(text));
}

/* Writes the name of the user that the process belongs to, or "uid N" if the system
   knows no name. Variables of the environment have no say. */
static void name_user(char out[NAME_SIZE]) {
  struct passwd record, *found = NULL;
  char texts[RECORD_SIZE];
  (void)snprintf(out, NAME_SIZE, "uid %lld", (long long)getuid());
  if (getpwuid_r(getuid(), &record, texts, sizeof texts, &found) == 0 && found != NULL)
    (void)snprintf(out, NAME_SIZE, "%s", record.pw_name);
}

void tacit_printable(const char *text, char *out, size_t size) {
  size_t length = 0;
  for (; text[length] != '\0' && length + 1 < size; ++length) {
    unsigned char c = (unsigned char)text[length];
    out[length] = (char)(c < 0x20 || c == 0x7f ? '?' : c);
  }
  out[length] = '\0';
  json_t *probe = json_string(out);
  for (size_t i = 0; probe == NULL && i < length; ++i)
    if ((unsigned char)out[i] >= 0x80) out[i] = '?';
  json_decref(probe);
}

/* Returns the whole path of a file that may not exist yet, for free(), or NULL if
   memory ran out. */
static char *whole_path(const char *file) {
  const char *slash = strrchr(file, '/'), *name = slash != NULL ? slash + 1 : file;
  char *folder = slash == NULL   ? strdup(".")
                 : slash == file ? strdup("/")
                                 : strndup(file, (size_t)(slash - file));
  char *whole = folder != NULL ? realpath(folder, NULL) : NULL;
  size_t size = whole != NULL ? strlen(whole) + strlen(name) + 2 : 0;
  char *path = size > 0 ? malloc(size) : NULL;
  if (path != NULL)
    (void)snprintf(path, size, "%s%s%s", whole, strcmp(whole, "/") == 0 ? "" : "/",
                   name);
  free(folder);
  free(whole);
  return path != NULL ? path : strdup(file);
}

void tacit_printable_path(const char *file, char *out, size_t size) {
  char *path = file != NULL && strcmp(file, "-") != 0 ? whole_path(file) : strdup("");
  tacit_printable(path != NULL ? path : file, out, size);
  free(path);
}

tacit_status tacit_check_text(const char *name, const char *text, tacit_error *err) {
  char shown[TACIT_LEDGER_TEXT_MAX + 1];
  if (text == NULL) return TACIT_OK;
  tacit_printable(text, shown, sizeof shown);
  if (strcmp(shown, text) == 0) return TACIT_OK;
  return tacit_fail(err, TACIT_EINVAL,
                    "a %s must be one line of at most %d printable characters", name,
                    TACIT_LEDGER_TEXT_MAX);
}

void tacit_stamp(json_t *event) {
  char user[NAME_SIZE], host[NAME_SIZE] = "", shown[NAME_SIZE];
  set_time(event);
  name_user(user);
  tacit_printable(user, shown, sizeof shown);
  (void)json_object_set_new(event, "user", json_string(shown));
  if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  tacit_printable(host, shown, sizeof shown);
  (void)json_object_set_new(event, "host", json_string(shown));
  (void)json_object_set_new(event, "program", json_string(TACIT_VERSION));
}
