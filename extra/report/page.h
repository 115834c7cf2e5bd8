/* SPDX-License-Identifier: MIT */
/*
 * A page being written, in HTML or Markdown, from the same calls. Templates are format
 * strings of this program with two marks, **strong** and `code`; a | in a row of a
 * table ends a cell. Every %s is escaped, so no text of a schema, a file name or a
 * ledger can become markup.
 */
#ifndef TACIT_EXTRA_REPORT_PAGE_H
#define TACIT_EXTRA_REPORT_PAGE_H

#include <stdio.h>
#include <tacit/status.h>

typedef struct tacit_page {
  FILE *to;
  int markdown;
  int level;              /* of the headings of sections, from 2 */
  const char *prefix;     /* of the ids of sections, if there are several models */
  int in_strong, in_code; /* of the template being written */
  unsigned numbers;       /* columns of the table that hold numbers, as bits */
  int cell;               /* of the row being written */
  int has_gaps;           /* memory ran out for a part: the page must not come out */
  char *text;             /* of the whole page, when `to` is closed */
  size_t size;
} tacit_page;

#if defined(__GNUC__)
#define TACIT_PAGE_FORMAT(at, first) __attribute__((format(printf, at, first)))
#else
#define TACIT_PAGE_FORMAT(at, first)
#endif

/* Begins a page and its head; ends it and returns its text, for tacit_string_free. */
tacit_status tacit_page_new(int markdown, const char *title, tacit_page *out,
                            tacit_error *err);
tacit_status tacit_page_end(tacit_page *page, char **out, tacit_error *err);

/* A heading `deeper` levels below those of sections. `id` may be NULL. */
void tacit_page_heading(tacit_page *page, int deeper, const char *id,
                        const char *format, ...) TACIT_PAGE_FORMAT(4, 5);
void tacit_page_paragraph(tacit_page *page, const char *format, ...)
    TACIT_PAGE_FORMAT(2, 3);
/* The sentence that answers the question in the heading above it. */
void tacit_page_answer(tacit_page *page, const char *format, ...)
    TACIT_PAGE_FORMAT(2, 3);
/* A warning that cannot be overlooked. */
void tacit_page_banner(tacit_page *page, const char *format, ...)
    TACIT_PAGE_FORMAT(2, 3);
void tacit_page_item(tacit_page *page, const char *format, ...) TACIT_PAGE_FORMAT(2, 3);
void tacit_page_list(tacit_page *page);
void tacit_page_list_end(tacit_page *page);
/* A word and what it means; between list and list_end of words. */
void tacit_page_words(tacit_page *page);
void tacit_page_word(tacit_page *page, const char *word, const char *format, ...)
    TACIT_PAGE_FORMAT(3, 4);
void tacit_page_words_end(tacit_page *page);
/* Lines to paste; between begin and end, tacit_page_write gives their text. */
void tacit_page_code(tacit_page *page, const char *format, ...) TACIT_PAGE_FORMAT(2, 3);
/* A table: its caption, the heads of its columns between |, rows. The first cell of a
   row is its head. A head that begins with > is of numbers. */
void tacit_page_table(tacit_page *page, const char *caption, const char *heads);
void tacit_page_row(tacit_page *page, const char *format, ...) TACIT_PAGE_FORMAT(2, 3);
void tacit_page_table_end(tacit_page *page);
/* A piece of a template, for what the calls above do not have. */
void tacit_page_write(tacit_page *page, const char *format, ...)
    TACIT_PAGE_FORMAT(2, 3);
/* Markup of this program, as it is; nothing in Markdown. */
void tacit_page_markup(tacit_page *page, const char *markup);

/* style.c: the style sheet of every page. */
extern const char *const tacit_page_style[]; /* NULL-ended */

#endif
