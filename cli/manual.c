/* SPDX-License-Identifier: MIT */
/*
 * Manual pages in mdoc from the option tables, which --help reads too, so the two
 * cannot disagree. The build writes the pages with `tacit man COMMAND`.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <tacit/version.h>

#include "cli.h"

/* Date of the last change to the text of the pages; fixed, so that a build does not
   depend on the day. */
static const char page_date[] = "November 18, 2026";

/* Prints text for mdoc: escapes backslashes and lines that would start a macro. */
static void print_text(const char *text, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    int line_start = i == 0 || text[i - 1] == '\n';
    if (line_start && (text[i] == '.' || text[i] == '\'')) printf("\\&");
    if (text[i] == '\\')
      printf("\\e");
    else
      putchar(text[i]);
  }
}

static void print_string(const char *text) { print_text(text, strlen(text)); }

/* Prints words in lines of at most 78 bytes, without a newline at the end. */
static void print_filled(const char *text, size_t size) {
  size_t at = 0;
  while (size > 0) {
    size_t word = 0;
    while (word < size && text[word] != ' ')
      ++word;
    if (at > 0 && at + 1 + word > 78) {
      putchar('\n');
      at = 0;
    } else if (at > 0) {
      putchar(' ');
      ++at;
    }
    print_text(text, word);
    at += word;
    if (word < size) ++word;
    text += word;
    size -= word;
  }
}

/* Prints sentences, the last without its full stop, each on its own line, as mdoc needs
   it for the right spacing. */
static void print_sentence(const char *text) {
  for (const char *end; (end = strstr(text, ". ")) != NULL; text = end + 2) {
    print_filled(text, (size_t)(end - text) + 1);
    printf("\n");
  }
  print_filled(text, strlen(text));
  printf(".\n");
}

static void print_upper(const char *text) {
  for (; *text != '\0'; ++text)
    putchar(toupper((unsigned char)*text));
}

static void print_head(const char *command) {
  printf(".\\\" Written by \"tacit man\" from the program's option tables.\n"
         ".Dd %s\n.Dt TACIT",
         page_date);
  if (command != NULL) {
    printf("-");
    print_upper(command);
  }
  printf(" 1\n.Os\n.Sh NAME\n.Nm tacit%s%s\n", command != NULL ? "-" : "",
         command != NULL ? command : "");
}

static void print_paragraphs(const char *text) {
  while (*text != '\0') {
    const char *end = strstr(text, "\n\n");
    size_t size = end != NULL ? (size_t)(end - text) : strlen(text);
    for (const char *at = text; at < text + size;) {
      /* each sentence has its own line */
      const char *stop = at;
      while (stop < text + size && !(*stop == '.' && (stop[1] == ' ')))
        ++stop;
      if (stop < text + size) ++stop;
      print_filled(at, (size_t)(stop - at));
      printf("\n");
      at = stop + strspn(stop, " ");
    }
    text += size;
    text += strspn(text, "\n");
    if (*text != '\0') printf(".Pp\n");
  }
}

static void print_option(const struct cli_option *option) {
  char range[160];
  cli_range_text(option, range, sizeof range);
  printf(".It ");
  if (option->letter) printf("Fl %c , ", option->letter);
  printf("Fl \\-%s", option->name);
  if (option->placeholder != NULL) printf(" Ar %s", option->placeholder);
  printf("\n");
  print_sentence(option->help);
  if (option->kind == CLI_CHOICE)
    printf("One of: %s.\n", range);
  else if (range[0] != '\0')
    printf("Range: %s.\n", range);
  if (option->fallback != NULL) {
    printf("Default: ");
    print_sentence(option->fallback);
  }
}

static void print_family(const struct cli_option *option) {
  printf(".Ss Values of \\-\\-%s\n.Bl -tag -width Ds\n", option->name);
  tacit_catalog_entry entry;
  for (size_t i = 0; tacit_catalog_get(cli_family(option), i, &entry); ++i) {
    printf(".It Cm %s\n", entry.name);
    print_sentence(entry.summary);
    for (const tacit_param *p = entry.params; p != NULL && p->name != NULL; ++p) {
      printf("Parameter\n.Cm %s :\n", p->name);
      print_filled(p->help, strlen(p->help));
      printf("\n(%g to %g", p->min, p->max);
      if (!isnan(p->fallback)) printf("; default %g", p->fallback);
      printf(").\n");
    }
  }
  printf(".El\n");
}

static void print_exit_codes(void) {
  printf(".Sh EXIT STATUS\n.Bl -tag -width 130x -compact\n");
  for (const struct cli_exit_code *e = cli_exit_codes; e->text != NULL; ++e) {
    printf(".It %d\n", e->code);
    print_string(e->text);
    printf("\n");
  }
  printf(".El\n");
}

/* Prints operands like "MODEL DATA..." as mdoc arguments. */
static void print_operands(const char *operands) {
  while (*operands != '\0') {
    size_t size = strcspn(operands, " ");
    if (operands[0] == '-')
      printf(".Fl %.*s\n", (int)size - 1, operands + 1);
    else
      printf(".Ar %.*s\n", (int)size, operands);
    operands += size;
    operands += strspn(operands, " ");
  }
}

void cli_print_man(const struct cli_command *command) {
  print_head(command->name);
  printf(".Nd %s\n.Sh SYNOPSIS\n.Nm tacit %s\n.Op Ar options\n", command->summary,
         command->name);
  print_operands(command->operands);
  printf(".Sh DESCRIPTION\n");
  print_paragraphs(command->prose->description);
  const struct cli_group *group = NULL, *last = NULL;
  const struct cli_option *option;
  for (size_t i = 0; (option = cli_option_at(command, i, &group)) != NULL; ++i) {
    if (cli_is_left_out(command, option)) continue;
    if (group != last)
      printf("%s.Ss %s\n.Bl -tag -width Ds\n", last != NULL ? ".El\n" : "",
             group->title);
    last = group;
    print_option(option);
  }
  printf(
      "%s.Ss Help\n.Bl -tag -width Ds\n"
      ".It Fl h , Fl \\-help\nPrint the options to know first; all if there are few.\n"
      ".It Fl \\-help-all\nPrint all options.\n.El\n",
      last != NULL ? ".El\n" : "");
  for (size_t i = 0; (option = cli_option_at(command, i, NULL)) != NULL; ++i)
    if (option->family != CLI_NO_FAMILY) print_family(option);
  print_exit_codes();
  printf(".Sh EXAMPLES\n.Bd -literal\n");
  print_string(command->prose->examples);
  printf(".Ed\n.Sh SEE ALSO\n.Xr tacit 1\n");
}

void cli_print_overview_man(const struct cli_command *const *commands) {
  print_head(NULL);
  printf(".Nd differentially private linear models in a few passes\n"
         ".Sh SYNOPSIS\n.Nm\n.Ar command\n.Op Ar options\n.Ar ...\n"
         ".Nm\n.Fl \\-help\n.Nm\n.Fl \\-version\n.Sh DESCRIPTION\n"
         "Trains linear models whose release is differentially private, and says what\n"
         "exactly is guaranteed.\n"
         "Version %s.\n.Bl -tag -width accountx\n",
         tacit_version());
  for (const struct cli_command *const *c = commands; *c != NULL; ++c) {
    printf(".It Cm %s\n", (*c)->name);
    print_sentence((*c)->summary);
  }
  printf(".El\n");
  print_exit_codes();
  printf(".Sh EXAMPLES\n.Bd -literal\ntacit demo\n"
         "tacit train --epsilon 1 --features 123 -o model.json a9a.gz\n"
         "tacit eval model.json a9a.t.gz\n.Ed\n.Sh SEE ALSO\n");
  /* Pages by name. */
  enum { MOST = 32 };
  const char *names[MOST];
  size_t n = 0;
  for (; commands[n] != NULL && n < MOST; ++n) {
    size_t at = n;
    for (; at > 0 && strcmp(names[at - 1], commands[n]->name) > 0; --at)
      names[at] = names[at - 1];
    names[at] = commands[n]->name;
  }
  for (size_t i = 0; i < n; ++i)
    printf(".Xr tacit-%s 1%s\n", names[i], i + 1 < n ? " ," : "");
}
