/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_LEDGER_H
#define TACIT_EXTRA_LEDGER_H

#include <stdint.h>
#include <tacit/config.h>
#include <tacit/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A ledger keeps the privacy budget of data sets for everyone who works on them. It is
 * an SQLite file, or tables of a PostgreSQL server if the library was built with libpq
 * ("postgresql://…", without a password: use PGPASSFILE or a service).
 *
 * A run reserves its mu before it reads the first row, and commits before its model is
 * put in place. The sum of the squared mu of reserved and committed runs never exceeds
 * the square of the data set's mu, however processes interleave or are killed. A run
 * that is killed stays reserved: an administrator may void it, which is recorded.
 *
 * Every call opens the ledger, does one transaction and closes it. So the calls may
 * come from any thread or process, also after a fork. Calls that fail change nothing.
 */

/** What a data set may spend, on whom, and how neighbours differ. */
typedef struct tacit_ledger_terms {
  const char *dataset; /**< its name: 1 to 100 printable characters */
  double epsilon, delta;
  tacit_adjacency adjacency;
  int persons;  /**< 1: the unit is a person; 0: a row */
  int in_place; /**< 1: also takes runs that protect rows in their places only */
} tacit_ledger_terms;

/**
 * Adds a data set; makes the ledger if there is none at `where`. TACIT_EINVAL if the
 * data set exists. A failure leaves no new file.
 */
TACIT_API TACIT_NODISCARD tacit_status
tacit_ledger_init(const char *where, const tacit_ledger_terms *terms, tacit_error *err);

/** A run that asks for budget. */
typedef struct tacit_ledger_run {
  const char *dataset;
  const char *kind; /**< what it is: "train" */
  /** Its privacy statement: the text of tacit_plan_statement_json. */
  const char *statement;
  /** Finds the run again when it is resumed: tacit_train_id. NULL: it cannot be. */
  const char *id;
  int resumes; /**< 1: it began before, and has an entry with its id */
} tacit_ledger_run;

/**
 * Reserves the budget of a run, or finds its entry if it is resumed. *out_id is for the
 * calls below; 0 if the entry of a resumed run is committed, so that nothing is left to
 * do: the run gives the model that was paid for.
 *
 * TACIT_EBUDGET if it does not fit; the message says what is left. TACIT_EPRIVACY if
 * the run is not private, or protects rows in their places where the budget is for
 * sets. TACIT_EINVAL if the data set is unknown, the run protects another unit, or a
 * resumed run has no entry of its own: the entry has the id of the run, is of the data
 * set and is not cheaper.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_ledger_reserve(const char *where,
                                                            const tacit_ledger_run *run,
                                                            int64_t *out_id,
                                                            tacit_error *err);

/**
 * What a run with this statement costs a budget of these terms, in its adjacency: the
 * mu that tacit_ledger_reserve counts. For budgets that are kept elsewhere; epsilon and
 * delta of the terms are not used. Fails as tacit_ledger_reserve does.
 */
TACIT_API TACIT_NODISCARD tacit_status
tacit_ledger_cost(const char *statement, const tacit_ledger_terms *terms,
                  double *out_mu, tacit_error *err);
/**
 * Like tacit_ledger_cost, for a release that has no statement: it is mu-GDP for sets of
 * rows or, if `persons` is 1, of persons, with this adjacency.
 */
TACIT_API TACIT_NODISCARD tacit_status
tacit_ledger_cost_mu(double mu, tacit_adjacency adjacency, int persons,
                     const tacit_ledger_terms *terms, double *out_mu, tacit_error *err);

enum { TACIT_LEDGER_FINGERPRINT_SIZE = 33 };

/**
 * A fingerprint of everything that a reader will read, under the key file, for
 * tacit_ledger_commit. Without the key it says nothing about the rows. The same files
 * give the same fingerprint, whatever they are called; a cache of them gives another.
 * Call it before tacit_reader_units. Writes TACIT_LEDGER_FINGERPRINT_SIZE bytes.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_reader_fingerprint(tacit_reader *reader,
                                                                const char *key_file,
                                                                char *out,
                                                                tacit_error *err);
/**
 * The run has ended well: its entry stays for good. `fingerprint` identifies the input
 * under a key that the ledger does not hold; NULL: none. *out_same is 1 if another
 * entry of another data set has the same fingerprint.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_ledger_commit(const char *where,
                                                           int64_t id,
                                                           const char *fingerprint,
                                                           int *out_same,
                                                           tacit_error *err);
/**
 * A stream begins a round. `run` is the id that its entry was reserved with. Rounds
 * come in order, each once; the last one may come again with the same digest, which is
 * keyed, so that it says nothing about the rows. Anything else is TACIT_EPRIVACY: the
 * entry is of another run, the state of the stream is an old copy, or other rows were
 * fed.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_ledger_advance(const char *where,
                                                            int64_t id, const char *run,
                                                            int64_t round,
                                                            const char *digest,
                                                            tacit_error *err);
/**
 * Gives the reservation back. Only for a run that ended before it drew noise
 * (tacit_train_noise_begun): a failure after that may depend on the noise, and trying
 * again would tell more than was paid for. TACIT_EPRIVACY for a stream that has begun a
 * round (tacit_ledger_advance).
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_ledger_refund(const char *where,
                                                           int64_t id,
                                                           tacit_error *err);
/** The same by an administrator, for a run that was killed. The reason is recorded. */
TACIT_API TACIT_NODISCARD tacit_status tacit_ledger_void(const char *where, int64_t id,
                                                         const char *reason,
                                                         tacit_error *err);

/**
 * The ledger as one JSON object: "head" (hash of the whole history), "events", and
 * "datasets" with "spent_mu", "left_mu", "left_epsilon" and "entries". Fingerprints are
 * left out. The hash chain is verified: TACIT_EDATA if it does not hold. Needs no write
 * permission, unless a process was killed while it wrote a file: what it wrote is
 * undone first, or TACIT_EIO says that this needs permission. Free with
 * tacit_ledger_text_free.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_ledger_read(const char *where, char **out,
                                                         tacit_error *err);
TACIT_API void tacit_ledger_text_free(char *text);

#ifdef __cplusplus
}
#endif
#endif
