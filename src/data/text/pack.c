/* SPDX-License-Identifier: MIT */
/*
 * Copies the lines of rows into one text. Rows of a batch are far apart in their file:
 * they are loaded into the processor's cache a few rows ahead, and the parser then
 * reads them as if they were neighbours. The copy also makes a mapped file safe to
 * parse: others may change the file, but not the copy.
 */
#include "data/text/pack.h"

#include <string.h>

#include "admit/store.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/text/format.h"

enum {
  PACK_BYTES = 1 << 16, /* bytes of text that is parsed at once, about */
  READ_MAX = 1 << 20,   /* bytes to read at once */
  GAP_MAX = 1 << 14,    /* bytes between two rows that are still read at once */
  CACHE_LINE = 64,
  AHEAD = 8,             /* rows to prefetch ahead */
  PREFETCH_MAX = 1 << 10 /* bytes to prefetch; the processor continues by itself */
};

void tacit_pack_fini(tacit_pack *pack) { TACIT_RAW_FREE(pack->text, pack->window); }

tacit_status tacit_pack_changed(const tacit_text_file *file, tacit_error *err) {
  return tacit_fail(err, TACIT_EDATA,
                    "%s: changed while being read; run again when it is complete",
                    tacit_source_name(file->source));
}

tacit_status tacit_pack_look(tacit_pack *pack, const tacit_text_file *file,
                             int64_t begin, int64_t end, const char **out,
                             tacit_error *err) {
  *out = tacit_random_access_pointer(file->access, begin);
  if (*out != NULL) return TACIT_OK;
  if (file != pack->window_file || begin < pack->window_begin ||
      end > pack->window_end) {
    size_t size = (size_t)(end - begin);
    pack->window_file = NULL;
    if (!tacit_raw_reserve(&pack->window, &pack->window_capacity, size, 1))
      return tacit_fail_memory(err);
    TACIT_TRY(tacit_random_access_read(file->access, begin, pack->window, size, err));
    pack->window_file = file;
    pack->window_begin = begin;
    pack->window_end = end;
  }
  *out = pack->window + (begin - pack->window_begin);
  return TACIT_OK;
}

/* Rows that follow each other in a piece, and the offsets of the index around them. */
struct run {
  const tacit_piece *piece;
  int64_t first, count; /* counted from the first row of the piece */
  int64_t begin, end;
};

static struct run run_of(const tacit_piece *piece, const int64_t *rows, int64_t count) {
  int64_t first = rows[0] - piece->first_row;
  int64_t run = tacit_store_run(rows, count);
  if (run > piece->rows - first) run = piece->rows - first;
  int64_t begin = tacit_piece_offset(piece, first >> piece->shift);
  /* Halves the run until it has at most PACK_BYTES, or one row. */
  while (run > 1 &&
         tacit_piece_offset(piece, (first + run - 1) >> piece->shift) - begin >
             PACK_BYTES)
    run = (run + 1) / 2;
  return (struct run){
      piece, first, run, begin,
      tacit_piece_offset(piece, ((first + run - 1) >> piece->shift) + 1)};
}

/* Reads the file up to the end of the rows of the list that are close to this run. */
static tacit_status read_ahead(tacit_pack *pack, const tacit_text_file *file,
                               const struct run *run, const int64_t *rows,
                               int64_t count, tacit_error *err) {
  const tacit_piece *piece = run->piece;
  int64_t end = run->end, last = piece->first_row + piece->rows;
  const char *unused;
  if (tacit_random_access_pointer(file->access, 0) != NULL) return TACIT_OK;
  if (file == pack->window_file && run->begin >= pack->window_begin &&
      run->end <= pack->window_end)
    return TACIT_OK;
  for (int64_t i = run->count; i < count && rows[i] > rows[i - 1] && rows[i] < last;
       ++i) {
    int64_t noted = (rows[i] - piece->first_row) >> piece->shift;
    int64_t next = tacit_piece_offset(piece, noted + 1);
    if (tacit_piece_offset(piece, noted) - end > GAP_MAX ||
        next - run->begin > READ_MAX)
      break;
    end = next;
  }
  return tacit_pack_look(pack, file, run->begin, end, &unused, err);
}

/* Moves over records. Returns NULL if there are fewer. */
static const char *pass_over(const tacit_row_index *index, const char *at,
                             const char *end, int64_t records) {
  while (records > 0) {
    if (at >= end) return NULL;
    int open = 0;
    const char *last,
        *stop = tacit_record_end(at, end, index->files->schema->quoted_newlines, &open);
    if (stop == NULL) stop = end;
    last = stop > at && stop[-1] == '\r' ? stop - 1 : stop;
    records -= index->files->format->is_record(index->files->schema, at, last);
    at = stop < end ? stop + 1 : end;
  }
  return at;
}

/* Copies the lines of a run. */
static tacit_status copy_run(const tacit_row_index *index, tacit_pack *pack,
                             const struct run *run, const tacit_text_file *file,
                             tacit_error *err) {
  int shift = run->piece->shift;
  int64_t noted = run->first >> shift;
  int64_t after = run->first + run->count, last = after >> shift;
  const char *begin, *at;
  TACIT_TRY(tacit_pack_look(pack, file, run->begin, run->end, &begin, err));
  const char *end = begin + (run->end - run->begin);
  at = pass_over(index, begin, end, run->first - (noted << shift));
  if (at != NULL && after != last << shift && after < run->piece->rows)
    end = last > noted
              ? pass_over(index,
                          begin + (tacit_piece_offset(run->piece, last) - run->begin),
                          end, after - (last << shift))
              : pass_over(index, at, end, run->count);
  if (at == NULL || end == NULL) return tacit_pack_changed(file, err);
  size_t size = (size_t)(end - at);
  size_t needed = pack->size + size + 1 + TACIT_TEXT_PADDING;
  if (!tacit_raw_reserve(&pack->text, &pack->capacity, needed, 1))
    return tacit_fail_memory(err);
  memcpy(pack->text + pack->size, at, size);
  pack->size += size;
  if (size > 0 && pack->text[pack->size - 1] != '\n') pack->text[pack->size++] = '\n';
  return TACIT_OK;
}

/* Loads the row AHEAD places later in the list, and the index entry of the row 2 AHEAD
   places later. Leaves out rows of other pieces, and the last row of this piece. It is
   inline, because GCC drops calls of functions that only prefetch. */
__attribute__((always_inline)) static inline void prefetch(const tacit_piece *piece,
                                                           const char *text,
                                                           const int64_t *rows,
                                                           int64_t count) {
  uint64_t first = (uint64_t)piece->first_row, end = (uint64_t)piece->rows;
  end = end > 0 ? (end - 1) >> piece->shift : 0; /* the last entry */
  if (count > 2 * AHEAD) {
    uint64_t noted = ((uint64_t)rows[2 * AHEAD] - first) >> piece->shift;
    if (noted < end && piece->steps != NULL) __builtin_prefetch(&piece->steps[noted]);
    if (noted < end) __builtin_prefetch(&piece->bases[noted >> piece->group]);
  }
  if (count <= AHEAD) return;
  uint64_t noted = ((uint64_t)rows[AHEAD] - first) >> piece->shift;
  if (noted >= end) return;
  uint32_t begin = tacit_piece_step(piece, noted);
  uint32_t bytes = tacit_piece_step(piece, noted + 1) - begin;
  if (bytes > PREFETCH_MAX) bytes = PREFETCH_MAX;
  const char *stop = text + begin + bytes;
  const char *line = text + begin - (uintptr_t)(text + begin) % CACHE_LINE;
  for (; line < stop; line += CACHE_LINE)
    __builtin_prefetch(line);
}

/* Copies rows of a mapped piece whose index has every row, up to the first row of
   another piece or the last row of this one, which may have no line end. Returns how
   many rows it copied. */
static int64_t copy_lines(tacit_pack *pack, const tacit_piece *piece, const char *text,
                          const int64_t *rows, int64_t count) {
  uint64_t first = (uint64_t)piece->first_row, last = (uint64_t)piece->rows - 1;
  size_t size = pack->size, room = pack->capacity - 1 - TACIT_TEXT_PADDING;
  int64_t i = 0;
  for (; i < count && size < PACK_BYTES; ++i) {
    uint64_t row = (uint64_t)rows[i] - first;
    if (row >= last) break;
    size_t begin = tacit_piece_step(piece, row);
    size_t length = tacit_piece_step(piece, row + 1) - begin;
    if (length > room - size) break;
    prefetch(piece, text, rows + i, count - i);
    memcpy(pack->text + size, text + begin, length);
    size += length;
    if (pack->text[size - 1] != '\n') pack->text[size++] = '\n';
  }
  pack->size = size;
  return i;
}

/* Finds the lines of rows in their file and copies them into one text. */
tacit_status tacit_pack_rows(const tacit_row_index *index, tacit_pack *pack,
                             const int64_t *rows, int64_t count, int64_t *out_packed,
                             tacit_error *err) {
  const tacit_piece *piece = &index->pieces[tacit_row_index_piece(index, rows[0])];
  const tacit_text_file *file = &index->files->list[piece->file];
  int64_t packed = 0;
  pack->size = 0;
  if (!tacit_raw_reserve(&pack->text, &pack->capacity, 2 * PACK_BYTES, 1))
    return tacit_fail_memory(err);
  while (packed < count && pack->size < PACK_BYTES) {
    int64_t row = rows[packed];
    if (row < piece->first_row || row >= piece->first_row + piece->rows) {
      piece = &index->pieces[tacit_row_index_piece(index, row)];
      if (&index->files->list[piece->file] != file) break;
    }
    const char *text = tacit_random_access_pointer(file->access, piece->begin);
    int is_alone = packed + 1 == count || rows[packed + 1] != row + 1;
    if (text != NULL && piece->shift == 0 && is_alone) {
      int64_t copied = copy_lines(pack, piece, text, rows + packed, count - packed);
      packed += copied;
      if (copied > 0) continue;
    }
    struct run run = run_of(piece, rows + packed, count - packed);
    if (text != NULL)
      prefetch(piece, text, rows + packed, count - packed);
    else
      TACIT_TRY(read_ahead(pack, file, &run, rows + packed, count - packed, err));
    TACIT_TRY(copy_run(index, pack, &run, file, err));
    packed += run.count;
  }
  *out_packed = packed;
  return TACIT_OK;
}
