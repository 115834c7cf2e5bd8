/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TEXT_CSV_FAULT_H
#define TACIT_DATA_TEXT_CSV_FAULT_H

#include "data/text/csv.h"

/* Returns what is wrong with a cell that should be a number, and what to do: it may be
   a missing value, a decimal comma, a date, a truth value or a percentage. */
const char *tacit_csv_number_fault(const char *text, size_t size);

/* Returns the error for a header whose names, in parse->fields, do not match the
   schema. The message lists what is missing and what is unknown. Unknown names are
   quoted only if the line is a header for sure, because the first line of a file
   without a header is a record. */
tacit_status tacit_csv_header_fault(const tacit_parse *parse, const tacit_line *line,
                                    const tacit_csv_layout *layout, tacit_error *err);

#endif
