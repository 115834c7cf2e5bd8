/* SPDX-License-Identifier: MIT */
#ifndef TACIT_TABLE_H
#define TACIT_TABLE_H

#include <tacit/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How the cells of a column are stored, in native byte order, at any alignment. */
typedef enum tacit_cells {
  TACIT_CELLS_UNKNOWN = 0, /**< not read: the schema must not use the column */
  TACIT_CELLS_EMPTY = 1,   /**< all cells are missing */
  TACIT_CELLS_FLOAT64 = 2, /**< a NaN is missing, also of FLOAT32 */
  TACIT_CELLS_FLOAT32 = 3, /**< the number of fewest digits that is this float */
  TACIT_CELLS_INT64 = 4,
  TACIT_CELLS_INT32 = 5,
  TACIT_CELLS_INT16 = 6,
  TACIT_CELLS_INT8 = 7,
  TACIT_CELLS_UINT64 = 8,
  TACIT_CELLS_UINT32 = 9,
  TACIT_CELLS_UINT16 = 10,
  TACIT_CELLS_UINT8 = 11,
  TACIT_CELLS_BOOL8 = 12,   /**< a byte per cell; not 0 means true */
  TACIT_CELLS_BOOL32 = 13,  /**< an int32_t per cell; not 0 means true */
  TACIT_CELLS_BIT = 14,     /**< a bit per cell, the lowest of a byte first */
  TACIT_CELLS_DECIMAL = 15, /**< integers of 16 bytes, times 10^-scale */
  TACIT_CELLS_TEXT32 = 16, /**< int32_t offsets; cell i is bytes i … i+1 of raw_bytes */
  TACIT_CELLS_TEXT64 = 17, /**< like TEXT32, with int64_t offsets */
  TACIT_CELLS_VIEWS = 18,  /**< views of Arrow; raw_bytes is the array of buffers */
  TACIT_CELLS_TEXTS = 19   /**< a tacit_text_cell per cell; a NULL text is missing */
} tacit_cells;

/** A cell of a column of TACIT_CELLS_TEXTS, in UTF-8. */
typedef struct tacit_text_cell {
  const char *raw_text; /**< not ended by a NUL; NULL if the cell is missing */
  size_t size;          /**< bytes of the text */
} tacit_text_cell;

/**
 * A column of a table. The caller owns the memory. Every field but name, type, n_cells
 * and raw_cells may be 0 or NULL.
 *
 * If `levels` is not NULL, cells are integers that name a cell of `levels`: code `base`
 * is its first cell. A code that names no cell is missing. R's factors have base 1.
 *
 * If per_day is not 0, cells are integers or floats that count time since 1970-01-01,
 * so many units per day: 1 for days, 86400 for seconds. `zone` is added first: it is
 * the distance from UTC to the clock whose date counts, in these units.
 */
typedef struct tacit_table_column {
  const char *name;
  tacit_cells type;
  int64_t n_cells;
  int64_t first;         /**< which cell of the memory is the first cell */
  int64_t stride;        /**< bytes from one cell to the next; 0: cells are adjacent.
                              Bits and offsets of texts are always adjacent */
  const void *raw_cells; /**< numbers, bits, offsets, views or texts */
  const void *raw_bytes; /**< the bytes of TEXT32 and TEXT64, the buffers of VIEWS */
  const void *raw_valid; /**< a bit per cell, as TACIT_CELLS_BIT: a cell whose bit is 0
                              is missing. NULL: no such bits */
  bool has_missing;      /**< true: an integer that equals `missing` is missing */
  int64_t missing;       /**< the mark of a missing integer, as INT32_MIN in R */
  int64_t per_day;       /**< units of time per day; 0: cells are no times */
  int64_t zone;          /**< units of time that are added to every cell */
  int scale;             /**< digits of a DECIMAL after the point, 0 to 38 */
  int64_t base;          /**< code of the first level */
  const struct tacit_table_column *levels; /**< the levels, or NULL */
} tacit_table_column;

/** How other programs write a number or a truth value as text, which counts where a
    schema wants texts: categories, ordered values, hashed texts, classes, ids. */
typedef enum tacit_spelling {
  TACIT_SPELLING_PYTHON = 0, /**< 5.0, 1e-05, True */
  TACIT_SPELLING_R = 1       /**< 5, 1e-05, TRUE */
} tacit_spelling;

/** Some rows as columns. Columns that the schema does not declare are left out, if the
    options of the reader allow them (`extra`). */
typedef struct tacit_table {
  size_t struct_size;
  int64_t n_rows;
  size_t n_columns;
  const tacit_table_column *columns; /**< each has n_rows cells */
  tacit_spelling spelling;
} tacit_table;

/** Makes an empty table and fills in the size. */
TACIT_API void tacit_table_init(tacit_table *table);

/**
 * Opens a reader of n_tables tables, whose rows follow each other. They must have the
 * same columns in the same order; types and levels may differ. Tables and their memory
 * must outlive the reader. The schema must be one of CSV files.
 *
 * A cell becomes what it becomes in a CSV file of the table, whose dates are written in
 * the format of the schema: with a seed, the models have the same bits. Rows are not
 * copied as text, and threads read them together. Of the options, the paths, `group`,
 * `keep` and what is said of text do not apply. A fault is TACIT_EDATA with the number
 * of its row, from 1 over all tables, and its column.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_reader_open_table(
    const tacit_table *tables, size_t n_tables, const tacit_reader_options *options,
    tacit_reader **out, tacit_error *err);

/** The stream of the Arrow C stream interface, as its specification lays it out. */
struct ArrowArrayStream;

/** The tables of an Arrow stream, which own its memory. */
typedef struct tacit_arrow tacit_arrow;

/**
 * Reads all batches of a stream, and releases it even on failure. Columns of types that
 * are not read become TACIT_CELLS_UNKNOWN; columns that pandas adds for its index are
 * left out. Times must have no zone, UTC, or a fixed distance to it. Returns TACIT_EIO
 * if the stream fails; its own message may quote rows and is not passed on.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_arrow_read(struct ArrowArrayStream *stream,
                                                        tacit_arrow **out,
                                                        tacit_error *err);
/** Returns the tables, which live as long as `arrow`, and writes their number. There is
    at least one, which may have no rows. */
TACIT_API const tacit_table *tacit_arrow_tables(const tacit_arrow *arrow,
                                                size_t *out_count);
TACIT_API void tacit_arrow_free(tacit_arrow *arrow);

#ifdef __cplusplus
}
#endif
#endif
