/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_READER_UNITS_H
#define TACIT_DATA_READER_UNITS_H

#include "data/reader/reader.h"

/* data/reader/units.c: notes whether the rows of a new reader have ids, and loads those
   that are in a file of their own. Ranks fail together. */
tacit_status tacit_units_open(tacit_reader *reader, const tacit_reader_options *options,
                              tacit_error *err);
/* The ids of the caller's array. */
tacit_status tacit_units_of_arrays(tacit_reader *reader, const tacit_arrays *arrays,
                                   tacit_error *err);
/* Sets the digest of ids that are not in the rows; while they are known, before persons
   are counted. */
void tacit_reader_digest_units(tacit_reader *reader);
/* data/reader/stored.c: where a reader takes rows by number; NULL if it does not. */
const tacit_store *tacit_stored_store(tacit_reader *reader);

#endif
