#include "CFloor.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A statement per level, its columns' names written once, and for each row the rows below.
typedef struct level {
  sqlite3_stmt *statement;
  int first, end;           // the columns of the record itself
  char name[24][40];        // `"id":`, with what stands before it
  int length[24];
  const char *key;          // `,"books":[` of the level below
  struct level *below;
} level;

struct floor_state {
  sqlite3 *database;
  char *bytes;
  size_t count, capacity;
  level author, authorBooks, bookReviews, plainAuthor, authorBooksOnly, book, books, ranked;
};

static void reserve(floor_state *s, size_t more) {
  if (s->count + more <= s->capacity) return;
  while (s->count + more > s->capacity) s->capacity = s->capacity ? s->capacity * 2 : 1 << 16;
  s->bytes = realloc(s->bytes, s->capacity);
  if (!s->bytes) abort();
}

static void put(floor_state *s, const char *bytes, size_t count) {
  reserve(s, count);
  memcpy(s->bytes + s->count, bytes, count);
  s->count += count;
}

static void put_text(floor_state *s, const char *text) { put(s, text, strlen(text)); }

static void put_integer(floor_state *s, long long value) {
  char digits[24];
  int i = 24;
  unsigned long long rest = value < 0 ? 0ull - (unsigned long long)value : (unsigned long long)value;
  do digits[--i] = '0' + rest % 10; while (rest /= 10);
  if (value < 0) digits[--i] = '-';
  put(s, digits + i, 24 - i);
}

static void put_real(floor_state *s, double value) {
  char text[40];
  double hundredths = nearbyint(value * 100);
  if (fabs(hundredths) < 1e15 && hundredths / 100 == value) {
    long long n = llabs((long long)hundredths);
    if (value < 0) put(s, "-", 1);
    put_integer(s, n / 100);
    char fraction[3] = {'.', '0' + n % 100 / 10, '0' + n % 10};
    put(s, fraction, n % 10 ? 3 : 2);
    return;
  }
  int length = snprintf(text, sizeof text, "%.15g", value);
  if (strtod(text, 0) != value) length = snprintf(text, sizeof text, "%.17g", value);
  put(s, text, length);
}

static void put_string(floor_state *s, const unsigned char *text, size_t count) {
  reserve(s, count * 6 + 2);
  char *out = s->bytes + s->count;
  *out++ = '"';
  for (size_t i = 0; i < count; i++) {
    unsigned char c = text[i];
    if (c >= 0x20 && c != '"' && c != '\\') { *out++ = c; continue; }
    *out++ = '\\';
    switch (c) {
      case '"': case '\\': *out++ = c; break;
      case '\n': *out++ = 'n'; break;
      case '\t': *out++ = 't'; break;
      case '\r': *out++ = 'r'; break;
      default: out += sprintf(out, "u%04x", c);
    }
  }
  *out++ = '"';
  s->count = out - s->bytes;
}

static void put_columns(floor_state *s, level *l, int from, int to) {
  for (int i = from; i < to; i++) {
    // An object that begins in the middle of a row has no comma before its first name.
    int skipped = i == from && from > 0;
    put(s, l->name[i] + skipped, l->length[i] - skipped);
    switch (sqlite3_column_type(l->statement, i)) {
      case SQLITE_INTEGER: put_integer(s, sqlite3_column_int64(l->statement, i)); break;
      case SQLITE_FLOAT: put_real(s, sqlite3_column_double(l->statement, i)); break;
      case SQLITE_NULL: put(s, "null", 4); break;
      default: {
        const unsigned char *text = sqlite3_column_text(l->statement, i);
        put_string(s, text, sqlite3_column_bytes(l->statement, i));
      }
    }
  }
}

static void put_rows(floor_state *s, level *l) {
  int rows = 0;
  while (sqlite3_step(l->statement) == SQLITE_ROW) {
    if (rows++) put(s, ",", 1);
    put(s, "{", 1);
    put_columns(s, l, l->first, l->end);
    if (l->below) {
      sqlite3_bind_value(l->below->statement, 1, sqlite3_column_value(l->statement, 0));
      put_text(s, l->key);
      put_rows(s, l->below);
      put(s, "]", 1);
    }
    put(s, "}", 1);
  }
  sqlite3_reset(l->statement);
}

// A book with its author and, from column 11, the author's country.
static void put_book(floor_state *s, level *l, int hasCountry) {
  put(s, "{", 1);
  put_columns(s, l, 0, 6);
  put_text(s, ",\"author\":{");
  put_columns(s, l, 6, 11);
  if (hasCountry) {
    if (sqlite3_column_type(l->statement, 11) == SQLITE_NULL) {
      put_text(s, ",\"country\":null");
    } else {
      put_text(s, ",\"country\":{");
      put_columns(s, l, 11, 13);
      put(s, "}", 1);
    }
  }
  put(s, "}}", 2);
}

static void put_books(floor_state *s) {
  int rows = 0;
  put(s, "[", 1);
  while (sqlite3_step(s->books.statement) == SQLITE_ROW) {
    if (rows++) put(s, ",", 1);
    put_book(s, &s->books, 1);
  }
  put(s, "]", 1);
  sqlite3_reset(s->books.statement);
}

static int prepare(floor_state *s, level *l, const char *sql) {
  if (sqlite3_prepare_v3(s->database, sql, -1, SQLITE_PREPARE_PERSISTENT, &l->statement, 0)) return 0;
  l->end = sqlite3_column_count(l->statement);
  for (int i = 0; i < l->end && i < 24; i++) {
    l->length[i] = snprintf(
        l->name[i], sizeof l->name[i], "%s\"%s\":", i ? "," : "", sqlite3_column_name(l->statement, i));
  }
  return 1;
}

#define AUTHOR "author.id, author.name, author.countryCode, author.birthYear, author.deathYear"
#define BOOK "book.id, book.authorId, book.title, book.kind, book.year, book.price"
#define BOOK_COUNT "(SELECT COUNT(*) FROM book WHERE authorId = author.id) AS bookCount"

floor_state *floor_open(const char *path) {
  floor_state *s = calloc(1, sizeof *s);
  int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX;
  if (!s || sqlite3_open_v2(path, &s->database, flags, 0)) return 0;
  int ok =
      prepare(s, &s->author, "SELECT " AUTHOR " FROM author ORDER BY id LIMIT ?1") &&
      prepare(s, &s->plainAuthor, "SELECT " AUTHOR ", " BOOK_COUNT " FROM author ORDER BY id LIMIT ?1") &&
      prepare(s, &s->authorBooks, "SELECT " BOOK " FROM book WHERE authorId = ?1 ORDER BY id") &&
      prepare(s, &s->authorBooksOnly, "SELECT " BOOK " FROM book WHERE authorId = ?1 ORDER BY id") &&
      prepare(s, &s->bookReviews, "SELECT id, bookId, rating, body FROM review WHERE bookId = ?1 ORDER BY id") &&
      prepare(s, &s->book, "SELECT " BOOK ", " AUTHOR " FROM book JOIN author ON author.id = book.authorId "
                           "WHERE book.id = ?1") &&
      prepare(s, &s->books, "SELECT " BOOK ", " AUTHOR ", country.code, country.name FROM book "
                            "JOIN author ON author.id = book.authorId "
                            "LEFT JOIN country ON country.code = author.countryCode ORDER BY book.id LIMIT 100") &&
      // First the ranks, by the index alone; then what only a hundred authors show.
      prepare(s, &s->ranked, "SELECT " AUTHOR ", top.bookCount, "
                             "(SELECT MAX(year) FROM book WHERE authorId = author.id) AS maxBookYear, "
                             "(SELECT COUNT(*) FROM painting WHERE authorId = author.id) AS paintingCount FROM "
                             "(SELECT id AS top_id, " BOOK_COUNT " FROM author WHERE bookCount >= 5 "
                             "ORDER BY bookCount DESC, id LIMIT 100) AS top "
                             "JOIN author ON author.id = top_id ORDER BY top.bookCount DESC, author.id");
  if (!ok) {
    floor_close(s);
    return 0;
  }
  s->plainAuthor.below = &s->authorBooksOnly;
  s->plainAuthor.key = ",\"books\":[";
  s->author.below = &s->authorBooks;
  s->author.key = ",\"books\":[";
  s->authorBooks.below = &s->bookReviews;
  s->authorBooks.key = ",\"reviews\":[";
  return s;
}

static void put_list(floor_state *s, level *l, int limit) {
  if (limit) sqlite3_bind_int(l->statement, 1, limit);
  put(s, "[", 1);
  put_rows(s, l);
  put(s, "]", 1);
}

long floor_run(floor_state *s, char route, int n, const char **bytes) {
  s->count = 0;
  // One transaction per answer, as a server has it.
  sqlite3_exec(s->database, "BEGIN", 0, 0, 0);
  switch (route) {
    case 'b':
      sqlite3_bind_int(s->book.statement, 1, 1 + n % 1000);
      if (sqlite3_step(s->book.statement) == SQLITE_ROW) put_book(s, &s->book, 0);
      sqlite3_reset(s->book.statement);
      break;
    case 'c': put_list(s, &s->plainAuthor, 100); break;
    case 'd': put_list(s, &s->plainAuthor, 1 << 30); break;
    case 'e': put_list(s, &s->author, 100); break;
    case 'f': put_books(s); break;
    case 'g': put_list(s, &s->ranked, 0); break;
    default: return -1;
  }
  sqlite3_exec(s->database, "COMMIT", 0, 0, 0);
  *bytes = s->bytes;
  return (long)s->count;
}

void floor_close(floor_state *s) {
  level *levels[] = {&s->author, &s->authorBooks, &s->bookReviews, &s->plainAuthor,
                     &s->authorBooksOnly, &s->book, &s->books, &s->ranked};
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) sqlite3_finalize(levels[i]->statement);
  sqlite3_close(s->database);
  free(s->bytes);
  free(s);
}
