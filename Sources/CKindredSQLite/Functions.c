#include "FunctionCall.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

// MARK: Digests

typedef struct {
  uint64_t a, b;
} digest;

static uint64_t mixed(uint64_t value) {
  value ^= value >> 32;
  value *= 0xD6E8FEB86659FD93u;
  value ^= value >> 32;
  value *= 0xD6E8FEB86659FD93u;
  return value ^ value >> 32;
}

static void add(digest *digest, uint64_t word) {
  digest->a = mixed(digest->a ^ word) + 0x9E3779B97F4A7C15u;
  digest->b = mixed(digest->b + word) ^ digest->a;
}

static void add_bytes(digest *digest, const unsigned char *bytes, size_t count) {
  add(digest, count);
  for (; count >= 8; bytes += 8, count -= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    add(digest, word);
  }
  uint64_t rest = 0;
  if (count > 0) memcpy(&rest, bytes, count);
  add(digest, rest);
}

// kindred_digest(x, …): a hash of a list of values, which is not cryptographic.
static void kindred_digest(sqlite3_context *context, int count, sqlite3_value **arguments) {
  digest digest = {0x243F6A8885A308D3u, 0x13198A2E03707344u};
  if (kindred_stops(context)) return;
  for (int index = 0; index < count; index++) {
    int type = sqlite3_value_type(arguments[index]);
    add(&digest, (uint64_t)type);
    if (type == SQLITE_INTEGER) {
      add(&digest, (uint64_t)sqlite3_value_int64(arguments[index]));
    } else if (type == SQLITE_FLOAT) {
      double value = sqlite3_value_double(arguments[index]);
      uint64_t word;
      memcpy(&word, &value, sizeof word);
      add(&digest, word);
    } else if (type != SQLITE_NULL) {
      const unsigned char *bytes =
        type == SQLITE_TEXT ? sqlite3_value_text(arguments[index]) : sqlite3_value_blob(arguments[index]);
      size_t length = (size_t)sqlite3_value_bytes(arguments[index]);
      if (bytes == NULL && length > 0) return sqlite3_result_error_nomem(context);
      add_bytes(&digest, bytes, length);
    }
  }
  sqlite3_result_blob(context, &digest, sizeof digest, SQLITE_TRANSIENT);
}

// MARK: Numbers

static void rounded(sqlite3_context *context, sqlite3_value *value, double (*function)(double)) {
  switch (sqlite3_value_numeric_type(value)) {
  case SQLITE_INTEGER: return sqlite3_result_int64(context, sqlite3_value_int64(value));
  case SQLITE_FLOAT: return sqlite3_result_double(context, function(sqlite3_value_double(value)));
  default: return;
  }
}

static void kindred_floor(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  rounded(context, arguments[0], floor);
}

static void kindred_ceil(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  rounded(context, arguments[0], ceil);
}

// MARK: Rules

static void finalize(void *statement) { sqlite3_finalize(statement); }

// More values than a function may have arguments.
typedef struct {
  int count;
  sqlite3_value *values[];
} kindred_list;

static void free_list(void *memory) {
  kindred_list *list = memory;
  for (int index = 0; index < list->count; index++) sqlite3_value_free(list->values[index]);
  sqlite3_free(list);
}

// kindred_values(x, …): some of the parameters of kindred_holds, as one.
static void kindred_values(sqlite3_context *context, int count, sqlite3_value **arguments) {
  kindred_list *list = sqlite3_malloc64(sizeof *list + (sqlite3_uint64)count * sizeof *list->values);
  if (list == NULL) return sqlite3_result_error_nomem(context);
  list->count = 0;
  for (int index = 0; index < count; index++) {
    sqlite3_value *value = sqlite3_value_dup(arguments[index]);
    if (value == NULL) {
      free_list(list);
      return sqlite3_result_error_nomem(context);
    }
    list->values[list->count++] = value;
  }
  // It frees the list also if it fails.
  sqlite3_result_pointer(context, list, "kindred_values", free_list);
}

// kindred_holds(sql, x, …): whether a statement that only reads gives only true values, at least one, for these parameters;
// false where it can't be computed.
static void kindred_holds(sqlite3_context *context, int count, sqlite3_value **arguments) {
  if (kindred_stops(context)) return;
  sqlite3_stmt *statement = sqlite3_get_auxdata(context, 0);
  int is_new = statement == NULL;
  if (is_new) {
    const char *sql = (const char *)sqlite3_value_text(arguments[0]);
    if (sql == NULL) return sqlite3_result_error_nomem(context);
    int code = sqlite3_prepare_v2(sqlite3_context_db_handle(context), sql, -1, &statement, NULL);
    if (code != SQLITE_OK) return sqlite3_result_error_code(context, code);
    if (statement == NULL || !sqlite3_stmt_readonly(statement)) {
      sqlite3_finalize(statement);
      return sqlite3_result_error(context, "kindred_holds only reads", -1);
    }
  }
  int number = 0;
  for (int index = 1; index < count; index++) {
    kindred_list *list = sqlite3_value_pointer(arguments[index], "kindred_values");
    if (list == NULL) sqlite3_bind_value(statement, ++number, arguments[index]);
    for (int inner = 0; list != NULL && inner < list->count; inner++) {
      sqlite3_bind_value(statement, ++number, list->values[inner]);
    }
  }
  int holds = 0;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    holds = sqlite3_column_double(statement, 0) != 0;
    if (!holds) break;
  }
  int code = sqlite3_reset(statement);
  switch (code & 0xff) {
  case SQLITE_OK: sqlite3_result_int(context, holds); break;
  // No value, or one that is too long.
  case SQLITE_ERROR:
  case SQLITE_TOOBIG: sqlite3_result_int(context, 0); break;
  default: sqlite3_result_error_code(context, code);
  }
  // It frees the statement at once if it can't keep it.
  if (is_new) sqlite3_set_auxdata(context, 0, statement, finalize);
}

// MARK: All

int kindred_add_functions(
  sqlite3 *db, kindred_must_stop must_stop, void *context, sqlite3_int64 built_length, int replaces
) {
  static const struct {
    const char *name;
    int count;
    void (*function)(sqlite3_context *, int, sqlite3_value **);
    // Whether it replaces one of SQLite's.
    int replaces;
    // Whether it reads the database, so that its result doesn't follow from its arguments, and the schema must not
    // call it.
    int reads;
  } functions[] = {
    {"kindred_concat", 2, kindred_concat},
    {"instr", 2, kindred_instr, 1},
    {"replace", 3, kindred_replace, 1},
    {"trim", 1, kindred_trim, 1},
    {"trim", 2, kindred_trim, 1},
    {"ltrim", 1, kindred_ltrim, 1},
    {"ltrim", 2, kindred_ltrim, 1},
    {"rtrim", 1, kindred_rtrim, 1},
    {"rtrim", 2, kindred_rtrim, 1},
    {"kindred_like", 2, kindred_like},
    {"kindred_like", 3, kindred_like},
    {"kindred_glob", 2, kindred_glob},
    {"kindred_digest", -1, kindred_digest},
    {"kindred_member", 2, kindred_member},
    {"kindred_member_value", 2, kindred_member_value},
    {"kindred_member_shown", 2, kindred_member_shown},
    {"kindred_contains", 3, kindred_contains},
    {"kindred_overlaps", 3, kindred_overlaps},
    {"kindred_values", -1, kindred_values, .reads = 1},
    {"kindred_octets", 3, kindred_octets, .reads = 1},
    {"kindred_beginning", 5, kindred_beginning, .reads = 1},
    // The rest is added only if SQLite lacks it.
    {"floor", 1, kindred_floor},
    {"ceil", 1, kindred_ceil},
  };
  int count = (int)(sizeof functions / sizeof functions[0]);
  if (sqlite3_compileoption_used("ENABLE_MATH_FUNCTIONS")) count -= 2;
  for (int index = 0; index < count; index++) {
    if (functions[index].replaces && !replaces) continue;
    kindred_functions *shared = sqlite3_malloc(sizeof *shared);
    if (shared == NULL) return SQLITE_NOMEM;
    shared->must_stop = must_stop;
    shared->context = context;
    shared->built_length = built_length;
    // SQLite also frees it on failure.
    int code = sqlite3_create_function_v2(
      db, functions[index].name, functions[index].count,
      SQLITE_UTF8 | (functions[index].reads ? SQLITE_DIRECTONLY : SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS), shared, functions[index].function, NULL, NULL,
      sqlite3_free);
    if (code != SQLITE_OK) return code;
  }
  kindred_functions *shared = sqlite3_malloc(sizeof *shared);
  if (shared == NULL) return SQLITE_NOMEM;
  shared->must_stop = must_stop;
  shared->context = context;
  shared->built_length = built_length;
  // Neither views nor triggers may run statements by it.
  return sqlite3_create_function_v2(
    db, "kindred_holds", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, shared, kindred_holds, NULL, NULL, sqlite3_free);
}
