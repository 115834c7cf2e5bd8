/* SPDX-License-Identifier: MIT */
/*
 * Rows of text files by number. The index says where a row is; its line is copied and
 * parsed. Nothing is kept between calls, so any number of threads take rows at once.
 */
#include "data/text/store.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { READ_MAX = 1 << 20 }; /* bytes to read at once */

tacit_status tacit_text_builder_init(tacit_text_builder *builder,
                                     const tacit_text_files *files, tacit_error *err) {
  const tacit_schema *schema = files->schema;
  int labels = files->labels;
  TACIT_TRY(tacit_parse_init(&builder->parse, schema, labels, err));
  TACIT_TRY(tacit_rows_init(&builder->rows, schema->features, schema->n_classes, labels,
                            err));
  if (labels && schema->unit_column != NULL && !files->ids_known)
    TACIT_TRY(tacit_rows_name(&builder->rows, err));
  size_t texts = files->parse.n_keep + (!labels && schema->unit_column != NULL);
  if (texts > 0) TACIT_TRY(tacit_rows_keep_ids(&builder->rows, texts, err));
  if (!labels || !tacit_schema_weighs(schema)) return TACIT_OK;
  return tacit_rows_weigh(&builder->rows, err);
}

void tacit_text_builder_fini(tacit_text_builder *builder) {
  tacit_parse_fini(&builder->parse);
  tacit_rows_fini(&builder->rows);
  tacit_pack_fini(&builder->pack);
}

static tacit_status builder_init(void *builder, const void *self, tacit_error *err) {
  const tacit_text_store *store = self;
  return tacit_text_builder_init(builder, store->files, err);
}

static void builder_fini(void *builder) { tacit_text_builder_fini(builder); }

static void clear(void *builder) {
  tacit_rows_clear(&((tacit_text_builder *)builder)->rows);
}

static const tacit_batch *view(void *builder) {
  return tacit_rows_view(&((tacit_text_builder *)builder)->rows);
}

static int64_t partition(const void *self, int64_t row, int64_t count, int *out_ours) {
  const tacit_row_index *index = &((const tacit_text_store *)self)->index;
  int64_t at = tacit_row_index_piece(index, row), next = row + count;
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

/* Finds the number of the line at `begin`. Lines are counted only if a row has a
   fault. */
static tacit_status line_at(const tacit_piece *piece, const tacit_text_file *file,
                            tacit_pack *pack, int64_t begin, int64_t *out,
                            tacit_error *err) {
  *out = piece->first_line;
  for (int64_t at = piece->begin; at < begin;) {
    int64_t next = begin - at < READ_MAX ? begin : at + READ_MAX;
    const char *bytes;
    TACIT_TRY(tacit_pack_look(pack, file, at, next, &bytes, err));
    for (int64_t i = 0; i < next - at; ++i)
      *out += bytes[i] == '\n';
    at = next;
  }
  return TACIT_OK;
}

/* Parses the packed text of `packed` rows, all from the file of row `row`. */
static tacit_status parse_packed(const tacit_text_store *store,
                                 tacit_text_builder *builder, int64_t row,
                                 int64_t packed, int64_t line, int64_t *out_taken,
                                 tacit_error *err) {
  const tacit_row_index *index = &store->index;
  const tacit_text_file *file =
      &index->files->list[index->pieces[tacit_row_index_piece(index, row)].file];
  tacit_pack *pack = &builder->pack;
  tacit_text text = {pack->text, pack->text + pack->size, line};
  builder->parse.name = tacit_source_name(file->source);
  builder->parse.layout = file->layout;
  TACIT_TRY(index->files->format->parse(&builder->parse, &text, packed, &builder->rows,
                                        out_taken, err));
  if (tacit_rows_full(&builder->rows)) return TACIT_OK;
  return *out_taken == packed && text.at == text.end ? TACIT_OK
                                                     : tacit_pack_changed(file, err);
}

/* Parses a row with a fault again, with the numbers of its lines, which are counted
   from the entry of the index before it. */
static tacit_status parse_exact(const tacit_text_store *store,
                                tacit_text_builder *builder, int64_t row,
                                tacit_error *err) {
  const tacit_row_index *index = &store->index;
  const tacit_piece *piece = &index->pieces[tacit_row_index_piece(index, row)];
  const tacit_text_file *file = &index->files->list[piece->file];
  int64_t noted = (row - piece->first_row) >> piece->shift, line, taken;
  int64_t begin = tacit_piece_offset(piece, noted), packed = 1;
  TACIT_TRY(line_at(piece, file, &builder->pack, begin, &line, err));
  /* the rows from the entry to this row are neighbours */
  for (int64_t at = piece->first_row + (noted << piece->shift); at < row; ++at) {
    TACIT_TRY(tacit_pack_rows(index, &builder->pack, &at, 1, &packed, err));
    for (size_t i = 0; i < builder->pack.size; ++i)
      line += builder->pack.text[i] == '\n';
  }
  TACIT_TRY(tacit_pack_rows(index, &builder->pack, &row, 1, &packed, err));
  return parse_packed(store, builder, row, packed, line, &taken, err);
}

/* Parses rows one by one until a row shows its fault. The batch is lost. */
static tacit_status find_fault(const tacit_text_store *store,
                               tacit_text_builder *builder, const int64_t *rows,
                               int64_t count, tacit_error *err) {
  const tacit_row_index *index = &store->index;
  const tacit_text_file *file =
      &index->files->list[index->pieces[tacit_row_index_piece(index, rows[0])].file];
  for (int64_t i = 0; i < count; ++i) {
    int64_t packed, taken;
    /* If the file was changed meanwhile, the change is the fault. */
    TACIT_TRY(tacit_source_check(file->source, err));
    TACIT_TRY(tacit_pack_rows(index, &builder->pack, &rows[i], 1, &packed, err));
    tacit_rows_clear(&builder->rows);
    tacit_status status = parse_packed(store, builder, rows[i], 1, 0, &taken, err);
    if (status == TACIT_EDATA) return parse_exact(store, builder, rows[i], err);
    TACIT_TRY(status);
  }
  return tacit_pack_changed(file, err);
}

/* Copies the lines of some rows together and parses them into the batch. */
static tacit_status take(const void *self, void *builder, const int64_t *rows,
                         int64_t count, int64_t *out_taken, tacit_error *err) {
  const tacit_text_store *store = self;
  tacit_text_builder *own = builder;
  int64_t taken = 0, packed, some;
  own->pack.window_file = NULL; /* files are read anew */
  while (taken < count && !tacit_rows_full(&own->rows)) {
    const int64_t *next = rows + taken;
    TACIT_TRY(
        tacit_pack_rows(&store->index, &own->pack, next, count - taken, &packed, err));
    tacit_status status = parse_packed(store, own, *next, packed, 0, &some, err);
    if (status == TACIT_EDATA) return find_fault(store, own, next, packed, err);
    TACIT_TRY(status);
    taken += some;
  }
  *out_taken = taken;
  return TACIT_OK;
}

static tacit_status check(const void *self, tacit_error *err) {
  const tacit_text_files *files = ((const tacit_text_store *)self)->files;
  for (size_t i = 0; i < files->count; ++i)
    if (files->list[i].source != NULL)
      TACIT_TRY(tacit_source_check(files->list[i].source, err));
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
    .view = view,
    .partition = partition,
    .check = check,
    .free = store_free,
};
