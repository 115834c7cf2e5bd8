/* SPDX-License-Identifier: MIT */
/*
 * Rows of text files by number. A row is found through its piece, its text is parsed
 * where it is held, or read first, and nothing is kept, so any number of workers take
 * rows at once.
 */
#include "data/text/store.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum {
  READ_MAX = 1 << 20, /* bytes taken at once of files not in memory */
  CACHE_LINE = 64,
  HINT_MAX = 1 << 10 /* bytes asked for early; the processor goes on by itself */
};

tacit_status tacit_text_hand_init(tacit_text_hand *hand, const tacit_schema *schema,
                                  int labels, tacit_error *err) {
  TACIT_TRY(tacit_parse_init(&hand->parse, schema, labels, err));
  return tacit_rows_init(&hand->rows, schema->features, schema->n_classes, labels, err);
}

void tacit_text_hand_fini(tacit_text_hand *hand) {
  tacit_parse_fini(&hand->parse);
  tacit_rows_fini(&hand->rows);
  tacit_raw_free(hand->raw_buffer);
}

static tacit_status hand_init(void *hand, const void *self, tacit_error *err) {
  const tacit_text_store *store = self;
  return tacit_text_hand_init(hand, store->pieces.schema, store->labels, err);
}

static void hand_fini(void *hand) { tacit_text_hand_fini(hand); }

static void clear(void *hand) { tacit_rows_clear(&((tacit_text_hand *)hand)->rows); }

static const tacit_batch *view(void *hand) {
  return tacit_rows_view(&((tacit_text_hand *)hand)->rows);
}

/* The last piece that begins at or before a row; -1 when none does. Pieces have about
   the same number of rows, so the search begins where the row would be if they had. */
static int64_t piece_of(const tacit_pieces *pieces, int64_t row) {
  int64_t low = -1, high = (int64_t)pieces->count; /* low <= answer < high */
  const tacit_piece *raw_list = pieces->raw_list;
  if (high == 0) return -1;
  const tacit_piece *raw_last = &raw_list[high - 1];
  int64_t rows = raw_last->first_row + raw_last->rows;
  int64_t guess = rows > 0 ? (int64_t)((double)row / (double)rows * (double)high) : 0;
  if (guess >= high) guess = high - 1;
  for (int64_t step = 1;; step *= 2) {
    if (raw_list[guess].first_row <= row) {
      low = guess;
      if (guess + step >= high) break;
      guess += step;
    } else {
      high = guess;
      if (guess - step <= low) break;
      guess -= step;
    }
  }
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    if (raw_list[middle].first_row <= row)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static int64_t share(const void *self, int64_t row, int64_t count, int *out_ours) {
  const tacit_pieces *pieces = &((const tacit_text_store *)self)->pieces;
  int64_t at = piece_of(pieces, row), next = row + count;
  *out_ours = 0;
  if (at >= 0) {
    const tacit_piece *raw_piece = &pieces->raw_list[at];
    int64_t end = raw_piece->first_row + raw_piece->rows;
    if (row < end) {
      *out_ours = 1;
      return end < next ? end - row : count;
    }
  }
  if (at + 1 < (int64_t)pieces->count && pieces->raw_list[at + 1].first_row < next)
    next = pieces->raw_list[at + 1].first_row;
  return next - row;
}

/* Byte of the file where a row of the piece begins, or, for one that is not noted, the
   noted one before it; the end of the piece behind the last. */
static int64_t place_of(const tacit_piece *raw_piece, int64_t noted) {
  return noted * raw_piece->stride < raw_piece->rows
             ? raw_piece->begin + raw_piece->raw_offsets[noted]
             : raw_piece->end;
}

static void hint(const void *self, int64_t row, int64_t count, int near) {
  const tacit_pieces *pieces = &((const tacit_text_store *)self)->pieces;
  int64_t at = piece_of(pieces, row);
  if (at < 0) return;
  const tacit_piece *raw_piece = &pieces->raw_list[at];
  const tacit_hold *hold = pieces->files[raw_piece->file].hold;
  int64_t inside = row - raw_piece->first_row;
  if (tacit_hold_place(hold, 0) == NULL || inside >= raw_piece->rows) return;
  if (!near) {
    __builtin_prefetch(&raw_piece->raw_offsets[inside / raw_piece->stride]);
    return;
  }
  int64_t begin = place_of(raw_piece, inside / raw_piece->stride);
  int64_t end = place_of(raw_piece, (inside + count) / raw_piece->stride);
  for (int64_t i = 0; i < end - begin && i < HINT_MAX; i += CACHE_LINE)
    __builtin_prefetch(tacit_hold_place(hold, begin + i));
}

static tacit_status make_room(tacit_text_hand *hand, size_t size, tacit_error *err) {
  if (size <= hand->capacity) return TACIT_OK;
  char *raw_larger = tacit_raw_grow(hand->raw_buffer, size, 1);
  if (raw_larger == NULL) return tacit_fail_memory(err);
  hand->raw_buffer = raw_larger;
  hand->capacity = size;
  return TACIT_OK;
}

/* Text from one byte of a file to another, ended by a line end. */
static tacit_status text_between(const tacit_reader_file *file, tacit_text_hand *hand,
                                 int64_t begin, int64_t end, tacit_text *out,
                                 tacit_error *err) {
  const char *raw_bytes = tacit_hold_bytes(file->hold);
  size_t size = (size_t)(end - begin);
  if (raw_bytes != NULL) {
    /* Pieces and rows begin behind line ends; behind the last byte of a file there is
       one too. */
    int open =
        end == tacit_hold_size(file->hold) && end > begin && raw_bytes[end - 1] != '\n';
    *out = (tacit_text){raw_bytes + begin, raw_bytes + end + open, 0};
    return TACIT_OK;
  }
  TACIT_TRY(make_room(hand, size + 1 + TACIT_TEXT_PADDING, err));
  TACIT_TRY(tacit_hold_read(file->hold, begin, hand->raw_buffer, size, err));
  if (size > 0 && hand->raw_buffer[size - 1] != '\n') hand->raw_buffer[size++] = '\n';
  *out = (tacit_text){hand->raw_buffer, hand->raw_buffer + size, 0};
  return TACIT_OK;
}

static tacit_status fail_changed(const tacit_reader_file *file, tacit_error *err) {
  return tacit_fail(err, TACIT_EDATA,
                    "%s: changed while being read; run again when it is complete",
                    tacit_source_name(file->source));
}

/* Passes over records that stand before the wanted one. */
static tacit_status pass_over(const tacit_pieces *pieces, const tacit_reader_file *file,
                              int64_t records, tacit_text *text, tacit_error *err) {
  tacit_line line;
  while (records > 0) {
    if (text->raw_at == text->raw_end) return fail_changed(file, err);
    tacit_text_line(text, &line);
    records -= pieces->format->is_record(pieces->schema, line.raw_begin, line.raw_end);
    tacit_text_pass(text, &line);
  }
  return TACIT_OK;
}

/* A row has a fault: which line is it in? Lines are counted only now. */
static tacit_status line_at(const tacit_pieces *pieces, const tacit_piece *raw_piece,
                            tacit_text_hand *hand, int64_t begin, int64_t *out,
                            tacit_error *err) {
  const tacit_reader_file *file = &pieces->files[raw_piece->file];
  *out = raw_piece->first_line;
  for (int64_t at = raw_piece->begin; at < begin;) {
    int64_t next = begin - at < READ_MAX ? begin : at + READ_MAX;
    tacit_text text;
    TACIT_TRY(text_between(file, hand, at, next, &text, err));
    for (int64_t i = 0; i < next - at; ++i)
      *out += text.raw_at[i] == '\n';
    at = next;
  }
  return TACIT_OK;
}

/* Parses rows of one piece; with line numbers when `exact`, which only messages need.
 */
static tacit_status parse_rows(const tacit_pieces *pieces, const tacit_piece *raw_piece,
                               tacit_text_hand *hand, int64_t inside, int64_t count,
                               int exact, int64_t *out_taken, tacit_error *err) {
  const tacit_reader_file *file = &pieces->files[raw_piece->file];
  int64_t stride = raw_piece->stride, noted = inside / stride;
  int64_t begin = place_of(raw_piece, noted);
  int64_t end = place_of(raw_piece, (inside + count + stride - 1) / stride);
  /* Of files not in memory, about READ_MAX bytes, and one noted row at least. */
  while (tacit_hold_bytes(file->hold) == NULL && end - begin > READ_MAX && count > 1 &&
         (inside + count + stride - 1) / stride - noted > 1) {
    count = (count + 1) / 2;
    end = place_of(raw_piece, (inside + count + stride - 1) / stride);
  }
  int64_t line = 0;
  if (exact) TACIT_TRY(line_at(pieces, raw_piece, hand, begin, &line, err));
  tacit_text text;
  TACIT_TRY(text_between(file, hand, begin, end, &text, err));
  text.line = line;
  TACIT_TRY(pass_over(pieces, file, inside - noted * stride, &text, err));
  hand->parse.name = tacit_source_name(file->source);
  hand->parse.layout = file->layout;
  int64_t taken;
  TACIT_TRY(
      pieces->format->parse(&hand->parse, &text, count, &hand->rows, &taken, err));
  if (taken < count && !tacit_rows_full(&hand->rows)) return fail_changed(file, err);
  *out_taken = taken;
  return TACIT_OK;
}

static tacit_status take_some(const tacit_text_store *store, tacit_text_hand *hand,
                              int64_t first, int64_t count, int64_t *out_taken,
                              tacit_error *err) {
  const tacit_pieces *pieces = &store->pieces;
  const tacit_piece *raw_piece = &pieces->raw_list[piece_of(pieces, first)];
  int64_t inside = first - raw_piece->first_row;
  if (count > raw_piece->rows - inside) count = raw_piece->rows - inside;
  size_t entries = hand->rows.n_entries;
  int64_t rows = hand->rows.view.n_rows;
  tacit_error fault;
  tacit_status status =
      parse_rows(pieces, raw_piece, hand, inside, count, 0, out_taken, &fault);
  if (status == TACIT_OK) return TACIT_OK;
  if (status == TACIT_EDATA) {
    /* A fault in a file that changed under us is that change. */
    TACIT_TRY(tacit_source_check(pieces->files[raw_piece->file].source, err));
    hand->rows.n_entries = entries;
    hand->rows.view.n_rows = rows;
    return parse_rows(pieces, raw_piece, hand, inside, count, 1, out_taken, err);
  }
  if (err != NULL) *err = fault;
  return status;
}

static tacit_status take(const void *self, void *hand, int64_t first, int64_t count,
                         int64_t *out_taken, tacit_error *err) {
  const tacit_text_store *store = self;
  tacit_text_hand *own = hand;
  int64_t taken = 0;
  while (taken < count && !tacit_rows_full(&own->rows)) {
    int64_t some;
    TACIT_TRY(take_some(store, own, first + taken, count - taken, &some, err));
    taken += some;
  }
  *out_taken = taken;
  return TACIT_OK;
}

static tacit_status check(const void *self, tacit_error *err) {
  const tacit_text_store *store = self;
  for (size_t i = 0; i < store->n_files; ++i) {
    if (store->pieces.files[i].source != NULL)
      TACIT_TRY(tacit_source_check(store->pieces.files[i].source, err));
  }
  return TACIT_OK;
}

static void store_free(void *self) {
  tacit_text_store *store = self;
  if (store == NULL) return;
  tacit_pieces_fini(&store->pieces);
  tacit_array_free(store);
}

const struct tacit_store_ops tacit_store_text = {
    .hand_size = sizeof(tacit_text_hand),
    .hand_init = hand_init,
    .hand_fini = hand_fini,
    .clear = clear,
    .take = take,
    .hint = hint,
    .view = view,
    .share = share,
    .check = check,
    .free = store_free,
};
