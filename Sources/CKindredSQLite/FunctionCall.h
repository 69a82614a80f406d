#pragma once
#include "CKindredSQLite.h"

// What the functions of a connection share.
typedef struct {
  kindred_must_stop must_stop;
  void *context;
} kindred_functions;

// Whether a call must stop; it then has its result, an error.
static inline int kindred_stops(sqlite3_context *context) {
  const kindred_functions *functions = sqlite3_user_data(context);
  if (!functions->must_stop(functions->context)) return 0;
  sqlite3_result_error_code(context, SQLITE_INTERRUPT);
  return 1;
}

// The same once in some ten microseconds of work; a step is the work of a byte.
static inline int kindred_stops_after(sqlite3_context *context, int *steps, int more) {
  *steps += more;
  if (*steps < 8192) return 0;
  *steps = 0;
  return kindred_stops(context);
}

void kindred_instr(sqlite3_context *context, int count, sqlite3_value **arguments);
void kindred_replace(sqlite3_context *context, int count, sqlite3_value **arguments);
void kindred_trim(sqlite3_context *context, int count, sqlite3_value **arguments);
void kindred_ltrim(sqlite3_context *context, int count, sqlite3_value **arguments);
void kindred_rtrim(sqlite3_context *context, int count, sqlite3_value **arguments);
void kindred_like(sqlite3_context *context, int count, sqlite3_value **arguments);
void kindred_glob(sqlite3_context *context, int count, sqlite3_value **arguments);
