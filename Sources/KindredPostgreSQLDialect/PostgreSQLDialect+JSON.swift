import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// Members and elements of JSON, of arrays and of composites
/// (<https://www.postgresql.org/docs/current/functions-json.html>).
extension PostgreSQLDialect {
  func isDocument(_ value: CompiledExpression) -> Bool {
    value.claim != nil || value.type?.kind == .json || value.type?.kind == .array
  }

  func isRange(_ value: CompiledExpression) -> Bool { value.type?.rangeElement != nil }

  /// Returns the member or element that a literal names.
  func member(
    _ op: Expression.BinaryOperator, _ document: CompiledExpression, _ step: CompiledExpression
  ) -> CompiledExpression {
    // An index beyond those of `int4` finds nothing either.
    let key: SQL =
      step.type == .integer ? "least(greatest(\(step.sql), -2147483647), 2147483647)::int4" : step.sql
    let whole = document.document ?? document.operand
    // A value that is no array would be taken for one of a single element.
    let part: SQL =
      step.type == .integer
      ? "(SELECT CASE WHEN jsonb_typeof(list.value) = 'array' THEN list.value -> \(key) END FROM (SELECT \(whole) AS value) AS list)"
      : "(\(whole) -> \(key))"
    var indexed: CompiledExpression.IndexedForm?
    if case .literal(_, .text(let name)) = step.form { indexed = .member(name, of: document) }
    guard op == .memberValue else {
      var member = CompiledExpression(sql: part, type: .json)
      member.indexed = indexed
      return member
    }
    // SQLite's functions don't distinguish JSON's null from what is missing either.
    let value: SQL = "nullif(\(part), 'null')"
    var member = CompiledExpression(sql: value, type: .dynamic, form: .member(of: value))
    member.indexed = indexed
    return member
  }

  func member(shownAs json: SQL) -> CompiledExpression { CompiledExpression(sql: json, type: .dynamic) }
}

extension CompiledExpression.IndexedForm {
  /// Returns the form of a member as an index of the expression has it, with its name as a text of the statement; nil if the
  /// name has other characters than letters, digits and `_`, so that none can end that text.
  static func member(_ name: String, of document: CompiledExpression) -> Self? {
    func isPlain(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard 1...63 ~= name.utf8.count, name.utf8.allSatisfy(isPlain), document.type?.kind == .json else {
      return nil
    }
    let above: SQL
    switch document.indexed {
    case .member(_, let json?): above = json
    case nil where document.traits.affinity != nil: above = document.operand
    default: return nil
    }
    let key = SQL(trusted: "'\(name)'")
    return .member(
      text: "(\(above) ->> \(key))", json: document.type == .json ? "(\(above) -> \(key))" : nil)
  }
}

extension CompiledExpression.Form {
  /// Returns the form of a member, of which an object or an array is shown as its text.
  ///
  /// It is made of the value alone, so that it has one value in a group of equal ones.
  static func member(of value: SQL) -> Self {
    .member(
      "CASE WHEN jsonb_typeof(\(value)) IN ('object', 'array') THEN to_jsonb((\(value))::text) ELSE \(value) END"
    )
  }
}

extension CompiledExpression {
  /// The value as it is shown, for an expression that gives it without comparing it or computing with it.
  var asShown: CompiledExpression {
    if case .member(let json) = form { read(as: json) } else { self }
  }

  /// The value as `jsonb`; nil if it isn't JSON, an array or a composite.
  var document: SQL? {
    if case .literal(let binding, _) = form {
      return claim.map { _ in ValueType.json.parameter(.document(of: binding)) }
    }
    switch type?.kind {
    case .json?: return type == .json ? operand : "\(operand)::jsonb"
    case .dynamic?: return operand
    case .array?: return "to_jsonb(\(sql))"
    default: return nil
    }
  }
}

/// Whether a value contains another one, or has something in common with it, so that GIN and GiST indexes serve
/// (<https://www.postgresql.org/docs/current/gin-builtin-opclasses.html>).
struct PostgreSQLContainment {
  private let name: String
  private let value: CompiledExpression
  private let other: CompiledExpression
  private let isContains: Bool

  init(_ name: String, _ value: CompiledExpression, _ other: CompiledExpression) {
    (self.name, self.value, self.other, isContains) = (name, value, other, name == "contains")
  }

  func compiled() throws -> CompiledExpression {
    if case .literal(let binding, .text(let text)) = value.form, value.claim == nil, !other.isLiteral {
      // A literal takes the type of what it is compared with, on both sides.
      return isContains
        ? try contained(by: binding, text) : try PostgreSQLContainment(name, other, value).compiled()
    }
    guard let type = value.type else { throw mismatch }
    if let element = type.rangeElement { return condition(try compared(with: range(type, element))) }
    if let element = type.arrayElement { return condition(try array(type, element)) }
    guard type.kind == .json || value.claim != nil, let document = value.document else { throw mismatch }
    return condition(try json(document))
  }

  /// Returns the condition that a literal contains the other value.
  private func contained(by binding: SQL.Binding, _ text: String) throws -> CompiledExpression {
    guard let type = other.type else { throw mismatch }
    if type.rangeElement != nil {
      return condition("\(type.range(of: text).parameter(binding)) @> \(other.operand)")
    }
    if type.arrayElement != nil {
      return condition("\(type.parameter(.elements(of: binding))) @> \(other.operand)")
    }
    guard type.kind == .json, let document = other.document else { throw mismatch }
    return condition("\(ValueType.json.parameter(.document(of: binding))) @> \(document)")
  }

  private var mismatch: TypeMismatch {
    TypeMismatch(
      message: "`\(name)` takes JSON, an array or a range, not \(value.type?.description ?? "NULL")")
  }

  private var op: SQL { isContains ? "@>" : "&&" }

  private func condition(_ sql: SQL) -> CompiledExpression {
    CompiledExpression(sql: sql, precedence: .equality, format: .boolean, type: .boolean)
  }

  private func compared(with other: SQL) -> SQL { "\(value.operand) \(op) \(other)" }

  /// A text that is the literal of a request or of the model file; nil for claims and other expressions.
  private var literal: (binding: SQL.Binding, value: SQLValue)? {
    guard case .literal(let binding, let value) = other.form, other.claim == nil else { return nil }
    return (binding, value)
  }

  // MARK: Ranges

  private func range(_ type: ValueType, _ element: ValueType) throws -> SQL {
    if let (binding, value) = literal {
      guard case .text(let text) = value else { return element.parameter(binding) }
      let isRange = !isContains || "[({".contains(text.first ?? " ") || text.lowercased() == "empty"
      return (isRange ? type.range(of: text) : element).parameter(binding)
    }
    guard other.type == type || isContains && other.type?.kind == element.kind else {
      throw TypeMismatch(
        message:
          "PostgreSQL can't compare a value of type \(type.name) with \(other.type?.description ?? "NULL")")
    }
    return other.type == type ? other.operand : "\(other.operand)::\(element.sql)"
  }

  // MARK: Arrays

  private func array(_ type: ValueType, _ element: ValueType?) throws -> SQL {
    if let (binding, _) = literal { return compared(with: type.parameter(.elements(of: binding))) }
    if other.claim != nil, element?.kind == .text, let claim = other.document {
      // An index can serve, which can't for values that are compared as JSON.
      let list: SQL =
        "CASE jsonb_typeof(\(claim)) WHEN 'array' THEN \(claim) ELSE jsonb_build_array(\(claim)) END"
      return compared(
        with:
          "CASE WHEN \(claim) IS NOT NULL THEN ARRAY(SELECT jsonb_array_elements_text(\(list)))::\(type.sql) END"
      )
    }
    if other.type == type { return compared(with: other.operand) }
    if isContains, let element, other.type == element {
      return compared(with: "ARRAY[\(other.sql)]::\(type.sql)")
    }
    return try json("to_jsonb(\(value.sql))")
  }

  // MARK: JSON

  private func json(_ document: SQL) throws -> SQL {
    if let (binding, value) = literal {
      guard !isContains, case .text(let text) = value, let list = JSONText(text)?.elements else {
        return "\(document) @> \(ValueType.json.parameter(.document(of: binding)))"
      }
      return overlap(document, list)
    }
    let other = try other.document ?? PostgreSQLDynamicValue.containing(other, 1).operand
    return isContains ? "\(document) @> \(other)" : overlap(document, other)
  }

  /// The largest number of elements that are looked up one by one.
  private static let maximumElements = 64

  private func overlap(_ document: SQL, _ list: [JSONText]) -> SQL {
    let elements = list.map { ValueType.json.parameter(.value(.text($0.written))) }
    // A container would also be contained in containers with more elements.
    guard list.allSatisfy(\.isScalar), 1...Self.maximumElements ~= list.count else {
      return overlap(document, "jsonb_build_array(\(elements.joined(separator: ", ")))")
    }
    let tests = elements.map { "\(document) @> jsonb_build_array(\($0))" as SQL }
    return "(\(tests.joined(separator: " OR ")))"
  }

  private func overlap(_ document: SQL, _ other: SQL) -> SQL {
    func elements(_ json: SQL, _ otherwise: SQL) -> SQL {
      "SELECT jsonb_array_elements(CASE jsonb_typeof(\(json)) WHEN 'array' THEN \(json) ELSE \(otherwise) END)"
    }
    let common: SQL =
      "EXISTS (\(elements(document, "'[]'")) INTERSECT \(elements(other, "jsonb_build_array(\(other))")))"
    return "CASE WHEN num_nulls(\(document), \(other)) = 0 THEN \(common) END"
  }
}

extension ValueType {
  /// The type of the elements of an array; nil for other types, and for composites, which are shown like arrays.
  fileprivate var arrayElement: ValueType?? {
    guard kind == .array, name.hasSuffix("[]") else { return nil }
    return .some(ValueType(postgreSQL: String(name.dropLast(2))))
  }

  /// Returns the type of the literal of a range that is compared with values of this type: of several ranges, it may be
  /// a single one.
  fileprivate func range(of text: String) -> ValueType {
    guard name.hasSuffix("multirange"), !(text.first { !$0.isWhitespace } == "{") else { return self }
    return ValueType(kind: kind, name: name.replacing("multirange", with: "range"))
  }

  /// The type of the bounds of a range; nil for other types.
  fileprivate var rangeElement: ValueType? {
    switch name {
    case "int4range", "int4multirange": ValueType(kind: .integer, name: "int4")
    case "int8range", "int8multirange": .integer
    case "numrange", "nummultirange": .numeric
    case "daterange", "datemultirange": ValueType(postgreSQL: "date")
    case "tsrange", "tsmultirange": .timestamp
    case "tstzrange", "tstzmultirange": ValueType(postgreSQL: "timestamptz")
    default: nil
    }
  }
}
