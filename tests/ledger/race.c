/* SPDX-License-Identifier: MIT */
/*
 * race LEDGER REPETITIONS: many processes, each with two threads, race for one ledger
 * while some of them are killed at random moments and some meet a full disk. After each
 * repetition: the budget was not passed, every entry that a process was told of is
 * there in the state it was told, and the hash chain holds.
 *
 * Prints TAP. The ledger is a path, or postgresql://…; data sets are added to it.
 */
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tacit/extra/ledger.h>
#include <tacit/plan.h>
#include <unistd.h>

enum { PROCESSES = 64, THREADS = 2, TURNS = 3 };

static const char *ledger;
static char dataset[64];
static char *statement; /* of a run that fits eight times */
static int report[2];   /* pipe: what processes were told */

/* What a process was told: one write, so that it is never cut. */
struct told {
  int64_t id;
  char state; /* r, c or f as below */
};

static void tell(int64_t id, char state) {
  struct told told = {id, state};
  if (write(report[1], &told, sizeof told) != (ssize_t)sizeof told) _exit(3);
}

static unsigned next(unsigned *seed) { return *seed = *seed * 1664525u + 1013904223u; }

/* 1 if the status is one that this race can cause. */
static int is_expected(tacit_status status, int disk_full) {
  return status == TACIT_OK || status == TACIT_EBUDGET ||
         (disk_full && status == TACIT_EIO);
}

/* Whether the process has waited for the others as long as a ledger waits, which can
   be on a busy machine: nothing was changed, and it tries again. */
static int has_waited(tacit_status status, const tacit_error *err) {
  return status == TACIT_EIO && strstr(err->message, "try again") != NULL;
}

static int disk_is_full;

static void *take_turns(void *context) {
  unsigned seed = *(unsigned *)context;
  tacit_ledger_run run = {.dataset = dataset, .kind = "train", .statement = statement};
  for (int turn = 0; turn < TURNS; ++turn) {
    tacit_error err;
    int64_t id = 0;
    tacit_status status;
    do
      status = tacit_ledger_reserve(ledger, &run, &id, &err);
    while (has_waited(status, &err));
    if (!is_expected(status, disk_is_full)) {
      fprintf(stderr, "# reserve: %s\n", err.message);
      _exit(4);
    }
    if (status != TACIT_OK) continue;
    tell(id, 'r');
    usleep(next(&seed) % 3000);
    int commits = next(&seed) % 4 != 0;
    do
      status = commits ? tacit_ledger_commit(ledger, id, NULL, NULL, &err)
                       : tacit_ledger_refund(ledger, id, &err);
    while (has_waited(status, &err));
    if (!is_expected(status, disk_is_full)) {
      fprintf(stderr, "# end: %s\n", err.message);
      _exit(4);
    }
    if (status == TACIT_OK) tell(id, commits ? 'c' : 'f');
  }
  return NULL;
}

static void child(unsigned seed) {
  pthread_t threads[THREADS];
  unsigned seeds[THREADS];
  if (seed % 8 == 0) { /* the ledger cannot grow: as on a full disk */
    struct rlimit none = {4096, 4096};
    signal(SIGXFSZ, SIG_IGN);
    (void)setrlimit(RLIMIT_FSIZE, &none);
    disk_is_full = 1;
  }
  for (int i = 0; i < THREADS; ++i) {
    seeds[i] = seed * 31 + (unsigned)i;
    if (pthread_create(&threads[i], NULL, take_turns, &seeds[i]) != 0) _exit(5);
  }
  for (int i = 0; i < THREADS; ++i)
    (void)pthread_join(threads[i], NULL);
  _exit(0);
}

static int is_state(const json_t *entry, char told) {
  const char *state = json_string_value(json_object_get(entry, "state"));
  if (told == 'c') return strcmp(state, "committed") == 0;
  if (told == 'f') return strcmp(state, "refunded") == 0;
  return 1; /* reserved: a process may have been killed after its end was stored */
}

/* The data set of this repetition. */
static const json_t *find_set(const json_t *book) {
  size_t i;
  const json_t *set;
  json_array_foreach(json_object_get(book, "datasets"), i, set) {
    if (strcmp(json_string_value(json_object_get(set, "dataset")), dataset) == 0)
      return set;
  }
  return NULL;
}

static const json_t *find_entry(const json_t *set, int64_t id) {
  size_t i;
  const json_t *entry;
  json_array_foreach(json_object_get(set, "entries"), i, entry) {
    if (json_integer_value(json_object_get(entry, "id")) == id) return entry;
  }
  return NULL;
}

/* Sum of mu^2 over what counts, without the library's arithmetic. */
static long double spent(const json_t *set) {
  long double sum = 0;
  size_t i;
  const json_t *entry;
  json_array_foreach(json_object_get(set, "entries"), i, entry) {
    const char *state = json_string_value(json_object_get(entry, "state"));
    long double mu = json_number_value(json_object_get(entry, "mu"));
    if (strcmp(state, "reserved") == 0 || strcmp(state, "committed") == 0)
      sum += mu * mu;
  }
  return sum;
}

/* 0 if the ledger is as it must be; else prints why not. */
static int check(const struct told *told, size_t n_told) {
  tacit_error err;
  char *text = NULL;
  if (tacit_ledger_read(ledger, &text, &err) != TACIT_OK) {
    printf("# the ledger cannot be read: %s\n", err.message);
    return 1;
  }
  json_t *book = json_loads(text, 0, NULL);
  tacit_ledger_text_free(text);
  const json_t *set = find_set(book);
  long double mu = json_number_value(json_object_get(set, "mu"));
  int faults = 0;
  if (set == NULL || spent(set) > mu * mu * (1 + 1e-15L)) {
    printf("# the budget is passed: %Lg of %Lg\n", spent(set), mu * mu);
    faults = 1;
  }
  for (size_t i = 0; i < n_told; ++i) {
    const json_t *entry = find_entry(set, told[i].id);
    if (entry != NULL && is_state(entry, told[i].state)) continue;
    printf("# entry %lld (%c) is lost\n", (long long)told[i].id, told[i].state);
    faults = 1;
  }
  json_decref(book);
  return faults;
}

static int repeat(int repetition) {
  static struct told told[PROCESSES * THREADS * TURNS * 2];
  pid_t children[PROCESSES];
  unsigned seed = (unsigned)repetition * 977 + 1;
  int faults = 0;
  tacit_error err;
  snprintf(dataset, sizeof dataset, "race %d of %d", repetition, (int)getpid());
  tacit_ledger_terms terms = {.dataset = dataset, .epsilon = 3, .delta = 1e-6};
  if (tacit_ledger_init(ledger, &terms, &err) != TACIT_OK || pipe(report) != 0) {
    printf("# init: %s\n", err.message);
    return 1;
  }
  fflush(NULL);
  for (int i = 0; i < PROCESSES; ++i) {
    children[i] = fork();
    if (children[i] == 0) child((unsigned)(repetition * PROCESSES + i + 1));
  }
  (void)close(report[1]);
  for (int i = 0; i < PROCESSES / 4; ++i) { /* a process at a random moment */
    usleep(next(&seed) % 20000);
    (void)kill(children[next(&seed) % PROCESSES], SIGKILL);
  }
  size_t n_told = 0;
  while (n_told < sizeof told / sizeof told[0] &&
         read(report[0], &told[n_told], sizeof told[0]) == (ssize_t)sizeof told[0])
    ++n_told;
  (void)close(report[0]);
  for (int i = 0; i < PROCESSES; ++i) {
    int status;
    (void)waitpid(children[i], &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0) faults = 1;
  }
  if (n_told == 0) faults = 1;
  return faults | check(told, n_told);
}

/* The statement of a run of epsilon 1. */
static int plan_run(void) {
  tacit_error err;
  tacit_schema *schema = NULL;
  tacit_plan *plan = NULL;
  tacit_config config;
  tacit_config_init(&config);
  config.rows = 1000;
  config.epsilon = 1;
  config.delta = 1e-6;
  config.shuffled = 1;
  if (tacit_schema_memory(3, 2, 0, 0, &schema, &err) != TACIT_OK) return 1;
  config.schema = schema;
  if (tacit_plan_new(&config, &plan, &err) == TACIT_OK)
    statement = strdup(tacit_plan_statement_json(plan));
  tacit_plan_free(plan);
  tacit_schema_free(schema);
  return statement == NULL;
}

int main(int argc, char **argv) {
  if (argc != 3 || plan_run() != 0) return 2;
  ledger = argv[1];
  int repetitions = atoi(argv[2]);
  printf("1..%d\n", repetitions);
  for (int i = 1; i <= repetitions; ++i)
    printf("%s %d - race\n", repeat(i) == 0 ? "ok" : "not ok", i);
  free(statement);
  return 0;
}
