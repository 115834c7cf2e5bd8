/* SPDX-License-Identifier: MIT */
/*
 * A ledger with a planted fault, for the race: its journal is a text file without any
 * lock. The race must find the fault (tests/ledger/race.py runs it). The calls of the
 * library are compiled once more on top of that journal.
 */
#define tacit_journal_sqlite planted_journal
#include "extra/ledger/ledger.c"
#include "extra/ledger/session.c"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct planted {
  const char *where;
};

static tacit_status planted_open(void *self, const char *where, tacit_journal_mode mode,
                                 tacit_error *err) {
  (void)mode;
  (void)err;
  ((struct planted *)self)->where = where;
  return TACIT_OK;
}

static tacit_status planted_read(void *self, tacit_journal_visit visit, void *context,
                                 tacit_error *err) {
  const struct planted *planted = self;
  FILE *file = fopen(planted->where, "r");
  char *line = NULL, hash[TACIT_JOURNAL_HASH + 1], head[TACIT_JOURNAL_HASH + 1] = "";
  size_t room = 0;
  ssize_t length;
  tacit_status status = TACIT_OK;
  for (int64_t number = 1;
       status == TACIT_OK && file != NULL && (length = getline(&line, &room, file)) > 0;
       ++number) {
    line[length - 1] = '\0';
    /* Without numbers and hashes of its own it cannot see that two wrote at once. */
    tacit_book_hash(head, line, hash);
    status = visit(context, number, line, hash, NULL, err);
    if (status == TACIT_EDATA) status = TACIT_OK;
    memcpy(head, hash, sizeof head);
  }
  free(line);
  if (file != NULL) (void)fclose(file);
  return status;
}

static tacit_status planted_append(void *self, int64_t number, const char *body,
                                   const char *hash, tacit_error *err) {
  const struct planted *planted = self;
  (void)number;
  (void)hash;
  (void)usleep(2000); /* others read meanwhile what is no longer so */
  FILE *file = fopen(planted->where, "a");
  if (file == NULL) return tacit_fail(err, TACIT_EIO, "planted");
  fprintf(file, "%s\n", body);
  return fclose(file) == 0 ? TACIT_OK : tacit_fail(err, TACIT_EIO, "planted");
}

static tacit_status planted_commit(void *self, tacit_error *err) {
  (void)self;
  (void)err;
  return TACIT_OK;
}

static void planted_close(void *self) { (void)self; }

const tacit_journal_ops planted_journal = {sizeof(struct planted), planted_open,
                                           planted_read,           planted_append,
                                           planted_commit,         planted_close};
