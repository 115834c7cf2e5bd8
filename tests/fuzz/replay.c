/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target without a fuzzer: every file of a corpus, and a hundred changed
   copies of each ("full": three hundred), always the same ones. A crash, a sanitizer
   report or a broken promise ends it with a non-zero status. */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COPIES = 100, COPIES_FULL = 300, ROOM = 1 << 16, LONGEST = ROOM / 2 };

static uint64_t next_word(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

/* One small change: a bit, a byte, a piece removed or doubled, or a significant text
   inserted. */
static size_t change(uint8_t *bytes, size_t size, uint64_t *state) {
  static const char *const index[] = {"\n",
                                      "\r\n",
                                      ",",
                                      "\"",
                                      ":",
                                      "-",
                                      "nan",
                                      "inf",
                                      "1e999",
                                      "0x1",
                                      "null",
                                      "{",
                                      "[",
                                      "}",
                                      "]",
                                      "#",
                                      " ",
                                      "\t",
                                      "99999999999999999999",
                                      "\xef\xbb\xbf"};
  uint64_t word = next_word(state);
  size_t at = size > 0 ? (size_t)(next_word(state) % size) : 0;
  size_t count = 1 + (size_t)(next_word(state) % 16);
  if (count > size - at) count = size - at;
  switch (word % 5) {
  case 0:
    if (size > 0) bytes[at] ^= (uint8_t)(1u << (word >> 8 & 7));
    return size;
  case 1:
    if (size > 0) bytes[at] = (uint8_t)(word >> 8);
    return size;
  case 2:
    memmove(bytes + at, bytes + at + count, size - at - count);
    return size - count;
  case 3:
    if (size + count > LONGEST) return size;
    memmove(bytes + at + count, bytes + at, size - at);
    return size + count;
  default: {
    const char *piece = index[(word >> 8) % (sizeof index / sizeof index[0])];
    size_t length = strlen(piece);
    if (size + length > LONGEST) return size;
    memmove(bytes + at + length, bytes + at, size - at);
    memcpy(bytes + at, piece, length);
    return size + length;
  }
  }
}

static size_t read_file(const char *folder, const char *name, uint8_t *bytes) {
  char path[1024];
  (void)snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    exit(1);
  }
  size_t size = fread(bytes, 1, LONGEST, file);
  (void)fclose(file);
  return size;
}

static void run(const uint8_t *bytes, size_t size) {
  /* A copy of exactly its size, so that reads past the end are detected. */
  uint8_t *copy = malloc(size > 0 ? size : 1);
  if (copy == NULL) exit(1);
  memcpy(copy, bytes, size);
  (void)LLVMFuzzerTestOneInput(copy, size);
  free(copy);
}

static int is_file(const struct dirent *entry) { return entry->d_name[0] != '.'; }

int main(int argc, char **argv) {
  static uint8_t original[ROOM], changed[ROOM];
  struct dirent **entries;
  int is_full = argc == 3 && strcmp(argv[2], "full") == 0;
  int n_copies = is_full ? COPIES_FULL : COPIES;
  int n_files =
      argc == 2 || is_full ? scandir(argv[1], &entries, is_file, alphasort) : -1;
  if (n_files <= 0) {
    (void)fprintf(stderr, "usage: %s CORPUS [full]; a folder with at least one file\n",
                  argv[0]);
    return 1;
  }
  long n_inputs = 0;
  for (int i = 0; i < n_files; ++i) {
    size_t size = read_file(argv[1], entries[i]->d_name, original);
    uint64_t state = UINT64_C(88172645463325252) + (uint64_t)i;
    run(original, size);
    for (int copy = 0; copy < n_copies; ++copy) {
      size_t changed_size = size;
      memcpy(changed, original, size);
      for (uint64_t n = 1 + next_word(&state) % 4; n > 0; --n)
        changed_size = change(changed, changed_size, &state);
      run(changed, changed_size);
    }
    n_inputs += 1 + n_copies;
    free(entries[i]);
  }
  free(entries);
  (void)printf("%d corpus files, %ld inputs\n", n_files, n_inputs);
  return 0;
}
