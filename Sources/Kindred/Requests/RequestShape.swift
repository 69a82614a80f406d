import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// The shape of a request: all of it but the values that its statements bind.
///
/// Requests of one shape have the same statements, so that they are planned once. A request has none if it contains
/// what can't be compared: closures, aliases, common table expressions, the record that `request(for:)` starts from.
struct RequestShape {
  /// The shape; two are equal exactly if the shapes are.
  private(set) var bytes: [UInt8] = []
  /// The values that are no part of the shape, in the order in which they are found.
  private(set) var values: [SQLValue] = []
  /// Whether the request has a shape.
  private(set) var isComplete = true

  /// Describes a request.
  ///
  /// - Parameters:
  ///   - blueprint: The request.
  ///   - isForSingleRow: Whether at most one of its rows will be read.
  init(of blueprint: RequestBlueprint, isForSingleRow: Bool) {
    bytes.reserveCapacity(512)
    add(isForSingleRow)
    add(blueprint)
  }

  // MARK: Parts

  private mutating func add(_ tag: UInt8) { bytes.append(tag) }

  private mutating func add(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

  private mutating func add(_ number: Int) { withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) } }

  private mutating func add(_ text: String) {
    // Its length comes first, so that no text can look like two.
    add(text.utf8.count)
    bytes.append(contentsOf: text.utf8)
  }

  private mutating func add(_ texts: [String]?) {
    add(texts?.count ?? -1)
    for text in texts ?? [] { add(text) }
  }

  private mutating func add<Element>(_ list: [Element], _ addElement: (inout RequestShape, Element) -> Void) {
    add(list.count)
    for element in list { addElement(&self, element) }
  }

  // MARK: Requests

  private mutating func add(_ blueprint: RequestBlueprint) {
    guard blueprint.failure == nil, blueprint.origin == nil, blueprint.aliases.isEmpty,
      blueprint.commonTables.isEmpty
    else { return isComplete = false }
    add(blueprint.tableName)
    add(blueprint.selection ?? blueprint.defaultSelection) { $0.add($1) }
    add(blueprint.annotations) { $0.add($1) }
    add(blueprint.filters) { $0.add($1) }
    add(blueprint.group) { $0.add($1) }
    add(blueprint.havings) { $0.add($1) }
    let ordering = blueprint.ordering
    add(ordering.terms) { shape, term in
      shape.add(term.expression)
      shape.add(term.isDescending)
      shape.add(term.nulls.map { $0 == .first ? 1 : 2 } ?? 0 as Int)
    }
    for flag in [
      ordering.byPrimaryKey, ordering.isReversed, ordering.isStable, blueprint.groupsByPrimaryKey,
      blueprint.isDistinct, blueprint.isForCollectionsOnly,
    ] { add(flag) }
    add(blueprint.limit ?? -1)
    add(blueprint.offset ?? -1)
    add(blueprint.children) { $0.add($1) }
  }

  private mutating func add(_ child: AssociatedRequest) {
    add(child.key)
    switch child.inclusion {
    case .joined(let isRequired, let isIncluded):
      add(isRequired)
      add(isIncluded)
    case .prefetched: add(2 as UInt8)
    }
    add(child.path.key)
    add(child.path.links) { shape, link in
      switch link.condition {
      case .belongsTo(let key): shape.add(1, key)
      case .has(let key): shape.add(2, key)
      case .on: shape.isComplete = false
      }
      shape.add(link.isToOne)
      shape.add(link.key)
      shape.add(link.blueprint)
    }
  }

  private mutating func add(_ tag: UInt8, _ key: ForeignKey?) {
    add(tag)
    add(key?.originColumns)
    add(key?.destinationColumns)
  }

  private mutating func add(_ key: AssociationKey) {
    switch key {
    case .inflected(let name):
      add(0 as UInt8)
      add(name)
    case .singular(let name):
      add(1 as UInt8)
      add(name)
    case .plural(let name):
      add(2 as UInt8)
      add(name)
    }
  }

  private mutating func add(_ selection: SQLSelection) {
    switch selection.item {
    case .all: add(0 as UInt8)
    case .allExcept(let names):
      add(1 as UInt8)
      add(names)
    case .expression(let expression, let name):
      add(2 as UInt8)
      add(expression)
      add(name.map { [$0] })
    case .allOf, .literal, .deferred: isComplete = false
    }
  }

  // MARK: Expressions

  private mutating func add(_ expression: SQLExpression) {
    switch expression.form {
    case .known(let known): add(known, hasValues: false)
    case .joined(let joining, let operands):
      add(joining == .or ? 250 : 251 as UInt8)
      add(operands) { $0.add($1) }
    case .deferred: isComplete = false
    }
  }

  /// Adds an expression.
  ///
  /// - Parameter hasValues: Whether a value in its place is bound, whatever it is: it is an operand of a comparison.
  private mutating func add(_ expression: Expression, hasValues: Bool) {
    switch expression.kind {
    case .value(let value): add(value, isBound: hasValues)
    case .null: add(10 as UInt8)
    case .boolean(let value):
      add(11 as UInt8)
      add(value)
    case .program(.column(let name)):
      add(12 as UInt8)
      add(name)
    case .binary(let op, let left, let right):
      add(13 as UInt8)
      add("\(op)")
      let isComparison = op.isComparison
      add(left, hasValues: isComparison)
      add(right, hasValues: isComparison)
    case .in(let value, let list, let negated):
      add(14 as UInt8)
      add(negated)
      add(value, hasValues: true)
      add(list) { $0.add($1, hasValues: true) }
    case .between(let value, let low, let high, let negated):
      add(15 as UInt8)
      add(negated)
      for part in [value, low, high] { add(part, hasValues: true) }
    case .isNull(let value, let negated):
      add(16 as UInt8)
      add(negated)
      add(value, hasValues: false)
    case .all(let parts):
      add(17 as UInt8)
      add(parts) { $0.add($1, hasValues: false) }
    case .any(let parts):
      add(18 as UInt8)
      add(parts) { $0.add($1, hasValues: false) }
    case .unary(let op, let operand):
      add(19 as UInt8)
      add("\(op)")
      add(operand, hasValues: false)
    case .match(let op, let value, let pattern, let escape, let negated):
      add(20 as UInt8)
      add(op.rawValue)
      add(negated)
      add([value, pattern] + (escape.map { [$0] } ?? [])) { $0.add($1, hasValues: false) }
    case .function(let name, let arguments, let isDistinct):
      add(21 as UInt8)
      add(name)
      add(isDistinct)
      add(arguments) { $0.add($1, hasValues: false) }
    case .collate(let value, let collation):
      add(22 as UInt8)
      add(collation.rawValue)
      add(value, hasValues: false)
    case .cast(let value, let type):
      add(23 as UInt8)
      add(type.rawValue)
      add(value, hasValues: false)
    case .program(.raw(let parts)):
      add(24 as UInt8)
      add(parts) { shape, part in
        switch part {
        case .text(let text):
          shape.add(0 as UInt8)
          shape.add(text)
        case .expression(let expression):
          shape.add(1 as UInt8)
          shape.add(expression, hasValues: false)
        }
      }
    case .literal, .path, .cases, .program: isComplete = false
    }
  }

  private mutating func add(_ value: SQLValue, isBound: Bool) {
    switch value {
    case .null: add(30 as UInt8)
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
    if isBound, value != .null { values.append(value) }
  }
}

extension KindredModel.Expression.BinaryOperator {
  /// Whether it compares two values, of which the statement binds those of the program.
  var isComparison: Bool {
    switch self {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .is, .isNot: true
    case .add, .subtract, .multiply, .divide, .remainder, .concatenate, .member, .memberValue: false
    }
  }
}
