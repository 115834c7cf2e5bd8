/* SPDX-License-Identifier: MIT */
/*
 * Writes a page, in HTML or Markdown, from the same calls. Templates are format strings
 * of this program with two marks, **strong** and `code`; a | in a row of a table ends a
 * cell. Every %s is escaped, so no text of a schema, a file name or a ledger can become
 * markup. Long templates are in texts.txt, which becomes page_texts.h.
 */
#ifndef TACIT_EXTRA_REPORT_PAGE_H
#define TACIT_EXTRA_REPORT_PAGE_H

#include <stdio.h>
#include <tacit/status.h>

typedef struct tacit_page {
  FILE *to;
  int markdown;
  int level;              /* level of the headings of sections, from 2 */
  const char *prefix;     /* prefix of the ids of sections; not empty if there are
                             several models */
  int in_strong, in_code; /* 1 while a template is inside these marks */
  unsigned numbers;       /* bit i is 1 if column i of the open table holds numbers */
  int cell;               /* number of the cell that is being written */
  int has_gaps;           /* 1 if memory ran out for a part: tacit_page_end then
                             fails */
  char *text;             /* text of the whole page, once `to` is closed */
  size_t size;
} tacit_page;

#if defined(__GNUC__)
#define TACIT_PAGE_FORMAT(at, first) __attribute__((format(printf, at, first)))
#else
#define TACIT_PAGE_FORMAT(at, first)
#endif

/* Begins a page with its head. tacit_page_end completes it and returns its text, for
   tacit_string_free. */
tacit_status tacit_page_new(int markdown, const char *title, tacit_page *out,
                            tacit_error *err);
tacit_status tacit_page_end(tacit_page *page, char **out, tacit_error *err);

/* Writes a heading `deeper` levels below the headings of sections. `id` may be NULL. */
void tacit_page_heading(tacit_page *page, int deeper, const char *id,
                        const char *format, ...) TACIT_PAGE_FORMAT(4, 5);
void tacit_page_paragraph(tacit_page *page, const char *format, ...)
    TACIT_PAGE_FORMAT(2, 3);
/* Writes the sentence that answers the question in the heading above it. */
void tacit_page_answer(tacit_page *page, const char *format, ...)
    TACIT_PAGE_FORMAT(2, 3);
/* Writes a warning that cannot be overlooked. */
void tacit_page_banner(tacit_page *page, const char *format, ...)
    TACIT_PAGE_FORMAT(2, 3);
void tacit_page_item(tacit_page *page, const char *format, ...) TACIT_PAGE_FORMAT(2, 3);
void tacit_page_list(tacit_page *page);
void tacit_page_list_end(tacit_page *page);
/* Begins a list of words and their meanings. tacit_page_word writes an entry,
   tacit_page_words_end ends the list. */
void tacit_page_words(tacit_page *page);
void tacit_page_word(tacit_page *page, const char *word, const char *format, ...)
    TACIT_PAGE_FORMAT(3, 4);
void tacit_page_words_end(tacit_page *page);
/* Writes a block of lines to paste. */
void tacit_page_code(tacit_page *page, const char *format, ...) TACIT_PAGE_FORMAT(2, 3);
/* Begins a table. `heads` has the heads of its columns, with | between them; a head
   that begins with > is for numbers. The first cell of a row is its head. */
void tacit_page_table(tacit_page *page, const char *caption, const char *heads);
void tacit_page_row(tacit_page *page, const char *format, ...) TACIT_PAGE_FORMAT(2, 3);
void tacit_page_table_end(tacit_page *page);
/* Writes a template, with its marks and escapes, but without a paragraph, heading or
   cell around it. */
void tacit_page_write(tacit_page *page, const char *format, ...)
    TACIT_PAGE_FORMAT(2, 3);
/* Writes HTML as it is, so it must be a constant of this program. Does nothing in
   Markdown. */
void tacit_page_markup(tacit_page *page, const char *markup);

#endif
