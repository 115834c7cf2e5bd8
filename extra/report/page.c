/* SPDX-License-Identifier: MIT */
#include "extra/report/page.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/io.h"
#include "base/json.h"
#include "extra/report/page_texts.h"

static void put(tacit_page *page, const char *text) { (void)fputs(text, page->to); }

/* Returns the size of the character at `text`, or 0 if it is not UTF-8, is a control
   character or turns the direction of the text around. */
static size_t character(const char *text) {
  const unsigned char *c = (const unsigned char *)text;
  size_t size = tacit_utf8_length(text, strnlen(text, 4));
  int is_control = c[0] < 0x20 || c[0] == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0);
  int turns = c[0] == 0xe2 && ((c[1] == 0x80 && c[2] >= 0xaa && c[2] <= 0xae) ||
                               (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9));
  return is_control || turns ? 0 : size;
}

/* Returns the text that stands for an ASCII character in HTML or Markdown, or NULL if
   it stands for itself. */
static const char *escape_of(const tacit_page *page, char c) {
  if (page->markdown && page->in_code) return c == '`' ? "'" : NULL;
  if (c == '&') return "&amp;";
  if (c == '<') return "&lt;";
  if (c == '>') return "&gt;";
  if (page->markdown) return NULL;
  return c == '"' ? "&quot;" : c == '\'' ? "&#39;" : NULL;
}

static void put_escaped(tacit_page *page, const char *text) {
  while (*text != '\0') {
    size_t size = character(text);
    const char *escape = size == 1 ? escape_of(page, *text) : NULL;
    if (size == 0)
      put(page, "\xef\xbf\xbd");
    else if (escape != NULL)
      put(page, escape);
    else if (page->markdown && !page->in_code && size == 1 &&
             strchr("\\`*_[]#|~!", *text) != NULL)
      put(page, "\\"), (void)fputc(*text, page->to);
    else
      (void)fwrite(text, 1, size, page->to);
    text += size > 0 ? size : 1;
  }
}

/* Writes the conversion at *format, which must begin with %. Advances *format. */
static void put_conversion(tacit_page *page, const char **format, va_list *arguments) {
  char spec[16], text[64];
  size_t size = 1 + strcspn(*format + 1, "defgsuz%");
  if ((*format)[size] == 'z') ++size;
  const char kind = (*format)[size];
  if (kind == '\0' || size + 2 > sizeof spec) {
    *format += strlen(*format);
    return;
  }
  memcpy(spec, *format, size + 1);
  spec[size + 1] = '\0';
  *format += size + 1;
  if (kind == 's') {
    put_escaped(page, va_arg(*arguments, const char *));
    return;
  }
  if (kind == '%')
    (void)snprintf(text, sizeof text, "%%");
  else if (strchr(spec, 'z') != NULL)
    (void)snprintf(text, sizeof text, spec, va_arg(*arguments, size_t));
  else if (strstr(spec, "ll") != NULL)
    (void)snprintf(text, sizeof text, spec, va_arg(*arguments, long long));
  else if (kind == 'd' || kind == 'u')
    (void)snprintf(text, sizeof text, spec, va_arg(*arguments, int));
  else
    (void)snprintf(text, sizeof text, spec, va_arg(*arguments, double));
  put(page, text);
}

static void toggle(tacit_page *page, int *is_open, const char *mark, const char *tag) {
  *is_open = !*is_open;
  if (page->markdown) {
    put(page, mark);
    return;
  }
  put(page, *is_open ? "<" : "</");
  put(page, tag);
  put(page, ">");
}

/* Ends a cell of a table and begins the next one. */
static void put_next_cell(tacit_page *page) {
  if (page->markdown) {
    put(page, " | ");
    return;
  }
  put(page, page->cell == 0 ? "</th>" : "</td>");
  ++page->cell;
  put(page, page->numbers >> page->cell & 1 ? "<td class=\"n\">" : "<td>");
}

/* Writes a template. In a row of a table, | begins the next cell. */
static void put_template(tacit_page *page, int in_row, const char *format,
                         va_list *arguments) {
  while (*format != '\0') {
    if (*format == '%') {
      put_conversion(page, &format, arguments);
      continue;
    }
    size_t size = format[0] == '*' && format[1] == '*' ? 2 : 1;
    if (size == 2)
      toggle(page, &page->in_strong, "**", "strong");
    else if (*format == '`')
      toggle(page, &page->in_code, "`", "code");
    else if (*format == '|' && in_row)
      put_next_cell(page);
    else if (*format == '<')
      put(page, page->markdown && page->in_code ? "<" : "&lt;");
    else if (*format == '&')
      put(page, page->markdown ? "&" : "&amp;");
    else
      (void)fputc(*format, page->to);
    format += size;
  }
}

#define PUT_TEMPLATE(in_row)                                                           \
  do {                                                                                 \
    va_list arguments;                                                                 \
    va_start(arguments, format);                                                       \
    put_template(page, in_row, format, &arguments);                                    \
    va_end(arguments);                                                                 \
  } while (0)

void tacit_page_write(tacit_page *page, const char *format, ...) { PUT_TEMPLATE(0); }

void tacit_page_markup(tacit_page *page, const char *markup) {
  if (!page->markdown) put(page, markup);
}

void tacit_page_heading(tacit_page *page, int deeper, const char *id,
                        const char *format, ...) {
  int level = page->level + deeper;
  char text[64];
  if (page->markdown)
    (void)snprintf(text, sizeof text, "\n%.*s ", level, "######");
  else if (id != NULL)
    (void)snprintf(text, sizeof text, "<h%d id=\"%s%s\">", level, page->prefix, id);
  else
    (void)snprintf(text, sizeof text, "<h%d>", level);
  put(page, text);
  PUT_TEMPLATE(0);
  (void)snprintf(text, sizeof text, page->markdown ? "\n" : "</h%d>\n", level);
  put(page, text);
}

void tacit_page_paragraph(tacit_page *page, const char *format, ...) {
  put(page, page->markdown ? "\n" : "<p>");
  PUT_TEMPLATE(0);
  put(page, page->markdown ? "\n" : "</p>\n");
}

void tacit_page_answer(tacit_page *page, const char *format, ...) {
  put(page, page->markdown ? "\n" : "<p class=\"answer\">");
  PUT_TEMPLATE(0);
  put(page, page->markdown ? "\n" : "</p>\n");
}

void tacit_page_banner(tacit_page *page, const char *format, ...) {
  put(page, page->markdown ? "\n> " : "<p class=\"banner\" role=\"note\">");
  PUT_TEMPLATE(0);
  put(page, page->markdown ? "\n" : "</p>\n");
}

void tacit_page_list(tacit_page *page) { put(page, page->markdown ? "\n" : "<ul>\n"); }

void tacit_page_item(tacit_page *page, const char *format, ...) {
  put(page, page->markdown ? "- " : "<li>");
  PUT_TEMPLATE(0);
  put(page, page->markdown ? "\n" : "</li>\n");
}

void tacit_page_list_end(tacit_page *page) { tacit_page_markup(page, "</ul>\n"); }

void tacit_page_words(tacit_page *page) { put(page, page->markdown ? "\n" : "<dl>\n"); }

void tacit_page_word(tacit_page *page, const char *word, const char *format, ...) {
  put(page, page->markdown ? "- **" : "<dt>");
  put_escaped(page, word);
  put(page, page->markdown ? "**: " : "</dt><dd>");
  PUT_TEMPLATE(0);
  put(page, page->markdown ? "\n" : "</dd>\n");
}

void tacit_page_words_end(tacit_page *page) { tacit_page_markup(page, "</dl>\n"); }

void tacit_page_code(tacit_page *page, const char *format, ...) {
  put(page, page->markdown ? "\n```sh\n" : "<pre><code>");
  page->in_code = 1;
  PUT_TEMPLATE(0);
  page->in_code = 0;
  put(page, page->markdown ? "\n```\n" : "</code></pre>\n");
}

/* Writes the head of a column up to the next |. Returns the rest of `heads`. */
static const char *put_head(tacit_page *page, const char *heads, int column) {
  size_t size = strcspn(heads, "|");
  int is_number = *heads == '>';
  if (is_number) page->numbers |= 1u << column;
  if (!page->markdown)
    put(page, is_number ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">");
  (void)fwrite(heads + is_number, 1, size - (size_t)is_number, page->to);
  put(page, !page->markdown ? "</th>" : heads[size] == '|' ? " | " : " |");
  return heads + size + (heads[size] == '|');
}

void tacit_page_table(tacit_page *page, const char *caption, const char *heads) {
  int columns = 0;
  page->numbers = 0;
  if (page->markdown) {
    put(page, "\n");
    put_escaped(page, caption);
    put(page, "\n\n| ");
  } else {
    put(page, "<div class=\"scroll\"><table>\n<caption>");
    put_escaped(page, caption);
    put(page, "</caption>\n<thead><tr>");
  }
  while (*heads != '\0')
    heads = put_head(page, heads, columns++);
  put(page, page->markdown ? "\n|" : "</tr></thead>\n<tbody>\n");
  for (int i = 0; page->markdown && i < columns; ++i)
    put(page, page->numbers >> i & 1 ? "--:|" : "---|");
  if (page->markdown) put(page, "\n");
}

void tacit_page_row(tacit_page *page, const char *format, ...) {
  page->cell = 0;
  put(page, page->markdown      ? "| "
            : page->numbers & 1 ? "<tr><th scope=\"row\" class=\"n\">"
                                : "<tr><th scope=\"row\">");
  PUT_TEMPLATE(1);
  put(page, page->markdown    ? " |\n"
            : page->cell == 0 ? "</th></tr>\n"
                              : "</td></tr>\n");
}

void tacit_page_table_end(tacit_page *page) {
  tacit_page_markup(page, "</tbody></table></div>\n");
}

tacit_status tacit_page_new(int markdown, const char *title, tacit_page *out,
                            tacit_error *err) {
  *out = (tacit_page){.markdown = markdown, .level = 2, .prefix = ""};
  out->to = open_memstream(&out->text, &out->size);
  if (out->to == NULL) return tacit_fail_memory(err);
  put(out, markdown ? "# "
                    : "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                      "<meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width, "
                      "initial-scale=1\">\n"
                      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
  put_escaped(out, title);
  if (!markdown) {
    put(out,
        "</title>\n<style>\n" TEXT_STYLE "</style>\n</head>\n<body>\n<main>\n<h1>");
    put_escaped(out, title);
  }
  put(out, markdown ? "\n" : "</h1>\n");
  return TACIT_OK;
}

tacit_status tacit_page_end(tacit_page *page, char **out, tacit_error *err) {
  tacit_page_markup(page, "</main>\n</body>\n</html>\n");
  int is_whole = tacit_io_text_end(page->to, &page->text) == 0 && !page->has_gaps;
  if (!is_whole) {
    free(page->text);
    return tacit_fail_memory(err);
  }
  *out = page->text;
  return TACIT_OK;
}
