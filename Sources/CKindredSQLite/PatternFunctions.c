#include "FunctionCall.h"
#include <stdatomic.h>
#include <stddef.h>

// The special characters of LIKE or GLOB; 0 for one that it lacks.
typedef struct {
  unsigned any;
  unsigned one;
  unsigned set;
  unsigned escape;
  int ignoresCase;
} signs;

// Reads the next character as SQLite does: invalid UTF-8 becomes U+FFFD or single-byte characters.
static unsigned read_long_character(const unsigned char **text) {
  unsigned character = *(*text)++;
  if (character < 0xC0) return character;
  character &= character < 0xE0 ? 0x1F : character < 0xF0 ? 0x0F : character < 0xF8 ? 7 : character < 0xFC ? 3 : 1;
  if ((*text)[-1] >= 0xFE) character = 0;
  while ((**text & 0xC0) == 0x80) character = (character << 6) + (*(*text)++ & 0x3F);
  if (character < 0x80 || (character & 0xFFFFF800) == 0xD800 || (character & 0xFFFFFFFE) == 0xFFFE) return 0xFFFD;
  return character;
}

static inline unsigned read_character(const unsigned char **text) {
  return **text < 0x80 ? *(*text)++ : read_long_character(text);
}

static inline unsigned lowercase(unsigned character) {
  return character >= 'A' && character <= 'Z' ? character + ('a' - 'A') : character;
}

static inline int is_same(unsigned a, unsigned b, const signs *signs) {
  return a == b || (signs->ignoresCase && lowercase(a) == lowercase(b));
}

// Returns whether a character is in a set. The pattern is after its `[` before, and after its `]` afterwards.
static int is_in_set(unsigned character, const unsigned char **pattern) {
  unsigned prior = 0, next = read_character(pattern);
  int isIn = 0, isInverted = next == '^';
  if (isInverted) next = read_character(pattern);
  if (next == ']') {
    isIn = character == ']';
    next = read_character(pattern);
  }
  for (; next != 0 && next != ']'; next = read_character(pattern)) {
    if (next == '-' && **pattern != ']' && **pattern != 0 && prior > 0) {
      next = read_character(pattern);
      isIn |= character >= prior && character <= next;
      prior = 0;
      // The pattern has ended; don't read past its end.
      if (next == 0) return 0;
    } else {
      isIn |= character == next;
      prior = next;
    }
  }
  return next != 0 && isIn != isInverted;
}

// Returns the first position of a text at which a pattern may match; null if there is none.
static inline const unsigned char *seek(
  const unsigned char *text, const unsigned char *pattern, const signs *signs
) {
  unsigned first = read_character(&pattern);
  if (signs->escape != 0 && first == signs->escape) first = read_character(&pattern);
  else if (signs->set != 0 && first == signs->set) first = 0;
  if (first > 0 && first < 0x80) {
    unsigned other = signs->ignoresCase && lowercase(first) >= 'a' && lowercase(first) <= 'z' ? first ^ 0x20 : first;
    while (*text != first && *text != other && *text != 0) text++;
  }
  return *text == 0 ? NULL : text;
}

// Returns whether a text matches; -1 if the call has to stop.
//
// After a mismatch, the last `any` takes one more character. Earlier ones need not be tried again, because the part
// between them was matched at the first possible position.
static int matches(
  sqlite3_context *context, const unsigned char *pattern, const unsigned char *text, const signs *signs
) {
  const unsigned char *patternBehindAny = NULL, *textBehindAny = NULL;
  // The positions up to which the bytes read have been counted.
  const unsigned char *countedPattern = pattern, *countedText = text;
  size_t steps = 0;
  for (;;) {
    size_t read = (size_t)(pattern - countedPattern) + (size_t)(text - countedText);
    if (kindred_stops_after(context, &steps, read + 1)) return -1;
    countedPattern = pattern;
    countedText = text;
    unsigned wanted = read_character(&pattern);
    if (signs->any != 0 && wanted == signs->any) {
      const unsigned char *next = pattern;
      while ((wanted = read_character(&next)) != 0) {
        if (wanted == signs->one && signs->one != 0) {
          if (read_character(&text) == 0) return 0;
        } else if (wanted != signs->any) {
          break;
        }
        pattern = next;
      }
      if (wanted == 0) return 1;
      patternBehindAny = pattern;
      textBehindAny = text;
      goto again;
    }
    if (wanted == 0) {
      if (*text == 0) return 1;
    } else {
      int isEscaped = signs->escape != 0 && wanted == signs->escape;
      if (isEscaped && (wanted = read_character(&pattern)) == 0) return 0;
      if (*text != 0) {
        unsigned character = read_character(&text);
        if (!isEscaped && signs->set != 0 && wanted == signs->set) {
          if (is_in_set(character, &pattern)) continue;
        } else if (is_same(wanted, character, signs) || (!isEscaped && signs->one != 0 && wanted == signs->one)) {
          continue;
        }
      } else {
        // At the end of the text, taking more characters can't help.
        return 0;
      }
    }
    if (patternBehindAny == NULL) return 0;
    (void)read_character(&textBehindAny);
  again:
    steps += (size_t)(pattern - countedPattern) + (size_t)(text - countedText);
    const unsigned char *start = textBehindAny;
    textBehindAny = seek(start, patternBehindAny, signs);
    if (textBehindAny == NULL) return 0;
    steps += (size_t)(textBehindAny - start);
    countedPattern = pattern = patternBehindAny;
    countedText = text = textBehindAny;
  }
}

// Returns whether SQLite was built so that BLOBs don't match and one of the values is a BLOB; then sets the result.
static int is_unmatched(sqlite3_context *context, sqlite3_value **arguments) {
  static atomic_int matchesBlobs = -1;
  if (matchesBlobs < 0) matchesBlobs = !sqlite3_compileoption_used("LIKE_DOESNT_MATCH_BLOBS");
  if (matchesBlobs) return 0;
  if (sqlite3_value_type(arguments[0]) != SQLITE_BLOB && sqlite3_value_type(arguments[1]) != SQLITE_BLOB) return 0;
  sqlite3_result_int(context, 0);
  return 1;
}

static void match(sqlite3_context *context, sqlite3_value **arguments, const signs *signs) {
  const unsigned char *pattern = sqlite3_value_text(arguments[0]);
  const unsigned char *text = sqlite3_value_text(arguments[1]);
  if (pattern == NULL || text == NULL) return;
  // Bounded, because a single step may read a set as long as the pattern.
  int limit = sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LIKE_PATTERN_LENGTH, -1);
  if (sqlite3_value_bytes(arguments[0]) > limit)
    return sqlite3_result_error(context, "LIKE or GLOB pattern too complex", -1);
  int result = matches(context, pattern, text, signs);
  if (result >= 0) sqlite3_result_int(context, result);
}

// like(pattern, text[, escape])
void kindred_like(sqlite3_context *context, int count, sqlite3_value **arguments) {
  signs signs = {.any = '%', .one = '_', .ignoresCase = 1};
  if (is_unmatched(context, arguments)) return;
  if (count == 3) {
    const unsigned char *escape = sqlite3_value_text(arguments[2]);
    if (escape == NULL) return;
    if (*escape != 0) signs.escape = read_character(&escape);
    if (signs.escape == 0 || *escape != 0)
      return sqlite3_result_error(context, "ESCAPE expression must be a single character", -1);
    if (signs.escape == signs.any) signs.any = 0;
    if (signs.escape == signs.one) signs.one = 0;
  }
  match(context, arguments, &signs);
}

// glob(pattern, text)
void kindred_glob(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  signs signs = {.any = '*', .one = '?', .set = '['};
  if (!is_unmatched(context, arguments)) match(context, arguments, &signs);
}
