/* SPDX-License-Identifier: MIT */
/*
 * Rows of text files by number. The index says where a row is; its text is parsed in
 * place, or read first. Nothing is kept between calls, so any number of threads take
 * rows at once.
 */
#include "data/text/store.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum {
  READ_MAX = 1 << 20, /* bytes to read at once if a file is not in memory */
  CACHE_LINE = 64,
  PREFETCH_MAX = 1 << 10 /* bytes to prefetch; the processor continues by itself */
};

tacit_status tacit_text_builder_init(tacit_text_builder *builder,
                                     const tacit_schema *schema, int labels,
                                     tacit_error *err) {
  TACIT_TRY(tacit_parse_init(&builder->parse, schema, labels, err));
  TACIT_TRY(tacit_rows_init(&builder->rows, schema->features, schema->n_classes, labels,
                            err));
  if (labels && schema->unit_column != NULL)
    TACIT_TRY(tacit_rows_name(&builder->rows, err));
  if (!labels || !tacit_schema_weighs(schema)) return TACIT_OK;
  return tacit_rows_weigh(&builder->rows, err);
}

void tacit_text_builder_fini(tacit_text_builder *builder) {
  tacit_parse_fini(&builder->parse);
  tacit_rows_fini(&builder->rows);
  tacit_raw_free(builder->buffer);
}

static tacit_status builder_init(void *builder, const void *self, tacit_error *err) {
  const tacit_text_store *store = self;
  return tacit_text_builder_init(builder, store->files->schema, store->files->labels,
                                 err);
}

static void builder_fini(void *builder) { tacit_text_builder_fini(builder); }

static void clear(void *builder) {
  tacit_rows_clear(&((tacit_text_builder *)builder)->rows);
}

static const tacit_batch *view(void *builder) {
  return tacit_rows_view(&((tacit_text_builder *)builder)->rows);
}

/* The last piece whose first row is at or before `row`; -1: none. Pieces have about the
   same number of rows, so the search starts where the row would be if they had exactly
   the same. */
static int64_t piece_of(const tacit_row_index *index, int64_t row) {
  int64_t low = -1, high = (int64_t)index->count; /* low <= answer < high */
  const tacit_piece *pieces = index->pieces;
  if (high == 0) return -1;
  const tacit_piece *last = &pieces[high - 1];
  int64_t rows = last->first_row + last->rows;
  int64_t guess = rows > 0 ? (int64_t)((double)row / (double)rows * (double)high) : 0;
  if (guess >= high) guess = high - 1;
  for (int64_t step = 1;; step *= 2) {
    if (pieces[guess].first_row <= row) {
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
    if (pieces[middle].first_row <= row)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static int64_t partition(const void *self, int64_t row, int64_t count, int *out_ours) {
  const tacit_row_index *index = &((const tacit_text_store *)self)->index;
  int64_t at = piece_of(index, row), next = row + count;
  *out_ours = 0;
  if (at >= 0) {
    const tacit_piece *piece = &index->pieces[at];
    int64_t end = piece->first_row + piece->rows;
    if (row < end) {
      *out_ours = 1;
      return end < next ? end - row : count;
    }
  }
  if (at + 1 < (int64_t)index->count && index->pieces[at + 1].first_row < next)
    next = index->pieces[at + 1].first_row;
  return next - row;
}

/* Offset of entry `noted` of the index, or of the end of the piece after the last
   one. */
static int64_t offset_of(const tacit_piece *piece, int64_t noted) {
  return noted * piece->stride < piece->rows ? piece->begin + piece->offsets[noted]
                                             : piece->end;
}

static void prefetch(const void *self, int64_t row, int64_t count,
                     tacit_prefetch what) {
  const tacit_row_index *index = &((const tacit_text_store *)self)->index;
  int64_t at = piece_of(index, row);
  if (at < 0) return;
  const tacit_piece *piece = &index->pieces[at];
  const tacit_random_access *access = index->files->list[piece->file].access;
  int64_t inside = row - piece->first_row;
  if (tacit_random_access_pointer(access, 0) == NULL || inside >= piece->rows) return;
  if (what == TACIT_PREFETCH_INDEX) {
    __builtin_prefetch(&piece->offsets[inside / piece->stride]);
    return;
  }
  int64_t begin = offset_of(piece, inside / piece->stride);
  int64_t end = offset_of(piece, (inside + count) / piece->stride);
  for (int64_t i = 0; i < end - begin && i < PREFETCH_MAX; i += CACHE_LINE)
    __builtin_prefetch(tacit_random_access_pointer(access, begin + i));
}

static tacit_status make_room(tacit_text_builder *builder, size_t size,
                              tacit_error *err) {
  if (size <= builder->capacity) return TACIT_OK;
  char *larger = tacit_raw_grow(builder->buffer, size, 1);
  if (larger == NULL) return tacit_fail_memory(err);
  builder->buffer = larger;
  builder->capacity = size;
  return TACIT_OK;
}

/* The text between two offsets of a file, with a line end at its end. */
static tacit_status text_between(const tacit_text_file *file,
                                 tacit_text_builder *builder, int64_t begin,
                                 int64_t end, tacit_text *out, tacit_error *err) {
  const char *bytes = tacit_random_access_bytes(file->access);
  size_t size = (size_t)(end - begin);
  if (bytes != NULL) {
    /* The text ends with a line end: `end` is a line start, or the end of the file,
       where the padding starts with a line end. */
    int open = end == tacit_random_access_size(file->access) && end > begin &&
               bytes[end - 1] != '\n';
    *out = (tacit_text){bytes + begin, bytes + end + open, 0};
    return TACIT_OK;
  }
  TACIT_TRY(make_room(builder, size + 1 + TACIT_TEXT_PADDING, err));
  TACIT_TRY(tacit_random_access_read(file->access, begin, builder->buffer, size, err));
  if (size > 0 && builder->buffer[size - 1] != '\n') builder->buffer[size++] = '\n';
  *out = (tacit_text){builder->buffer, builder->buffer + size, 0};
  return TACIT_OK;
}

static tacit_status fail_changed(const tacit_text_file *file, tacit_error *err) {
  return tacit_fail(err, TACIT_EDATA,
                    "%s: changed while being read; run again when it is complete",
                    tacit_source_name(file->source));
}

/* Skips the records before the wanted one. */
static tacit_status pass_over(const tacit_row_index *index, const tacit_text_file *file,
                              int64_t records, tacit_text *text, tacit_error *err) {
  tacit_line line;
  while (records > 0) {
    if (text->at == text->end) return fail_changed(file, err);
    tacit_text_line(text, &line);
    records -=
        index->files->format->is_record(index->files->schema, line.begin, line.end);
    tacit_text_pass(text, &line);
  }
  return TACIT_OK;
}

/* The number of the line at `begin`. Lines are counted only when a row has a fault. */
static tacit_status line_at(const tacit_row_index *index, const tacit_piece *piece,
                            tacit_text_builder *builder, int64_t begin, int64_t *out,
                            tacit_error *err) {
  const tacit_text_file *file = &index->files->list[piece->file];
  *out = piece->first_line;
  for (int64_t at = piece->begin; at < begin;) {
    int64_t next = begin - at < READ_MAX ? begin : at + READ_MAX;
    tacit_text text;
    TACIT_TRY(text_between(file, builder, at, next, &text, err));
    for (int64_t i = 0; i < next - at; ++i)
      *out += text.at[i] == '\n';
    at = next;
  }
  return TACIT_OK;
}

/* Parses rows of one piece. `exact`: with line numbers, which only messages need. */
static tacit_status parse_rows(const tacit_row_index *index, const tacit_piece *piece,
                               tacit_text_builder *builder, int64_t inside,
                               int64_t count, int exact, int64_t *out_taken,
                               tacit_error *err) {
  const tacit_text_file *file = &index->files->list[piece->file];
  int64_t stride = piece->stride, noted = inside / stride;
  int64_t begin = offset_of(piece, noted);
  int64_t end = offset_of(piece, (inside + count + stride - 1) / stride);
  /* If the file is not in memory, read about READ_MAX bytes, but at least one entry of
     the index. */
  while (tacit_random_access_bytes(file->access) == NULL && end - begin > READ_MAX &&
         count > 1 && (inside + count + stride - 1) / stride - noted > 1) {
    count = (count + 1) / 2;
    end = offset_of(piece, (inside + count + stride - 1) / stride);
  }
  int64_t line = 0;
  if (exact) TACIT_TRY(line_at(index, piece, builder, begin, &line, err));
  tacit_text text;
  TACIT_TRY(text_between(file, builder, begin, end, &text, err));
  text.line = line;
  TACIT_TRY(pass_over(index, file, inside - noted * stride, &text, err));
  builder->parse.name = tacit_source_name(file->source);
  builder->parse.layout = file->layout;
  int64_t taken;
  TACIT_TRY(index->files->format->parse(&builder->parse, &text, count, &builder->rows,
                                        &taken, err));
  if (taken < count && !tacit_rows_full(&builder->rows)) return fail_changed(file, err);
  *out_taken = taken;
  return TACIT_OK;
}

static tacit_status take_some(const tacit_text_store *store,
                              tacit_text_builder *builder, int64_t first, int64_t count,
                              int64_t *out_taken, tacit_error *err) {
  const tacit_row_index *index = &store->index;
  const tacit_piece *piece = &index->pieces[piece_of(index, first)];
  int64_t inside = first - piece->first_row;
  if (count > piece->rows - inside) count = piece->rows - inside;
  size_t entries = builder->rows.n_entries;
  int64_t rows = builder->rows.view.n_rows;
  tacit_error fault;
  tacit_status status =
      parse_rows(index, piece, builder, inside, count, 0, out_taken, &fault);
  if (status == TACIT_OK) return TACIT_OK;
  if (status == TACIT_EDATA) {
    /* If the file was changed meanwhile, that is what is wrong. */
    TACIT_TRY(tacit_source_check(index->files->list[piece->file].source, err));
    builder->rows.n_entries = entries;
    builder->rows.view.n_rows = rows;
    return parse_rows(index, piece, builder, inside, count, 1, out_taken, err);
  }
  if (err != NULL) *err = fault;
  return status;
}

static tacit_status take(const void *self, void *builder, int64_t first, int64_t count,
                         int64_t *out_taken, tacit_error *err) {
  const tacit_text_store *store = self;
  tacit_text_builder *own = builder;
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
  const tacit_text_files *files = ((const tacit_text_store *)self)->files;
  for (size_t i = 0; i < files->count; ++i) {
    if (files->list[i].source != NULL)
      TACIT_TRY(tacit_source_check(files->list[i].source, err));
  }
  return TACIT_OK;
}

static void store_free(void *self) { tacit_text_store_free(self); }

void tacit_text_store_free(tacit_text_store *store) {
  if (store == NULL) return;
  tacit_row_index_fini(&store->index);
  tacit_text_files_free(store->files);
  tacit_random_access_space_fini(&store->space);
  tacit_array_free(store);
}

const struct tacit_store_ops tacit_store_text = {
    .builder_size = sizeof(tacit_text_builder),
    .builder_init = builder_init,
    .builder_fini = builder_fini,
    .clear = clear,
    .take = take,
    .prefetch = prefetch,
    .view = view,
    .partition = partition,
    .check = check,
    .free = store_free,
};
