/* SPDX-License-Identifier: MIT */
#ifndef TACIT_CONFIG_FIELDS_H
#define TACIT_CONFIG_FIELDS_H

#include <stddef.h>
#include <tacit/config.h>

/* clang-format off */
/**
 * The settings of a run, one row per field of tacit_config that has a number, a flag, a
 * word or a text. Whatever must know all settings reads this table: the check of their
 * ranges, the options of the command line with their help, bindings, the state of a
 * stream. Define a macro F and pass it to a list:
 *
 *   F(field, kind, least, most, words, option, value, fallback, help, flags)
 *
 * field     the name in tacit_config
 * kind      REAL double, WHOLE int, COUNT unsigned, LONG int64_t, FLAG bool, WORD an
 *           enum, TEXT a string
 * least     smallest number; 0 is allowed besides if the flag DEFAULT is set
 * most      largest number; if it is not above `least`, there is no range
 * words     the words of a WORD, value 1 first, with one space between; 0 is the default
 * option    the name on the command line and in messages; the option of a FLAG turns it round
 * value     what help calls the value of the option; NULL if there is no option
 * fallback  the value that is used by default, for help
 * help      one sentence about the option
 * flags     TACIT_FIELD_… below
 *
 * TACIT_FIELD makes rows of an array of tacit_setting.
 */
enum {
  TACIT_FIELD_DEFAULT = 1,   /* 0 means the default */
  TACIT_FIELD_STREAM = 2,    /* a stream keeps it for all its days */
  TACIT_FIELD_LINE = 4,      /* one line of 1 to 200 plain letters, which a statement quotes */
  TACIT_FIELD_COMMON = 8,    /* the short help of a command with many options lists it */
  TACIT_FIELD_LOSS = 16,     /* the name of a loss, a learner, a mechanism or a law, with */
  TACIT_FIELD_LEARNER = 32,  /* parameters (tacit_catalog_get) */
  TACIT_FIELD_MECHANISM = 48,
  TACIT_FIELD_LAW = 64,
  TACIT_FIELD_FAMILY = 112   /* the bits of these four */
};

/** The kind of value that a field has, named as in the table. */
typedef enum tacit_field_kind {
  TACIT_KIND_REAL,
  TACIT_KIND_WHOLE,
  TACIT_KIND_COUNT,
  TACIT_KIND_LONG,
  TACIT_KIND_FLAG,
  TACIT_KIND_WORD,
  TACIT_KIND_TEXT
} tacit_field_kind;

/** A row of the table. */
typedef struct tacit_setting {
  const char *name;
  size_t offset; /**< place of the value in tacit_config */
  tacit_field_kind kind;
  double least, most;
  const char *least_text, *most_text; /**< these numbers as they are written below */
  const char *words, *option;
  unsigned flags;
} tacit_setting;

#define TACIT_FIELD(field, kind, least, most, words, option, value, fallback, help, flags) \
  {#field, offsetof(tacit_config, field), TACIT_KIND_##kind, least, most, #least, #most, \
   words, option, flags},

#define TACIT_DATA_FIELDS(F) \
  F(rows, LONG, 1, 4398046511104, NULL, "rows", "N", "counted in a regular file", \
    "number of rows, a public fact; required for a pipe, for --dry-run and for plan", \
    TACIT_FIELD_COMMON) \
  F(shuffled, FLAG, 0, 1, NULL, "no-shuffle", NULL, NULL, \
    "read rows in file order: the guarantee is then for a row in its place, and the " \
    "order must not depend on what rows say", 0)

#define TACIT_PERSON_FIELDS(F) \
  F(units, LONG, 1, 4294967295, NULL, "units", "N", "counted", \
    "number of persons, a public fact, when the unit is a person with any number of rows " \
    "(\"unit\" in the schema, or --unit); in place of --rows for pipes, --dry-run and " \
    "plan; another number of ids in the data is an error", TACIT_FIELD_DEFAULT) \
  F(unit_rows, LONG, 1, 4294967295, NULL, "unit-rows", "M", "all rows of each person", \
    "each row of a person counts 1/M, and of a person with more than M rows M are used", \
    TACIT_FIELD_DEFAULT | TACIT_FIELD_STREAM)

#define TACIT_PRIVACY_FIELDS(F) \
  F(epsilon, REAL, 1e-6, 1e3, NULL, "epsilon", "E", NULL, \
    "privacy budget; this or --rho is required unless --mechanism none", \
    TACIT_FIELD_DEFAULT | TACIT_FIELD_STREAM | TACIT_FIELD_COMMON) \
  F(delta, REAL, 0, 0.5, NULL, "delta", "D", "1/rows^2, at most 1e-6", \
    "delta of the guarantee P(S) <= e^epsilon P'(S) + delta; 0 means pure differential " \
    "privacy (--law laplace)", TACIT_FIELD_STREAM | TACIT_FIELD_COMMON) \
  F(rho, REAL, 1e-9, 1e3, NULL, "rho", "R", NULL, \
    "privacy budget as the paper's rho (the mu of Gaussian differential privacy) instead " \
    "of --epsilon", TACIT_FIELD_DEFAULT | TACIT_FIELD_STREAM) \
  F(adjacency, WORD, 0, 0, "replace zero-out", "adjacency", "NAME", "replace", \
    "which data sets are neighbours: one record replaced by any other, or by one that " \
    "contributes nothing", TACIT_FIELD_STREAM | TACIT_FIELD_COMMON)

#define TACIT_PROBLEM_FIELDS(F) \
  F(row_norm, REAL, 1e-6, 1e6, NULL, "row-norm", "X", "1", \
    "rows, bias included, are scaled down to this norm: Euclidean, or the dual of --norm; " \
    "L1 with --law laplace", TACIT_FIELD_STREAM) \
  F(scaling, WORD, 0, 0, "own same spread", "scale", "NAME", \
    "own; with --centre on same for numbers, spread for classes", \
    "rows longer than --row-norm are scaled down to it, each by its own norm, or all rows " \
    "are divided by the same number: --row-norm or, for a CSV schema without --row-norm, " \
    "the largest norm that a row can have; spread: own, then centred rows are cut by " \
    "their spread, which round 0 releases", TACIT_FIELD_STREAM) \
  F(bias, FLAG, 0, 1, NULL, "no-bias", NULL, NULL, "do not append a column of ones", \
    TACIT_FIELD_STREAM) \
  F(loss, TEXT, 0, 0, NULL, "loss", "NAME", \
    "by the label: logistic or softmax for classes, squared for a number", \
    "loss (NAME or NAME:key=value,...)", \
    TACIT_FIELD_STREAM | TACIT_FIELD_COMMON | TACIT_FIELD_LOSS) \
  F(l2, REAL, 0, 1e6, NULL, "l2", "L", "0", \
    "adds (L/2)|w|^2 without the bias; costs no privacy", TACIT_FIELD_STREAM)

#define TACIT_ALGORITHM_FIELDS(F) \
  F(preset, WORD, 0, 0, "practical anytime paper", "preset", "NAME", "practical", \
    "set of defaults: the best we know (centred rows, several passes), those of version " \
    "0.1.0 (coin betting on differences), or the paper to the letter", 0) \
  F(learner, TEXT, 0, 0, NULL, "learner", "NAME", \
    "bettor, heavy-ball if the loss is stiff or with moments, adagrad for few rows; " \
    "anytime: kt or adagrad; paper: osd", \
    "online learner (NAME or NAME:key=value,...)", TACIT_FIELD_STREAM | TACIT_FIELD_LEARNER) \
  F(mechanism, TEXT, 0, 0, NULL, "mechanism", "NAME", "auto", \
    "how the noise of the rounds is correlated; none means no noise and no privacy; " \
    "matrix:file=FILE reads your own matrix: a line \"rounds R bits B\", then line t has t " \
    "whole numbers in units of 2^-B", TACIT_FIELD_STREAM | TACIT_FIELD_MECHANISM) \
  F(bound, WORD, 0, 0, "clip tight paper", "bound", "NAME", \
    "clip; tight for quantile; paper: paper", \
    "where the bound on one row's contribution comes from; always enforced", \
    TACIT_FIELD_STREAM) \
  F(centre, WORD, 0, 0, "on off head", "centre", "on|off|head", "on; anytime, paper: off", \
    "on: read all rows once more at the start, release their mean with a share of the " \
    "budget, and train on rows less that mean; head (with --no-shuffle), and on for a " \
    "pipe: the first sixteenth of the rows is for the mean only", 0) \
  F(moments, WORD, 0, 0, "auto on off", "moments", "auto|on|off", "auto", \
    "on: read all rows once more, release second moments of rows less their mean with a " \
    "share of the budget, and make steps with them; for squared loss in 8 passes; auto: " \
    "where public numbers say that they pay; classes: only with on, and rows pass through " \
    "a map made of them, for embeddings with many classes", 0) \
  F(passes, WHOLE, 1, 1000000, NULL, "passes", "N", \
    "8, fewer for large data, 1 for a pipe; anytime, paper: 1", \
    "passes over the data; the noise grows to match", \
    TACIT_FIELD_DEFAULT | TACIT_FIELD_COMMON) \
  F(batch, LONG, 1, 1000000000000000, NULL, "batch", "B", \
    "64 rounds in 8 passes, 24 in one; anytime: 32 in all; paper: 1", \
    "rows in a round; persons if these are the unit", TACIT_FIELD_DEFAULT) \
  F(power, REAL, 1, 16, NULL, "power", "K", \
    "1.5, one pass 1.25; anytime: 2, or 3 where noise dominates; paper: 1", \
    "round t has weight t^K", TACIT_FIELD_DEFAULT | TACIT_FIELD_STREAM) \
  F(clip, REAL, 1e-9, 1e9, NULL, "clip", "C", \
    "from round 0; not centred: 0.7 x row norm x slope bound", \
    "bound on one row's gradient, for --bound clip", TACIT_FIELD_DEFAULT | TACIT_FIELD_STREAM) \
  F(radius, REAL, 1e-9, 1e9, NULL, "radius", "D", "1000; anytime: 100; paper: 10", \
    "size of the set of allowed weights", TACIT_FIELD_DEFAULT | TACIT_FIELD_STREAM) \
  F(domain, WORD, 0, 0, "ball box simplex", "domain", "NAME", "ball", \
    "shape of that set; the simplex has no radius", TACIT_FIELD_STREAM) \
  F(norm, REAL, 1, 1e6, NULL, "norm", "P", "2", \
    "the norm of the weights, 1 to 2; rows and contributions are bounded in its dual. 1 " \
    "means 1 + 1/ln(number of weights)", TACIT_FIELD_DEFAULT | TACIT_FIELD_STREAM) \
  F(reg_scale, REAL, 0, 1, NULL, "reg-scale", "S", "0", \
    "size of the regulariser xi|w| + nu|w|^2 of the parameter-free theorem: 1 is the " \
    "theorem's, 0 is off", TACIT_FIELD_STREAM) \
  F(init_public, FLAG, 0, 1, NULL, "init-public", NULL, NULL, \
    "the --init model was made without data of these people: its budget is not added", 0)

#define TACIT_NOISE_FIELDS(F) \
  F(law, TEXT, 0, 0, NULL, "law", "NAME", "gaussian; laplace with --delta 0", \
    "law of the noise", TACIT_FIELD_STREAM | TACIT_FIELD_LAW)

/* Settings that the command line computes, or that no command has. */
#define TACIT_OTHER_FIELDS(F) \
  F(pure, FLAG, 0, 1, NULL, "pure", NULL, NULL, NULL, TACIT_FIELD_STREAM) \
  F(seeded, FLAG, 0, 1, NULL, "seeded", NULL, NULL, NULL, TACIT_FIELD_STREAM) \
  F(seed, LONG, 0, 0, NULL, "seed", NULL, NULL, NULL, TACIT_FIELD_STREAM) \
  F(threads, COUNT, 0, 1000000, NULL, "threads", NULL, NULL, NULL, 0) \
  F(init_name, TEXT, 0, 0, NULL, "init-name", NULL, NULL, NULL, 0) \
  F(checkpoint, TEXT, 0, 0, NULL, "checkpoint", NULL, NULL, NULL, 0) \
  F(key_file, TEXT, 0, 0, NULL, "key-file", NULL, NULL, NULL, 0) \
  F(resume, FLAG, 0, 1, NULL, "resume", NULL, NULL, NULL, 0) \
  F(leaks, TEXT, 0, 0, NULL, "leaks", NULL, NULL, NULL, TACIT_FIELD_LINE | TACIT_FIELD_STREAM) \
  F(weighted, FLAG, 0, 1, NULL, "weighted", NULL, NULL, NULL, TACIT_FIELD_STREAM) \
  F(unit_name, TEXT, 0, 0, NULL, "unit-name", NULL, NULL, NULL, \
    TACIT_FIELD_LINE | TACIT_FIELD_STREAM) \
  F(rereadable, FLAG, 0, 1, NULL, "rereadable", NULL, NULL, NULL, 0)

/* All fields that have an option of the command line, and all fields. */
#define TACIT_OPTION_FIELDS(F) \
  TACIT_DATA_FIELDS(F) TACIT_PERSON_FIELDS(F) TACIT_PRIVACY_FIELDS(F) \
  TACIT_PROBLEM_FIELDS(F) TACIT_ALGORITHM_FIELDS(F) TACIT_NOISE_FIELDS(F)
#define TACIT_CONFIG_FIELDS(F) TACIT_OPTION_FIELDS(F) TACIT_OTHER_FIELDS(F)
/* clang-format on */

#endif
