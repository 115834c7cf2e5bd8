/* SPDX-License-Identifier: MIT */
#ifndef TACIT_PRIVACY_STATEMENT_FIELDS_H
#define TACIT_PRIVACY_STATEMENT_FIELDS_H

#include "privacy/statement.h"

/* How deep statements may nest. The statement of a model contains the statement of its
   initial model, which contains the statement of its own initial model, and so on. */
enum { TACIT_STATEMENT_LEVELS = 64 };

/* Relative slack for the two roundings when epsilon is converted to mu and back. */
#define TACIT_STATEMENT_ROUND_TRIP 1e-9

enum { TACIT_STATEMENT_CAUTIONS = 3 };

/* Writes warnings for readers of a private statement with these totals epsilon and
   delta and this number of rows (of persons if `persons` is 1), one line per warning.
   Returns the number of warnings. */
size_t tacit_statement_cautions(double epsilon, double delta, int64_t rows, int persons,
                                const char *out[TACIT_STATEMENT_CAUTIONS]);

/*
 * Reads a statement and, if out_init is not NULL, the statement of its initial model,
 * to which out->init then points. Texts belong to the object. Checks all statements
 * nested in it. Returns TACIT_EDATA if a field is missing, of the
 * wrong type or out of range, or if a private statement has an initial model that is
 * neither private nor public. Writes the depth of nesting to *out_levels (out_levels
 * may be NULL).
 */
tacit_status tacit_statement_read(const json_t *object, tacit_statement *out,
                                  tacit_statement *out_init, int *out_levels,
                                  tacit_error *err);

/* Reads and checks the object in which a schema describes the counts it was made from.
   Returns TACIT_EDATA if a field is missing, of the wrong type or out of range. */
tacit_status tacit_described_read(const json_t *object, tacit_described *out,
                                  tacit_error *err);
/* Makes the object in which a schema describes its counts (new reference). `statement`
   is the statement of the counts, or NULL if they have no noise; `digest` is the digest
   of their file. */
tacit_status tacit_described_json(const json_t *statement, const char *digest,
                                  json_t **out, tacit_error *err);

/* Returns TACIT_OK only if the statement is complete and its numbers support what it
   claims. Proof: docs/proofs/tacit_statement_json.md */
tacit_status tacit_statement_check(const tacit_statement_parts *statement,
                                   tacit_error *err);

#endif
