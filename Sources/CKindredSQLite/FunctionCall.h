#pragma once
#include "CKindredSQLite.h"
#include <stddef.h>

// The state that the functions of a connection share.
typedef struct {
  kindred_must_stop must_stop;
  void *context;
  // The maximum size of a text that a function builds, in bytes.
  sqlite3_int64 built_length;
} kindred_functions;

// Returns whether a call has to stop, and then sets an error as its result.
static inline int kindred_stops(sqlite3_context *context) {
  const kindred_functions *functions = sqlite3_user_data(context);
  if (!functions->must_stop(functions->context)) return 0;
  sqlite3_result_error_code(context, SQLITE_INTERRUPT);
  return 1;
}

// Checks the same about every ten microseconds of work; a step is the work on one byte.
static inline int kindred_stops_after(sqlite3_context *context, size_t *steps, size_t more) {
  *steps += more;
  if (*steps < 8192) return 0;
  *steps = 0;
  return kindred_stops(context);
}

// Returns whether a text is too long to be built, and then sets an error as the result of the call.
static inline int kindred_is_too_long(sqlite3_context *context, sqlite3_int64 length) {
  const kindred_functions *functions = sqlite3_user_data(context);
  if (length <= functions->built_length) return 0;
  sqlite3_result_error_toobig(context);
  return 1;
}

void kindred_concat(sqlite3_context *context, int count, sqlite3_value **arguments);
void kindred_instr(sqlite3_context *context, int count, sqlite3_value **arguments);
void kindred_replace(sqlite3_context *context, int count, sqlite3_value **arguments);
void kindred_trim(sqlite3_context *context, int count, sqlite3_value **arguments);
void kindred_ltrim(sqlite3_context *context, int count, sqlite3_value **arguments);
void kindred_rtrim(sqlite3_context *context, int count, sqlite3_value **arguments);
void kindred_like(sqlite3_context *context, int count, sqlite3_value **arguments);
void kindred_glob(sqlite3_context *context, int count, sqlite3_value **arguments);
void kindred_member(sqlite3_context *context, int count, sqlite3_value **arguments);
void kindred_member_value(sqlite3_context *context, int count, sqlite3_value **arguments);
void kindred_member_shown(sqlite3_context *context, int count, sqlite3_value **arguments);
void kindred_contains(sqlite3_context *context, int count, sqlite3_value **arguments);
void kindred_overlaps(sqlite3_context *context, int count, sqlite3_value **arguments);
void kindred_octets(sqlite3_context *context, int count, sqlite3_value **arguments);
void kindred_beginning(sqlite3_context *context, int count, sqlite3_value **arguments);
