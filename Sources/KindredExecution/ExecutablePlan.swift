import KindredAssociations
import KindredSQLSyntax

/// A plan in the form that runs: flat memory of plain structs, nothing of which is counted by reference in the loop.
public final class ExecutablePlan: @unchecked Sendable {
  // Nothing of it changes once it is made: that is what makes the pointers safe to share.

  public let plan: Plan
  /// What the loop does not need, by node.
  let statements: [NodeStatement]
  /// What the loop needs, by node.
  let nodes: UnsafeMutablePointer<Node>
  let nodeCount: Int
  /// How often a node may repeat below itself.
  let recursionLevels: Int
  /// The programs of all nodes, one after the other.
  let instructions: UnsafeMutablePointer<Instruction>
  /// The bindings of all nodes that follow the rows above, one after the other.
  let ancestors: UnsafeMutablePointer<Ancestor>
  /// Every byte that stands between two values, one after the other, and ``OutputMemory/slack``.
  let text: UnsafeMutablePointer<UInt8>

  struct NodeStatement {
    let sql: String
    /// Bindings that hold for the whole request.
    let constants: [Constant]
    let recursion: Plan.Recursion?
  }

  struct Constant: Sendable {
    let parameter: Int32
    let binding: SQL.Binding
  }

  struct Node {
    var firstInstruction: Int32
    var endInstruction: Int32
    var firstAncestor: Int32
    var endAncestor: Int32
    var isToMany: Bool
    var isRecursive: Bool
    /// Of a recursive node, the one that repeats it, and how often.
    var repetition: Int32
    var levels: Int32
  }

  struct Ancestor {
    let parameter: Int32
    let level: Int32
    let column: Int32
  }

  enum Operation: UInt8 {
    case value, boolean, json, optional, text, child
  }

  struct Instruction {
    let operation: Operation
    /// A column; of `child`, the number of the node.
    let operand: Int32
    /// Of `optional`, where to go on.
    let end: Int32
    let textStart: Int32
    let textCount: Int32
  }

  /// Where recursion ends, whatever a request says: each level has statements of its own.
  private static let maximumRecursion = 1000

  public init(_ plan: Plan) {
    self.plan = plan
    statements = plan.nodes.map {
      NodeStatement(sql: $0.statement.sql, constants: $0.statement.constants, recursion: $0.recursion)
    }
    var nodes: [Node] = []
    var instructions: [Instruction] = []
    var ancestors: [Ancestor] = []
    var text: [UInt8] = []
    for node in plan.nodes {
      let (firstInstruction, firstAncestor) = (Int32(instructions.count), Int32(ancestors.count))
      instructions += node.program.map { Instruction($0, offset: firstInstruction, text: &text) }
      ancestors += node.statement.ancestors
      nodes.append(
        Node(
          firstInstruction: firstInstruction, endInstruction: Int32(instructions.count),
          firstAncestor: firstAncestor, endAncestor: Int32(ancestors.count), isToMany: node.isToMany,
          isRecursive: node.recursion != nil, repetition: Int32(node.recursion?.repetition ?? -1),
          levels: Int32(min(node.recursion?.levels ?? 0, Self.maximumRecursion))))
    }
    text += [UInt8](repeating: 0, count: OutputMemory.slack)
    recursionLevels = Int(nodes.map(\.levels).max() ?? 0)
    nodeCount = nodes.count
    self.nodes = .copy(nodes)
    self.instructions = .copy(instructions)
    self.ancestors = .copy(ancestors)
    self.text = .copy(text)
  }

  deinit {
    nodes.deallocate()
    instructions.deallocate()
    ancestors.deallocate()
    text.deallocate()
  }
}

extension UnsafeMutablePointer {
  /// Memory of its own, to be deallocated by who asked for it.
  fileprivate static func copy(_ elements: [Pointee]) -> Self {
    let memory = Self.allocate(capacity: elements.count)
    elements.withUnsafeBufferPointer { source in
      if let start = source.baseAddress { memory.initialize(from: start, count: source.count) }
    }
    return memory
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
      return ExecutablePlan.Ancestor(parameter: Int32(index + 1), level: Int32(level), column: Int32(column))
    }
  }
}

extension ExecutablePlan.Instruction {
  /// - Parameter offset: how many instructions stand before those of the node.
  fileprivate init(_ instruction: Plan.Instruction, offset: Int32, text: inout [UInt8]) {
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
      end = offset + Int32(next)
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
