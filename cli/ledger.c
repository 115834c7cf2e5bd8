/* SPDX-License-Identifier: MIT */
/*
 * `tacit ledger`: makes, shows and verifies the budget that a team keeps for its data
 * sets. Runs take from it with --ledger (budget.c).
 */
#include <tacit/extra/ledger.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/account.h>

#include "cli.h"

/* Prints a number that is rounded against the user: spent budget up, left budget
   down. */
static void print_number(const char *label, double value, int up) {
  char text[32];
  (up ? tacit_format_up : tacit_format_down)(value, 6, text);
  printf("  %-10s %s\n", label, text);
}

static size_t count(const json_t *set, const char *state) {
  size_t found = 0, i;
  const json_t *entry;
  json_array_foreach(json_object_get(set, "entries"), i, entry) {
    found += strcmp(cli_json_text(entry, "state"), state) == 0;
  }
  return found;
}

static void show_set(const json_t *set) {
  printf("%s: epsilon %g at delta %g for a %s, neighbours %s%s\n",
         cli_json_text(set, "dataset"), cli_json_real(set, "epsilon"),
         cli_json_real(set, "delta"), cli_json_text(set, "unit"),
         cli_json_text(set, "adjacency"),
         cli_json_is_true(set, "in_place") ? ", in place" : "");
  char epsilon[32], mu[32];
  tacit_format_up(cli_json_real(set, "spent_epsilon"), 6, epsilon);
  tacit_format_up(cli_json_real(set, "spent_mu"), 6, mu);
  printf("  spent      epsilon %s, mu %s (%zu committed, %zu reserved)\n", epsilon, mu,
         count(set, "committed"), count(set, "reserved"));
  print_number("left mu", cli_json_real(set, "left_mu"), 0);
  print_number("left eps", cli_json_real(set, "left_epsilon"), 0);
}

static void log_set(const json_t *set) {
  size_t i;
  const json_t *entry;
  json_array_foreach(json_object_get(set, "entries"), i, entry) {
    char delta[32], mu[32];
    tacit_format_up(cli_json_real(entry, "delta"), 4, delta);
    tacit_format_up(cli_json_real(entry, "mu"), 6, mu);
    printf("%5lld  %-20s  %-9s  %-8s  %s  epsilon %g, delta %s, mu %s\n",
           cli_json_count(entry, "id"), cli_json_text(entry, "time"),
           cli_json_text(entry, "state"), cli_json_text(entry, "kind"),
           cli_json_text(set, "dataset"), cli_json_real(entry, "epsilon"), delta, mu);
    if (*cli_json_text(entry, "reason") != '\0')
      printf("       %s\n", cli_json_text(entry, "reason"));
  }
}

static void remaining_set(const json_t *set) {
  char left[32];
  tacit_format_down(cli_json_real(set, "left_epsilon"), 6, left);
  printf("%s: at most epsilon = %s at delta = %g\n", cli_json_text(set, "dataset"),
         left, cli_json_real(set, "delta"));
}

static void print_head(const json_t *ledger) {
  long long events = cli_json_count(ledger, "events");
  printf("head %s after %lld %s; keep it: a later change of the history shows\n",
         cli_json_text(ledger, "head"), events, events == 1 ? "event" : "events");
}

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
  return cli_print_json(set);
}

/* Runs show, log, remaining, verify or export, which only read. */
static int look(const struct cli_args *args, const char *where, const char *action) {
  json_t *ledger = NULL, *set;
  size_t i;
  CLI_TRY(load(args, where, &ledger));
  if (cli_given(args, "json") && strcmp(action, "remaining") == 0)
    return print_left(ledger);
  if (cli_given(args, "json") || strcmp(action, "export") == 0)
    return cli_print_json(ledger);
  void (*print)(const json_t *) = strcmp(action, "show") == 0        ? show_set
                                  : strcmp(action, "log") == 0       ? log_set
                                  : strcmp(action, "remaining") == 0 ? remaining_set
                                                                     : NULL;
  json_array_foreach(json_object_get(ledger, "datasets"), i, set) {
    if (print != NULL) print(set);
  }
  if (print == NULL) printf("%s: the hash chain holds\n", where);
  if (strcmp(action, "remaining") != 0) print_head(ledger);
  json_decref(ledger);
  return cli_close_stdout();
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

static const char *const actions[] = {"init",   "show",   "log",  "remaining",
                                      "verify", "export", "void", NULL};

static int run(const struct cli_args *args) {
  if (args->n_operands < 2)
    return cli_refuse("say what to do and with which ledger, for example: tacit "
                      "ledger show team.db");
  const char *action = args->operands[0], *where = args->operands[1];
  int is_void = strcmp(action, "void") == 0;
  if (args->n_operands > (is_void ? 3 : 2))
    return cli_refuse("ledger %s takes one ledger", action);
  if (is_void) return make_void(args, where);
  if (strcmp(action, "init") == 0) return init(args, where);
  for (size_t i = 0; actions[i] != NULL; ++i)
    if (strcmp(action, actions[i]) == 0) return look(args, where, action);
  return cli_fail_action(action, actions);
}

static const struct cli_group group =
    GROUP("Options",
          TEXT("dataset", "NAME",
               "the data set; required for init, else all of them (remaining --json: "
               "the only one)"),
          REAL("epsilon", "E", 1e-6, 1e3, "init: what all runs together may spend"),
          REAL("delta", "D", 1e-300, 0.5, "init: the delta of that epsilon"),
          CHOICE("unit", "WHAT", "row person",
                 "init: who is protected; runs must protect the same", DEFAULT("row")),
          CHOICE("adjacency", "NAME", "replace zero-out",
                 "init: how neighbouring data sets differ; a zero-out run counts twice "
                 "under replace",
                 DEFAULT("replace")),
          FLAG("in-place", "init: also take runs that protect rows in their places "
                           "only (pipes, --no-shuffle)"),
          TEXT("reason", "TEXT", "void: why; it is recorded"), JSON);

CLI_COMMAND(ledger, "ACTION LEDGER [ENTRY]", 0, 3,
            "the privacy budget of data sets, kept for a team", GROUPS(&group),
            .actions = "init show log remaining verify export void");
