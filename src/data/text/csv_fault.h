/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TEXT_CSV_FAULT_H
#define TACIT_DATA_TEXT_CSV_FAULT_H

#include "data/text/csv.h"

/* What is wrong with a cell that should be a number: a missing value, a decimal comma,
   a date, a truth value or a percentage is called that, and the rule says what to do.
 */
const char *tacit_csv_number_fault(const char *text, size_t size);

/* The error for a header whose names, in parse->fields, do not match the schema. It
   lists what is missing and what is unknown. Unknown names are quoted only if the line
   is a header for sure, because the first line of a file without one is a record. */
tacit_status tacit_csv_header_fault(const tacit_parse *parse, const tacit_line *line,
                                    const tacit_csv_layout *layout, tacit_error *err);

#endif
