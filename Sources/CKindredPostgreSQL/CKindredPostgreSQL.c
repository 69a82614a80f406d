#include "CKindredPostgreSQL.h"
#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

// The layout of libpq's PQconninfoOption, which is part of its ABI.
typedef struct {
  char *keyword, *variable, *compiled, *value, *label, *display;
  int size;
} option;

// Result type, name and parameters of each function of libpq.
#define FUNCTIONS(X)                                                                                               \
  X(PGconn *, connectStartParams, (const char *const *, const char *const *, int))                                 \
  X(int, connectPoll, (PGconn *))                                                                                  \
  X(option *, conninfo, (PGconn *))                                                                                \
  X(void, conninfoFree, (option *))                                                                                \
  X(int, setErrorVerbosity, (PGconn *, int))                                                                       \
  X(int, status, (const PGconn *))                                                                                 \
  X(int, transactionStatus, (const PGconn *))                                                                      \
  X(char *, errorMessage, (const PGconn *))                                                                        \
  X(void, finish, (PGconn *))                                                                                      \
  X(int, socket, (const PGconn *))                                                                                 \
  X(int, backendPID, (const PGconn *))                                                                             \
  X(int, connectionNeedsPassword, (const PGconn *))                                                                \
  X(int, setnonblocking, (PGconn *, int))                                                                          \
  X(void *, setNoticeReceiver, (PGconn *, void (*)(void *, const PGresult *), void *))                             \
  X(int, enterPipelineMode, (PGconn *))                                                                            \
  X(int, sendPrepare, (PGconn *, const char *, const char *, int, const unsigned *))                               \
  X(int, sendDescribePrepared, (PGconn *, const char *))                                                           \
  X(int, sendQueryPrepared,                                                                                        \
    (PGconn *, const char *, int, const char *const *, const int *, const int *, int))                             \
  X(int, sendQueryParams,                                                                                          \
    (PGconn *, const char *, int, const unsigned *, const char *const *, const int *, const int *, int))           \
  X(int, pipelineSync, (PGconn *))                                                                                 \
  X(int, sendFlushRequest, (PGconn *))                                                                             \
  X(int, flush, (PGconn *))                                                                                        \
  X(int, consumeInput, (PGconn *))                                                                                 \
  X(int, isBusy, (PGconn *))                                                                                       \
  X(PGresult *, getResult, (PGconn *))                                                                             \
  X(int, resultStatus, (const PGresult *))                                                                         \
  X(char *, resultErrorField, (const PGresult *, int))                                                             \
  X(int, ntuples, (const PGresult *))                                                                              \
  X(int, nfields, (const PGresult *))                                                                              \
  X(unsigned, ftable, (const PGresult *, int))                                                                     \
  X(int, ftablecol, (const PGresult *, int))                                                                       \
  X(unsigned, ftype, (const PGresult *, int))                                                                      \
  X(char *, fname, (const PGresult *, int))                                                                        \
  X(int, getisnull, (const PGresult *, int, int))                                                                  \
  X(char *, getvalue, (const PGresult *, int, int))                                                                \
  X(int, setvalue, (PGresult *, int, int, char *, int))                                                            \
  X(char *, cmdTuples, (PGresult *))                                                                               \
  X(char *, cmdStatus, (PGresult *))                                                                               \
  X(void, clear, (PGresult *))                                                                                     \
  X(PGcancel *, getCancel, (PGconn *))                                                                             \
  X(int, cancel, (PGcancel *, char *, int))                                                                        \
  X(void, freeCancel, (PGcancel *))

#define MEMBER(result, name, parameters) result(*name) parameters;
static struct { FUNCTIONS(MEMBER) } pq;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[256];

#ifdef __APPLE__
static const char *const names[] = {"libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib", NULL};
#else
static const char *const names[] = {"libpq.so.5", NULL};
#endif

static void load(void) {
  void *library = NULL;
  for (int number = 0; !library && names[number]; number++) library = dlopen(names[number], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(problem, sizeof problem, "PostgreSQL's client library is missing (%s); install libpq5", names[0]);
    return;
  }
#define LOOK_UP(result, name, parameters)                                                                          \
  if (!(*(void **)&pq.name = dlsym(library, "PQ" #name)) && !*problem)                                             \
    snprintf(problem, sizeof problem, "%s has no PQ" #name ": install libpq 14 or later", names[0]);
  FUNCTIONS(LOOK_UP)
}

bool kindred_pq_load(void) {
  pthread_once(&once, load);
  return !*problem;
}

const char *kindred_pq_problem(void) { return problem; }

// Keeps the last notice of a violated constraint, and the last warning, and ignores others, which are also in the
// server's log.
static void receive(void *context, const PGresult *notice) {
  kindred_pq_notice *kept = context;
  const char *state = pq.resultErrorField(notice, 'C'), *message = pq.resultErrorField(notice, 'M');
  if (!kept || !state || !message) return;
  // The severity that is never translated.
  const char *severity = pq.resultErrorField(notice, 'V');
  if (severity && !strcmp(severity, "WARNING")) snprintf(kept->warning, sizeof kept->warning, "%s", message);
  if (strncmp(state, "23", 2)) return;
  snprintf(kept->state, sizeof kept->state, "%s", state);
  snprintf(kept->message, sizeof kept->message, "%s", message);
}

PGconn *kindred_pq_begin(const char *const *keywords, const char *const *values, kindred_pq_notice *notice) {
  PGconn *connection = pq.connectStartParams(keywords, values, 1);
  if (connection) {
    pq.setNoticeReceiver(connection, receive, notice);
    pq.setErrorVerbosity(connection, 2);
  }
  return connection;
}

int kindred_pq_poll(PGconn *connection) {
  int state = pq.connectPoll(connection);
  if (state == KINDRED_PQ_POLLING_OK) pq.setErrorVerbosity(connection, 1);
  return state;
}

void kindred_pq_settings(
    const char *const *keywords, const char *const *values, void *context,
    void (*take)(void *context, const char *keyword, const char *value)) {
  PGconn *connection = pq.connectStartParams(keywords, values, 1);
  option *options = connection ? pq.conninfo(connection) : NULL;
  for (option *one = options; one && one->keyword; one++)
    if (one->value) take(context, one->keyword, one->value);
  if (options) pq.conninfoFree(options);
  if (connection) pq.finish(connection);
}

int kindred_pq_resolve(const char *host, void *addresses, int size, int capacity) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *all = NULL;
  if (getaddrinfo(host, NULL, &hints, &all)) return 0;
  int count = 0;
  for (struct addrinfo *one = all; one && count < capacity; one = one->ai_next)
    if (!getnameinfo(
            one->ai_addr, one->ai_addrlen, (char *)addresses + count * size, size, NULL, 0, NI_NUMERICHOST))
      count++;
  freeaddrinfo(all);
  return count;
}

int kindred_pq_status(const PGconn *connection) { return pq.status(connection); }
int kindred_pq_transaction_status(const PGconn *connection) { return pq.transactionStatus(connection); }
const char *kindred_pq_error_message(const PGconn *connection) { return pq.errorMessage(connection); }
void kindred_pq_finish(PGconn *connection) { pq.finish(connection); }
int kindred_pq_socket(const PGconn *connection) { return pq.socket(connection); }
int kindred_pq_backend(const PGconn *connection) { return pq.backendPID(connection); }
bool kindred_pq_needs_password(const PGconn *connection) { return pq.connectionNeedsPassword(connection); }

bool kindred_pq_enter_pipeline(PGconn *connection) {
  return pq.setnonblocking(connection, 1) == 0 && pq.enterPipelineMode(connection);
}

bool kindred_pq_send_prepare(PGconn *connection, const char *name, const char *sql) {
  return pq.sendPrepare(connection, name, sql, 0, NULL);
}

bool kindred_pq_send_describe(PGconn *connection, const char *name) {
  return pq.sendDescribePrepared(connection, name);
}

bool kindred_pq_send_prepared(
    PGconn *connection, const char *name, int count, const char *const *values) {
  return pq.sendQueryPrepared(connection, name, count, values, NULL, NULL, 0);
}

bool kindred_pq_send(PGconn *connection, const char *sql, int count, const char *const *values) {
  return pq.sendQueryParams(connection, sql, count, NULL, values, NULL, NULL, 0);
}

bool kindred_pq_sync(PGconn *connection) { return pq.pipelineSync(connection); }
bool kindred_pq_request_flush(PGconn *connection) { return pq.sendFlushRequest(connection); }
int kindred_pq_flush(PGconn *connection) { return pq.flush(connection); }
bool kindred_pq_consume(PGconn *connection) { return pq.consumeInput(connection); }
bool kindred_pq_is_busy(PGconn *connection) { return pq.isBusy(connection); }
PGresult *kindred_pq_result(PGconn *connection) { return pq.getResult(connection); }

int kindred_pq_result_status(const PGresult *result) { return pq.resultStatus(result); }
const char *kindred_pq_result_field(const PGresult *result, int code) { return pq.resultErrorField(result, code); }
int kindred_pq_rows(const PGresult *result) { return pq.ntuples(result); }
int kindred_pq_columns(const PGresult *result) { return pq.nfields(result); }
unsigned kindred_pq_type(const PGresult *result, int column) { return pq.ftype(result, column); }
unsigned kindred_pq_table(const PGresult *result, int column) { return pq.ftable(result, column); }
int kindred_pq_table_column(const PGresult *result, int column) { return pq.ftablecol(result, column); }
const char *kindred_pq_name(const PGresult *result, int column) { return pq.fname(result, column); }
kindred_pq_text kindred_pq_value(const PGresult *result, int row, int column) {
  // A text has no zero byte but the one that follows it, and libpq takes longer to tell its length.
  const char *bytes = pq.getvalue(result, row, column);
  kindred_pq_text text = {bytes, bytes ? (int)strlen(bytes) : 0};
  if (text.length == 0 && pq.getisnull(result, row, column)) text.length = -1;
  return text;
}
bool kindred_pq_set_value(PGresult *result, int row, int column, const char *text, int length) {
  // It copies the text.
  return pq.setvalue(result, row, column, (char *)text, length);
}
const char *kindred_pq_command(PGresult *result) { return pq.cmdStatus(result); }
const char *kindred_pq_affected(PGresult *result) { return pq.cmdTuples(result); }
void kindred_pq_clear(PGresult *result) { pq.clear(result); }

PGcancel *kindred_pq_cancel_handle(PGconn *connection) { return pq.getCancel(connection); }

void kindred_pq_cancel(PGcancel *handle) {
  char message[256];
  pq.cancel(handle, message, sizeof message);
}

void kindred_pq_free_cancel_handle(PGcancel *handle) { pq.freeCancel(handle); }
