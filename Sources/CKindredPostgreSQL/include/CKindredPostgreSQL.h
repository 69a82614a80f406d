#pragma once
// The part of libpq that Kindred uses (https://www.postgresql.org/docs/current/libpq.html). It is declared here and
// looked up at run time, so that neither building nor serving SQLite needs the library.
#include <stdbool.h>

/// Opens libpq, and returns whether it is available. May be called from any thread, any number of times.
bool kindred_pq_load(void);
/// Returns why libpq can't be used; valid after `kindred_pq_load` has returned false.
const char *kindred_pq_problem(void);

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef struct pg_cancel PGcancel;

// Values from libpq-fe.h, which are part of libpq's ABI.
enum {
  KINDRED_PQ_CONNECTION_OK = 0,
  KINDRED_PQ_CONNECTION_BAD = 1,
  KINDRED_PQ_COMMAND_OK = 1,
  KINDRED_PQ_TUPLES_OK = 2,
  KINDRED_PQ_PIPELINE_SYNC = 10,
  KINDRED_PQ_PIPELINE_ABORTED = 11,
  KINDRED_PQ_TRANSACTION_IDLE = 0,
  KINDRED_PQ_POLLING_FAILED = 0,
  KINDRED_PQ_POLLING_WRITING = 2,
  KINDRED_PQ_POLLING_OK = 3,
};

// The last notice about a violated constraint: its SQLSTATE, empty if there was none, and its message. The message of the
// last warning, empty if there was none.
typedef struct {
  char state[6];
  char message[1024];
  char warning[1024];
} kindred_pq_notice;

// Connections.
/// Begins to connect, without waiting; errors tell their SQLSTATE until the connection is made.
PGconn *kindred_pq_begin(const char *const *keywords, const char *const *values, kindred_pq_notice *notice);
/// Continues to connect, and returns what to wait for.
int kindred_pq_poll(PGconn *connection);
/// Calls `take` with each setting of a connection, of which one must be invalid so that none is made.
void kindred_pq_settings(
    const char *const *keywords, const char *const *values, void *context,
    void (*take)(void *context, const char *keyword, const char *value));
/// Writes the addresses of a host as texts, each into `size` bytes, and returns their number; 0 if the name is unknown.
int kindred_pq_resolve(const char *host, void *addresses, int size, int capacity);
int kindred_pq_status(const PGconn *connection);
int kindred_pq_transaction_status(const PGconn *connection);
const char *kindred_pq_error_message(const PGconn *connection);
void kindred_pq_finish(PGconn *connection);
int kindred_pq_socket(const PGconn *connection);
/// Returns the server's process number, or the number that a pooler reports instead.
int kindred_pq_backend(const PGconn *connection);
bool kindred_pq_needs_password(const PGconn *connection);

// Pipelines (https://www.postgresql.org/docs/current/libpq-pipeline-mode.html). All return false on failure.
bool kindred_pq_enter_pipeline(PGconn *connection);
bool kindred_pq_send_prepare(PGconn *connection, const char *name, const char *sql);
bool kindred_pq_send_describe(PGconn *connection, const char *name);
bool kindred_pq_send_prepared(
    PGconn *connection, const char *name, int count, const char *const *values);
bool kindred_pq_send(PGconn *connection, const char *sql, int count, const char *const *values);
bool kindred_pq_sync(PGconn *connection);
/// Asks the server for the responses so far, without ending the transaction.
bool kindred_pq_request_flush(PGconn *connection);
/// Returns 0 if everything has been sent, 1 if the socket accepts no more now, -1 on failure.
int kindred_pq_flush(PGconn *connection);
bool kindred_pq_consume(PGconn *connection);
bool kindred_pq_is_busy(PGconn *connection);
PGresult *kindred_pq_result(PGconn *connection);

// Results.
int kindred_pq_result_status(const PGresult *result);
const char *kindred_pq_result_field(const PGresult *result, int code);
int kindred_pq_rows(const PGresult *result);
int kindred_pq_columns(const PGresult *result);
unsigned kindred_pq_type(const PGresult *result, int column);
/// The OID of the table whose column a column shows, and the number of that column; 0 for an expression.
unsigned kindred_pq_table(const PGresult *result, int column);
int kindred_pq_table_column(const PGresult *result, int column);
const char *kindred_pq_name(const PGresult *result, int column);
/// A value of a row, which a zero byte follows; the length of NULL is -1.
typedef struct {
  const char *bytes;
  int length;
} kindred_pq_text;
kindred_pq_text kindred_pq_value(const PGresult *result, int row, int column);
/// Replaces a value of a row; returns false if there is no memory.
bool kindred_pq_set_value(PGresult *result, int row, int column, const char *text, int length);
const char *kindred_pq_command(PGresult *result);
const char *kindred_pq_affected(PGresult *result);
void kindred_pq_clear(PGresult *result);

// Cancelling, from any thread.
PGcancel *kindred_pq_cancel_handle(PGconn *connection);
void kindred_pq_cancel(PGcancel *handle);
void kindred_pq_free_cancel_handle(PGcancel *handle);
