/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_LEDGER_H
#define TACIT_EXTRA_LEDGER_H

#include <stdbool.h>
#include <stdint.h>
#include <tacit/config.h>
#include <tacit/payer.h>
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
  const char *dataset; /**< 1 to 100 printable characters */
  double epsilon, delta;
  tacit_adjacency adjacency;
  bool persons;  /**< true if the unit is a person, false if it is a row */
  bool in_place; /**< true to accept also runs that protect rows only in their places */
} tacit_ledger_terms;

/**
 * Adds a data set. Makes the ledger if none exists at `where`. Returns TACIT_EINVAL if
 * the data set exists. A failure leaves no new file.
 */
TACIT_API TACIT_NODISCARD tacit_status
tacit_ledger_init(const char *where, const tacit_ledger_terms *terms, tacit_error *err);

/** Describes a run that asks for budget. */
typedef struct tacit_ledger_run {
  const char *dataset;
  const char *kind; /**< what the run is, such as "train" */
  /** Privacy statement of the run: the text of tacit_plan_statement_json. */
  const char *statement;
  /** Id of tacit_train_id, which finds the run again when it is resumed, or NULL if the
      run cannot be resumed. */
  const char *id;
  bool resumes;     /**< true if the run began before and has an entry with its id */
  const char *note; /**< line that is recorded with the entry, or NULL */
} tacit_ledger_run;

enum { TACIT_LEDGER_TEXT_MAX = 500 }; /**< bytes of a note or reason */

/**
 * Reserves the budget of a run, or finds its entry if it is resumed. *out_id is the
 * entry for the calls below. *out_id is 0 if the entry of a resumed run is committed:
 * the run may then give the model again without paying for it.
 *
 * Returns TACIT_EBUDGET if the run does not fit; the message says what is left. Returns
 * TACIT_EPRIVACY if the run is not private, or protects rows in their places and the
 * budget is for sets. Returns TACIT_EINVAL if the data set is unknown, the run protects
 * another unit, or a resumed run has no entry. The entry of a resumed run must have the
 * id of the run, belong to the data set and cost at least as much.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_ledger_reserve(const char *where,
                                                            const tacit_ledger_run *run,
                                                            int64_t *out_id,
                                                            tacit_error *err);

/**
 * Computes what a run with this statement costs a budget of these terms, in the
 * adjacency of the terms: the mu that tacit_ledger_reserve counts. Meant for budgets
 * that are kept elsewhere; does not use epsilon and delta of the terms. Returns the
 * errors of tacit_ledger_reserve for runs that the terms do not allow.
 */
TACIT_API TACIT_NODISCARD tacit_status
tacit_ledger_cost(const char *statement, const tacit_ledger_terms *terms,
                  double *out_mu, tacit_error *err);
/**
 * Computes what tacit_ledger_cost computes, for a release without a statement. The
 * release must be mu-GDP in this adjacency, for sets of persons if `persons` is 1, else
 * for sets of rows.
 */
TACIT_API TACIT_NODISCARD tacit_status
tacit_ledger_cost_mu(double mu, tacit_adjacency adjacency, int persons,
                     const tacit_ledger_terms *terms, double *out_mu, tacit_error *err);

enum { TACIT_LEDGER_FINGERPRINT_SIZE = 33 };

/**
 * Writes a fingerprint of everything that a reader will read, keyed with the key file,
 * for tacit_ledger_commit. Without the key it says nothing about the rows. Files with
 * equal content have equal fingerprints, whatever their names; a cache of the files has
 * another one. Call before tacit_reader_units. `out` must have room for
 * TACIT_LEDGER_FINGERPRINT_SIZE bytes.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_reader_fingerprint(tacit_reader *reader,
                                                                const char *key_file,
                                                                char *out,
                                                                tacit_error *err);
/** What a run read and made. Each of these may be NULL. */
typedef struct tacit_ledger_made {
  const char *fingerprint; /**< identifies the input under a key that the ledger does
                              not hold */
  const char *digest;      /**< digest of the model or result (tacit_ledger_digest) */
  const char *file;        /**< where the model or result is put */
} tacit_ledger_made;

/**
 * Records that the run has ended well: its entry stays for good. `made` may be NULL.
 * Sets *out_same to 1 if an entry of another data set or period has its fingerprint.
 */
TACIT_API TACIT_NODISCARD tacit_status
tacit_ledger_commit(const char *where, int64_t id, const tacit_ledger_made *made,
                    int *out_same, tacit_error *err);

/**
 * Records one more result that a reserved or committed run has paid for, such as the
 * model of a day of a stream. `made` must have no fingerprint.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_ledger_add_made(
    const char *where, int64_t id, const tacit_ledger_made *made, tacit_error *err);

/**
 * Pays for a run or a release from a ledger: fill in the first fields, and give the
 * payer of tacit_ledger_pay to a config or to options. Both must live until the run is
 * freed. Use one for one run at a time.
 */
typedef struct tacit_ledger_payer {
  const char *where;       /**< the ledger */
  const char *dataset;     /**< the data set that pays */
  const char *note;        /**< line that is recorded with the entry, or NULL */
  const char *file;        /**< where the model or result will be put, or NULL */
  const char *fingerprint; /**< what tacit_reader_fingerprint wrote, or NULL */
  int64_t id;              /**< set to the entry, or to 0 if nothing was reserved */
  bool is_same;            /**< set to true if an entry of another data set or period
                                has this fingerprint */
  tacit_error kept; /**< says why the budget of a run without noise was not given back;
                         its status is TACIT_OK otherwise */
} tacit_ledger_payer;

/** Returns a payer that reserves, commits and refunds as the functions here do. */
TACIT_API tacit_payer tacit_ledger_pay(tacit_ledger_payer *ledger);

enum { TACIT_LEDGER_DIGEST_SIZE = 65 };

/**
 * Writes the digest by which a ledger knows a result: tacit_model_digest for a model,
 * and for other results BLAKE2b-256 of the JSON text on one line with sorted keys and
 * numbers of 17 digits, as 64 hexadecimal digits. `text` is the content of the file,
 * `name` is for messages.
 */
TACIT_API TACIT_NODISCARD tacit_status
tacit_ledger_digest(const char *text, const char *name,
                    char out[TACIT_LEDGER_DIGEST_SIZE], tacit_error *err);
/**
 * Gives the reservation back. Call it only for a run that ended before it drew noise
 * (tacit_train_noise_begun): a later failure may depend on the noise, and another try
 * would tell more than was paid for. Returns TACIT_EPRIVACY for a stream that has begun
 * a round.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_ledger_refund(const char *where,
                                                           int64_t id,
                                                           tacit_error *err);
/** Gives the reservation of a killed run back, on the word of an administrator. Records
    the reason. */
TACIT_API TACIT_NODISCARD tacit_status tacit_ledger_void(const char *where, int64_t id,
                                                         const char *reason,
                                                         tacit_error *err);

/** Computes tacit_ledger_digest of a file of at most 64 MiB. */
TACIT_API TACIT_NODISCARD tacit_status tacit_ledger_digest_file(
    const char *path, char out[TACIT_LEDGER_DIGEST_SIZE], tacit_error *err);

/** How the budget of a data set changes. */
typedef enum tacit_ledger_change_kind {
  TACIT_LEDGER_RAISE, /**< to a larger epsilon; what was spent stays spent */
  TACIT_LEDGER_CLOSE, /**< nothing more is reserved; reserved runs may end */
  TACIT_LEDGER_RENEW  /**< for new people, on whom nothing was spent yet */
} tacit_ledger_change_kind;

/** A change of the budget of a data set. All texts are recorded. */
typedef struct tacit_ledger_change {
  const char *dataset;
  tacit_ledger_change_kind kind;
  double epsilon;     /**< what all runs of a period may then spend, for a raise */
  const char *reason; /**< never NULL */
  const char *from;   /**< date from which the people are new, such as "2026-01-31", for
                         a renewal, else NULL */
} tacit_ledger_change;

/**
 * Changes the budget of a data set, on the word of an administrator. Returns
 * TACIT_EINVAL if the reason is missing, the data set is unknown, a raise is not to a
 * larger epsilon, a closed budget is raised or closed, or the date of a renewal is not
 * later than the last one. A renewal cannot check that the people are new: for people
 * of earlier periods, the costs of all periods add up ("exposed_epsilon" of
 * tacit_ledger_read).
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_ledger_alter(
    const char *where, const tacit_ledger_change *change, tacit_error *err);

/**
 * Writes the ledger as one JSON object: "head" (hash of the whole history), "events",
 * and "datasets" with "spent_mu", "left_mu", "left_epsilon", "changes" of the budget,
 * and "entries". Times are UTC. User, host and program of an event belong to the
 * process that wrote it; "role" is by the word of a PostgreSQL server. Leaves
 * fingerprints out. Verifies the hash chain and returns TACIT_EDATA if it does not
 * hold. Needs no permission to write, unless a process was killed while it wrote a
 * file: its half-written change is undone first, and TACIT_EIO says if this needs
 * permission. Free *out with tacit_ledger_text_free.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_ledger_read(const char *where, char **out,
                                                         tacit_error *err);
/**
 * Writes the entries that paid for a result as a JSON array, as in tacit_ledger_read
 * with "dataset", and with "made" the result only. `digest` is a digest of
 * tacit_ledger_digest or its first 8 digits or more. Free *out with
 * tacit_ledger_text_free.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_ledger_find(const char *where,
                                                         const char *digest, char **out,
                                                         tacit_error *err);
/** What a text about a ledger shows. */
typedef enum tacit_ledger_view_kind {
  TACIT_LEDGER_SHOW, /**< what is spent and left, changes, what was paid for */
  TACIT_LEDGER_LOG,  /**< every entry */
  TACIT_LEDGER_LEFT, /**< what the next run may cost */
  TACIT_LEDGER_HEAD, /**< the hash of the history */
  TACIT_LEDGER_FOUND /**< the entries of tacit_ledger_find */
} tacit_ledger_view_kind;

typedef struct tacit_ledger_view {
  tacit_ledger_view_kind kind;
  const char *dataset; /**< the data set, or NULL for all */
  const char *digest;  /**< digest to find (TACIT_LEDGER_FOUND), or NULL */
  int width;           /**< columns of the terminal; less than 72 is as 72 */
} tacit_ledger_view;

/** Writes lines for people, in columns. Free *out with tacit_string_free. */
TACIT_API TACIT_NODISCARD tacit_status tacit_ledger_text(const char *where,
                                                         const tacit_ledger_view *view,
                                                         char **out, tacit_error *err);
TACIT_API void tacit_ledger_text_free(char *text);

#ifdef __cplusplus
}
#endif
#endif
