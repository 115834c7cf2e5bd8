/* SPDX-License-Identifier: MIT */
/*
 * Training, plans and private evaluations of data frames. The library calls back now
 * and then, so that ^C stops a run and a caller sees how far it is.
 */
#include <string.h>
#include <tacit/extra/evaluate.h>
#include <tacit/extra/infer.h>
#include <tacit/extra/ledger.h>
#include <tacit/table.h>

#include "core.h"
#include "entry.h"

/* What a call has open. An R object owns it, so it is freed even if R jumps out. */
struct work {
  tacit_schema *schema;
  tacit_reader *reader;
  tacit_train *train;
  tacit_evaluation *evaluation;
  tacit_inference *inference;
  tacit_plan *plan;
  tacit_table table; /* what the reader reads */
};

static void close_work(struct work *work) {
  tacit_evaluation_free(work->evaluation);
  tacit_inference_free(work->inference);
  tacit_train_free(work->train);
  tacit_plan_free(work->plan);
  tacit_reader_free(work->reader);
  tacit_schema_free(work->schema);
  memset(work, 0, sizeof *work);
}

static void finalize(SEXP pointer) {
  struct work *work = R_ExternalPtrAddr(pointer);
  if (work != NULL) close_work(work);
  R_Free(work);
  R_ClearExternalPtr(pointer);
}

/* Makes empty work and protects its owner. */
static struct work *open_work(void) {
  SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
  R_RegisterCFinalizerEx(pointer, finalize, TRUE);
  struct work *work = R_Calloc(1, struct work);
  R_SetExternalPtrAddr(pointer, work);
  return work;
}

/* Frees what is open and raises a failure. */
static void fail(struct work *work, const tacit_error *err) {
  close_work(work);
  core_raise(err);
}

static void read_schema(struct work *work, SEXP text) {
  const char *bytes = core_text(text);
  tacit_error err;
  if (tacit_schema_from_text(bytes, strlen(bytes), "schema", &work->schema, &err) !=
      TACIT_OK)
    fail(work, &err);
}

static void open_reader(struct work *work, const tacit_schema *schema, SEXP frame,
                        int shuffle) {
  tacit_reader_options options;
  tacit_error err;
  core_table(frame, &work->table);
  tacit_reader_options_init(&options);
  options.schema = schema;
  options.shuffle = shuffle;
  options.extra = true;
  if (tacit_reader_open_table(&work->table, 1, &options, &work->reader, &err) !=
      TACIT_OK)
    fail(work, &err);
}

/* How far a run is, and the caller's function for it. */
struct watch {
  SEXP progress; /* a function of (round, rounds, share of rows), or NULL of R */
  int64_t round; /* that was shown last */
};

static void check_interrupt(void *nothing) {
  (void)nothing;
  R_CheckUserInterrupt();
}

static int on_progress(void *cookie, const tacit_progress *p) {
  struct watch *watch = cookie;
  if (!R_ToplevelExec(check_interrupt, NULL)) return 1;
  if (Rf_isNull(watch->progress) || p->round == watch->round) return 0;
  watch->round = p->round;
  int failed = 0;
  double share = p->rows_all > 0 ? (double)p->rows / (double)p->rows_all : 0;
  SEXP call = PROTECT(Rf_lang4(watch->progress, Rf_ScalarReal((double)p->round),
                               Rf_ScalarReal((double)p->rounds), Rf_ScalarReal(share)));
  R_tryEval(call, R_GlobalEnv, &failed);
  UNPROTECT(1);
  return failed;
}

/* The ledger that pays for a release, from list(where, dataset), or NULL. */
struct payment {
  const char *where, *dataset;
  int64_t entry;
};

static void read_payment(SEXP ledger, struct payment *out) {
  memset(out, 0, sizeof *out);
  if (Rf_isNull(ledger)) return;
  out->where = core_text(VECTOR_ELT(ledger, 0));
  out->dataset = core_text(VECTOR_ELT(ledger, 1));
}

static tacit_status reserve(struct payment *payment, const char *kind,
                            const char *statement, const char *id, tacit_error *err) {
  tacit_ledger_run run = {payment->dataset, kind, statement, id, false};
  if (payment->where == NULL) return TACIT_OK;
  tacit_status status =
      tacit_ledger_reserve(payment->where, &run, &payment->entry, err);
  if (status != TACIT_OK) payment->entry = 0;
  return status;
}

/* Commits a release that succeeded, or gives the budget back if no noise was drawn. A
   failure after noise stays paid. */
static tacit_status settle(const struct payment *payment, tacit_status status,
                           int noise_begun, tacit_error *err) {
  tacit_error other;
  int same;
  if (payment->entry == 0) return status;
  if (status == TACIT_OK)
    return tacit_ledger_commit(payment->where, payment->entry, NULL, &same, err);
  /* An entry that cannot be given back stays spent, which is on the safe side. */
  if (!noise_begun &&
      tacit_ledger_refund(payment->where, payment->entry, &other) != TACIT_OK)
    Rf_warning("the budget was not given back: %s", other.message);
  return status;
}

/* Takes from the reader what the config must say about rows. */
static void add_rows(struct work *work, tacit_config *config) {
  tacit_error err;
  config->rows = tacit_reader_rows(work->reader);
  config->shuffled = tacit_reader_shuffled(work->reader);
  config->weighted = tacit_reader_weighted(work->reader);
  if (!tacit_reader_has_units(work->reader)) return;
  if (tacit_reader_units(work->reader, config->unit_rows, &config->units, &err) !=
      TACIT_OK)
    fail(work, &err);
  config->rows = config->units;
}

/* Trains on a frame. Returns the model. */
SEXP R_train(SEXP settings, SEXP schema, SEXP frame, SEXP ledger, SEXP progress) {
  struct work *work = open_work();
  struct watch watch = {progress, -1};
  struct payment payment;
  tacit_config config;
  tacit_model *model = NULL;
  tacit_error err = {TACIT_OK, ""};
  read_payment(ledger, &payment);
  read_schema(work, schema);
  core_config(settings, work->schema, &config);
  open_reader(work, work->schema, frame, 1);
  add_rows(work, &config);
  config.progress = on_progress;
  config.progress_cookie = &watch;
  tacit_status status = tacit_train_new(&config, &work->train, &err);
  if (status == TACIT_OK)
    status = reserve(&payment, "train",
                     tacit_plan_statement_json(tacit_train_plan(work->train)),
                     tacit_train_id(work->train), &err);
  if (status == TACIT_OK) status = tacit_train_run(work->train, work->reader, &err);
  if (status == TACIT_OK) status = tacit_train_finish(work->train, &model, &err);
  if (work->train != NULL)
    status = settle(&payment, status, tacit_train_noise_begun(work->train), &err);
  if (status != TACIT_OK) {
    tacit_model_free(model);
    fail(work, &err);
  }
  close_work(work);
  SEXP result = core_model_wrap(model);
  UNPROTECT(1);
  return result;
}

/* The plan and the statement of a run over `rows` rows. Reads no row. */
SEXP R_plan(SEXP settings, SEXP schema) {
  static const char *const names[] = {"text", "json", "statement", "statement_json"};
  struct work *work = open_work();
  tacit_config config;
  tacit_error err;
  read_schema(work, schema);
  core_config(settings, work->schema, &config);
  config.shuffled = true;
  if (tacit_plan_new(&config, &work->plan, &err) != TACIT_OK) fail(work, &err);
  SEXP result = core_list(4, names);
  SET_VECTOR_ELT(result, 0, Rf_mkString(tacit_plan_text(work->plan)));
  SET_VECTOR_ELT(result, 1, Rf_mkString(tacit_plan_json(work->plan)));
  SET_VECTOR_ELT(result, 2, Rf_mkString(tacit_plan_statement_text(work->plan)));
  SET_VECTOR_ELT(result, 3, Rf_mkString(tacit_plan_statement_json(work->plan)));
  close_work(work);
  UNPROTECT(2);
  return result;
}

/* options: epsilon, delta, zero_out, seed or NA. */
static void evaluation_options(SEXP numbers, tacit_evaluation_options *options) {
  const double *given = REAL(numbers);
  tacit_evaluation_options_init(options);
  options->epsilon = given[0];
  options->delta = given[1];
  options->adjacency = given[2] != 0 ? TACIT_ZERO_OUT : TACIT_REPLACE;
  options->seeded = !ISNAN(given[3]);
  if (options->seeded) options->seed = (uint64_t)given[3];
}

/* Evaluates a model privately. Returns the JSON of the result. */
SEXP R_evaluate(SEXP pointer, SEXP frame, SEXP numbers, SEXP ledger) {
  const tacit_model *model = core_model_of(pointer);
  struct work *work = open_work();
  struct payment payment;
  tacit_evaluation_options options;
  tacit_error err = {TACIT_OK, ""};
  read_payment(ledger, &payment);
  evaluation_options(numbers, &options);
  open_reader(work, tacit_model_schema(model), frame, 0);
  tacit_status status =
      tacit_evaluation_new(model, work->reader, &options, &work->evaluation, &err);
  if (status == TACIT_OK)
    status = reserve(&payment, "eval",
                     tacit_evaluation_statement_json(work->evaluation), NULL, &err);
  if (status == TACIT_OK)
    status = tacit_evaluation_run(work->evaluation, work->reader, &err);
  if (work->evaluation != NULL)
    status =
        settle(&payment, status, tacit_evaluation_noise_begun(work->evaluation), &err);
  if (status != TACIT_OK) fail(work, &err);
  SEXP result = PROTECT(Rf_mkString(tacit_evaluation_json(work->evaluation)));
  close_work(work);
  UNPROTECT(2);
  return result;
}

/* Makes a table of effects of a frame. Returns a model with the table. */
SEXP R_infer(SEXP schema, SEXP frame, SEXP numbers, SEXP loss, SEXP ledger) {
  struct work *work = open_work();
  struct payment payment;
  const double *given = REAL(numbers);
  tacit_inference_options options;
  tacit_model *model = NULL;
  tacit_error err = {TACIT_OK, ""};
  read_payment(ledger, &payment);
  tacit_inference_options_init(&options);
  options.epsilon = given[0];
  options.delta = given[1];
  options.adjacency = given[2] != 0 ? TACIT_ZERO_OUT : TACIT_REPLACE;
  options.seeded = !ISNAN(given[3]);
  if (options.seeded) options.seed = (uint64_t)given[3];
  options.loss = core_text(loss);
  read_schema(work, schema);
  open_reader(work, work->schema, frame, 0);
  tacit_status status =
      tacit_inference_new(work->schema, work->reader, &options, &work->inference, &err);
  if (status == TACIT_OK)
    status = reserve(&payment, "infer", tacit_inference_statement_json(work->inference),
                     NULL, &err);
  if (status == TACIT_OK)
    status = tacit_inference_run(work->inference, work->reader, &err);
  if (work->inference != NULL)
    status =
        settle(&payment, status, tacit_inference_noise_begun(work->inference), &err);
  char *text = NULL;
  if (status == TACIT_OK)
    status = tacit_model_text(tacit_inference_model(work->inference), &text, &err);
  if (status == TACIT_OK) status = tacit_model_parse(text, strlen(text), &model, &err);
  tacit_string_free(text);
  if (status != TACIT_OK) fail(work, &err);
  close_work(work);
  SEXP result = core_model_wrap(model);
  UNPROTECT(1);
  return result;
}
