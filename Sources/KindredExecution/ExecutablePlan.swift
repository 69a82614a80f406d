import KindredAssociations
import KindredSQLSyntax

/// A plan in the form that runs: flat arrays of plain structs, nothing of which is counted by reference in the loop.
public final class ExecutablePlan: Sendable {
  public let plan: Plan
  let nodes: [Node]
  /// Every byte that stands between two values, one after the other.
  let text: [UInt8]

  struct Node: Sendable {
    let sql: String
    let instructions: [Instruction]
    /// Bindings that hold for the whole request.
    let constants: [Constant]
    /// Bindings that follow the rows above.
    let ancestors: [Ancestor]
    let isToMany: Bool
    let recursion: Plan.Recursion?
  }

  struct Constant: Sendable {
    let parameter: Int32
    let binding: SQL.Binding
  }

  struct Ancestor: Sendable {
    let parameter: Int32
    let level: Int
    let column: Int32
  }

  enum Operation: UInt8, Sendable {
    case value, boolean, json, optional, text, child
  }

  struct Instruction: Sendable {
    let operation: Operation
    /// A column; of `child`, the number of the node.
    let operand: Int32
    /// Of `optional`, where to go on.
    let end: Int32
    let textStart: Int32
    let textCount: Int32
  }

  public init(_ plan: Plan) {
    self.plan = plan
    var text: [UInt8] = []
    nodes = plan.nodes.map { node in
      Node(
        sql: node.statement.sql,
        instructions: node.program.map { Instruction($0, text: &text) },
        constants: node.statement.constants, ancestors: node.statement.ancestors,
        isToMany: node.isToMany, recursion: node.recursion)
    }
    self.text = text
  }
}

extension Plan.Statement {
  var constants: [ExecutablePlan.Constant] {
    bindings.enumerated().compactMap { index, binding in
      if case .ancestor = binding { return nil }
      return ExecutablePlan.Constant(parameter: Int32(index + 1), binding: binding)
    }
  }

  var ancestors: [ExecutablePlan.Ancestor] {
    bindings.enumerated().compactMap { index, binding in
      guard case .ancestor(let level, let column) = binding else { return nil }
      return ExecutablePlan.Ancestor(parameter: Int32(index + 1), level: level, column: Int32(column))
    }
  }
}

extension ExecutablePlan.Instruction {
  init(_ instruction: Plan.Instruction, text: inout [UInt8]) {
    func put(_ bytes: [UInt8]) -> (Int32, Int32) {
      text += bytes
      return (Int32(text.count - bytes.count), Int32(bytes.count))
    }
    switch instruction {
    case .value(let prefix, let column, let format):
      operation =
        switch format {
        case .plain: .value
        case .boolean: .boolean
        case .json: .json
        }
      operand = Int32(column)
      end = 0
      (textStart, textCount) = put(prefix)
    case .optional(let prefix, let column, let next):
      operation = .optional
      operand = Int32(column)
      end = Int32(next)
      (textStart, textCount) = put(prefix)
    case .text(let bytes):
      operation = .text
      operand = 0
      end = 0
      (textStart, textCount) = put(bytes)
    case .child(let prefix, let node):
      operation = .child
      operand = Int32(node)
      end = 0
      (textStart, textCount) = put(prefix)
    }
  }
}
