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
    let frame: Frame
    /// Bindings that hold for the whole request.
    let constants: [Constant]
    /// Bindings that follow the rows above.
    let ancestors: [Ancestor]
    let isToMany: Bool
    let recursion: Plan.Recursion?
  }

  /// What is written around the rows of a node.
  struct Frame: Sendable {
    var opening = Text()
    var separator = Text()
    var closing = Text()
    /// In place of the one row that is not there.
    var missing = Text()
  }

  /// A part of the plan's text.
  struct Text: Sendable {
    var start: Int32 = 0
    var count: Int32 = 0
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
    case csvValue, csvBoolean, htmlValue, htmlBoolean
    /// The value as a segment of a URL's path.
    case segment
  }

  struct Instruction: Sendable {
    let operation: Operation
    /// A column; of `child`, the number of the node.
    let operand: Int32
    /// Of `optional`, where to go on.
    var end: Int32 = 0
    /// What is written first.
    let prefix: Text
    /// In place of what is not there.
    var missing = Text()
  }

  /// - Throws: `NotTabular` where the result does not fit the format.
  public init(_ plan: Plan, format: ResultFormat = .json) throws(NotTabular) {
    self.plan = plan
    let programs: [Program]
    switch format {
    case .json: (programs, text) = JSONPrograms.make(plan)
    case .lines: (programs, text) = JSONPrograms.make(plan, endingRecordsBy: "\n")
    case .csv: (programs, text) = try CSVProgram.make(plan)
    case .html(let links): (programs, text) = HTMLPrograms.make(plan, links: links)
    }
    nodes = zip(plan.nodes, programs).map { node, program in
      Node(
        sql: node.statement.sql, instructions: program.instructions, frame: program.frame,
        constants: node.statement.constants, ancestors: node.statement.ancestors,
        isToMany: node.isToMany, recursion: node.recursion)
    }
  }

  /// How the rows of a node are written.
  struct Program {
    var instructions: [Instruction] = []
    var frame = Frame()
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

extension [UInt8] {
  /// Adds text at the end, and says where it is.
  mutating func put(_ bytes: some Collection<UInt8>) -> ExecutablePlan.Text {
    self += bytes
    return ExecutablePlan.Text(start: Int32(count - bytes.count), count: Int32(bytes.count))
  }
}
