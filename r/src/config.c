/* SPDX-License-Identifier: MIT */
/* A config from a named list, by the table of settings of the library. */
#include <string.h>
#include <tacit/config_fields.h>

#include "core.h"

static const tacit_setting fields[] = {TACIT_CONFIG_FIELDS(TACIT_FIELD)};

static const tacit_setting *field_of(const char *name) {
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i)
    if (strcmp(fields[i].name, name) == 0) return &fields[i];
  core_refuse("there is no setting '%s'", name);
}

/* Returns the number of a word, from 1; "default" is 0. */
static int number_of(const tacit_setting *field, const char *text) {
  if (strcmp(text, "default") == 0) return 0;
  size_t size = strlen(text);
  int number = 1;
  for (const char *word = field->words; *word != '\0'; ++number) {
    size_t length = strcspn(word, " ");
    if (length == size && memcmp(word, text, size) == 0) return number;
    word += length + (word[length] != '\0');
  }
  core_refuse("%s cannot be '%s'; it is one of: default %s", field->name, text,
              field->words);
}

/* Returns a whole number between limits. */
static double whole(const tacit_setting *field, SEXP value, double least, double most) {
  double number = Rf_asReal(value);
  if (!(number >= least && number <= most) || number != (double)(int64_t)number)
    core_refuse("%s must be a whole number from %.0f to %.0f", field->name, least,
                most);
  return number;
}

static void set_field(const tacit_setting *field, SEXP value, tacit_config *config) {
  void *place = (char *)config + field->offset;
  int is_text = TYPEOF(value) == STRSXP;
  int wants_text = field->kind == TACIT_KIND_TEXT || field->kind == TACIT_KIND_WORD;
  if (!Rf_isVectorAtomic(value) || XLENGTH(value) != 1)
    core_refuse("%s must be one value", field->name);
  if (is_text != wants_text)
    core_refuse("%s must be a %s", field->name, wants_text ? "text" : "number");
  switch (field->kind) {
  case TACIT_KIND_REAL: *(double *)place = Rf_asReal(value); break;
  case TACIT_KIND_FLAG: *(bool *)place = Rf_asLogical(value) == 1; break;
  case TACIT_KIND_WHOLE: *(int *)place = (int)whole(field, value, 0, INT_MAX); break;
  case TACIT_KIND_COUNT:
    *(unsigned *)place = (unsigned)whole(field, value, 0, INT_MAX);
    break;
  case TACIT_KIND_LONG:
    *(int64_t *)place = (int64_t)whole(field, value, 0, 9007199254740991.0);
    break;
  case TACIT_KIND_WORD: {
    int number = number_of(field, core_text(value));
    memcpy(place, &number, sizeof number); /* the enums of the config are ints */
    break;
  }
  case TACIT_KIND_TEXT: *(const char **)place = core_text(value); break;
  }
}

void core_config(SEXP settings, const tacit_schema *schema, tacit_config *out) {
  SEXP names = PROTECT(Rf_getAttrib(settings, R_NamesSymbol));
  tacit_config_init(out);
  out->schema = schema;
  for (R_xlen_t i = 0; i < XLENGTH(settings); ++i) {
    const char *name = CHAR(STRING_ELT(names, i));
    SEXP value = VECTOR_ELT(settings, i);
    if (strcmp(name, "init") == 0)
      out->init = core_model_of(value);
    else if (strcmp(name, "class_weights") != 0)
      set_field(field_of(name), value, out);
    else if (TYPEOF(value) == REALSXP &&
             (size_t)XLENGTH(value) == tacit_schema_classes(schema))
      out->class_weights = REAL(value);
    else
      core_refuse("class_weights must be numbers, one per class");
  }
  UNPROTECT(1);
}
