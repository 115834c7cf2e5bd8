/* SPDX-License-Identifier: MIT */
/* Makes a schema for the user to complete, from the header line of a CSV file. Nothing
   else of the file is read, because bounds and categories must not depend on records.
   Facts that the user must fill in are null, and a schema with such a null is
   refused. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "data/text/fields.h"
#include "extra/draft/draft.h"

/* Returns 1 if the text is UTF-8, as JSON must be. Checked here because jansson reports
   bad text and lack of memory in the same way. */
int tacit_draft_is_utf8(const char *text, size_t size) {
  for (size_t length; size > 0; text += length, size -= length) {
    length = tacit_utf8_length(text, size);
    if (length == 0) return 0;
  }
  return 1;
}

static tacit_status copy_name(const tacit_field *field, size_t number,
                              const char *where, char **out, tacit_error *err) {
  if (field->size == 0 || field->size > TACIT_COLUMN_NAME_MAX)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: column %zu of the header must have a name of 1 to %d bytes",
                      where, number, TACIT_COLUMN_NAME_MAX);
  if (!tacit_draft_is_utf8(field->begin, field->size))
    return tacit_fail(err, TACIT_EDATA,
                      "%s: column %zu of the header is not UTF-8; convert the file",
                      where, number);
  for (size_t i = 0; i < field->size; ++i) {
    unsigned char c = (unsigned char)field->begin[i];
    if (c < 0x20 || c == 0x7f)
      return tacit_fail(err, TACIT_EDATA,
                        "%s: column %zu of the header holds a control character", where,
                        number);
  }
  *out = tacit_array_new(field->size + 1, 1);
  if (*out == NULL) return tacit_fail_memory(err);
  memcpy(*out, field->begin, field->size);
  return TACIT_OK;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static tacit_status check_unique(char *const *names, size_t count, const char *where,
                                 tacit_error *err) {
  char **sorted = tacit_array_new(count, sizeof *sorted);
  if (sorted == NULL) return tacit_fail_memory(err);
  memcpy(sorted, names, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare_names);
  tacit_status status = TACIT_OK;
  for (size_t i = 1; i < count && status == TACIT_OK; ++i) {
    if (strcmp(sorted[i - 1], sorted[i]) == 0)
      status = tacit_fail(
          err, TACIT_EDATA,
          "%s: two columns of the header have the same name; rename one", where);
  }
  tacit_array_free(sorted);
  return status;
}

static tacit_status find_label(char *const *names, size_t count, const char *label,
                               const char *where, size_t *out, tacit_error *err) {
  *out = count - 1;
  if (label == NULL) return TACIT_OK;
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(names[i], label) != 0) continue;
    *out = i;
    return TACIT_OK;
  }
  char shown[TACIT_NAME_BYTES];
  tacit_name_shorten(label, 40, shown);
  return tacit_fail(err, TACIT_EINVAL, "%s: no column '%s' in the header for the label",
                    where, shown);
}

static tacit_status take_names(tacit_draft *draft, const tacit_fields *fields,
                               const char *label, const char *where, tacit_error *err) {
  char **names = tacit_array_new(fields->count, sizeof *names);
  tacit_status status = tacit_made(names, err);
  if (status == TACIT_OK) status = TACIT_NEW(draft->columns, fields->count, err);
  for (size_t i = 0; i < fields->count && status == TACIT_OK; ++i) {
    status = copy_name(&fields->fields[i], i + 1, where, &names[i], err);
    draft->columns[i].name = names[i];
    draft->count = i + 1;
  }
  if (status == TACIT_OK) status = check_unique(names, draft->count, where, err);
  if (status == TACIT_OK)
    status = find_label(names, draft->count, label, where, &draft->label, err);
  tacit_array_free(names);
  return status;
}

static tacit_status read_names(tacit_draft *draft, tacit_draft_file *file,
                               const char *label, tacit_error *err) {
  TACIT_TRY(tacit_draft_names(file, err));
  draft->delimiter = file->delimiter;
  if (file->fields.count < 2)
    return tacit_fail(
        err, TACIT_EDATA,
        "%s: the header has one column; names are separated by , ; | or tab",
        file->name);
  return take_names(draft, &file->fields, label, file->name, err);
}

tacit_status tacit_draft_header(tacit_draft *draft, const char *path, const char *label,
                                uint64_t max_line, tacit_error *err) {
  tacit_draft_file file = {0};
  tacit_status status = tacit_draft_open(&file, path, 0, max_line, err);
  if (status == TACIT_OK) status = read_names(draft, &file, label, err);
  tacit_draft_close(&file);
  return status;
}

/* Counts the columns that are numbers or of unknown type. */
static size_t count_numbers(const tacit_draft *draft) {
  size_t count = 0;
  for (size_t i = 0; i < draft->count; ++i) {
    const tacit_draft_column *column = &draft->columns[i];
    count += i != draft->label &&
             (!column->is_known || column->type == TACIT_COLUMN_NUMERIC);
  }
  return count;
}

static tacit_status fill(tacit_draft *draft, const tacit_draft_options *options,
                         tacit_error *err) {
  const char *names = options->header != NULL ? options->header : options->sample;
  TACIT_TRY(tacit_draft_header(draft, names, options->label, options->max_line, err));
  if (options->sample != NULL)
    TACIT_TRY(tacit_draft_sample(draft, options->sample, options->max_line, err));
  if (options->dictionary != NULL)
    TACIT_TRY(
        tacit_draft_dictionary(draft, options->dictionary, options->max_line, err));
  if (options->ask != NULL) TACIT_TRY(tacit_draft_ask(draft, options, err));
  draft->has_curves = tacit_draft_curves(options->rows, options->epsilon,
                                         options->delta, count_numbers(draft));
  return TACIT_OK;
}

void tacit_draft_options_init(tacit_draft_options *options) {
  *options = (tacit_draft_options){.struct_size = sizeof *options};
}

tacit_status tacit_schema_draft(const tacit_draft_options *options, char **out,
                                tacit_error *err) {
  if (options == NULL || out == NULL || options->struct_size != sizeof *options ||
      (options->header == NULL && options->sample == NULL))
    return tacit_fail(err, TACIT_EINVAL, "schema: path or out is NULL");
  tacit_draft draft = {0};
  tacit_status status = fill(&draft, options, err);
  if (status == TACIT_OK) status = tacit_draft_write(&draft, out, err);
  tacit_draft_fini(&draft);
  return status;
}
