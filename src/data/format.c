/* SPDX-License-Identifier: MIT */
/* The text formats: registry and lookup. */
#include "data/format.h"

#include <string.h>

static const struct tacit_format_ops *const formats[] = {
    &tacit_format_libsvm,
    &tacit_format_csv,
    NULL,
};

const struct tacit_format_ops *tacit_format_of(const tacit_schema *schema) {
  const char *name = tacit_schema_kind_name(schema->kind);
  for (size_t i = 0; formats[i] != NULL; ++i) {
    if (strcmp(formats[i]->name, name) == 0) return formats[i];
  }
  return NULL;
}
