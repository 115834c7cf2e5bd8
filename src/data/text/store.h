/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TEXT_STORE_H
#define TACIT_DATA_TEXT_STORE_H

#include "admit/store.h"
#include "data/text/pack.h"

/* A thread's parser and the rows that it makes. */
typedef struct tacit_text_builder {
  tacit_parse parse;
  tacit_rows rows;
  tacit_pack pack; /* the text it parses */
} tacit_text_builder;

tacit_status tacit_text_builder_init(tacit_text_builder *builder,
                                     const tacit_text_files *files, tacit_error *err);
void tacit_text_builder_fini(tacit_text_builder *builder);

/* Text files whose rows were counted. */
typedef struct tacit_text_store {
  tacit_text_files *files; /* owned */
  tacit_random_access_space space;
  tacit_row_index index;
} tacit_text_store;

/* Frees a store, or NULL. */
void tacit_text_store_free(tacit_text_store *store);

extern const struct tacit_store_ops tacit_store_text;

#endif
