/* SPDX-License-Identifier: MIT */
/*
 * A ledger on a PostgreSQL server, for teams. A writer locks the one row of tacit_head
 * before it reads an event, so writers on all machines take turns. An address with a
 * password is refused, because it would show in lists of processes and in logs;
 * passwords come from PGPASSFILE or a service file.
 */
#include <dlfcn.h>
#include <libpq-fe.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "extra/ledger/journal.h"

enum { CREATE_LOCK = 0x54414354 /* "TACT" */ };

/*
 * The functions of libpq that ledgers use. libpq is loaded when a ledger on a server is
 * opened, not when the program starts. It brings two TLS libraries, Kerberos and LDAP,
 * which would take most of the time of the start.
 */
#define LIBPQ_FUNCTIONS(X)                                                             \
  X(PQclear)                                                                           \
  X(PQconnectdb)                                                                       \
  X(PQconninfoFree)                                                                    \
  X(PQconninfoParse)                                                                   \
  X(PQerrorMessage)                                                                    \
  X(PQexecParams)                                                                      \
  X(PQfinish)                                                                          \
  X(PQfreemem)                                                                         \
  X(PQgetisnull)                                                                       \
  X(PQgetvalue)                                                                        \
  X(PQntuples)                                                                         \
  X(PQresultErrorField)                                                                \
  X(PQresultStatus)                                                                    \
  X(PQsetNoticeProcessor)                                                              \
  X(PQstatus)

#define MEMBER(name) __typeof__(name) *name;
struct libpq {
  LIBPQ_FUNCTIONS(MEMBER)
};

#define NAME(name) {#name, offsetof(struct libpq, name)},
static const struct {
  const char *name;
  size_t at; /* offset in struct libpq */
} functions[] = {LIBPQ_FUNCTIONS(NAME)};

/* Loads libpq, which stays loaded until the program ends. */
static tacit_status load_libpq(struct libpq *out, tacit_error *err) {
  void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  int is_whole = library != NULL;
  for (size_t i = 0; is_whole && i < sizeof functions / sizeof functions[0]; ++i) {
    void *symbol = dlsym(library, functions[i].name);
    memcpy((char *)out + functions[i].at, &symbol, sizeof symbol);
    is_whole = symbol != NULL;
  }
  if (is_whole) return TACIT_OK;
  return tacit_fail(err, TACIT_EIO,
                    "a ledger on a server needs libpq.so.5, which is not installed "
                    "(Debian: libpq5)");
}

struct server {
  PGconn *connection; /* NULL until open_server has connected */
  int has_roles;      /* 1 if the table of events has the column `role` */
  struct libpq pq;
};

/* Fails with the first line of the server's message. */
static tacit_status fail(const struct server *server, const char *what,
                         tacit_error *err) {
  char line[160];
  const char *message =
      server->connection != NULL ? server->pq.PQerrorMessage(server->connection) : "";
  size_t length = strcspn(message, "\n");
  (void)snprintf(line, sizeof line, "%.*s", (int)(length < 150 ? length : 150),
                 message);
  return tacit_fail(err, TACIT_EIO, "the ledger's server %s: %s", what, line);
}

/* Runs a command. Puts its result into *out, for PQclear, unless `out` is NULL. */
static tacit_status run(const struct server *server, const char *sql, int n_params,
                        const char *const *params, PGresult **out, tacit_error *err) {
  PGresult *result = server->pq.PQexecParams(server->connection, sql, n_params, NULL,
                                             params, NULL, NULL, 0);
  ExecStatusType status = server->pq.PQresultStatus(result);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
    const char *code = server->pq.PQresultErrorField(result, PG_DIAG_SQLSTATE);
    int no_table = code != NULL && strcmp(code, "42P01") == 0;
    int is_busy = code != NULL && strcmp(code, "55P03") == 0; /* the code of
                                                                 lock_timeout */
    server->pq.PQclear(result);
    if (no_table)
      return tacit_fail(err, TACIT_EDATA,
                        "the server has no ledger: make it with \"tacit ledger init\"");
    return is_busy ? tacit_fail(err, TACIT_EIO,
                                "another process has used the ledger for a minute: try "
                                "again")
                   : fail(server, "refuses", err);
  }
  if (out != NULL)
    *out = result;
  else
    server->pq.PQclear(result);
  return TACIT_OK;
}

static tacit_status command(const struct server *server, const char *sql,
                            tacit_error *err) {
  return run(server, sql, 0, NULL, NULL, err);
}

static tacit_status check_address(const struct server *server, const char *where,
                                  tacit_error *err) {
  char *message = NULL;
  PQconninfoOption *options = server->pq.PQconninfoParse(where, &message);
  if (options == NULL) {
    server->pq.PQfreemem(message);
    return tacit_fail(err, TACIT_EINVAL,
                      "the address of the ledger's server cannot be read: use "
                      "postgresql://USER@HOST/DATABASE");
  }
  int has_password = 0;
  for (const PQconninfoOption *at = options; at->keyword != NULL; ++at)
    if (strcmp(at->keyword, "password") == 0 && at->val != NULL) has_password = 1;
  server->pq.PQconninfoFree(options);
  if (!has_password) return TACIT_OK;
  return tacit_fail(err, TACIT_EINVAL,
                    "the address of the ledger's server has a password, which others "
                    "can see: put it into a PGPASSFILE");
}

static void ignore_notice(void *context, const char *message) {
  (void)context;
  (void)message;
}

/* Lets the server write down the role of a writer beside each event. Events of format 1
   have no role. The ledger now has the format that is written. */
static tacit_status add_role(const struct server *server, tacit_error *err) {
  char update[64];
  TACIT_TRY(command(server,
                    "ALTER TABLE tacit_event ADD COLUMN IF NOT EXISTS role text", err));
  TACIT_TRY(command(server,
                    "ALTER TABLE tacit_event ALTER COLUMN role SET DEFAULT "
                    "session_user",
                    err));
  (void)snprintf(update, sizeof update, "UPDATE tacit_head SET format = %d",
                 TACIT_JOURNAL_FORMAT);
  return command(server, update, err);
}

static tacit_status create(const struct server *server, tacit_error *err) {
  char lock[64];
  (void)snprintf(lock, sizeof lock, "SELECT pg_advisory_xact_lock(%d)", CREATE_LOCK);
  TACIT_TRY(command(server, lock, err));
  TACIT_TRY(command(server,
                    "CREATE TABLE IF NOT EXISTS tacit_event (number bigint PRIMARY "
                    "KEY, body text NOT NULL, hash text NOT NULL)",
                    err));
  TACIT_TRY(command(server,
                    "CREATE TABLE IF NOT EXISTS tacit_head (one boolean PRIMARY KEY "
                    "CHECK (one), format integer NOT NULL)",
                    err));
  return command(server,
                 "INSERT INTO tacit_head VALUES (true, 1) ON CONFLICT DO NOTHING", err);
}

/* Checks the format of the ledger. Unless `mode` is TACIT_JOURNAL_READ, locks the
   ledger and gives it the format that is written. */
static tacit_status check_format(struct server *server, tacit_journal_mode mode,
                                 tacit_error *err) {
  PGresult *result = NULL;
  TACIT_TRY(run(server,
                mode == TACIT_JOURNAL_READ ? "SELECT format FROM tacit_head"
                                           : "SELECT format FROM tacit_head FOR UPDATE",
                0, NULL, &result, err));
  int format =
      server->pq.PQntuples(result) == 1 ? atoi(server->pq.PQgetvalue(result, 0, 0)) : 0;
  server->pq.PQclear(result);
  if (format < TACIT_JOURNAL_OLDEST || format > TACIT_JOURNAL_FORMAT)
    return tacit_fail(err, TACIT_EDATA,
                      "the server's ledger has format %d and this version knows "
                      "formats up to %d: use the version that made it",
                      format, TACIT_JOURNAL_FORMAT);
  server->has_roles = format == TACIT_JOURNAL_FORMAT;
  if (mode == TACIT_JOURNAL_READ || server->has_roles) return TACIT_OK;
  server->has_roles = 1;
  return add_role(server, err);
}

static tacit_status open_server(void *self, const char *where, tacit_journal_mode mode,
                                tacit_error *err) {
  struct server *server = self;
  TACIT_TRY(load_libpq(&server->pq, err));
  TACIT_TRY(check_address(server, where, err));
  server->connection = server->pq.PQconnectdb(where);
  if (server->connection == NULL) return tacit_fail_memory(err);
  if (server->pq.PQstatus(server->connection) != CONNECTION_OK)
    return fail(server, "cannot be reached", err);
  (void)server->pq.PQsetNoticeProcessor(server->connection, ignore_notice, NULL);
  TACIT_TRY(command(server, "SET lock_timeout = '60s'", err));
  TACIT_TRY(command(server, "SET synchronous_commit = on", err));
  TACIT_TRY(command(server,
                    mode == TACIT_JOURNAL_READ
                        ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
                        : "BEGIN ISOLATION LEVEL READ COMMITTED",
                    err));
  if (mode == TACIT_JOURNAL_CREATE) TACIT_TRY(create(server, err));
  return check_format(server, mode, err);
}

static void close_server(void *self) {
  struct server *server = self;
  if (server->connection != NULL)
    server->pq.PQfinish(server->connection); /* also rolls an open transaction back */
}

static tacit_status read_events(void *self, tacit_journal_visit visit, void *context,
                                tacit_error *err) {
  const struct server *server = self;
  PGresult *result = NULL;
  TACIT_TRY(run(server,
                server->has_roles
                    ? "SELECT number, body, hash, role FROM tacit_event ORDER BY number"
                    : "SELECT number, body, hash, NULL FROM tacit_event ORDER BY "
                      "number",
                0, NULL, &result, err));
  tacit_status status = TACIT_OK;
  for (int i = 0; status == TACIT_OK && i < server->pq.PQntuples(result); ++i)
    status = visit(
        context, strtoll(server->pq.PQgetvalue(result, i, 0), NULL, 10),
        server->pq.PQgetvalue(result, i, 1), server->pq.PQgetvalue(result, i, 2),
        server->pq.PQgetisnull(result, i, 3) ? NULL
                                             : server->pq.PQgetvalue(result, i, 3),
        err);
  server->pq.PQclear(result);
  return status;
}

static tacit_status append_event(void *self, int64_t number, const char *body,
                                 const char *hash, tacit_error *err) {
  char digits[24];
  (void)snprintf(digits, sizeof digits, "%lld", (long long)number);
  const char *params[] = {digits, body, hash};
  return run(self, "INSERT INTO tacit_event (number, body, hash) VALUES ($1, $2, $3)",
             3, params, NULL, err);
}

static tacit_status commit_server(void *self, tacit_error *err) {
  return command(self, "COMMIT", err);
}

const tacit_journal_ops tacit_journal_postgresql = {
    .size = sizeof(struct server),
    .open = open_server,
    .read = read_events,
    .append = append_event,
    .commit = commit_server,
    .close = close_server,
};
