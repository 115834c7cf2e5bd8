/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TEXT_PACK_H
#define TACIT_DATA_TEXT_PACK_H

#include "data/text/row_index.h"

/* Lines of rows from anywhere in a file, copied one after the other, so that they are
   parsed together; and the part of a file that was read last, if the file is not
   mapped. It must be zero before its first use. */
typedef struct tacit_pack {
  char *text;
  size_t size, capacity;
  char *window;
  size_t window_capacity;
  const tacit_text_file
      *window_file; /* the file of the window, or NULL before anything is read */
  int64_t window_begin, window_end;
} tacit_pack;

void tacit_pack_fini(tacit_pack *pack);
/* Copies the lines of rows from the start of the list, all from one file. *out_packed
   becomes their number, at least one. pack->text then has whole lines and
   TACIT_TEXT_PADDING bytes after them. Returns TACIT_EDATA if the file has changed. */
tacit_status tacit_pack_rows(const tacit_row_index *index, tacit_pack *pack,
                             const int64_t *rows, int64_t count, int64_t *out_packed,
                             tacit_error *err);
/* Shows bytes begin … end-1 of a file, mapped or read into the window. */
tacit_status tacit_pack_look(tacit_pack *pack, const tacit_text_file *file,
                             int64_t begin, int64_t end, const char **out,
                             tacit_error *err);
tacit_status tacit_pack_changed(const tacit_text_file *file, tacit_error *err);

#endif
