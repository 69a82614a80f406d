import KindredModel
import KindredPlanning
import KindredSQLiteBackend
import KindredSQLite
import Testing

@testable import KindredModelFile

@Suite struct ModelFileErrorTests {
  /// An invalid text, and the beginning of its error message.
  struct Wrong: CustomTestStringConvertible {
    var text: String
    var message: String

    var testDescription: String { message }
  }

  @Test(arguments: [
    Wrong(
      text: "resources:\n  authors:\n    table: auther\n",
      message: "model.yaml:3: there is no table `auther`; did you mean `author`?"),
    Wrong(
      text: "resources:\n  authors:\n    hidden: [naem]\n",
      message: "model.yaml:3: `author` has no column `naem`; did you mean `name`?"),
    Wrong(
      text: "resources:\n  authors:\n    fields:\n      - id\n      - nmae\n",
      message: "model.yaml:5: `author` has no column `nmae`; did you mean `name`?"),
    Wrong(
      text: "resources:\n  authors: { hidden: [name], fields: [name] }\n",
      message: "model.yaml:2: `name` is hidden; remove it from `fields`"),
    Wrong(
      text: "resources:\n  authers: {}\n",
      message:
        "model.yaml:2: there is no resource `authers` (a new one needs `table:`); did you mean `authors`?"),
    Wrong(
      text: "resources:\n  authers: null\n",
      message:
        "model.yaml:2: there is no resource `authers` (a new one needs `table:`); did you mean `authors`?"),
    Wrong(
      text: "resources:\n  books: { access: { read: { rows: instr(title, kind) } } }\n",
      message:
        "model.yaml:2: `rows`, character 12: expected `)` before the end; close the parenthesis of `instr(`"),
    Wrong(
      text: "resources:\n  authors:\n",
      message: "model.yaml:2: `authors` must be a mapping; write `authors: null` to remove the resource, "
        + "`{}` to keep it as it is"),
    Wrong(
      text: "resources:\n  authors: { table: book }\n",
      message: "model.yaml:2: `authors` is the only resource of the table `author`; "
        + "add a resource with another name and `table: author`, or remove `table:` here"),
    Wrong(
      text: "resources:\n  authors:\n    sorted: name\n",
      message: "model.yaml:3: a resource has no `sorted`; did you mean `sort`?"),
    Wrong(
      text: "resource:\n  authors: {}\n",
      message: "model.yaml:1: a model file has no `resource`; did you mean `resources`?"),
    Wrong(
      text: "resources:\n  authors:\n    access: { raed: {} }\n",
      message: "model.yaml:3: access has no `raed`; did you mean `read`?"),
    Wrong(
      text: "resources:\n  authors:\n    access:\n      read: { rows: naem = auth.sub }\n",
      message: "model.yaml:4: `rows`, character 1: `naem` is not a column of authors; did you mean `name`?"),
    Wrong(
      text: "resources:\n  authors:\n    access:\n      read: {}\n      write: {}\n      delete: {}\n",
      message: "model.yaml:6: `delete` is already given in line 5; `write` covers all three"),
    Wrong(
      text: "resources:\n  authors:\n    access:\n      read: { fields: [naem] }\n",
      message: "model.yaml:4: `author` has no column `naem`; did you mean `name`?"),
    Wrong(
      text: "resources:\n  authors:\n    access:\n      read: { role: reader }\n",
      message: "model.yaml:4: an entry of access has no `role`; did you mean `roles`?"),
    Wrong(
      text: "resources:\n  \"-\": { table: author }\n",
      message: "model.yaml:2: `-` can't be the name of a resource; choose another"),
    Wrong(
      text: "resources:\n  authors: ]\n",
      message: "model.yaml:2: this is not YAML: did not find expected node content, at column 12"),
    Wrong(
      text: "resources:\n  authors: {}\n  authors: {}\n",
      message: "model.yaml:2: `authors` is repeated in the same mapping; remove one of them"),
    Wrong(
      text: "resources:\n  authors: \"\u{7}\"\n",
      message: "model.yaml:2: this is not YAML: control characters are not allowed"),
    Wrong(
      text: "- a\n", message: "model.yaml:1: the model file must be a mapping; begin with `resources:`"),
    Wrong(
      text: "resources:\n  authors:\n    sort: nmae\n",
      message: "model.yaml:3: `sort`, character 1: "),
    Wrong(
      text: "resources:\n  authors:\n    fields: name\n",
      message: "model.yaml:3: `fields` must be a list; write the columns as `[id, name]`"),
  ])
  func `an error names the file, the line and the fix`(wrong: Wrong) throws {
    try expect(wrong)
  }

  @Test(arguments: [
    Wrong(
      text: "x: { hasMany: boks, foreignKey: [authorId] }",
      message: "there is no resource `boks`; did you mean `books`?"),
    Wrong(
      text: "x: { hasMany: books, foreignKey: [authrId] }",
      message: "`book` has no column `authrId`; did you mean `authorId`?"),
    Wrong(
      text: "x: { belongsTo: books, foreignKey: { mentorId: idd } }",
      message: "`book` has no column `idd`; did you mean `id`?"),
    Wrong(
      text: "x: { hasMany: books, foreignKey: [authorId, year] }",
      message:
        "the foreign key has 2 columns and the primary key of `author` 1; add `foreignKey: { authorId: column }`"
    ),
    Wrong(
      text: "x: { hasMany: books, foreignKey: [] }",
      message: "a foreign key needs at least one column; write `[authorId]` or `{ authorId: id }`"),
    Wrong(
      text: "x: { belongsTo: books }",
      message: "`author` has no foreign key to `book`; add `foreignKey: { column: column }`"),
    Wrong(
      text: "x: { hasMany: shifts }",
      message: "`shift` has several foreign keys to `author`; add `foreignKey: [manager] or [deputy]`"),
    Wrong(text: "x: { form: books }", message: "an association has no `form`; did you mean `from`?"),
    Wrong(
      text: "x: { filter: id = 1 }",
      message: "`x` has no kind; add `belongsTo`, `hasMany` or `hasOne` with a resource, or `from`"),
    Wrong(
      text: "x: { hasMany: books, hasOne: books }", message: "`x` has two kinds; keep one of them"),
    Wrong(
      text: "x: { from: books, hasOne: books }",
      message: "`x` is taken `from` another association; only `filter`, `sort` and `parameters` can be added"),
    Wrong(
      text: "x: { from: boks }",
      message: "`authors` has no association `boks`; did you mean `books`?"),
    Wrong(
      text: "x: { from: books, filter: author.x.count > 0 }",
      message:
        "`filter`, character 1: `author.x.count > 0` of `books` leads to itself; name associations whose `filter` and `sort` don't lead back to it"
    ),
    Wrong(
      text:
        "x: { from: books, filter: author.y.count > 0 }\n      y: { from: books, filter: author.x.isEmpty }",
      message: "`filter`, character 1: `author.y.count > 0` of `books` leads to itself"),
    Wrong(
      text: "x: { hasOne: books, foreignKey: { authorId: id }, sort: author.x.year }",
      message: "`sort`, character 1: `author.x.year` of `books` leads to itself"),
    Wrong(
      text: "x: { from: books, sort: author.x.concat(title) }",
      message: "`sort`, character 1: `author.x.concat(title)` of `books` leads to itself"),
    Wrong(
      text: "x: { from: books, filter: ../id > year }",
      message:
        "`filter`, character 1: `../` is not available here: an expression of the model file has no parent record"
    ),
    Wrong(
      text: "x: { from: books, sort: author.books.filter(../../../id > 1).count }",
      message:
        "`sort`, character 21: `../` is not available here: an expression of the model file has no parent record"
    ),
    Wrong(
      text: "x: { from: books, filter: year = null }",
      message: "`filter`, character 1: a comparison with `null` is never true; write `year is null`"),
    Wrong(
      text: "boks: null",
      message: "`authors` has no association `boks` to remove; did you mean `books`?"),
    Wrong(
      text: "name: { from: books }",
      message: "`name` is a column of `author`; choose another key, or hide the column"),
    Wrong(
      text: "x: { hasMany: reviews, through: books }",
      message: "`x` goes `through` `books`; add `using` with an association from there"),
    Wrong(
      text: "x: { hasMany: reviews, using: reviews }",
      message: "`x` is `using` `reviews`; add `through` with the association that leads there"),
    Wrong(
      text: "x: { belongsTo: reviews, through: books, using: reviews }",
      message: "`x` goes `through` another association; use `hasOne` or `hasMany`"),
    Wrong(
      text: "x: { hasMany: reviews, through: books, using: reveiws }",
      message: "`books` has no association `reveiws`; did you mean `reviews`?"),
    Wrong(
      text: "x: { hasMany: authors, through: books, using: reviews }",
      message: "`reviews` of `books` leads to `reviews`, not to `authors`"),
    Wrong(
      text: "x: { hasOne: reviews, through: books, using: reviews }",
      message: "`books` leads to many records; use `hasMany`"),
    Wrong(text: "x: { from: x }", message: "`x` is defined by itself; define it by other associations"),
    Wrong(
      text: "x: { from: books, filter: kind = }",
      message: "`filter`, character 7: "),
    Wrong(
      text: "x: { from: books, filter: knd = 1 }",
      message: "`filter`, character 1: "),
    Wrong(
      text: "x: { from: books, sort: [title, yaer] }",
      message: "`sort`, character 1: "),
    Wrong(text: "x:", message: "`x` must be a mapping; write `x: null` to remove the association"),
  ])
  func `an error of an association names the file, the line and the fix`(wrong: Wrong) throws {
    try expect(
      Wrong(
        text: "resources:\n  authors:\n    associations:\n      \(wrong.text)\n",
        message: "model.yaml:4: \(wrong.message)"))
  }

  @Test(arguments: [
    Wrong(
      text: "sql: SELEC 1\n    key: [a]",
      message: "3: the SQL of `x` is invalid: near \"SELEC\": syntax error"),
    Wrong(text: "sql: SELECT a FROM boko", message: "3: the SQL of `x` is invalid: no such table: boko"),
    Wrong(
      text: "sql: DELETE FROM book", message: "3: the SQL of `x` is invalid: near \"DELETE\": syntax error"),
    Wrong(
      text: "sql: SELECT 1; SELECT 2", message: "3: the SQL of `x` is invalid: it must be a single SELECT"),
    Wrong(
      text: "sql: SELECT 1) SELECT (2", message: "3: the SQL of `x` is invalid: a `)` has no matching `(`"),
    Wrong(
      text: "sql: SELECT ?1 AS a",
      message: "3: the SQL of `x` is invalid: it has a parameter; write the value instead"),
    Wrong(text: "sql: SELECT * FROM x", message: "3: the SQL of `x` is invalid: circular reference: x"),
    Wrong(
      text: "sql: SELECT 1 AS total\n    key: [totl]",
      message: "4: `x` has no column `totl`; did you mean `total`?"),
    Wrong(text: "key: [m]", message: "2: `x` has no `sql`; write one SELECT"),
    Wrong(
      text: "sqll: SELECT 1", message: "3: a common table expression has no `sqll`; did you mean `sql`?"),
    Wrong(
      text: "sql: SELECT 1 FROM y\n  y:\n    sql: SELECT b FROM nowhere",
      message: "5: the SQL of `y` is invalid: no such table: nowhere"),
  ])
  func `an error of a common table expression names the file, the line and the fix`(wrong: Wrong) throws {
    try expect(
      Wrong(
        text: "commonTableExpressions:\n  x:\n    \(wrong.text)\n", message: "model.yaml:\(wrong.message)"))
  }

  @Test(arguments: [
    Wrong(
      text: "total: total + 1",
      message:
        "4: the column `total`: a computed column leads to itself: `total` of authors, `total` of authors"),
    Wrong(
      text: "a: b + 1\n      b: 2 * a",
      message:
        "4: the column `a`: a computed column leads to itself: `b` of authors"
    ),
    Wrong(
      text: "above: ../name",
      message:
        "4: the column `above`, character 1: `../` is not available here: an expression of the model file has no parent record"
    ),
    Wrong(text: "NAME: 1 + 1", message: "4: `NAME` is the name of the column `author.name`; choose another"),
    Wrong(
      text: "books: 1 + 1", message: "4: `books` is the name of an association of `authors`; choose another"),
    Wrong(
      text: "big: name\n      small: upper(naem)",
      message: "5: the column `small`, character 7: `naem` is not a column of authors; did you mean `name`?"),
    Wrong(
      text: "me: auth.sub",
      message: "4: the column `me`, character 1: `auth` is not an association of authors"),
    Wrong(text: "half: name ||", message: "4: `half`, character 8: "),
    Wrong(
      text: "titles: books.title",
      message: "4: the column `titles`, character 1: `books` is to-many, so `title` has many values"),
    Wrong(
      text: "many: count()", message: "4: the column `many`, character 1: `count` is an aggregate of a group"),
    Wrong(
      text: "a0: id\n" + (1...30).map { "      a\($0): a\($0 - 1) + a\($0 - 1)\n" }.joined(),
      message: "19: the column `a15`"),
    Wrong(
      text:
        "n: later.count\n    associations: { later: { hasMany: later, foreignKey: { authorId: id } } }\ncommonTableExpressions:\n  later: { sql: \"SELECT authorId FROM book WHERE year > :since\", parameters: { since: integer } }",
      message: "4: the column `n`: `later` needs the parameter `since` (integer)"),
  ])
  func `an error of a computed column names the file, the line and the fix`(wrong: Wrong) throws {
    try expect(
      Wrong(
        text: "resources:\n  authors:\n    columns:\n      \(wrong.text)\n",
        message: "model.yaml:\(wrong.message)"))
  }

  @Test(arguments: [
    Wrong(
      text: "{ since: date }",
      message: "4: `since`: there is no type `date`; the types are text, integer, real, boolean"),
    Wrong(text: "{ since: { default: 1 } }", message: "4: `since` has no `type`; write one as `since: text`"),
    Wrong(
      text: "{ since: { type: text, defualt: 1 } }",
      message: "4: a parameter has no `defualt`; did you mean `default`?"),
    Wrong(
      text: "{ since: { type: integer, default: few } }",
      message: "4: `few` is no value of `since` (integer), which must be digits"),
    Wrong(text: "{ since: integer, limit: integer }", message: "4: `limit` is a parameter of every request"),
    Wrong(text: "{ since: integer, größe: integer }", message: "4: `größe` can't be the name of a parameter"),
    Wrong(
      text: "{ since: integer, YEAR: integer }", message: "4: `YEAR` is also the name of a column of `later`"),
    Wrong(
      text: "{ sinse: integer }",
      message: "3: the SQL of `later` has `:since`, which isn't among its `parameters`"),
    Wrong(
      text: "{ since: integer }\n  other: { sql: SELECT * FROM later }",
      message:
        "5: the SQL of `other` is invalid: no such table: later; `later` has parameters, so no other query can read it"
    ),
    Wrong(
      text:
        "{ since: integer }\nresources:\n  authors: { associations: { a: { hasMany: later, foreignKey: { authorId: id }, parameters: { sinse: 1 } } } }",
      message: "6: `later` has no parameter `sinse`; did you mean `since`?"),
    Wrong(
      text:
        "{ since: integer }\nresources:\n  authors: { associations: { a: { hasMany: later, foreignKey: { authorId: id }, parameters: { since: x } } } }",
      message: "6: `x` is no value of `since` (integer)"),
    Wrong(
      text:
        "{ since: integer }\nresources:\n  authors:\n    associations:\n      a: { hasMany: later, foreignKey: { authorId: id }, parameters: { since: 1 } }\n      b: { from: a, parameters: { since: 2 } }",
      message: "9: `since` is already fixed by the association that this one is taken from"),
    Wrong(
      text:
        "{ since: integer }\nresources:\n  later: { associations: { author: { belongsTo: authors, foreignKey: { authorId: id } } } }\n  authors:\n    associations:\n      a: { hasMany: later, foreignKey: { authorId: id } }\n      b: { hasMany: authors, through: a, using: author }",
      message: "10: `b` goes through `later`, whose parameter `since` (integer) nothing gives"),
  ])
  func `an error of a parameter names the file, the line and the fix`(wrong: Wrong) throws {
    try expect(
      Wrong(
        text:
          "commonTableExpressions:\n  later:\n    sql: SELECT authorId, year FROM book WHERE year > :since\n    parameters: \(wrong.text)\n",
        message: "model.yaml:\(wrong.message)"))
  }

  @Test
  func `a common table expression hides neither a table nor a resource`() throws {
    try expect(
      Wrong(
        text: "commonTableExpressions:\n  Book: { sql: SELECT 1 }\n",
        message: "model.yaml:2: `Book` is also the name of the table `book`; choose another name"))
    try expect(
      Wrong(
        text: "commonTableExpressions:\n  books: { sql: SELECT 1 }\n",
        message: "model.yaml:2: `books` is the resource of the table `book`; choose another name"))
  }

  @Test
  func `a missing file, a directory and a file that isn't text are distinguished`() throws {
    func message(_ path: String) -> String {
      do {
        _ = try ModelFileReader(path: path).read()
        return ""
      } catch { return "\(error)" }
    }
    #expect(message("/nowhere/m.yaml") == "/nowhere/m.yaml: no such file; check the path")
    #expect(message("/tmp") == "/tmp: this is a directory; name the file in it")
    #expect(message("/proc/self/exe") == "/proc/self/exe: it is not UTF-8 text; save it as UTF-8")
  }

  private func expect(_ wrong: Wrong) throws {
    let connection = try Connection(path: ":memory:", access: .readWriteCreate)
    try connection.execute(
      """
      CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT, mentorId INTEGER);
      CREATE TABLE book (id INTEGER PRIMARY KEY, authorId REFERENCES author, title, kind, year);
      CREATE TABLE review (id INTEGER PRIMARY KEY, bookId REFERENCES book);
      CREATE TABLE shift (id INTEGER PRIMARY KEY, manager REFERENCES author, deputy REFERENCES author);
      """)
    do {
      _ = try ModelFileParser(path: "model.yaml").parse(wrong.text).model(of: ConnectionSchema(connection))
      Issue.record("it is accepted")
    } catch let error as ModelFileError {
      #expect("\(error)".hasPrefix(wrong.message), "\(error)")
    }
  }
}
