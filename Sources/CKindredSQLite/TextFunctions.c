// memmem (<https://man7.org/linux/man-pages/man3/memmem.3.html>)
#define _GNU_SOURCE
#include "CKindredSQLite.h"
#include "FunctionCall.h"
#include <string.h>

// instr(haystack, needle): the position of the needle from 1, in characters of texts or bytes of BLOBs; 0 for none.
void kindred_instr(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  int types[2] = {sqlite3_value_type(arguments[0]), sqlite3_value_type(arguments[1])};
  if (types[0] == SQLITE_NULL || types[1] == SQLITE_NULL || kindred_stops(context)) return;
  int isText = types[0] != SQLITE_BLOB || types[1] != SQLITE_BLOB;
  // If only one of them is a BLOB, SQLite compares both as texts.
  const unsigned char *haystack =
    isText ? sqlite3_value_text(arguments[0]) : sqlite3_value_blob(arguments[0]);
  const unsigned char *needle = isText ? sqlite3_value_text(arguments[1]) : sqlite3_value_blob(arguments[1]);
  size_t length = (size_t)sqlite3_value_bytes(arguments[0]);
  size_t needleLength = (size_t)sqlite3_value_bytes(arguments[1]);
  if (needleLength == 0) return sqlite3_result_int(context, 1);
  if (needle == NULL || (haystack == NULL && length > 0)) return sqlite3_result_error_nomem(context);
  const unsigned char *found = NULL;
  if (isText && (needle[0] & 0xC0) == 0x80) {
    // A continuation byte can't begin a character, but it can begin an invalid text.
    if (needleLength <= length && memcmp(haystack, needle, needleLength) == 0) found = haystack;
  } else if (length > 0) {
    found = memmem(haystack, length, needle, needleLength);
  }
  if (found == NULL) return sqlite3_result_int(context, 0);
  if (!isText) return sqlite3_result_int64(context, found - haystack + 1);
  sqlite3_int64 place = 1;
  for (const unsigned char *byte = haystack + 1; byte <= found; byte++) place += (*byte & 0xC0) != 0x80;
  sqlite3_result_int64(context, place);
}

// kindred_concat(a, b): `a || b` (<https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>).
void kindred_concat(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  const unsigned char *parts[2];
  size_t lengths[2];
  for (int index = 0; index < 2; index++) {
    if (sqlite3_value_type(arguments[index]) == SQLITE_NULL) return;
    parts[index] = sqlite3_value_text(arguments[index]);
    lengths[index] = (size_t)sqlite3_value_bytes(arguments[index]);
    // An empty BLOB has no address.
    if (parts[index] == NULL && lengths[index] > 0) return sqlite3_result_error_nomem(context);
  }
  size_t length = lengths[0] + lengths[1];
  if (kindred_stops(context) || kindred_is_too_long(context, (sqlite3_int64)length)) return;
  char *result = sqlite3_malloc64(length + 1);
  if (result == NULL) return sqlite3_result_error_nomem(context);
  if (lengths[0] > 0) memcpy(result, parts[0], lengths[0]);
  if (lengths[1] > 0) memcpy(result + lengths[0], parts[1], lengths[1]);
  result[length] = 0;
  sqlite3_result_text64(context, result, length, sqlite3_free, SQLITE_UTF8);
}

// replace(text, pattern, replacement)
void kindred_replace(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  const char *text = (const char *)sqlite3_value_text(arguments[0]);
  const char *pattern = (const char *)sqlite3_value_text(arguments[1]);
  if (text == NULL || pattern == NULL || kindred_stops(context)) return;
  if (pattern[0] == 0) return sqlite3_result_value(context, arguments[0]);
  const char *replacement = (const char *)sqlite3_value_text(arguments[2]);
  if (replacement == NULL) return;
  size_t length = (size_t)sqlite3_value_bytes(arguments[0]);
  size_t patternLength = (size_t)sqlite3_value_bytes(arguments[1]);
  size_t replacementLength = (size_t)sqlite3_value_bytes(arguments[2]);
  const char *end = text + length;

  sqlite3_int64 matches = 0;
  for (const char *place = text; (place = memmem(place, (size_t)(end - place), pattern, patternLength)) != NULL;
       place += patternLength)
    matches++;
  if (matches == 0) return sqlite3_result_text64(context, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
  sqlite3_int64 size =
    (sqlite3_int64)length + matches * ((sqlite3_int64)replacementLength - (sqlite3_int64)patternLength);
  // A result that does not grow is no longer than a stored value.
  if (size > (sqlite3_int64)length && kindred_is_too_long(context, size)) return;
  char *result = sqlite3_malloc64((sqlite3_uint64)size + 1);
  if (result == NULL) return sqlite3_result_error_nomem(context);
  char *out = result;
  const char *rest = text;
  for (const char *place = text; (place = memmem(place, (size_t)(end - place), pattern, patternLength)) != NULL;) {
    memcpy(out, rest, (size_t)(place - rest));
    out += place - rest;
    memcpy(out, replacement, replacementLength);
    out += replacementLength;
    place += patternLength;
    rest = place;
  }
  memcpy(out, rest, (size_t)(end - rest));
  out[end - rest] = 0;
  sqlite3_result_text64(context, result, (sqlite3_uint64)size, sqlite3_free, SQLITE_UTF8);
}

// Returns the end of the character that begins here.
static const unsigned char *skip(const unsigned char *character) {
  if (*character++ >= 0xC0)
    while ((*character & 0xC0) == 0x80) character++;
  return character;
}

// Returns the size of the character at the start or end of a text if it is one to trim; 0 if not, -1 to stop.
static int trimmable(
  sqlite3_context *context, size_t *steps, const unsigned char *text, int length, const unsigned char *characters,
  int isAtEnd
) {
  for (const unsigned char *character = characters; *character != 0;) {
    const unsigned char *next = skip(character);
    int size = (int)(next - character);
    if (size <= length && memcmp(isAtEnd ? text + length - size : text, character, (size_t)size) == 0) return size;
    if (kindred_stops_after(context, steps, (size_t)size)) return -1;
    character = next;
  }
  return 0;
}

static void trim(sqlite3_context *context, int count, sqlite3_value **arguments, int atStart, int atEnd) {
  const unsigned char *text = sqlite3_value_text(arguments[0]);
  const unsigned char *characters =
    count == 1 ? (const unsigned char *)" " : sqlite3_value_text(arguments[1]);
  if (text == NULL || characters == NULL || kindred_stops(context)) return;
  int length = sqlite3_value_bytes(arguments[0]);
  size_t steps = 0;
  int size;
  while (atStart && length > 0 && (size = trimmable(context, &steps, text, length, characters, 0)) != 0) {
    if (size < 0) return;
    text += size;
    length -= size;
  }
  while (atEnd && length > 0 && (size = trimmable(context, &steps, text, length, characters, 1)) != 0) {
    if (size < 0) return;
    length -= size;
  }
  sqlite3_result_text(context, (const char *)text, length, SQLITE_TRANSIENT);
}

void kindred_trim(sqlite3_context *context, int count, sqlite3_value **arguments) {
  trim(context, count, arguments, 1, 1);
}

void kindred_ltrim(sqlite3_context *context, int count, sqlite3_value **arguments) {
  trim(context, count, arguments, 1, 0);
}

void kindred_rtrim(sqlite3_context *context, int count, sqlite3_value **arguments) {
  trim(context, count, arguments, 0, 1);
}
