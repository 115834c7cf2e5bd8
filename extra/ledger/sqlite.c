/* SPDX-License-Identifier: MIT */
/*
 * A ledger in an SQLite file. BEGIN IMMEDIATE takes the write lock before the
 * transaction reads, so its checks still hold when it writes. A killed process leaves a
 * journal of SQLite, which the next process rolls back, even if it only reads.
 */
#include <sqlite3.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "extra/ledger/journal.h"

enum {
  WAIT_MS = 60000,          /* how long a transaction waits for other writers */
  APPLICATION = 0x54414354, /* "TACT" */
};

struct sqlite {
  const char *where;
  sqlite3 *base;
  int is_new; /* 1 if this call made the file and it is still empty */
};

/* What failures of SQLite mean for a ledger. */
static const struct {
  int code;
  tacit_status status;
  const char *words;
} failures[] = {
    {SQLITE_NOTADB, TACIT_EDATA, "not a ledger, or damaged: restore it from a copy"},
    {SQLITE_CORRUPT, TACIT_EDATA, "not a ledger, or damaged: restore it from a copy"},
    {SQLITE_BUSY, TACIT_EIO,
     "another process has used the ledger for a minute: try again"},
    {SQLITE_LOCKED, TACIT_EIO,
     "another process has used the ledger for a minute: try again"},
    {SQLITE_FULL, TACIT_EIO, "the disk is full: nothing was changed"},
    {SQLITE_READONLY, TACIT_EIO, "no permission to write the ledger"},
    {SQLITE_PERM, TACIT_EIO, "no permission to write the ledger"},
    {SQLITE_AUTH, TACIT_EIO, "no permission to write the ledger"},
    {SQLITE_CANTOPEN, TACIT_EIO,
     "the file, or the journal beside it, cannot be opened: make the ledger with "
     "\"tacit ledger init\", or check the path and its permissions"}};

static tacit_status fail(const struct sqlite *sqlite, int code, tacit_error *err) {
  int exact = sqlite3_extended_errcode(sqlite->base);
  if (exact == SQLITE_READONLY_ROLLBACK || exact == SQLITE_IOERR_DELETE)
    return tacit_fail(err, TACIT_EIO,
                      "%s: a write to the ledger was cut short, and undoing it needs "
                      "permission to write the file and its folder: do this once with "
                      "that permission",
                      sqlite->where);
  if ((code & 0xff) == SQLITE_NOMEM) return tacit_fail_memory(err);
  for (size_t i = 0; i < sizeof failures / sizeof *failures; ++i)
    if ((code & 0xff) == failures[i].code)
      return tacit_fail(err, failures[i].status, "%s: %s", sqlite->where,
                        failures[i].words);
  return tacit_fail(err, TACIT_EIO, "%s: the ledger cannot be used: %s", sqlite->where,
                    sqlite3_errstr(code));
}

static tacit_status run(const struct sqlite *sqlite, const char *sql,
                        tacit_error *err) {
  int code = sqlite3_exec(sqlite->base, sql, NULL, NULL, NULL);
  return code == SQLITE_OK ? TACIT_OK : fail(sqlite, code, err);
}

/* Reads the number that a PRAGMA or a count answers with. */
static tacit_status number_of(const struct sqlite *sqlite, const char *sql,
                              int64_t *out, tacit_error *err) {
  sqlite3_stmt *query = NULL;
  int code = sqlite3_prepare_v2(sqlite->base, sql, -1, &query, NULL);
  if (code == SQLITE_OK) code = sqlite3_step(query);
  if (code == SQLITE_ROW) *out = sqlite3_column_int64(query, 0);
  (void)sqlite3_finalize(query);
  return code == SQLITE_ROW ? TACIT_OK : fail(sqlite, code, err);
}

static tacit_status mark(const struct sqlite *sqlite, tacit_error *err) {
  char pragmas[96];
  (void)sqlite3_snprintf(sizeof pragmas, pragmas,
                         "PRAGMA application_id = %d; PRAGMA user_version = %d",
                         APPLICATION, TACIT_JOURNAL_FORMAT);
  return run(sqlite, pragmas, err);
}

static tacit_status create(const struct sqlite *sqlite, tacit_error *err) {
  TACIT_TRY(mark(sqlite, err));
  return run(sqlite,
             "CREATE TABLE event (number INTEGER PRIMARY KEY, body TEXT NOT NULL, "
             "hash TEXT NOT NULL)",
             err);
}

/* Checks that the file is a ledger of a format that is known, and marks it with the
   format that is written unless `mode` is TACIT_JOURNAL_READ. Fills an empty file if
   `mode` is TACIT_JOURNAL_CREATE. */
static tacit_status check_format(const struct sqlite *sqlite, tacit_journal_mode mode,
                                 tacit_error *err) {
  int64_t application = 0, format = 0, tables = 0;
  TACIT_TRY(number_of(sqlite, "PRAGMA application_id", &application, err));
  TACIT_TRY(number_of(sqlite, "PRAGMA user_version", &format, err));
  TACIT_TRY(number_of(sqlite, "SELECT count(*) FROM sqlite_master", &tables, err));
  if (application == 0 && tables == 0 && mode == TACIT_JOURNAL_CREATE)
    return create(sqlite, err);
  if (application != APPLICATION)
    return tacit_fail(err, TACIT_EDATA, "%s: not a ledger", sqlite->where);
  if (format < TACIT_JOURNAL_OLDEST || format > TACIT_JOURNAL_FORMAT)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: the ledger has format %lld and this version knows formats "
                      "up to %d: use the version that made it",
                      sqlite->where, (long long)format, TACIT_JOURNAL_FORMAT);
  int is_old = mode != TACIT_JOURNAL_READ && format < TACIT_JOURNAL_FORMAT;
  return is_old ? mark(sqlite, err) : TACIT_OK;
}

/* Removes a file that was made in vain. Nobody can commit while the read lock is held;
   a process that waits to commit will find the file gone (commit_sqlite). */
static void remove_empty(const struct sqlite *sqlite) {
  int64_t pages = -1;
  (void)run(sqlite, "ROLLBACK", NULL);
  if (run(sqlite, "BEGIN", NULL) == TACIT_OK &&
      number_of(sqlite, "SELECT count(*) FROM sqlite_master", &pages, NULL) ==
          TACIT_OK &&
      number_of(sqlite, "PRAGMA page_count", &pages, NULL) == TACIT_OK && pages == 0)
    (void)unlink(sqlite3_db_filename(sqlite->base, "main"));
}

static void close_sqlite(void *self) {
  struct sqlite *sqlite = self;
  if (sqlite->is_new) remove_empty(sqlite);
  (void)sqlite3_close(sqlite->base); /* also rolls an open transaction back */
}

static tacit_status open_sqlite(void *self, const char *where, tacit_journal_mode mode,
                                tacit_error *err) {
  struct sqlite *sqlite = self;
  sqlite->where = where;
  /* SQLite opens a file without write permission for reading. */
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX;
  if (mode == TACIT_JOURNAL_CREATE) flags |= SQLITE_OPEN_CREATE;
  int is_new = access(sqlite->where, F_OK) != 0;
  int code = sqlite3_open_v2(sqlite->where, &sqlite->base, flags, NULL);
  if (code != SQLITE_OK) return fail(sqlite, code, err);
  sqlite->is_new = is_new;
  (void)sqlite3_busy_timeout(sqlite->base, WAIT_MS);
  if (mode == TACIT_JOURNAL_READ) {
    TACIT_TRY(run(sqlite, "BEGIN", err));
  } else {
    /* EXTRA also syncs the folder, so a committed entry survives a power cut. */
    TACIT_TRY(run(sqlite, "PRAGMA synchronous = EXTRA", err));
    TACIT_TRY(run(sqlite, "BEGIN IMMEDIATE", err));
  }
  return check_format(sqlite, mode, err);
}

static tacit_status read_events(void *self, tacit_journal_visit visit, void *context,
                                tacit_error *err) {
  const struct sqlite *sqlite = self;
  sqlite3_stmt *query = NULL;
  tacit_status status = TACIT_OK;
  int code = sqlite3_prepare_v2(sqlite->base,
                                "SELECT number, body, hash FROM event ORDER BY number",
                                -1, &query, NULL);
  if (code == SQLITE_OK) code = sqlite3_step(query);
  while (code == SQLITE_ROW && status == TACIT_OK) {
    const char *body = (const char *)sqlite3_column_text(query, 1);
    const char *hash = (const char *)sqlite3_column_text(query, 2);
    status = visit(context, sqlite3_column_int64(query, 0), body != NULL ? body : "",
                   hash != NULL ? hash : "", NULL, err);
    if (status == TACIT_OK) code = sqlite3_step(query);
  }
  (void)sqlite3_finalize(query);
  if (status != TACIT_OK) return status;
  return code == SQLITE_DONE ? TACIT_OK : fail(sqlite, code, err);
}

static tacit_status append_event(void *self, int64_t number, const char *body,
                                 const char *hash, tacit_error *err) {
  const struct sqlite *sqlite = self;
  sqlite3_stmt *insert = NULL;
  int code = sqlite3_prepare_v2(sqlite->base, "INSERT INTO event VALUES (?, ?, ?)", -1,
                                &insert, NULL);
  if (code == SQLITE_OK) code = sqlite3_bind_int64(insert, 1, number);
  if (code == SQLITE_OK) code = sqlite3_bind_text(insert, 2, body, -1, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_bind_text(insert, 3, hash, -1, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_step(insert);
  (void)sqlite3_finalize(insert);
  return code == SQLITE_DONE ? TACIT_OK : fail(sqlite, code, err);
}

static tacit_status commit_sqlite(void *self, tacit_error *err) {
  struct sqlite *sqlite = self;
  int has_moved = 0;
  TACIT_TRY(run(sqlite, "COMMIT", err));
  sqlite->is_new = 0;
  (void)sqlite3_file_control(sqlite->base, NULL, SQLITE_FCNTL_HAS_MOVED, &has_moved);
  if (!has_moved) return TACIT_OK;
  return tacit_fail(err, TACIT_EIO,
                    "%s: the file was removed or replaced while it was written: try "
                    "again",
                    sqlite->where);
}

const tacit_journal_ops tacit_journal_sqlite = {
    .size = sizeof(struct sqlite),
    .open = open_sqlite,
    .read = read_events,
    .append = append_event,
    .commit = commit_sqlite,
    .close = close_sqlite,
};
