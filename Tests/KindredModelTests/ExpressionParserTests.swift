import KindredSQLSyntax
import Testing

@testable import KindredModel

@Suite("Parsing expressions")
struct ExpressionParserTests {
  /// The tree of an expression with a parenthesis around each operation.
  private func tree(_ text: String) throws -> String {
    var parser = try ExpressionParser(text)
    return Self.shown(try parser.parseExpression())
  }

  private static func shown(_ expression: Expression) -> String {
    func list(_ expressions: [Expression]) -> String { expressions.map(shown).joined(separator: ", ") }
    return switch expression.kind {
    case .literal(let number): "?\(number)"
    case .value(.integer(let value)): String(value)
    case .value(.real(let value)): String(value)
    case .value(.text(let value)): "'\(value)'"
    case .value(.blob(let bytes)): "\(bytes)"
    case .value(.null): "?"
    case .null: "null"
    case .boolean(let value): String(value)
    case .path(let path):
      String(repeating: "../", count: path.parents)
        + path.components.map { part in part.name + (part.arguments.map { "(\(list($0)))" } ?? "") }
        .joined(separator: ".")
    case .function(let name, let arguments, let isDistinct):
      "\(name)(\(isDistinct ? "distinct " : "")\(list(arguments)))"
    case .all(let operands): "(" + operands.map(shown).joined(separator: " and ") + ")"
    case .any(let operands): "(" + operands.map(shown).joined(separator: " or ") + ")"
    case .unary(let op, let operand): "(\(op) \(shown(operand)))"
    case .binary(let op, let left, let right): "(\(shown(left)) \(op) \(shown(right)))"
    case .isNull(let operand, let negated): "(\(shown(operand)) is \(negated ? "not " : "")null)"
    case .in(let operand, let values, let negated):
      "(\(shown(operand)) \(negated ? "not " : "")in \(list(values)))"
    case .between(let operand, let low, let high, let negated):
      "(\(shown(operand)) \(negated ? "not " : "")between \(shown(low)) \(shown(high)))"
    case .match(let op, let operand, let pattern, let escape, let negated):
      "(\(shown(operand)) \(negated ? "not " : "")\(op) \(shown(pattern))\(escape.map { " escape \(shown($0))" } ?? ""))"
    case .collate(let operand, let collation): "(\(shown(operand)) collate \(collation.rawValue))"
    case .cast(let operand, let type): "cast(\(shown(operand)) as \(type.rawValue))"
    case .cases(let value, let branches, let otherwise):
      "(case\(value.map { " \(shown($0))" } ?? "")"
        + branches.map { " when \(shown($0.condition)) then \(shown($0.result))" }.joined()
        + "\(otherwise.map { " else \(shown($0))" } ?? "") end)"
    // No text is parsed to it.
    case .program: "program"
    }
  }

  @Test(arguments: [
    ("a or b and c", "(a or (b and c))"), ("not a and b", "((not a) and b)"),
    ("not a = b", "(not (a equal b))"),
    ("a = b < c", "(a equal (b less c))"), ("a + b * c", "(a add (b multiply c))"),
    ("a - b - c", "((a subtract b) subtract c)"), ("a * b || c", "(a multiply (b concatenate c))"),
    ("-a * b", "((minus a) multiply b)"), ("a || b collate nocase", "(a concatenate (b collate nocase))"),
    ("a between b and c and d", "((a between b c) and d)"), ("a in (1, 2) = b", "((a in 1, 2) equal b)"),
    ("not a like b or c", "((not (a like b)) or c)"),
    ("a is not null and b notnull", "((a is not null) and (b is not null))"),
    ("a is not b", "(a isNot b)"), ("a not between 1 and 2", "(a not between 1 2)"),
    ("a like b escape c and d", "((a like b escape c) and d)"), ("(a or b) and c", "((a or b) and c)"),
    ("a - b->'c'->>0 = 1", "((a subtract ((b member 'c') memberValue 0)) equal 1)"),
    ("a->-1", "(a member -1)"),
    ("-a->>'b' is null", "(((minus a) memberValue 'b') is null)"),
    ("a == b <> c", "((a equal b) notEqual c)"), ("a % b / c", "((a remainder b) divide c)"),
    ("a in (1) || 'b'", "((a in 1) concatenate 'b')"), ("a isnull < 2", "((a is null) less 2)"),
    ("a = b in (1) * 2 + c", "((((a equal b) in 1) multiply 2) add c)"),
    ("not a notnull + 1 = 2", "(not (((a is not null) add 1) equal 2))"),
    ("a not in (1, 2) collate nocase < b", "(((a not in 1, 2) collate nocase) less b)"),
    ("a not null % 2 and b", "(((a is not null) remainder 2) and b)"),
  ])
  func `SQLite's precedence`(text: String, expected: String) throws {
    #expect(try tree(text) == expected)
  }

  @Test(arguments: [
    ("12", "12"), ("1.5", "1.5"), (".5", "0.5"), ("1e3", "1000.0"), ("'O''Brien'", "'O'Brien'"),
    ("-9223372036854775808", "-9223372036854775808"),
    ("9223372036854775808", "9.223372036854776e+18"),
    ("TRUE and Null is False", "(true and (null is false))"),
    ("\"unit price\"", "unit price"), ("author.name", "author.name"), ("../../name", "../../name"),
    ("naïve", "naïve"),
    ("a>../b", "(a greater ../b)"),
    ("books.filter(kind='novel').max(year)", "books.filter((kind equal 'novel')).max(year)"),
    ("x'CAFE' || X''", "([202, 254] concatenate [])"), ("x", "x"), ("x = 'a'", "(x equal 'a')"),
    ("a between .5 and .75", "(a between 0.5 0.75)"), ("not .5", "(not 0.5)"),
    ("case when .5 then .25 end", "(case when 0.5 then 0.25 end)"), ("books .count", "books.count"),
    ("count()", "count()"), ("count(*)", "count()"), ("count(distinct kind)", "count(distinct kind)"),
    ("cast(x as TEXT)", "cast(x as text)"), ("a - -1", "(a subtract -1)"), ("a--1", "(a subtract -1)"),
  ])
  func `literals and names`(text: String, expected: String) throws {
    #expect(try tree(text) == expected)
  }

  @Test(arguments: [
    ("a = null", "`a is null`"), ("null == a.b", "`a.b is null`"), ("a != null", "`a is not null`"),
    ("a <> (null)", "`a is not null`"), ("null < a + 1", "`a + 1 is null`"), ("not a >= null", "`a is null`"),
    ("b and coalesce(a, c = null)", "`c is null`"),
  ])
  func `a comparison with null is refused, as it is never true`(text: String, test: String) {
    let error = #expect(throws: RequestError.self) { try tree(text) }
    #expect(error?.message == "a comparison with `null` is never true; write \(test)")
  }

  @Test(arguments: ["a is null", "a is not null", "a is (null)", "a in (1, null)", "coalesce(a, null) = 1"])
  func `null is a value everywhere else`(text: String) throws {
    _ = try tree(text)
  }

  @Test(arguments: [
    ("x'caf'", "a BLOB consists of pairs of hexadecimal digits; write it as `x'CAFE'`"),
    ("x'zz'", "a BLOB consists of pairs of hexadecimal digits; write it as `x'CAFE'`"),
    ("x'00", "the BLOB that starts here is not closed; close it with '"),
    ("books.5", "a name is expected before `5`"),
    ("name is distinct from null", "`from` is not valid here; write `name is not null`"),
    ("a.b is not distinct from 'c'", "`from` is not valid here; write `a.b is 'c'`"),
    ("name contains 'whale'", "`contains` is not valid here; write `name like '%whale%'`"),
    ("a and b.c startswith 'O''B'", "`startswith` is not valid here; write `b.c like 'O''B%'`"),
    ("../year GE 5", "`GE` is not valid here; write `../year >= 5`"),
    ("f(a) eq 1", "`eq` is not valid here; write `= 1`"),
    ("name desc", "`desc` is not expected here; an operator or the end is"),
    ("1 2", "`2` is not expected here; an operator or the end is"),
    (
      "First Name = 1",
      "`Name` is not expected here; an operator or the end is; a name with spaces stands in quotes: `\"First Name\"`"
    ),
    (
      "a = 1 and  Date of birth is null",
      "`of` is not expected here; an operator or the end is; a name with spaces stands in quotes: `\"Date of birth\"`"
    ),
  ])
  func `an error repeats what the client has written`(text: String, message: String) {
    let error = #expect(throws: RequestError.self) {
      var parser = try ExpressionParser(text, parameter: "filter")
      _ = try parser.parseExpression()
    }
    #expect(error?.message == message)
  }

  @Test(arguments: [
    ("name desc", "`desc` is not valid here; write `-name` for descending"),
    ("id,-author.name DESC", "`DESC` is not valid here; write `-author.name` for descending"),
    ("max(a, b) asc", "`asc` is not valid here; write `max(a, b)`, as ascending is the default"),
    ("id,year:desc", "`desc` is not an option of a sort term; write `-year` for descending"),
    ("a:up", "the `:` of a sort term must be followed by nocase, nullsfirst or nullslast, not by `up`"),
  ])
  func `so does that of an order`(text: String, message: String) {
    let error = #expect(throws: RequestError.self) {
      var parser = try ExpressionParser(text, parameter: "books.sort")
      _ = try parser.parseSort()
    }
    #expect(error?.message == message)
  }

  @Test(arguments: ["x'CAFE'", "x'00FF'", "x''", "(a in (1)) || 'b'", "a between x'01' and .5"])
  func `an expression is written as it is parsed`(text: String) throws {
    var parser = try ExpressionParser(text, literals: Literals())
    let expression = try parser.parseExpression()
    let written = try ExpressionRenderer(literals: parser.collectedLiterals.values).text(of: expression)
    #expect(try tree(written) == tree(text))
  }

  @Test
  func `values are taken out, each one by itself, so that plans do not depend on them`() throws {
    var parser = try ExpressionParser("year > 1900 and price < 1900 or kind = 'novel'", literals: Literals())
    #expect(
      Self.shown(try parser.parseExpression())
        == "(((year greater ?0) and (price less ?1)) or (kind equal ?2))")
    #expect(parser.collectedLiterals.values == [.integer(1900), .integer(1900), .text("novel")])
  }

  @Test
  func `sort terms`() throws {
    var parser = try ExpressionParser("-length(title):nocase:nullslast,name")
    let terms = try parser.parseSort()
    #expect(terms.map { Self.shown($0.expression) } == ["length(title)", "name"])
    #expect(terms.map(\.isDescending) == [true, false])
    #expect(terms.map(\.isNoCase) == [true, false])
    #expect(terms.map(\.nulls) == [.last, nil])
  }

  @Test
  func `items of include`() throws {
    var parser = try ExpressionParser("novels:author!.books*2,country")
    let items = try parser.parseIncludes()
    #expect(items.map(\.key) == ["novels", nil])
    #expect(items[0].steps.map(\.key) == ["author", "books"])
    #expect(items[0].steps.map(\.isRequired) == [true, false])
    #expect(items[0].steps.map(\.recursion) == [nil, 2])
  }

  @Test
  func `any text is an expression or an error, and never the end of the process`() {
    var generator = SystemRandomNumberGenerator()
    let pieces = [
      "a", "1", "'x'", "(", ")", ",", ".", "../", "not ", " and ", " or ", " in (", " between ", "=", "<",
      "||", "-", "+", "*", "/",
      "count(", "min(", "cast(", " as ", "text", "\"", "'", "é", "\u{0}", "9223372036854775808", "1e", " is ",
      " null", " collate nocase",
      ":", "!", "books.", "filter(", "😀", " like ", " escape ", "distinct ", "1.5.5", "%",
    ]
    for _ in 0..<5000 {
      let text = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
        pieces.randomElement(using: &generator) ?? ""
      }
      .joined()
      do {
        var parser = try ExpressionParser(text, parameter: "filter")
        _ = try parser.parseExpression()
      } catch let error as RequestError {
        #expect((0...text.unicodeScalars.count).contains(error.origin?.position ?? -1), "\(text)")
      } catch {
        Issue.record("\(text): \(error)")
      }
      for parse: (inout ExpressionParser) throws -> Void in [
        { _ = try $0.parseSort() }, { _ = try $0.parseFields() }, { _ = try $0.parseIncludes() },
        { _ = try $0.parseNamedExpressions() },
      ] {
        if var parser = try? ExpressionParser(text) { try? parse(&parser) }
      }
    }
  }
}
