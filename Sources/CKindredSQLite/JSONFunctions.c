#include "CKindredSQLite.h"
#include "FunctionCall.h"
#include <stdlib.h>
#include <string.h>

// Members and elements of JSON texts (RFC 8259), which SQLite's own functions don't find by names with quotes or escapes,
// and for which they fail where a text is no JSON. A text is checked as a whole before it is read.

// The maximum nesting, as of SQLite (<https://www.sqlite.org/json1.html>).
enum { maximum_depth = 1000 };

// A value: from its first byte to the one after its last.
typedef struct {
  const char *start, *end;
} span;

typedef struct {
  sqlite3_context *context;
  size_t steps;
  int stopped;
} work;

static int stops(work *work, size_t more) {
  if (!work->stopped) work->stopped = kindred_stops_after(work->context, &work->steps, more);
  return work->stopped;
}

// MARK: Checking

static const char *skip_space(const char *at, const char *end) {
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) at++;
  return at;
}

static int is_digit(char byte) { return byte >= '0' && byte <= '9'; }

static int is_hexadecimal(char byte) {
  return is_digit(byte) || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
}

// Returns the end of a string that starts at a quote; NULL if it is malformed.
static const char *string_end(const char *at, const char *end) {
  for (at++; at < end; at++) {
    if (*at == '"') return at + 1;
    if ((unsigned char)*at < 0x20) return NULL;
    if (*at != '\\') continue;
    if (++at == end) return NULL;
    if (*at == 'u') {
      for (int digit = 0; digit < 4; digit++)
        if (++at == end || !is_hexadecimal(*at)) return NULL;
    } else if (strchr("\"\\/bfnrt", *at) == NULL || *at == 0) {
      return NULL;
    }
  }
  return NULL;
}

static const char *number_end(const char *at, const char *end) {
  if (at < end && *at == '-') at++;
  if (at == end || !is_digit(*at)) return NULL;
  if (*at++ != '0') {
    while (at < end && is_digit(*at)) at++;
  }
  if (at < end && *at == '.') {
    if (++at == end || !is_digit(*at)) return NULL;
    while (at < end && is_digit(*at)) at++;
  }
  if (at < end && (*at == 'e' || *at == 'E')) {
    at++;
    if (at < end && (*at == '+' || *at == '-')) at++;
    if (at == end || !is_digit(*at)) return NULL;
    while (at < end && is_digit(*at)) at++;
  }
  return at;
}

// Returns the end of a value; NULL if it is malformed, too deep, or the work has to stop.
static const char *value_end(work *work, const char *at, const char *end, int depth) {
  if (at == end || depth > maximum_depth) return NULL;
  const char *next = NULL;
  switch (*at) {
  case '"': next = string_end(at, end); break;
  case 't': next = end - at >= 4 && memcmp(at, "true", 4) == 0 ? at + 4 : NULL; break;
  case 'f': next = end - at >= 5 && memcmp(at, "false", 5) == 0 ? at + 5 : NULL; break;
  case 'n': next = end - at >= 4 && memcmp(at, "null", 4) == 0 ? at + 4 : NULL; break;
  case '[':
  case '{': {
    int is_object = *at == '{';
    char closing = is_object ? '}' : ']';
    at = skip_space(at + 1, end);
    if (at < end && *at == closing) return at + 1;
    for (;;) {
      if (is_object) {
        if (at == end || *at != '"' || (at = string_end(at, end)) == NULL) return NULL;
        at = skip_space(at, end);
        if (at == end || *at != ':') return NULL;
        at = skip_space(at + 1, end);
      }
      if ((at = value_end(work, at, end, depth + 1)) == NULL) return NULL;
      at = skip_space(at, end);
      if (at == end) return NULL;
      if (*at == closing) return at + 1;
      if (*at != ',') return NULL;
      at = skip_space(at + 1, end);
    }
  }
  default: next = number_end(at, end);
  }
  return next == NULL || stops(work, (size_t)(next - at)) ? NULL : next;
}

// Returns the end of a value of a text that has been checked.
static const char *checked_end(const char *at) {
  int depth = 0;
  do {
    switch (*at) {
    case '"':
      for (at++; *at != '"'; at++)
        if (*at == '\\') at++;
      at++;
      break;
    case '[':
    case '{':
      depth++;
      at++;
      break;
    case ']':
    case '}':
      depth--;
      at++;
      break;
    default: at++;
      // A word or a number of its own ends before the next sign.
      while (depth == 0 && *at != 0 && strchr(",]} \t\n\r", *at) == NULL) at++;
    }
  } while (depth > 0);
  return at;
}

// Reads an argument as JSON; returns 0 if it is NULL or malformed.
static int read(work *work, sqlite3_value *value, span *span) {
  if (sqlite3_value_type(value) == SQLITE_NULL) return 0;
  const char *text = (const char *)sqlite3_value_text(value);
  if (text == NULL) return 0;
  const char *end = text + sqlite3_value_bytes(value);
  span->start = skip_space(text, end);
  span->end = value_end(work, span->start, end, 0);
  return span->end != NULL && skip_space(span->end, end) == end;
}

// MARK: Strings

// Reads the next character of a string between its quotes as UTF-8, and returns the number of its bytes.
static int next_character(const char **at, char bytes[4]) {
  if (**at != '\\') {
    bytes[0] = *(*at)++;
    return 1;
  }
  char letter = *++*at;
  (*at)++;
  switch (letter) {
  case 'b': bytes[0] = '\b'; return 1;
  case 'f': bytes[0] = '\f'; return 1;
  case 'n': bytes[0] = '\n'; return 1;
  case 'r': bytes[0] = '\r'; return 1;
  case 't': bytes[0] = '\t'; return 1;
  case 'u': break;
  default: bytes[0] = letter; return 1;
  }
  char digits[5] = {0};
  memcpy(digits, *at, 4);
  *at += 4;
  unsigned long scalar = strtoul(digits, NULL, 16);
  if (scalar >= 0xD800 && scalar < 0xDC00 && (*at)[0] == '\\' && (*at)[1] == 'u') {
    memcpy(digits, *at + 2, 4);
    unsigned long low = strtoul(digits, NULL, 16);
    if (low >= 0xDC00 && low < 0xE000) {
      scalar = 0x10000 + ((scalar - 0xD800) << 10) + (low - 0xDC00);
      *at += 6;
    }
  }
  if (scalar >= 0xD800 && scalar < 0xE000) scalar = 0xFFFD;
  if (scalar < 0x80) {
    bytes[0] = (char)scalar;
    return 1;
  }
  int count = scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4;
  for (int index = count - 1; index > 0; index--) {
    bytes[index] = (char)(0x80 | (scalar & 0x3F));
    scalar >>= 6;
  }
  bytes[0] = (char)((count == 2 ? 0xC0 : count == 3 ? 0xE0 : 0xF0) | scalar);
  return count;
}

// Returns whether a string equals a text of UTF-8.
static int is_text(span string, const char *text, size_t length) {
  const char *at = string.start + 1, *end = string.end - 1, *text_end = text + length;
  char bytes[4];
  while (at < end) {
    int count = next_character(&at, bytes);
    if (text_end - text < count || memcmp(bytes, text, (size_t)count) != 0) return 0;
    text += count;
  }
  return text == text_end;
}

// Returns whether two strings have the same characters.
static int is_same_string(span left, span right) {
  size_t length = (size_t)(left.end - left.start);
  if (length == (size_t)(right.end - right.start) && memcmp(left.start, right.start, length) == 0) return 1;
  const char *at = left.start + 1, *other = right.start + 1;
  char bytes[4], other_bytes[4];
  int count = 0, other_count = 0, used = 0, other_used = 0;
  for (;;) {
    if (used == count) {
      if (at == left.end - 1) break;
      count = next_character(&at, bytes);
      used = 0;
    }
    if (other_used == other_count) {
      if (other == right.end - 1) return 0;
      other_count = next_character(&other, other_bytes);
      other_used = 0;
    }
    if (bytes[used++] != other_bytes[other_used++]) return 0;
  }
  return other_used == other_count && other == right.end - 1;
}

// MARK: Members

// Moves to the next element or member; returns 0 at the end.
static int next_item(const char **at, span *name, span *value) {
  const char *start = *at;
  while (*start == ' ' || *start == '\t' || *start == '\n' || *start == '\r' || *start == ',') start++;
  if (*start == ']' || *start == '}') return 0;
  if (name != NULL) {
    name->start = start;
    name->end = start = checked_end(start);
    while (*start != ':') start++;
    start++;
    while (*start == ' ' || *start == '\t' || *start == '\n' || *start == '\r') start++;
  }
  value->start = start;
  *at = value->end = checked_end(start);
  return 1;
}

// Finds the member of a name, or the element of an index, from the end where it is negative.
static int find(work *work, span document, sqlite3_value *step, span *found) {
  const char *at = document.start + 1;
  span name;
  if (sqlite3_value_type(step) == SQLITE_INTEGER) {
    if (*document.start != '[') return 0;
    sqlite3_int64 index = sqlite3_value_int64(step);
    if (index < 0) {
      sqlite3_int64 count = 0;
      while (next_item(&at, NULL, found) && !stops(work, (size_t)(found->end - found->start))) count++;
      // The smallest integer has no counterpart.
      if (work->stopped || index < -count) return 0;
      index += count;
      at = document.start + 1;
    }
    for (; next_item(&at, NULL, found) && !stops(work, (size_t)(found->end - found->start)); index--)
      if (index == 0) return 1;
    return 0;
  }
  if (*document.start != '{') return 0;
  const char *text = (const char *)sqlite3_value_text(step);
  size_t length = (size_t)sqlite3_value_bytes(step);
  if (text == NULL) return 0;
  while (next_item(&at, &name, found) && !stops(work, (size_t)(found->end - name.start)))
    if (is_text(name, text, length)) return 1;
  return 0;
}

// How a member is returned.
typedef enum {
  as_json,
  as_value,
  // As the JSON of its value: of an object or an array, the text.
  as_json_of_value,
} form;

// Returns an object or an array without the space between its tokens.
static void result_container(sqlite3_context *context, span value, int is_quoted) {
  size_t length = (size_t)(value.end - value.start);
  char *text = sqlite3_malloc64(is_quoted ? 2 * length + 3 : length + 1);
  if (text == NULL) return sqlite3_result_error_nomem(context);
  size_t size = 0;
  int is_inside = 0;
  if (is_quoted) text[size++] = '"';
  for (const char *at = value.start; at < value.end; at++) {
    if (!is_inside && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) continue;
    if (*at == '"') is_inside = !is_inside;
    int is_escape = is_inside && *at == '\\';
    for (int count = is_escape ? 2 : 1; count > 0; count--) {
      if (is_quoted && (*at == '"' || *at == '\\')) text[size++] = '\\';
      text[size++] = *at;
      if (count == 2) at++;
    }
  }
  if (is_quoted) text[size++] = '"';
  text[size] = 0;
  sqlite3_result_text64(context, text, size, sqlite3_free, SQLITE_UTF8);
}

// Returns a string as JSON in which quotes, backslashes and control characters alone are escaped.
static void result_string(sqlite3_context *context, span value) {
  // An escape of two bytes becomes six at most.
  char *text = sqlite3_malloc64(6 * (sqlite3_uint64)(value.end - value.start) + 3);
  if (text == NULL) return sqlite3_result_error_nomem(context);
  size_t size = 0;
  char bytes[4];
  text[size++] = '"';
  for (const char *at = value.start + 1; at < value.end - 1;) {
    int count = next_character(&at, bytes);
    if ((unsigned char)bytes[0] < 0x20) {
      sqlite3_snprintf(7, text + size, "\\u%04x", bytes[0]);
      size += 6;
      continue;
    }
    if (bytes[0] == '"' || bytes[0] == '\\') text[size++] = '\\';
    memcpy(text + size, bytes, (size_t)count);
    size += (size_t)count;
  }
  text[size++] = '"';
  text[size] = 0;
  sqlite3_result_text64(context, text, size, sqlite3_free, SQLITE_UTF8);
}

static void result_number(sqlite3_context *context, span value) {
  char *end, digits[32];
  size_t length = (size_t)(value.end - value.start);
  int is_integer = memchr(value.start, '.', length) == NULL && memchr(value.start, 'e', length) == NULL
    && memchr(value.start, 'E', length) == NULL;
  if (is_integer && length < 19) {
    memcpy(digits, value.start, length);
    digits[length] = 0;
    return sqlite3_result_int64(context, strtoll(digits, &end, 10));
  }
  char *copy = sqlite3_mprintf("%.*s", (int)length, value.start);
  if (copy == NULL) return sqlite3_result_error_nomem(context);
  char expected[24] = "";
  long long integer = is_integer ? strtoll(copy, &end, 10) : 0;
  if (is_integer) sqlite3_snprintf(sizeof expected, expected, "%lld", integer);
  if (is_integer && strcmp(expected, copy) == 0) {
    sqlite3_result_int64(context, integer);
  } else {
    sqlite3_result_double(context, strtod(copy, &end));
  }
  sqlite3_free(copy);
}

static void result(sqlite3_context *context, span value, form form) {
  char first = *value.start;
  if (first == '{' || first == '[') return result_container(context, value, form == as_json_of_value);
  if (first == '"' && form == as_json_of_value) return result_string(context, value);
  if (form != as_value) {
    if (first == 'n' && form == as_json_of_value) return;
    return sqlite3_result_text64(
      context, value.start, (sqlite3_uint64)(value.end - value.start), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  if (first == 'n') return;
  if (first == 't' || first == 'f') return sqlite3_result_int(context, first == 't');
  if (first != '"') return result_number(context, value);
  char *text = sqlite3_malloc64((sqlite3_uint64)(value.end - value.start));
  if (text == NULL) return sqlite3_result_error_nomem(context);
  size_t size = 0;
  char bytes[4];
  for (const char *at = value.start + 1; at < value.end - 1;) {
    int count = next_character(&at, bytes);
    memcpy(text + size, bytes, (size_t)count);
    size += (size_t)count;
  }
  sqlite3_result_text64(context, text, size, sqlite3_free, SQLITE_UTF8);
}

static void member(sqlite3_context *context, sqlite3_value **arguments, form form) {
  work work = {context, 0, 0};
  span document, found;
  if (read(&work, arguments[0], &document) && find(&work, document, arguments[1], &found))
    result(context, found, form);
}

// kindred_member(json, step): `json -> step`
void kindred_member(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  member(context, arguments, as_json);
}

// kindred_member_value(json, step): `json ->> step`
void kindred_member_value(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  member(context, arguments, as_value);
}

// kindred_member_shown(json, step): `json ->> step` as JSON, in which booleans differ from numbers.
void kindred_member_shown(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  member(context, arguments, as_json_of_value);
}

// MARK: Containment

static int is_container(span value) { return *value.start == '{' || *value.start == '['; }

static int is_same_number(span left, span right) {
  size_t length = (size_t)(left.end - left.start), other = (size_t)(right.end - right.start);
  if (length == other && memcmp(left.start, right.start, length) == 0) return 1;
  // Different digits without a fraction are different integers.
  int is_plain = 1;
  for (const char *at = left.start; at < left.end; at++) is_plain &= is_digit(*at) || *at == '-';
  for (const char *at = right.start; at < right.end; at++) is_plain &= is_digit(*at) || *at == '-';
  if (is_plain) return length == 2 && other == 1 && left.start[0] == '-' && left.start[1] == '0' && *right.start == '0';
  char *end;
  return strtod(left.start, &end) == strtod(right.start, &end);
}

static int is_same_scalar(span left, span right) {
  char first = *left.start, second = *right.start;
  if (first == '"' || second == '"') return first == second && is_same_string(left, right);
  if (is_container(left) || is_container(right)) return 0;
  if (strchr("tfn", first) != NULL || strchr("tfn", second) != NULL) return first == second;
  return is_same_number(left, right);
}

// Returns whether two values are equal; the members of an object have no order.
static int is_same(work *work, span left, span right) {
  if (!is_container(left) || !is_container(right)) return is_same_scalar(left, right);
  if (*left.start != *right.start) return 0;
  const char *at = left.start + 1, *other_at = right.start + 1;
  span name, value, other_name, other;
  if (*left.start == '[') {
    for (;;) {
      int has_next = next_item(&at, NULL, &value);
      if (next_item(&other_at, NULL, &other) != has_next) return 0;
      if (!has_next) return 1;
      if (stops(work, (size_t)(value.end - value.start)) || !is_same(work, value, other)) return 0;
    }
  }
  int count = 0;
  for (; next_item(&at, &name, &value); count++) {
    int is_found = 0;
    for (const char *place = right.start + 1; !is_found && next_item(&place, &other_name, &other);) {
      if (stops(work, (size_t)(other.end - other_name.start))) return 0;
      is_found = is_same_string(name, other_name) && is_same(work, value, other);
    }
    if (!is_found) return 0;
  }
  while (next_item(&other_at, &other_name, &other)) count--;
  return count == 0;
}

static int has_all(work *work, span document, span wanted);

// Returns whether an array has an element that equals a value or, unless it must be equal, has all that the value has.
static int has_value(work *work, span document, span value, int is_equal) {
  span other;
  for (const char *at = document.start + 1; next_item(&at, NULL, &other);) {
    if (stops(work, (size_t)(other.end - other.start))) return 0;
    if (is_equal || !is_container(value) ? is_same(work, other, value) : has_all(work, other, value)) return 1;
  }
  return 0;
}

// Returns whether two objects, or two arrays, are such that the first has all that the second has, as `@>` of
// PostgreSQL (<https://www.postgresql.org/docs/current/datatype-json.html#JSON-CONTAINMENT>).
static int has_all(work *work, span document, span wanted) {
  if (*document.start != *wanted.start) return 0;
  const char *at = wanted.start + 1;
  span name, value, other_name, other;
  int is_object = *wanted.start == '{';
  while (next_item(&at, is_object ? &name : NULL, &value)) {
    if (!is_object) {
      if (!has_value(work, document, value, 0)) return 0;
      continue;
    }
    int is_found = 0;
    for (const char *place = document.start + 1; !is_found && next_item(&place, &other_name, &other);) {
      if (stops(work, (size_t)(other.end - other_name.start))) return 0;
      is_found = is_same_string(name, other_name)
        && (is_container(value) ? has_all(work, other, value) : is_same_scalar(other, value));
    }
    if (!is_found) return 0;
  }
  return 1;
}

// What the second argument is.
enum { plain_value, json_value, boolean_value };

// Reads the second argument as JSON; `scratch` holds the text that is made for it.
static int read_value(work *work, sqlite3_value **arguments, span *value, char **scratch) {
  int type = sqlite3_value_type(arguments[1]);
  int kind = sqlite3_value_int(arguments[2]);
  if (type == SQLITE_NULL || type == SQLITE_BLOB) return 0;
  if (kind == json_value || (kind == plain_value && type != SQLITE_TEXT)) return read(work, arguments[1], value);
  const char *text = (const char *)sqlite3_value_text(arguments[1]);
  size_t length = (size_t)sqlite3_value_bytes(arguments[1]);
  if (text == NULL || (*scratch = sqlite3_malloc64(2 * length + 8)) == NULL) {
    sqlite3_result_error_nomem(work->context);
    return 0;
  }
  char *end = *scratch;
  if (kind == boolean_value && type != SQLITE_TEXT) {
    strcpy(end, sqlite3_value_int64(arguments[1]) != 0 ? "true" : "false");
    end += strlen(end);
  } else {
    *end++ = '"';
    for (size_t index = 0; index < length; index++) {
      if (text[index] == '"' || text[index] == '\\') *end++ = '\\';
      *end++ = text[index];
    }
    *end++ = '"';
    *end = 0;
  }
  *value = (span){*scratch, end};
  return 1;
}

// kindred_contains(json, value, kind): whether the array has the value, or all elements of an array; or the object all
// members of an object.
void kindred_contains(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  work work = {context, 0, 0};
  span document, value;
  char *scratch = NULL;
  if (read(&work, arguments[0], &document) && read_value(&work, arguments, &value, &scratch)) {
    int contains;
    if (is_container(value)) {
      contains = has_all(&work, document, value);
    } else if (*document.start == '[') {
      contains = has_value(&work, document, value, 0);
    } else {
      contains = is_same_scalar(document, value);
    }
    if (!work.stopped) sqlite3_result_int(context, contains);
  }
  sqlite3_free(scratch);
}

// kindred_overlaps(json, value, kind): whether two arrays have an element in common; a value that is no array is one
// element.
void kindred_overlaps(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  work work = {context, 0, 0};
  span document, value, element;
  char *scratch = NULL;
  if (read(&work, arguments[0], &document) && read_value(&work, arguments, &value, &scratch)) {
    int overlaps = 0;
    if (*document.start == '[' && *value.start == '[') {
      for (const char *at = value.start + 1; !overlaps && !work.stopped && next_item(&at, NULL, &element);)
        overlaps = has_value(&work, document, element, 1);
    } else if (*document.start == '[') {
      overlaps = has_value(&work, document, value, 1);
    }
    if (!work.stopped) sqlite3_result_int(context, overlaps);
  }
  sqlite3_free(scratch);
}
