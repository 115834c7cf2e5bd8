/* SPDX-License-Identifier: MIT */
/* Writes a ledger for people: columns fit the terminal, times are UTC, and every number
   is rounded against the reader. */
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <tacit/account.h>

#include "base/error.h"
#include "base/io.h"
#include "extra/ledger/session.h"
#include "extra/ledger/terms.h"

enum { NARROW = 72, DIGITS = 12, INDENT = 7 };

/* Where a text is written to, and how wide it is. */
struct sheet {
  FILE *to;
  int width;
};

__attribute__((format(printf, 2, 3))) static void put(const struct sheet *sheet,
                                                      const char *format, ...) {
  char text[2 * TACIT_LEDGER_TEXT_MAX];
  va_list values;
  va_start(values, format);
  (void)vsnprintf(text, sizeof text, format, values);
  va_end(values);
  (void)fputs(text, sheet->to);
}

static const char *words(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text != NULL ? text : "";
}

static double real(const json_t *object, const char *key) {
  return json_number_value(json_object_get(object, key));
}

static long long integer(const json_t *object, const char *key) {
  return (long long)json_integer_value(json_object_get(object, key));
}

/* Prints a text in `width` columns, cut with three points if it is longer. Pads it if
   something follows. */
static void print_cell(const struct sheet *sheet, const char *text, int width,
                       int pads) {
  int length = 0, room = width;
  for (const char *at = text; *at != '\0'; ++at)
    length += ((unsigned char)*at & 0xc0) != 0x80;
  if (length > width) room = width - 3;
  for (; *text != '\0' && (room > 0 || ((unsigned char)*text & 0xc0) == 0x80); ++text) {
    room -= ((unsigned char)*text & 0xc0) != 0x80;
    (void)fputc(*text, sheet->to);
  }
  if (length > width) put(sheet, "...");
  if (pads) put(sheet, "%*s", length < width ? width - length : 0, "");
}

/* "2026-01-31 12:00" of the time of an event. */
static void print_time(const struct sheet *sheet, const json_t *event) {
  const char *time = words(event, "time");
  if (strlen(time) >= 16)
    put(sheet, "%.10s %.5s", time, time + 11);
  else
    put(sheet, "%-16s", "-");
}

void tacit_ledger_writer(const json_t *event, char *out, size_t size) {
  const char *role = words(event, "role");
  if (*words(event, "user") == '\0')
    (void)snprintf(out, size, "-");
  else
    (void)snprintf(out, size, "%s@%s%s%s", words(event, "user"), words(event, "host"),
                   *role != '\0' ? " as " : "", role);
}

const char *tacit_ledger_file(const json_t *made) {
  const char *file = words(made, "file"), *slash = strrchr(file, '/');
  if (*file == '\0') return "standard output";
  return slash != NULL && slash[1] != '\0' ? slash + 1 : file;
}

/* A number rounded against the reader: what is left down, what is spent up. */
static void print_number(const struct sheet *sheet, const char *label, double value,
                         int up) {
  char text[32];
  (up ? tacit_format_up : tacit_format_down)(value, 6, text);
  put(sheet, "  %-10s %s\n", label, text);
}

/* Entries of the latest period in this state. */
static size_t count(const json_t *set, const char *state) {
  size_t found = 0, i;
  const json_t *entry;
  json_array_foreach(json_object_get(set, "entries"), i, entry) {
    found += strcmp(words(entry, "state"), state) == 0 &&
             integer(entry, "period") == integer(set, "period");
  }
  return found;
}

/* What was done to the budget, when, by whom and why, in at most two lines. */
static void print_change(const struct sheet *sheet, const json_t *change) {
  const char *kind = words(change, "event");
  char who[256], line[1024];
  if (strcmp(kind, "init") == 0) return;
  tacit_ledger_writer(change, who, sizeof who);
  if (strcmp(kind, "raise") == 0)
    put(sheet, "  raised     to epsilon %g, ", real(change, "epsilon"));
  else if (strcmp(kind, "renew") == 0)
    put(sheet, "  renewed    for people from %s on, ", words(change, "from"));
  else
    put(sheet, "  closed     ");
  print_time(sheet, change);
  (void)snprintf(line, sizeof line, "%s: %s", who, words(change, "reason"));
  put(sheet, "\n%13s", "");
  print_cell(sheet, line, sheet->width - 13, 0);
  put(sheet, "\n");
}

/* The models that the entries of a data set have paid for. */
static void print_made(const struct sheet *sheet, const json_t *set) {
  size_t i, j;
  const char *label = "paid for";
  const json_t *entry, *made;
  char who[256];
  json_array_foreach(json_object_get(set, "entries"), i, entry) {
    json_array_foreach(json_object_get(entry, "made"), j, made) {
      tacit_ledger_writer(made, who, sizeof who);
      put(sheet, "  %-10s entry %-4lld ", label, integer(entry, "id"));
      label = "";
      print_time(sheet, made);
      put(sheet, "  ");
      print_cell(sheet, tacit_ledger_file(made), 20, 1);
      put(sheet, "  ");
      print_cell(sheet, who, sheet->width - 62, 0);
      put(sheet, "\n");
    }
  }
}

static void print_set(const struct sheet *sheet, const json_t *set) {
  size_t i;
  const json_t *change;
  char epsilon[32], mu[32];
  put(sheet, "%s: epsilon %g at delta %g for a %s, neighbours %s%s\n",
      words(set, "dataset"), real(set, "epsilon"), real(set, "delta"),
      words(set, "unit"), words(set, "adjacency"),
      json_is_true(json_object_get(set, "in_place")) ? ", in place" : "");
  tacit_format_up(real(set, "spent_epsilon"), 6, epsilon);
  tacit_format_up(real(set, "spent_mu"), 6, mu);
  put(sheet, "  spent      epsilon %s, mu %s (%zu committed, %zu reserved)\n", epsilon,
      mu, count(set, "committed"), count(set, "reserved"));
  print_number(sheet, "left mu", real(set, "left_mu"), 0);
  print_number(sheet, "left eps", real(set, "left_epsilon"), 0);
  json_array_foreach(json_object_get(set, "changes"), i, change) {
    print_change(sheet, change);
  }
  if (integer(set, "period") > 1) {
    tacit_format_up(real(set, "exposed_epsilon"), 6, epsilon);
    put(sheet, "  exposed    epsilon %s: somebody who is in all %lld periods\n",
        epsilon, integer(set, "period"));
  }
  print_made(sheet, set);
}

/* A line below an entry. */
static void print_below(const struct sheet *sheet, const char *label,
                        const char *text) {
  if (*text == '\0') return;
  put(sheet, "%*s%-7s", INDENT, "", label);
  print_cell(sheet, text, sheet->width - INDENT - 7, 0);
  put(sheet, "\n");
}

static void log_entry(const struct sheet *sheet, const json_t *entry) {
  size_t i;
  const json_t *made;
  char who[256], line[512];
  tacit_ledger_writer(entry, who, sizeof who);
  put(sheet, "%5lld  ", integer(entry, "id"));
  print_time(sheet, entry);
  put(sheet, "  ");
  print_cell(sheet, who, sheet->width - 56, 1);
  (void)snprintf(line, sizeof line, "%g", real(entry, "epsilon"));
  put(sheet, "  %-8.8s  %-9s  %s\n", words(entry, "kind"), words(entry, "state"), line);
  char delta[32], mu[32];
  tacit_format_up(real(entry, "delta"), 4, delta);
  tacit_format_up(real(entry, "mu"), 6, mu);
  (void)snprintf(line, sizeof line, "delta %s, mu %s", delta, mu);
  print_below(sheet, "cost", line);
  json_array_foreach(json_object_get(entry, "made"), i, made) {
    (void)snprintf(line, sizeof line, "%.*s  %s", DIGITS, words(made, "digest"),
                   tacit_ledger_file(made));
    print_below(sheet, "made", line);
  }
  print_below(sheet, "note", words(entry, "note"));
  print_below(sheet, "reason", words(entry, "reason"));
}

static void log_set(const struct sheet *sheet, const json_t *set) {
  size_t i;
  const json_t *each;
  put(sheet, "%s: epsilon %g at delta %g for a %s\n", words(set, "dataset"),
      real(set, "epsilon"), real(set, "delta"), words(set, "unit"));
  json_array_foreach(json_object_get(set, "changes"), i, each) {
    print_change(sheet, each);
  }
  put(sheet, "entry  %-16s  ", "time (UTC)");
  print_cell(sheet, "who", sheet->width - 56, 1);
  put(sheet, "  %-8s  %-9s  %s\n", "what", "state", "epsilon");
  json_array_foreach(json_object_get(set, "entries"), i, each) {
    log_entry(sheet, each);
  }
}

static void print_left(const struct sheet *sheet, const json_t *set) {
  char left[32];
  tacit_format_down(real(set, "left_epsilon"), 6, left);
  put(sheet, "%s: at most epsilon = %s at delta = %g\n", words(set, "dataset"), left,
      real(set, "delta"));
}

static void print_head(const struct sheet *sheet, const json_t *ledger) {
  long long events = integer(ledger, "events");
  put(sheet,
      "head %s\n     after %lld %s; keep it: a later change of the history shows\n",
      words(ledger, "head"), events, events == 1 ? "event" : "events");
}

static void print_found(const struct sheet *sheet, const json_t *found) {
  size_t i;
  const json_t *entry;
  json_array_foreach(found, i, entry) {
    const json_t *made = json_array_get(json_object_get(entry, "made"), 0);
    const char *note = words(entry, "note");
    char who[256], delta[32];
    tacit_ledger_writer(entry, who, sizeof who);
    tacit_format_up(real(entry, "delta"), 4, delta);
    put(sheet, "entry %lld of %s: %s, %s\n", integer(entry, "id"),
        words(entry, "dataset"), words(entry, "kind"), words(entry, "state"));
    put(sheet, "  by         %s, ", who);
    print_time(sheet, entry);
    put(sheet, " UTC\n  cost       epsilon %g, delta %s\n", real(entry, "epsilon"),
        delta);
    put(sheet, "  made       %s, ",
        *words(made, "file") != '\0' ? words(made, "file") : "standard output");
    print_time(sheet, made);
    put(sheet, " UTC\n  digest     %s\n", words(made, "digest"));
    if (*note != '\0') put(sheet, "  note       %s\n", note);
  }
}

static void print_ledger(const struct sheet *sheet, const json_t *ledger,
                         const tacit_ledger_view *view) {
  size_t i;
  const json_t *set;
  json_array_foreach(json_object_get(ledger, "datasets"), i, set) {
    if (view->dataset != NULL && strcmp(words(set, "dataset"), view->dataset) != 0)
      continue;
    if (view->kind == TACIT_LEDGER_SHOW) print_set(sheet, set);
    if (view->kind == TACIT_LEDGER_LOG) log_set(sheet, set);
    if (view->kind == TACIT_LEDGER_LEFT) print_left(sheet, set);
  }
  if (view->kind != TACIT_LEDGER_LEFT) print_head(sheet, ledger);
}

static tacit_status write_view(const tacit_book *book, const tacit_ledger_view *view,
                               char **out, tacit_error *err) {
  json_t *object = NULL;
  size_t size;
  int finds = view->kind == TACIT_LEDGER_FOUND;
  if (!finds && view->dataset != NULL && tacit_book_find(book, view->dataset) == NULL)
    return tacit_fail(err, TACIT_EINVAL, "data set %s is not in the ledger",
                      view->dataset);
  TACIT_TRY(finds ? tacit_ledger_describe_found(book, view->digest, &object, err)
                  : tacit_ledger_describe(book, &object, err));
  const struct sheet sheet = {open_memstream(out, &size),
                              view->width < NARROW ? NARROW : view->width};
  if (sheet.to != NULL && finds) print_found(&sheet, object);
  if (sheet.to != NULL && !finds) print_ledger(&sheet, object, view);
  json_decref(object);
  return sheet.to != NULL && tacit_io_text_end(sheet.to, out) == 0
             ? TACIT_OK
             : tacit_fail_memory(err);
}

tacit_status tacit_ledger_text(const char *where, const tacit_ledger_view *view,
                               char **out, tacit_error *err) {
  tacit_session session;
  if (view == NULL || out == NULL ||
      (view->kind == TACIT_LEDGER_FOUND &&
       (view->digest == NULL || strlen(view->digest) < 8)))
    return tacit_fail(err, TACIT_EINVAL, "a view has a result; a digest has 8 digits");
  tacit_status status = tacit_session_open(&session, where, TACIT_JOURNAL_READ, err);
  if (status == TACIT_OK) status = write_view(&session.book, view, out, err);
  tacit_session_close(&session);
  return status;
}
