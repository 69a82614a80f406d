#include "FunctionCall.h"
#include <string.h>

// A value of a stored column, opened for reading in parts (<https://www.sqlite.org/c3ref/blob_open.html>).
//
// SQLite reads a column's whole value into memory before a function gets it, which this avoids: the functions have the
// names of the table and the column, and the rowid, as arguments.
static void close_blob(void *blob) { sqlite3_blob_close(blob); }

// Returns the value of the row, which the call closes at its end by itself; null after setting the result.
//
// The result is NULL where the row was stored before the column was added: the value is the column's default then, which is
// no part of the row (<https://www.sqlite.org/lang_altertable.html>).
//
// It stays open for the next row, to which it moves much faster than a new one is opened.
static sqlite3_blob *opened(sqlite3_context *context, sqlite3_value **arguments) {
  if (sqlite3_value_type(arguments[2]) != SQLITE_INTEGER) return NULL;
  sqlite3_int64 row = sqlite3_value_int64(arguments[2]);
  sqlite3_blob *blob = sqlite3_get_auxdata(context, 0);
  if (blob != NULL) {
    int code = sqlite3_blob_reopen(blob, row);
    if (code == SQLITE_OK) return blob;
    // It is aborted, so the next row opens another one.
    sqlite3_set_auxdata(context, 0, NULL, NULL);
    if (code != SQLITE_ERROR) sqlite3_result_error_code(context, code);
    return NULL;
  }
  int code = sqlite3_blob_open(
    sqlite3_context_db_handle(context), "main", (const char *)sqlite3_value_text(arguments[0]),
    (const char *)sqlite3_value_text(arguments[1]), row, 0, &blob);
  if (code != SQLITE_OK) {
    sqlite3_blob_close(blob);
    if (code != SQLITE_ERROR) sqlite3_result_error_code(context, code);
    return NULL;
  }
  sqlite3_set_auxdata(context, 0, blob, close_blob);
  // SQLite may have closed it for lack of memory.
  blob = sqlite3_get_auxdata(context, 0);
  if (blob == NULL) sqlite3_result_error_nomem(context);
  return blob;
}

void kindred_octets(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  sqlite3_blob *blob = opened(context, arguments);
  if (blob != NULL) sqlite3_result_int64(context, sqlite3_blob_bytes(blob));
}

const unsigned char *kindred_long_value_mark(void) {
  static unsigned char mark[KINDRED_MARK_LENGTH];
  static int is_made;
  if (!is_made) {
    sqlite3_randomness(sizeof mark, mark);
    is_made = 1;
  }
  return mark;
}

static unsigned char *append(unsigned char *end, sqlite3_int64 number) {
  memcpy(end, &number, sizeof number);
  return end + sizeof number;
}

void kindred_beginning(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  sqlite3_blob *blob = opened(context, arguments);
  if (blob == NULL) return;
  int is_text = sqlite3_value_int(arguments[3]);
  int shown = sqlite3_value_int(arguments[4]), length = sqlite3_blob_bytes(blob);
  int is_whole = length <= KINDRED_WHOLE_LENGTH;
  if (is_whole) shown = length;
  // A null pointer would give NULL instead of an empty value.
  unsigned char *bytes = sqlite3_malloc(KINDRED_BEGINNING + shown + 1);
  if (bytes == NULL) return sqlite3_result_error_nomem(context);
  unsigned char *end = bytes;
  if (!is_whole) {
    memcpy(end, kindred_long_value_mark(), KINDRED_MARK_LENGTH);
    end = append(append(append(end + KINDRED_MARK_LENGTH, is_text), length), sqlite3_value_int64(arguments[2]));
  }
  int code = sqlite3_blob_read(blob, end, shown, 0);
  if (code != SQLITE_OK) {
    sqlite3_free(bytes);
    return sqlite3_result_error_code(context, code);
  }
  int size = (int)(end - bytes) + shown;
  if (is_whole && is_text) {
    sqlite3_result_text(context, (char *)bytes, size, sqlite3_free);
  } else {
    sqlite3_result_blob(context, bytes, size, sqlite3_free);
  }
}
