/* SPDX-License-Identifier: MIT */
/*
 * The option parser: `--name value`, `--name=value`, `-o value`, flags, `--` to end the
 * options, operands anywhere. No abbreviations and no repeated options: a privacy
 * budget should mean one thing only.
 */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

int cli_is_left_out(const struct cli_command *command,
                    const struct cli_option *option) {
  for (const char *const *name = command->left_out; name != NULL && *name != NULL;
       ++name)
    if (strcmp(*name, option->name) == 0) return 1;
  return 0;
}

const struct cli_option *cli_option_at(const struct cli_command *command, size_t index,
                                       const struct cli_group **out_group) {
  for (const struct cli_group *const *group = command->groups; *group; ++group) {
    for (const struct cli_option *o = (*group)->options; o->name != NULL; ++o) {
      if (index-- > 0) continue;
      if (out_group != NULL) *out_group = *group;
      return o;
    }
  }
  return NULL;
}

/* Returns the index of the option with this name or letter, or -1. */
static int find_option(const struct cli_command *command, const char *name, size_t size,
                       char letter) {
  const struct cli_option *option;
  for (size_t i = 0; (option = cli_option_at(command, i, NULL)) != NULL; ++i)
    if (letter != 0
            ? option->letter == letter
            : strlen(option->name) == size && memcmp(option->name, name, size) == 0)
      return (int)i;
  return -1;
}

/* Writes a number as %g without the padding zeros of its exponent: 1e-6, not 1e-06. */
static void short_number(double value, char out[32]) {
  snprintf(out, 32, "%g", value);
  char *exponent = strchr(out, 'e');
  if (exponent == NULL) return;
  char *to = exponent + 1;
  const char *from = to;
  if (*from == '-') ++to;
  from += strcspn(from, "123456789");
  memmove(to, from, strlen(from) + 1);
}

void cli_range_text(const struct cli_option *option, char *out, size_t size) {
  char min[32], max[32];
  short_number(option->min, min);
  short_number(option->max, max);
  out[0] = '\0';
  if (option->kind == CLI_REAL && option->max < HUGE_VAL)
    snprintf(out, size, "%s to %s", min, max);
  else if (option->kind == CLI_REAL)
    snprintf(out, size, "%s or more", min);
  else if (option->kind == CLI_INTEGER && option->int_max < UINT64_MAX)
    snprintf(out, size, "%llu to %llu", (unsigned long long)option->int_min,
             (unsigned long long)option->int_max);
  else if (option->kind == CLI_INTEGER)
    snprintf(out, size, "%llu or more", (unsigned long long)option->int_min);
  else if (option->kind == CLI_SIZE)
    snprintf(out, size, "bytes, or with K, M, G or T");
  else if (option->kind == CLI_CHOICE)
    snprintf(out, size, "%s", option->choices);
}

void cli_spell(const struct cli_option *option, char *out, size_t size) {
  if (option->letter != 0 && option->letter != 'q')
    snprintf(out, size, "-%c", option->letter);
  else
    snprintf(out, size, "--%s", option->name);
}

static int parse_number(const char *text, const char *end, double *out) {
  char buffer[64];
  size_t size = (size_t)(end - text);
  if (size == 0 || size >= sizeof buffer) return 0;
  memcpy(buffer, text, size);
  buffer[size] = '\0';
  /* strtod also accepts spaces, hexadecimal, "inf" and "nan"; a budget must not be
     written that way. */
  if (strspn(buffer, "0123456789+-.eE") != size) return 0;
  char *stop;
  *out = strtod(buffer, &stop);
  return *stop == '\0' && isfinite(*out);
}

static int bad_value(const struct cli_option *option, const char *text) {
  char range[160], name[40];
  cli_range_text(option, range, sizeof range);
  cli_spell(option, name, sizeof name);
  if (option->kind == CLI_CHOICE)
    return cli_refuse("%s must be one of: %s; not \"%.60s\"", name, range, text);
  if (option->kind == CLI_PAIR)
    return cli_refuse("%s must be two numbers %s, the first below the second, "
                      "not \"%.60s\"",
                      name, option->placeholder, text);
  if (option->kind == CLI_SIZE)
    return cli_refuse("%s must be a number of bytes, %llu to %llu, or one with K, "
                      "M, G or T after it, not \"%.60s\"",
                      name, (unsigned long long)option->int_min,
                      (unsigned long long)option->int_max, text);
  return cli_refuse("%s must be a %s, %s, not \"%.60s\"", name,
                    option->kind == CLI_REAL ? "number" : "whole number", range, text);
}

static int parse_integer(const struct cli_option *option, const char *text,
                         uint64_t *out) {
  if (text[0] == '\0' || strspn(text, "0123456789") != strlen(text)) return 0;
  errno = 0;
  unsigned long long value = strtoull(text, NULL, 10);
  *out = value;
  return errno == 0 && value >= option->int_min && value <= option->int_max;
}

static int parse_size(const struct cli_option *option, const char *text,
                      uint64_t *out) {
  static const char units[] = "KMGT";
  size_t digits = strspn(text, "0123456789");
  const char *unit = strchr(units, text[digits]);
  if (digits == 0 || unit == NULL) return 0;
  unsigned shift = *unit == '\0' ? 0 : 10 * (unsigned)(unit - units + 1);
  if (shift > 0 && text[digits + 1] != '\0') return 0;
  errno = 0;
  unsigned long long value = strtoull(text, NULL, 10);
  if (errno != 0 || value > option->int_max >> shift) return 0;
  *out = (uint64_t)value << shift;
  return *out >= option->int_min;
}

static int parse_choice(const struct cli_option *option, const char *text,
                        size_t *out) {
  const char *word = option->choices;
  for (size_t i = 0; *word != '\0'; ++i) {
    size_t size = strcspn(word, " ");
    if (strlen(text) == size && memcmp(text, word, size) == 0) {
      *out = i;
      return 1;
    }
    word += size + (word[size] == ' ');
  }
  return 0;
}

static int parse_value(const struct cli_option *option, const char *text,
                       struct cli_value *value) {
  const char *end = text + strlen(text);
  int good = 1;
  value->text = text;
  if (option->kind == CLI_REAL) {
    good = parse_number(text, end, &value->number) && value->number >= option->min &&
           value->number <= option->max;
  } else if (option->kind == CLI_PAIR) {
    const char *comma = strchr(text, ',');
    good = comma != NULL && parse_number(text, comma, &value->number) &&
           parse_number(comma + 1, end, &value->second) &&
           value->number < value->second;
  } else if (option->kind == CLI_INTEGER) {
    good = parse_integer(option, text, &value->integer);
  } else if (option->kind == CLI_SIZE) {
    good = parse_size(option, text, &value->integer);
  } else if (option->kind == CLI_CHOICE) {
    good = parse_choice(option, text, &value->choice);
  }
  return good ? 0 : bad_value(option, text);
}

static int unknown_option(const struct cli_command *command, const char *word) {
  const char *names[CLI_MAX_OPTIONS + 3];
  size_t n = 0;
  const struct cli_option *option;
  while ((option = cli_option_at(command, n, NULL)) != NULL)
    names[n++] = option->name;
  names[n++] = "help";
  names[n++] = "help-all";
  names[n] = NULL;
  char wanted[64];
  snprintf(wanted, sizeof wanted, "%.*s", (int)strcspn(word, "="), word);
  if (strcmp(wanted, "--noise") == 0) /* of version 0.1.0 */
    return cli_refuse("--noise is gone: all noise is sampled exactly, which is "
                      "faster than --noise fast was; leave it out");
  if (command->no_checkpoint != NULL &&
      (strcmp(wanted, "--checkpoint") == 0 || strcmp(wanted, "--resume") == 0))
    return cli_refuse("%s: %s", wanted, command->no_checkpoint);
  const char *closest =
      strncmp(wanted, "--", 2) == 0 ? cli_closest(wanted + 2, names) : NULL;
  if (closest != NULL)
    return cli_refuse("unknown option %s; did you mean --%s?", wanted, closest);
  return cli_refuse("unknown option %s; \"%s %s --help-all\" lists them", wanted,
                    cli_name(), command->name);
}

/* Returns the help that a word asks for. */
static enum cli_help help_of(const char *word) {
  if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0) return CLI_HELP;
  return strcmp(word, "--help-all") == 0 ? CLI_HELP_ALL : CLI_NO_HELP;
}

/* Parses the option at words[*at] and moves *at past it. Its value may be the next
   word. */
static int take_option(const struct cli_command *command, int n_words, char **words,
                       int *at, struct cli_args *out) {
  const char *word = words[*at];
  out->help = help_of(word);
  if (out->help != CLI_NO_HELP) return 0;
  int is_long = word[1] == '-';
  const char *name = word + 2;
  size_t size = is_long ? strcspn(name, "=") : 0;
  const char *value = is_long ? (name[size] == '=' ? name + size + 1 : NULL)
                              : (word[2] != '\0' ? word + 2 : NULL);
  int index = find_option(command, name, size, is_long ? 0 : word[1]);
  if (index < 0) return unknown_option(command, word);
  const struct cli_option *option = cli_option_at(command, (size_t)index, NULL);
  struct cli_value *slot = &out->values[index];
  char spelt[40];
  cli_spell(option, spelt, sizeof spelt);
  if (slot->given && !option->repeats) return cli_refuse("%s is given twice", spelt);
  slot->given = 1;
  if (option->kind == CLI_FLAG) {
    if (value != NULL) return cli_refuse("%s takes no value", spelt);
    return 0;
  }
  if (value == NULL) {
    int missing = *at + 1 >= n_words;
    /* A next word that starts with -- usually means that the value was forgotten. */
    if (!missing && option->kind == CLI_TEXT)
      missing = strncmp(words[*at + 1], "--", 2) == 0;
    if (missing)
      return cli_refuse("%s needs a value: %s %s", spelt, spelt, option->placeholder);
    value = words[++*at];
  }
  if (value[0] == '\0') return cli_refuse("%s needs a value, not an empty one", spelt);
  if (option->repeats)
    out->repeated[out->n_repeated++] = (struct cli_repeated){(size_t)index, value};
  return parse_value(option, value, slot);
}

static int wrong_operands(const struct cli_command *command, size_t n,
                          const char *first_extra) {
  if (n < command->min_operands)
    return cli_refuse("operands are missing: tacit %s %s", command->name,
                      command->operands);
  if (command->max_operands == 0)
    return cli_refuse("takes no operands, but \"%.60s\" was given", first_extra);
  return cli_refuse("too many operands: tacit %s %s", command->name, command->operands);
}

int cli_parse(const struct cli_command *command, int n_words, char **words,
              struct cli_args *out) {
  memset(out, 0, sizeof *out);
  out->command = command;
  out->operands = calloc((size_t)n_words + 1, sizeof *out->operands);
  out->repeated = calloc((size_t)n_words + 1, sizeof *out->repeated);
  if (out->operands == NULL || out->repeated == NULL)
    return cli_fail(CLI_FAILED, "out of memory");
  int options_ended = 0;
  for (int i = 0; i < n_words; ++i) {
    const char *word = words[i];
    if (!options_ended && strcmp(word, "--") == 0) {
      options_ended = 1;
    } else if (!options_ended && word[0] == '-' && word[1] != '\0') {
      int failed = take_option(command, n_words, words, &i, out);
      if (failed) return failed;
      if (out->help != CLI_NO_HELP) return 0;
    } else {
      out->operands[out->n_operands++] = word;
    }
  }
  if (out->n_operands < command->min_operands ||
      out->n_operands > command->max_operands)
    return wrong_operands(command, out->n_operands, out->operands[0]);
  return 0;
}

void cli_args_free(struct cli_args *args) {
  free(args->operands);
  free(args->repeated);
  args->operands = NULL;
  args->repeated = NULL;
}

const struct cli_value *cli_value(const struct cli_args *args, const char *name) {
  int index = find_option(args->command, name, strlen(name), 0);
  if (index < 0) {
    /* A command asked for an option that its table lacks. This is a bug in the command;
       the first test that runs it finds it. */
    fprintf(stderr, "tacit: internal: %s has no option %s\n", args->command->name,
            name);
    abort();
  }
  return &args->values[index];
}

int cli_given(const struct cli_args *args, const char *name) {
  return cli_value(args, name)->given;
}

const char *cli_first_given(const struct cli_args *args, const char *const *names) {
  while (*names != NULL && !cli_given(args, *names))
    ++names;
  return *names;
}

const char *cli_text(const struct cli_args *args, const char *name,
                     const char *fallback) {
  const struct cli_value *value = cli_value(args, name);
  return value->given ? value->text : fallback;
}

size_t cli_texts(const struct cli_args *args, const char *name, const char **out) {
  size_t count = 0, wanted = (size_t)(cli_value(args, name) - args->values);
  for (size_t i = 0; i < args->n_repeated; ++i)
    if (args->repeated[i].option == wanted) out[count++] = args->repeated[i].text;
  return count;
}

double cli_number(const struct cli_args *args, const char *name, double fallback) {
  const struct cli_value *value = cli_value(args, name);
  return value->given ? value->number : fallback;
}

int64_t cli_integer(const struct cli_args *args, const char *name, int64_t fallback) {
  const struct cli_value *value = cli_value(args, name);
  return value->given ? (int64_t)value->integer : fallback;
}

size_t cli_choice(const struct cli_args *args, const char *name) {
  const struct cli_value *value = cli_value(args, name);
  return value->given ? 1 + value->choice : 0;
}
