/* SPDX-License-Identifier: MIT */
/* What the people who sign a page say of it, kept in a small file of JSON. */
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "extra/report/page_texts.h"
#include "extra/report/report.h"

enum { ABOUT_MAX = 65536, TEXTS = 7 };

/* The names in the file, in the order of the page, and what the page calls them. */
static const char *const names[TEXTS][2] = {{"title", NULL},
                                            {"institution", "Published by"},
                                            {"purpose", "What it is for"},
                                            {"contact", "Whom to ask"},
                                            {"date", "Date"},
                                            {"bounds", NULL},
                                            {"note", "Note"}};

static tacit_status load(const char *path, json_t **out, tacit_error *err) {
  char *text = NULL;
  size_t size = 0;
  struct stat facts;
  if (path == NULL || stat(path, &facts) != 0) {
    *out = json_object();
    return *out != NULL ? TACIT_OK : tacit_fail_memory(err);
  }
  TACIT_TRY(tacit_file_read(path, ABOUT_MAX, "a shorter file", &text, &size, err));
  tacit_status status = tacit_json_parse(text, size, path, out, err);
  tacit_array_free(text);
  if (status != TACIT_OK) return status;
  for (size_t i = 0; i < TEXTS; ++i) {
    const json_t *value = json_object_get(*out, names[i][0]);
    if (value != NULL && !json_is_string(value))
      return tacit_fail(err, TACIT_EDATA, "%.100s: %s must be a text", path,
                        names[i][0]);
  }
  if (json_is_object(*out)) return TACIT_OK;
  return tacit_fail(err, TACIT_EDATA, "%.100s: must be a JSON object of texts", path);
}

static tacit_status store(const char *path, const json_t *about, tacit_error *err) {
  char *text = NULL;
  tacit_output *file = NULL;
  TACIT_TRY(tacit_json_text(about, 2, &text, err));
  tacit_status status = tacit_output_open(path, 0666, &file, err);
  if (status == TACIT_OK) status = tacit_output_write(file, text, strlen(text), err);
  if (status == TACIT_OK) status = tacit_output_write(file, "\n", 1, err);
  if (status == TACIT_OK) status = tacit_output_complete(file, 1, err);
  if (status == TACIT_OK) status = tacit_output_place(file, err);
  tacit_output_free(file);
  tacit_array_free(text);
  return status;
}

tacit_status tacit_report_take_about(tacit_report *report, tacit_error *err) {
  const tacit_report_options *options = report->options;
  const tacit_report_about *given = &options->about;
  const char *const texts[TEXTS] = {given->title,   given->institution, given->purpose,
                                    given->contact, given->date,        given->bounds,
                                    given->note};
  int is_new = 0;
  TACIT_TRY(load(options->about_file, &report->about, err));
  for (size_t i = 0; i < TEXTS; ++i) {
    if (texts[i] == NULL) continue;
    is_new = 1;
    if (json_object_set_new(report->about, names[i][0], json_string(texts[i])) != 0)
      return tacit_fail(err, TACIT_EINVAL, "the %s of the page is not UTF-8",
                        names[i][0]);
  }
  if (!is_new || options->about_file == NULL) return TACIT_OK;
  return store(options->about_file, report->about, err);
}

void tacit_report_about_page(tacit_page *page, const tacit_report *report) {
  size_t given = 0;
  for (size_t i = 0; i < TEXTS; ++i) {
    const char *text = tacit_words_of(report->about, names[i][0]);
    if (names[i][1] == NULL || *text == '\0') continue;
    if (given++ == 0) tacit_page_words(page);
    tacit_page_word(page, names[i][1], "%s", text);
  }
  if (given > 0) tacit_page_words_end(page);
}

void tacit_report_sign(tacit_page *page) {
  tacit_page_heading(page, 0, "signature", "Signature");
  tacit_page_paragraph(page, TEXT_SIGN);
  tacit_page_table(page, TEXT_SIGN_CAPTION, "what|entry");
  static const char *const lines[] = {"Name, role", "Conditions", "Date", "Signature"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i)
    tacit_page_row(page, "%s|________________________________", lines[i]);
  tacit_page_table_end(page);
}
