/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_READER_UNITS_H
#define TACIT_DATA_READER_UNITS_H

#include "data/reader/reader.h"

/* Finds out whether the rows of a new reader have ids, and loads ids that are in a file
   of their own (data/reader/units.c). Ranks fail together. */
tacit_status tacit_units_open(tacit_reader *reader, const tacit_reader_options *options,
                              tacit_error *err);
/* Loads the ids of the caller's array. */
tacit_status tacit_units_of_arrays(tacit_reader *reader, const tacit_arrays *arrays,
                                   tacit_error *err);
/* Sets the digest of ids that are not in the rows. Must be called before persons are
   counted, while the ids are known. */
void tacit_reader_digest_units(tacit_reader *reader);
/* Returns the store of a reader that takes rows by number, or NULL for a stream
   (data/reader/stored.c). */
const tacit_store *tacit_stored_store(tacit_reader *reader);

#endif
