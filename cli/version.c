/* SPDX-License-Identifier: MIT */
/* `tacit version`: the version of this build and what it supports. */
#include <tacit/version.h>

#include "cli.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

static const struct {
  const char *name;
  tacit_family family;
} families[] = {{"compression", TACIT_COMPRESSIONS},
                {"losses", TACIT_LOSSES},
                {"learners", TACIT_LEARNERS},
                {"mechanisms", TACIT_MECHANISMS},
                {"laws", TACIT_LAWS}};

enum { N_FAMILIES = sizeof families / sizeof families[0] };

/* If TACIT_DISPATCH is not a usable level every run fails; this command shows it. */
static const char *dispatch(void) {
  const char *level = tacit_catalog_dispatch();
  return level != NULL ? level : "none";
}

/* Returns how this program was built, in words that come from meson.build. */
static json_t *build_json(void) {
  json_t *features = json_array();
#ifdef TACIT_HAVE_ZSTD
  json_array_append_new(features, json_string("zstd"));
#endif
#ifdef TACIT_HAVE_POSTGRESQL
  json_array_append_new(features, json_string("postgresql"));
#endif
  return json_pack("{s:s, s:s, s:s, s:s, s:b, s:o}", "type", TACIT_BUILD_TYPE,
                   "optimization", TACIT_BUILD_OPTIMIZATION, "sanitizers",
                   TACIT_BUILD_SANITIZERS, "flags", TACIT_BUILD_FLAGS, "fortified",
                   TACIT_BUILD_FORTIFIED, "features", features);
}

static int print_json(void) {
  json_t *object = json_pack("{s:s, s:i, s:s, s:i, s:s}", "version", tacit_version(),
                             "abi", tacit_abi(), "compiler", COMPILER, "c_standard",
                             (int)(__STDC_VERSION__ / 100), "dispatch", dispatch());
  json_object_set_new(object, "build", build_json());
  for (size_t f = 0; f < N_FAMILIES; ++f) {
    json_t *names = json_array();
    tacit_catalog_entry entry;
    for (size_t i = 0; tacit_catalog_get(families[f].family, i, &entry); ++i)
      json_array_append_new(names, json_string(entry.name));
    json_object_set_new(object, families[f].name, names);
  }
  return cli_print_json(object);
}

static int run(const struct cli_args *args) {
  if (cli_given(args, "json")) return print_json();
  printf("version %s\nabi %d\ncompiler %s\nbuild %s -O%s %s\ndispatch "
         "%s\n",
         tacit_version(), tacit_abi(), COMPILER, TACIT_BUILD_TYPE,
         TACIT_BUILD_OPTIMIZATION, TACIT_BUILD_FLAGS, dispatch());
  for (size_t f = 0; f < N_FAMILIES; ++f) {
    printf("%s", families[f].name);
    tacit_catalog_entry entry;
    for (size_t i = 0; tacit_catalog_get(families[f].family, i, &entry); ++i)
      printf(" %s", entry.name);
    printf("\n");
  }
  return cli_close_stdout();
}

static const struct cli_group output_group = GROUP("Output", JSON);

CLI_COMMAND(version, "", 0, 0, "version and build", GROUPS(&output_group));
