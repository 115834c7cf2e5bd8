/* SPDX-License-Identifier: MIT */
/* The kind of a file, and whether a cache was made from given files. */
#include "data/cache/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <tacit/files.h>
#include <unistd.h>

#include "base/error.h"
#include "data/array/npy.h"

tacit_file_kind tacit_file_kind_of(const char *path) {
  unsigned char bytes[TACIT_CACHE_MAGIC];
  struct stat facts;
  /* Calls stat first, because opening a pipe would wait for its writer. */
  if (path == NULL || strcmp(path, "-") == 0 || stat(path, &facts) != 0 ||
      !S_ISREG(facts.st_mode))
    return TACIT_FILE_TEXT;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0) return TACIT_FILE_TEXT;
  ssize_t got;
  do {
    got = pread(fd, bytes, sizeof bytes, 0);
  } while (got < 0 && errno == EINTR);
  (void)close(fd);
  if (got < 0) return TACIT_FILE_TEXT;
  if (tacit_cache_match(bytes, (size_t)got)) return TACIT_FILE_CACHE;
  return tacit_npy_match(bytes, (size_t)got) ? TACIT_FILE_NPY : TACIT_FILE_TEXT;
}

static tacit_status check(const tacit_cache *cache, const tacit_cache_options *options,
                          int shuffled, tacit_error *err) {
  const tacit_cache_head *head = tacit_cache_head_of(cache);
  const char *name = tacit_cache_name(cache);
  unsigned char sources[TACIT_CACHE_DIGEST];
  int agrees;
  TACIT_TRY(tacit_cache_agrees(cache, options->schema, &agrees, err));
  TACIT_TRY(tacit_cache_sources(options, sources, err));
  if (!agrees || sodium_memcmp(sources, head->sources, sizeof sources) != 0)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: was made from other data, weights or ids, or with another "
                      "schema or --max-weight: delete it to have it made again",
                      name);
  if (head->is_shuffled != (shuffled != 0))
    return tacit_fail(err, TACIT_EDATA,
                      "%s: its rows are %sin the order of the files: delete it to have "
                      "it made again",
                      name, head->is_shuffled ? "not " : "");
  return TACIT_OK;
}

tacit_status tacit_cache_check(const char *path, const tacit_cache_options *options,
                               int shuffled, tacit_error *err) {
  if (path == NULL || options == NULL || options->schema == NULL ||
      options->struct_size < sizeof *options ||
      (options->n_sources > 0 && options->sources == NULL))
    return tacit_fail(err, TACIT_EINVAL, "cache: path, options or schema is missing");
  tacit_cache *cache = NULL;
  TACIT_TRY(tacit_cache_open(path, &cache, err));
  tacit_status status = check(cache, options, shuffled, err);
  tacit_cache_free(cache);
  return status;
}
