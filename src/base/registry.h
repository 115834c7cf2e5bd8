/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_REGISTRY_H
#define TACIT_BASE_REGISTRY_H

#include <stddef.h>
#include <string.h>

/* Returns the name of entry i of a family, such as the losses, or NULL after the last
   entry. */
typedef const char *(*tacit_name_fn)(size_t i);

/* Entry i of a table that ends with NULL; NULL for every i past its end. */
#define TACIT_REGISTRY_AT(table, i)                                                    \
  ((i) < sizeof(table) / sizeof *(table) ? (table)[i] : NULL)

/* Returns the index of the entry with this name, or the index of the closing NULL. */
static inline size_t tacit_registry_index(tacit_name_fn name_at, const char *name) {
  size_t i = 0;
  while (name_at(i) != NULL && strcmp(name_at(i), name) != 0)
    ++i;
  return i;
}

#endif
