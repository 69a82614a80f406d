import KindredModel
import KindredSQLSyntax

/// The shape of a request: all of it but the values that its statements bind.
///
/// Requests of one shape have the same statements, so that they are planned once. The shape of a request is that of its
/// blueprint, or if that contains what can't be compared, such as closures, that of the engine's request.
struct RequestShape {
  /// The shape; two are equal exactly if the shapes are.
  private(set) var bytes: [UInt8] = []
  /// The values that are no part of the shape, in the order in which they are found.
  private(set) var values: [SQLValue] = []
  /// Whether the request has a shape.
  var isComplete = true
  /// Whether the values in the request are replaced by their numbers, each as a literal.
  let numbersValues: Bool
  /// Whether the selected expressions are assigned to columns, so that their values are bound.
  var isAssigned = false
  /// The aliases, in the order in which they are found.
  private var aliases: [RecordAlias] = []

  /// - Parameters:
  ///   - purpose: What the request is planned for, which is part of the shape.
  ///   - numbersValues: Whether the values in the request are replaced.
  init(for purpose: RequestPurpose, numbersValues: Bool) {
    self.numbersValues = numbersValues
    bytes.reserveCapacity(512)
    switch purpose {
    case .rows: add(0 as UInt8)
    case .count: add(1 as UInt8)
    case .deletion: add(2 as UInt8)
    case .update(let conflict):
      add(3 as UInt8)
      add(conflict.rawValue)
    }
  }

  // MARK: Parts

  mutating func add(_ tag: UInt8) { bytes.append(tag) }

  mutating func add(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

  mutating func add(_ number: Int) { withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) } }

  mutating func add(_ text: String) {
    // Its length comes first, so that no text can look like two.
    add(text.utf8.count)
    bytes.append(contentsOf: text.utf8)
  }

  mutating func add(_ texts: [String]?) {
    add(texts?.count ?? -1)
    for text in texts ?? [] { add(text) }
  }

  mutating func add<Element>(_ list: [Element], _ addElement: (inout RequestShape, Element) -> Void) {
    add(list.count)
    for element in list { addElement(&self, element) }
  }

  /// Adds elements, in which values may be replaced.
  mutating func add<Element>(
    _ list: inout [Element], _ addElement: (inout RequestShape, inout Element) -> Void
  ) {
    add(list.count)
    guard numbersValues else {
      for var element in list { addElement(&self, &element) }
      return
    }
    for index in list.indices { addElement(&self, &list[index]) }
  }

  /// Adds an alias, of which only the name and the place matter.
  mutating func add(_ alias: RecordAlias) {
    let known = aliases.firstIndex(of: alias)
    add(known ?? -1)
    guard known == nil else { return }
    aliases.append(alias)
    add(alias.name.map { [$0] })
  }

  // MARK: Expressions

  /// Adds an expression.
  ///
  /// - Parameter hasValues: Whether a value in its place, or in a part of it, is bound whatever it is: it is part of a
  ///   condition, or else it is compared or matched.
  mutating func add(_ expression: inout Expression, hasValues: Bool = false) {
    var kind = expression.kind
    switch kind {
    case .value(let value):
      if let number = add(value, isBound: hasValues), numbersValues { kind = .literal(number) }
    case .null: add(10 as UInt8)
    case .boolean(let value):
      add(11 as UInt8)
      add(value)
    case .program(.column(let name)):
      add(12 as UInt8)
      add(name)
    case .binary(let op, var left, var right):
      add(13 as UInt8)
      add(op.rawValue)
      add(&left, hasValues: hasValues || op.isComparison)
      add(&right, hasValues: hasValues || op.isComparison)
      kind = .binary(op, left, right)
    case .in(var value, var list, let negated):
      add(14 as UInt8)
      add(negated)
      add(&value, hasValues: true)
      add(&list) { $0.add(&$1, hasValues: true) }
      kind = .in(value, list, negated: negated)
    case .between(var value, var low, var high, let negated):
      add(15 as UInt8)
      add(negated)
      add(&value, hasValues: true)
      add(&low, hasValues: true)
      add(&high, hasValues: true)
      kind = .between(value, low, high, negated: negated)
    case .isNull(var value, let negated):
      add(16 as UInt8)
      add(negated)
      add(&value, hasValues: hasValues)
      kind = .isNull(value, negated: negated)
    case .all(var parts):
      add(17 as UInt8)
      add(&parts) { $0.add(&$1, hasValues: hasValues) }
      kind = .all(parts)
    case .any(var parts):
      add(18 as UInt8)
      add(&parts) { $0.add(&$1, hasValues: hasValues) }
      kind = .any(parts)
    case .unary(let op, var operand):
      add(19 as UInt8)
      add(op == .not ? 0 : op == .minus ? 1 : 2 as UInt8)
      add(&operand, hasValues: hasValues)
      kind = .unary(op, operand)
    case .match(let op, var value, var pattern, var escape, let negated):
      add(20 as UInt8)
      add(op.rawValue)
      add(negated)
      add(&value, hasValues: true)
      add(&pattern, hasValues: true)
      add(escape != nil)
      if var character = escape {
        add(&character, hasValues: true)
        escape = character
      }
      kind = .match(op, value, pattern, escape: escape, negated: negated)
    case .function(let name, var arguments, let isDistinct):
      add(21 as UInt8)
      add(name)
      add(isDistinct)
      add(&arguments) { $0.add(&$1, hasValues: hasValues) }
      kind = .function(name: name, arguments: arguments, isDistinct: isDistinct)
    case .collate(var value, let collation):
      add(22 as UInt8)
      add(collation.rawValue)
      add(&value, hasValues: hasValues)
      kind = .collate(value, collation)
    case .cast(var value, let type):
      add(23 as UInt8)
      add(type.rawValue)
      add(&value, hasValues: hasValues)
      kind = .cast(value, type)
    case .program(var program):
      add(&program, hasValues: hasValues)
      kind = .program(program)
    case .literal, .path, .cases: isComplete = false
    }
    if numbersValues { expression.kind = kind }
  }

  private mutating func add(_ expression: inout Expression.ProgramExpression, hasValues: Bool) {
    switch expression {
    case .raw(var parts):
      add(24 as UInt8)
      add(&parts, hasValues: hasValues)
      expression = .raw(parts)
    case .column(let name):
      add(12 as UInt8)
      add(name)
    case .of(let alias, var inner):
      add(25 as UInt8)
      add(alias)
      add(&inner, hasValues: hasValues)
      expression = .of(alias, inner)
    case .aggregate(let function, var node, var argument):
      add(26 as UInt8)
      add(function.rawValue)
      add(&node)
      add(argument != nil)
      if var value = argument {
        add(&value)
        argument = value
      }
      expression = .aggregate(function, of: node, argument)
    case .count(let key, let most):
      add(27 as UInt8)
      add(key)
      add(most)
    case .search(var pattern):
      add(28 as UInt8)
      add(&pattern)
      expression = .search(pattern)
    case .exists(var request):
      add(29 as UInt8)
      add(&request)
      expression = .exists(request)
    case .among(var value, var request):
      add(35 as UInt8)
      add(&value, hasValues: true)
      add(&request)
      expression = .among(value, request)
    case .scalar(var request):
      add(36 as UInt8)
      add(&request)
      expression = .scalar(request)
    }
  }

  mutating func add(_ parts: inout [Expression.RawPart], hasValues: Bool = false) {
    add(&parts) { shape, part in
      switch part {
      case .text(let text):
        shape.add(0 as UInt8)
        shape.add(text)
      case .expression(var expression):
        shape.add(1 as UInt8)
        shape.add(&expression, hasValues: hasValues)
        part = .expression(expression)
      }
    }
  }

  // MARK: Values

  /// Adds a value that is bound, which is replaced by its number.
  mutating func add(_ binding: inout SQLText.Binding) {
    guard case .value(let value) = binding else { return isComplete = false }
    if let number = add(value, isBound: true), numbersValues { binding = .parameter(number) }
  }

  /// Adds a value, and returns its number if it is bound.
  @discardableResult
  mutating func add(_ value: SQLValue, isBound: Bool) -> Int? {
    switch value {
    case .null:
      add(30 as UInt8)
      return nil
    case .integer(let integer):
      add(isBound ? 31 : 41 as UInt8)
      if !isBound { add(Int(integer)) }
    case .real(let real):
      add(isBound ? 32 : 42 as UInt8)
      if !isBound { add(Int(bitPattern: UInt(real.bitPattern))) }
    case .text(let text):
      add(isBound ? 33 : 43 as UInt8)
      if !isBound { add(text) }
    case .blob(let blob):
      add(isBound ? 34 : 44 as UInt8)
      if !isBound { add(blob) { $0.add($1) } }
    }
    guard isBound else { return nil }
    values.append(value)
    return values.count - 1
  }
}
