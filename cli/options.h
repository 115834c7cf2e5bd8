/* SPDX-License-Identifier: MIT */
/*
 * Command-line options from tables. One table per command holds everything about its
 * options; the parser, --help, --help-all and the man pages all read that table.
 */
#ifndef TACIT_CLI_OPTIONS_H
#define TACIT_CLI_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/catalog.h>
#include <tacit/config_fields.h>

enum cli_kind {
  CLI_FLAG,    /* takes no value */
  CLI_REAL,    /* a number from `min` to `max` */
  CLI_INTEGER, /* a whole number from `int_min` to `int_max` */
  CLI_CHOICE,  /* one of the words of `choices` */
  CLI_SIZE,    /* bytes from `int_min` to `int_max`, also as 64K, 64M, 64G, 64T */
  CLI_TEXT,    /* anything */
  CLI_PAIR     /* two numbers, "MIN,MAX" with MIN < MAX */
};

/* The kind of option for each kind of field in <tacit/config_fields.h>. */
#define CLI_OF_REAL CLI_REAL
#define CLI_OF_WHOLE CLI_INTEGER
#define CLI_OF_LONG CLI_INTEGER
#define CLI_OF_FLAG CLI_FLAG
#define CLI_OF_WORD CLI_CHOICE
#define CLI_OF_TEXT CLI_TEXT

/* What the command does with the file that an option names (paths.h). Operands are
   inputs. */
enum cli_file {
  CLI_NO_FILE,
  CLI_INPUT,
  CLI_OUTPUT,         /* written; perhaps read before that */
  CLI_OUTPUT_OR_PRINT /* written; standard output if not given or "-" */
};

/* The family whose members an option accepts; help lists the members, which it gets
   from the library. */
enum cli_family { CLI_NO_FAMILY, CLI_LOSS, CLI_LEARNER, CLI_MECHANISM, CLI_LAW };

struct cli_option {
  const char *name;        /* long name without dashes; NULL ends a list */
  char letter;             /* short name, or 0 */
  const char *placeholder; /* name of the value in help; NULL for a flag */
  enum cli_kind kind;
  double min, max;           /* CLI_REAL */
  uint64_t int_min, int_max; /* CLI_INTEGER, CLI_SIZE */
  const char *choices;       /* CLI_CHOICE: words with one space between */
  const char *fallback;      /* text for help: the default value, or NULL */
  const char *help;          /* one sentence, no full stop */
  enum cli_family family;    /* the family of its values, which the library lists */
  enum cli_file file;        /* use of the file that a CLI_TEXT names */
  int repeats;               /* 1 if a CLI_TEXT may be given several times */
  int common; /* 1 if --help lists it even if the command has many options */
};

struct cli_group {
  const char *title;
  const struct cli_option *options;
};

/* What help and man page say of a command: its file in texts/. */
struct cli_prose {
  const char *description; /* paragraphs, separated by empty lines; the short help
                              prints the first sentence */
  const char *examples;    /* lines to paste, each ends with a newline */
};

struct cli_args;

struct cli_command {
  const char *name;
  const char *operands; /* operands of the usage line, or "" */
  const char *actions;  /* words that the first operand may be, with one space between;
                           NULL for any */
  const char *summary;  /* one line for the list of commands */
  const struct cli_prose *prose;
  const struct cli_group *const *groups; /* NULL-ended */
  const char *const *left_out; /* names of options that no use of the command takes:
                                  help is silent about them; NULL-ended, or NULL */
  const char *no_checkpoint;   /* why it refuses --checkpoint, or NULL */
  size_t min_operands, max_operands;
  int (*run)(const struct cli_args *args); /* returns the exit code */
};

struct cli_value {
  int given;
  double number, second; /* CLI_REAL; CLI_PAIR uses both */
  uint64_t integer;
  size_t choice;
  const char *text; /* as written */
};

/* A value of an option that may be given several times. */
struct cli_repeated {
  size_t option; /* number of the option in the table */
  const char *text;
};

enum { CLI_MAX_OPTIONS = 64 };

enum cli_help { CLI_NO_HELP, CLI_HELP, CLI_HELP_ALL };

struct cli_args {
  const struct cli_command *command;
  struct cli_value values[CLI_MAX_OPTIONS];
  const char **operands; /* cli_args_free frees them */
  size_t n_operands;
  struct cli_repeated
      *repeated; /* values of options that repeat; cli_args_free frees them */
  size_t n_repeated;
  enum cli_help help; /* if asked for, nothing after that word was checked */
};

/* Fills *out from the words after the command. Returns 0, or prints one line and
   returns the exit code: 2, or 1 if memory ran out. */
int cli_parse(const struct cli_command *command, int n_words, char **words,
              struct cli_args *out);
void cli_args_free(struct cli_args *args);

/*
 * Rows of a table of options. After the sentence of help, further fields may follow:
 * REAL("scale", "S", 0, 1, "size of it", DEFAULT("1"), COMMON).
 */
#define OPTION(word, value, type, ...)                                                 \
  { .name = word, .placeholder = value, .kind = type, .help = __VA_ARGS__ }
#define FLAG(word, ...) OPTION(word, NULL, CLI_FLAG, __VA_ARGS__)
#define TEXT(word, value, ...) OPTION(word, value, CLI_TEXT, __VA_ARGS__)
#define PAIR(word, value, ...) OPTION(word, value, CLI_PAIR, __VA_ARGS__)
#define REAL(word, value, least, most, ...)                                            \
  OPTION(word, value, CLI_REAL, __VA_ARGS__, .min = least, .max = most)
#define INTEGER(word, value, least, most, ...)                                         \
  OPTION(word, value, CLI_INTEGER, __VA_ARGS__, .int_min = least, .int_max = most)
#define SIZE(word, least, most, ...)                                                   \
  OPTION(word, "SIZE", CLI_SIZE, __VA_ARGS__, .int_min = least, .int_max = most)
#define CHOICE(word, value, words, ...)                                                \
  OPTION(word, value, CLI_CHOICE, __VA_ARGS__, .choices = words)
/* Rows of settings (tacit/config_fields.h), as TACIT_NOISE_FIELDS(FIELD), which other
   rows or LAST must follow. */
#define FIELD(field, type, least, most, words, word, value, otherwise, sentence,       \
              flags)                                                                   \
  {.name = word,                                                                       \
   .placeholder = value,                                                               \
   .kind = CLI_OF_##type,                                                              \
   .min = least,                                                                       \
   .max = most,                                                                        \
   .int_min = (uint64_t)(least),                                                       \
   .int_max = (uint64_t)(most),                                                        \
   .choices = words,                                                                   \
   .fallback = otherwise,                                                              \
   .help = sentence,                                                                   \
   .family = (enum cli_family)((flags) / TACIT_FIELD_LOSS),                            \
   .common = ((flags)&TACIT_FIELD_COMMON) != 0},
#define LAST                                                                           \
  { 0 }
#define INPUT(word, value, ...) TEXT(word, value, __VA_ARGS__, .file = CLI_INPUT)
#define OUTPUT(word, value, ...) TEXT(word, value, __VA_ARGS__, .file = CLI_OUTPUT)
#define OUTPUT_OR_PRINT(word, value, ...)                                              \
  TEXT(word, value, __VA_ARGS__, .file = CLI_OUTPUT_OR_PRINT,                          \
       .fallback = "standard output")
#define DEFAULT(text) .fallback = text
#define FAMILY(members) .family = members
#define LETTER(short_name) .letter = short_name
#define REPEATS .repeats = 1
#define COMMON .common = 1
/* Rows that many commands have. */
#define JSON FLAG("json", "print one JSON object")
#define QUIET FLAG("quiet", "show no progress", LETTER('q'))

/* A group of options, the groups of a command, and the command, which the static
   function `run` runs. ANY number of operands. */
#define GROUP(title, ...)                                                              \
  {                                                                                    \
    title, (const struct cli_option[]) {                                               \
      __VA_ARGS__, { 0 }                                                               \
    }                                                                                  \
  }
#define GROUPS(...)                                                                    \
  (const struct cli_group *const[]) { __VA_ARGS__, NULL }
#define ANY SIZE_MAX
#define CLI_COMMAND(word, words, least, most, line, ...)                               \
  extern const struct cli_prose cli_prose_##word;                                      \
  const struct cli_command cli_##word = {.name = #word,                                \
                                         .operands = words,                            \
                                         .min_operands = least,                        \
                                         .max_operands = most,                         \
                                         .summary = line,                              \
                                         .prose = &cli_prose_##word,                   \
                                         .run = run,                                   \
                                         .groups = __VA_ARGS__}

/* Returns the value of an option, which must be in the command's table. */
const struct cli_value *cli_value(const struct cli_args *args, const char *name);
int cli_given(const struct cli_args *args, const char *name);
/* Returns the first of these names (NULL-ended) whose option is given, or NULL. */
const char *cli_first_given(const struct cli_args *args, const char *const *names);
/* Returns the text of an option, or `fallback` if it is not given. */
const char *cli_text(const struct cli_args *args, const char *name,
                     const char *fallback);
double cli_number(const struct cli_args *args, const char *name, double fallback);
int64_t cli_integer(const struct cli_args *args, const char *name, int64_t fallback);
/* Returns the place of the word among the choices, from 1, or 0 if the option is not
   given. */
size_t cli_choice(const struct cli_args *args, const char *name);
/* Lists all values of an option that repeats, in the given order, and returns their
   number. `out` must have room for n_repeated. */
size_t cli_texts(const struct cli_args *args, const char *name, const char **out);

/* Returns option `index` of a command's table, and its group, or NULL past the end. */
const struct cli_option *cli_option_at(const struct cli_command *command, size_t index,
                                       const struct cli_group **out_group);

/* Returns 1 if help, man page and completion leave the option out. */
int cli_is_left_out(const struct cli_command *command, const struct cli_option *option);

/* Returns the word of `words` (NULL-ended) closest to `word`, or NULL if no word is
   close. */
const char *cli_closest(const char *word, const char *const *words);

/* Refuses an unknown action. The message names the closest of `actions` (NULL-ended),
   or all of them. */
int cli_fail_action(const char *action, const char *const *actions);

/* Writes the range or the choices of an option, or "" if it has neither. */
void cli_range_text(const struct cli_option *option, char *out, size_t size);
/* Writes an option as messages spell it. */
void cli_spell(const struct cli_option *option, char *out, size_t size);
/* Returns the library's family of an option whose `family` is set. */
tacit_family cli_family(const struct cli_option *option);

/* Prints the help of a command. The short form of a command with many options lists the
   options that are marked `common`. */
void cli_print_help(const struct cli_command *command, enum cli_help which);
/* Prints the man page of a command, in mdoc. */
void cli_print_man(const struct cli_command *command);
/* Print the help and the man page of the program itself. */
struct cli_program;
void cli_print_overview_help(const struct cli_program *program);
void cli_print_overview_man(const struct cli_command *const *commands);

#endif
