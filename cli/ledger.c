/* SPDX-License-Identifier: MIT */
/*
 * `tacit ledger`: makes, changes and verifies the budget that a team keeps for its data
 * sets. Runs take from it with --ledger (budget.c).
 */
#include <tacit/extra/ledger.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <tacit/export.h>
#include <unistd.h>

#include "cli.h"

/* Loads the ledger as JSON and removes the data sets that --dataset does not name. */
static int load(const struct cli_args *args, const char *where, json_t **out) {
  const char *wanted = cli_text(args, "dataset", NULL);
  tacit_error err;
  char *content = NULL;
  if (tacit_ledger_read(where, &content, &err) != TACIT_OK) return cli_fail_error(&err);
  *out = cli_json_read(content);
  tacit_ledger_text_free(content);
  json_t *sets = json_object_get(*out, "datasets");
  for (size_t i = json_array_size(sets); wanted != NULL && i > 0; --i)
    if (strcmp(cli_json_text(json_array_get(sets, i - 1), "dataset"), wanted) != 0)
      (void)json_array_remove(sets, i - 1);
  if (*out == NULL) return cli_fail(CLI_FAILED, "out of memory");
  if (wanted == NULL || json_array_size(sets) > 0) return 0;
  json_decref(*out);
  return cli_refuse("data set %s is not in the ledger", wanted);
}

/* Prints the JSON of `remaining`: one data set without its entries. Frees the
   ledger. */
static int print_left(json_t *ledger) {
  const json_t *sets = json_object_get(ledger, "datasets");
  size_t n_sets = json_array_size(sets);
  json_t *set = n_sets == 1 ? json_incref(json_array_get(sets, 0)) : NULL;
  json_decref(ledger);
  if (set == NULL)
    return cli_refuse("the ledger has %zu data sets: give --dataset NAME", n_sets);
  (void)json_object_del(set, "entries");
  (void)json_object_del(set, "changes");
  return cli_print_json(set);
}

/* Returns the columns of the terminal, or 80 if they are not known. */
static int terminal_width(void) {
  struct winsize window;
  const char *columns = getenv("COLUMNS");
  int width = columns != NULL ? atoi(columns) : 0;
  if (width <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0)
    width = window.ws_col;
  return width > 0 ? width : 80;
}

/* Prints a text about a ledger, after a line if it is not NULL. Fails if the text is
   empty. */
static int print_view(const char *where, const tacit_ledger_view *view,
                      const char *line) {
  char *text = NULL;
  tacit_error err;
  CLI_TRY(cli_judge(tacit_ledger_text(where, view, &text, &err), &err));
  int is_empty = *text == '\0';
  if (line != NULL) printf("%s: %s\n", where, line);
  printf("%s", text);
  tacit_string_free(text);
  return is_empty ? cli_fail(CLI_FAILED, "no entry of the ledger has paid for it")
                  : cli_close_stdout();
}

/* Runs show, log, remaining, verify or export, which only read. */
static int look(const struct cli_args *args, const char *where, const char *action) {
  json_t *ledger = NULL;
  const tacit_ledger_view view = {
      .kind = strcmp(action, "log") == 0         ? TACIT_LEDGER_LOG
              : strcmp(action, "remaining") == 0 ? TACIT_LEDGER_LEFT
              : strcmp(action, "verify") == 0    ? TACIT_LEDGER_HEAD
                                                 : TACIT_LEDGER_SHOW,
      .dataset = cli_text(args, "dataset", NULL),
      .width = terminal_width(),
  };
  if (!cli_given(args, "json") && strcmp(action, "export") != 0)
    return print_view(where, &view,
                      view.kind == TACIT_LEDGER_HEAD ? "the hash chain holds" : NULL);
  CLI_TRY(load(args, where, &ledger));
  if (strcmp(action, "remaining") == 0) return print_left(ledger);
  return cli_print_json(ledger);
}

static int init(const struct cli_args *args, const char *where) {
  tacit_ledger_terms terms = {
      .dataset = cli_text(args, "dataset", NULL),
      .epsilon = cli_number(args, "epsilon", 0),
      .delta = cli_number(args, "delta", 0),
      .adjacency = (tacit_adjacency)cli_choice(args, "adjacency"),
      .persons = cli_choice(args, "unit") == 2,
      .in_place = cli_given(args, "in-place"),
  };
  tacit_error err;
  if (terms.dataset == NULL || !cli_given(args, "epsilon") || !cli_given(args, "delta"))
    return cli_refuse("init needs --dataset NAME, --epsilon E and --delta D");
  if (tacit_ledger_init(where, &terms, &err) != TACIT_OK) return cli_fail_error(&err);
  return look(args, where, "show");
}

static int make_void(const struct cli_args *args, const char *where) {
  const char *reason = cli_text(args, "reason", NULL);
  if (args->n_operands != 3 || reason == NULL)
    return cli_refuse("void needs the number of an entry (\"tacit ledger log\") "
                      "and --reason TEXT");
  char *end;
  errno = 0;
  long long id = strtoll(args->operands[2], &end, 10);
  tacit_error err;
  if (errno != 0 || *end != '\0' || id < 1)
    return cli_refuse("%s is not the number of an entry", args->operands[2]);
  CLI_TRY(cli_judge(tacit_ledger_void(where, id, reason, &err), &err));
  printf("entry %lld is void\n", id);
  return look(args, where, "show");
}

/* The data set that a change is about: the one that is named, or the only one. */
static int data_set(const struct cli_args *args, const char *where, json_t **out) {
  json_t *ledger = NULL;
  int exit_code = load(args, where, &ledger);
  if (exit_code != 0) return exit_code;
  const json_t *sets = json_object_get(ledger, "datasets");
  size_t n_sets = json_array_size(sets);
  if (n_sets == 1)
    *out = json_incref(json_object_get(json_array_get(sets, 0), "dataset"));
  else
    exit_code = cli_refuse("the ledger has %zu data sets: give --dataset NAME", n_sets);
  json_decref(ledger);
  return exit_code;
}

/* raise, close and renew. */
static int alter(const struct cli_args *args, const char *where,
                 tacit_ledger_change_kind kind) {
  json_t *name = NULL;
  tacit_error err;
  if (cli_text(args, "reason", NULL) == NULL)
    return cli_refuse("--reason TEXT is missing: it is recorded");
  if (kind == TACIT_LEDGER_RAISE && !cli_given(args, "epsilon"))
    return cli_refuse("raise needs --epsilon E: all that runs may then spend");
  if (kind == TACIT_LEDGER_RENEW && cli_text(args, "from", NULL) == NULL)
    return cli_refuse("renew needs --from DATE: from then on the people are new");
  int exit_code = data_set(args, where, &name);
  if (exit_code != 0) return exit_code;
  const tacit_ledger_change change = {.dataset = json_string_value(name),
                                      .kind = kind,
                                      .epsilon = cli_number(args, "epsilon", 0),
                                      .reason = cli_text(args, "reason", NULL),
                                      .from = cli_text(args, "from", NULL)};
  if (tacit_ledger_alter(where, &change, &err) != TACIT_OK)
    exit_code = cli_fail_error(&err);
  json_decref(name);
  return exit_code == 0 ? look(args, where, "show") : exit_code;
}

/* 1 if the word is the begin of a digest. */
static int is_digest(const char *word) {
  size_t size = strlen(word);
  return size >= 8 && size < TACIT_LEDGER_DIGEST_SIZE &&
         strspn(word, "0123456789abcdef") == size;
}

/* Which entries paid for a file, or for what has this digest. */
static int find(const struct cli_args *args, const char *where) {
  char digest[TACIT_LEDGER_DIGEST_SIZE];
  char *text = NULL;
  tacit_error err;
  if (args->n_operands != 3)
    return cli_refuse("find needs a ledger and a model, a result or its digest");
  const char *what = args->operands[2];
  int is_file = !is_digest(what);
  if (is_file && tacit_ledger_digest_file(what, digest, &err) != TACIT_OK)
    return cli_fail_error(&err);
  const tacit_ledger_view view = {.kind = TACIT_LEDGER_FOUND,
                                  .digest = is_file ? digest : what,
                                  .width = terminal_width()};
  if (!cli_given(args, "json")) return print_view(where, &view, NULL);
  if (tacit_ledger_find(where, view.digest, &text, &err) != TACIT_OK)
    return cli_fail_error(&err);
  json_t *entries = cli_json_read(text);
  tacit_ledger_text_free(text);
  return cli_print_json(entries != NULL ? json_pack("{s:o}", "entries", entries)
                                        : NULL);
}

static const char *const actions[] = {"init",   "show",   "log",   "remaining",
                                      "verify", "export", "find",  "void",
                                      "raise",  "close",  "renew", NULL};

static int change(const struct cli_args *args, const char *where, const char *action) {
  static const char *const names[] = {"raise", "close", "renew"};
  for (int i = TACIT_LEDGER_RAISE; i <= TACIT_LEDGER_RENEW; ++i)
    if (strcmp(action, names[i]) == 0)
      return alter(args, where, (tacit_ledger_change_kind)i);
  return look(args, where, action);
}

static int run(const struct cli_args *args) {
  if (args->n_operands < 2)
    return cli_refuse("say what to do and with which ledger, for example: tacit "
                      "ledger show team.db");
  const char *action = args->operands[0], *where = args->operands[1];
  int is_void = strcmp(action, "void") == 0, is_find = strcmp(action, "find") == 0;
  if (args->n_operands > (is_void || is_find ? 3 : 2))
    return cli_refuse("ledger %s takes one ledger", action);
  if (is_void) return make_void(args, where);
  if (is_find) return find(args, where);
  if (strcmp(action, "init") == 0) return init(args, where);
  for (size_t i = 0; actions[i] != NULL; ++i)
    if (strcmp(action, actions[i]) == 0) return change(args, where, action);
  return cli_fail_action(action, actions);
}

static const struct cli_group group = GROUP(
    "Options",
    TEXT("dataset", "NAME",
         "the data set; required for init, else all of them (remaining --json: "
         "the only one)"),
    REAL("epsilon", "E", 1e-6, 1e3, "init and raise: what all runs together may spend"),
    REAL("delta", "D", 1e-300, 0.5, "init: the delta of that epsilon"),
    CHOICE("unit", "WHAT", "row person",
           "init: who is protected; runs must protect the same", DEFAULT("row")),
    CHOICE("adjacency", "NAME", "replace zero-out",
           "init: how neighbouring data sets differ; a zero-out run counts twice "
           "under replace",
           DEFAULT("replace")),
    FLAG("in-place", "init: also take runs that protect rows in their places "
                     "only (pipes, --no-shuffle)"),
    TEXT("reason", "TEXT", "void, raise, close and renew: why; it is recorded"),
    TEXT("from", "DATE",
         "renew: the people of the data set are new from this date on, such as "
         "2026-01-31"),
    JSON);

CLI_COMMAND(
    ledger, "ACTION LEDGER [ENTRY|FILE|DIGEST]", 0, 3,
    "the privacy budget of data sets, kept for a team", GROUPS(&group),
    .actions = "init show log remaining verify export find void raise close renew");
