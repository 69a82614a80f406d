import KindredPlanning
import KindredSQLSyntax
import Synchronization

/// A plan in executable form: plain structs in flat memory, so that the loop over the rows counts no references.
public final class ExecutablePlan: @unchecked Sendable {
  // Immutable once initialised, so the pointers are safe to share.

  /// The plan that this executes.
  public let plan: Plan
  /// A number that no other plan has or had, by which a connection keeps its statements for it.
  public let number = ExecutablePlan.numbers.wrappingAdd(1, ordering: .relaxed).newValue
  /// The data needed once per statement, indexed by node.
  package let statements: [NodeStatement]
  /// The data needed for every row, indexed by node.
  @usableFromInline package let nodes: UnsafeMutablePointer<Node>
  package let nodeCount: Int
  /// The largest number of levels that any node may repeat below itself.
  package let recursionLevels: Int
  /// The programs of all nodes, concatenated.
  @usableFromInline package let instructions: UnsafeMutablePointer<Instruction>
  /// The bindings to columns of the rows above, of all nodes, concatenated.
  package let ancestors: UnsafeMutablePointer<Ancestor>
  /// All constant text between values, concatenated, followed by ``OutputMemory/slack`` bytes.
  @usableFromInline package let text: UnsafeMutablePointer<UInt8>

  /// Whether date functions may read the clock.
  package let readsClock: Bool
  /// The tables that the statements read.
  public let readTables = ReadTables()

  package struct NodeStatement {
    package let text: StatementText
    /// Bindings that hold for the whole request.
    package let constants: [Constant]
    package let recursion: Plan.Recursion?
  }

  package struct Constant: Sendable {
    package let parameter: Int32
    package let binding: SQL.Binding
  }

  @usableFromInline package struct Node {
    @usableFromInline package var firstInstruction: Int32
    @usableFromInline package var endInstruction: Int32
    package var firstAncestor: Int32
    package var endAncestor: Int32
    @usableFromInline package var frame: Frame
    @usableFromInline package var isToMany: Bool
    package var isRecursive: Bool
    /// Of a recursive node: the node that repeats it, and at most how many levels deep.
    package var repetition: Int32
    package var levels: Int32
    /// Of a merge-joined node: the column of the joining integer in its own rows and in those above; otherwise -1.
    package var column: Int32
    package var columnAbove: Int32
    package var isMergeJoined: Bool
  }

  /// The text written around the rows of a node.
  @usableFromInline package struct Frame {
    @usableFromInline package var opening = Text()
    @usableFromInline package var separator = Text()
    @usableFromInline package var closing = Text()
    /// Written instead where a single row is expected and there is none.
    @usableFromInline package var missing = Text()
  }

  /// A range of the plan's text.
  public struct Text {
    @usableFromInline package var start: Int32 = 0
    @usableFromInline package var count: Int32 = 0
  }

  /// How the rows of a node are written.
  package struct Program {
    var instructions: [Instruction] = []
    package var frame = Frame()
  }

  package struct Ancestor {
    package let parameter: Int32
    package let level: Int32
    package let column: Int32
  }

  /// How a value of a row is written.
  public enum Operation: UInt8 {
    /// As JSON; long values in the instruction's form.
    case value, boolean, json
    /// The value by its storage class alone, as JSON from which the same value can be read.
    case exact
    case optional, text, child
    /// In another form.
    case formatted
    /// Continues only where the column is NULL; otherwise jumps to `end`.
    case absent
    /// Continues only where a page shows the beginning of the value; otherwise jumps to `end`.
    case long
    /// Continues only where a path can name the value, in a column whose values are read in this way; otherwise jumps to
    /// `end`.
    case named, namedInBlobs, namedUntyped

    @usableFromInline var reading: KeyReading {
      switch self {
      case .namedInBlobs: .blob
      case .namedUntyped: .untyped
      case .value, .boolean, .json, .exact, .optional, .text, .child, .formatted, .absent, .long, .named:
        .text
      }
    }
  }

  @usableFromInline package struct Instruction {
    @usableFromInline package let operation: Operation
    /// The column, or for `child` the number of the node.
    @usableFromInline package let operand: Int32
    /// The form of `formatted` values, and of JSON values that are long.
    @usableFromInline package let form: ValueForm
    /// Of `optional`, `absent`, `long` and `named`: the instruction to jump to; of `child`: the one after the child.
    @usableFromInline package var end: Int32 = 0
    /// Written before the value.
    @usableFromInline package let prefix: Text
    /// Written instead of a missing value, or of a child that the last level of a recursion omits.
    @usableFromInline package var missing = Text()
  }

  private static let numbers = Atomic(0)

  /// The maximum depth of recursion, whatever a request asks for, because each level has its own statements.
  private static let maximumRecursion = 1000

  /// - Throws: `NotTabular` where the result does not fit the format.
  public init(_ plan: Plan, format: ResultFormat = .json) throws(NotTabular) {
    self.plan = plan
    readsClock = plan.readsClock
    var (programs, text) = try format.programs(of: plan)
    statements = plan.nodes.map {
      NodeStatement(
        text: StatementText($0.statement.sql), constants: $0.statement.constants, recursion: $0.recursion)
    }
    var nodes: [Node] = []
    var instructions: [Instruction] = []
    var ancestors: [Ancestor] = []
    for (node, program) in zip(plan.nodes, programs) {
      let (firstInstruction, firstAncestor) = (Int32(instructions.count), Int32(ancestors.count))
      instructions += program.instructions.map { instruction in
        var instruction = instruction
        instruction.end += firstInstruction
        return instruction
      }
      ancestors += node.statement.ancestors
      nodes.append(
        Node(
          firstInstruction: firstInstruction, endInstruction: Int32(instructions.count),
          firstAncestor: firstAncestor, endAncestor: Int32(ancestors.count), frame: program.frame,
          isToMany: node.isToMany, isRecursive: node.recursion != nil,
          repetition: Int32(node.recursion?.repetition ?? -1),
          levels: Int32(min(node.recursion?.levels ?? 0, Self.maximumRecursion)),
          column: Int32(node.mergeJoin?.column ?? -1), columnAbove: Int32(node.mergeJoin?.above ?? -1),
          isMergeJoined: node.mergeJoin != nil))
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
  /// Copies the elements to newly allocated memory, which the caller deallocates.
  fileprivate static func copy(_ elements: [Pointee]) -> Self {
    let memory = Self.allocate(capacity: elements.count)
    elements.withUnsafeBufferPointer { source in
      if let start = source.baseAddress { memory.initialize(from: start, count: source.count) }
    }
    return memory
  }
}

extension Plan.Statement {
  package var constants: [ExecutablePlan.Constant] {
    bindings.enumerated().compactMap { index, binding in
      if case .ancestor = binding { return nil }
      return ExecutablePlan.Constant(parameter: Int32(index + 1), binding: binding)
    }
  }

  package var ancestors: [ExecutablePlan.Ancestor] {
    bindings.enumerated().compactMap { index, binding in
      guard case .ancestor(let level, let column) = binding else { return nil }
      return ExecutablePlan.Ancestor(parameter: Int32(index + 1), level: Int32(level), column: Int32(column))
    }
  }
}

extension [UInt8] {
  /// Appends text and returns its range.
  mutating func put(_ bytes: some Collection<UInt8>) -> ExecutablePlan.Text {
    self += bytes
    return ExecutablePlan.Text(start: Int32(count - bytes.count), count: Int32(bytes.count))
  }
}

/// The tables that the statements of a plan read, once they have been determined.
///
/// It outlives its plan where a remembered response depends on them.
public final class ReadTables: Sendable {
  private let found = Mutex<Set<String>??>(nil)

  /// The names of the tables in lower case; nil while they haven't been determined, or if the result may depend on
  /// more than their content.
  public var known: Set<String>? { found.withLock { $0 } ?? nil }

  /// Returns the names of the tables, which `find` determines once; nil if the result may depend on more.
  public func find(_ find: () throws -> Set<String>?) rethrows -> Set<String>? {
    if let known = found.withLock({ $0 }) { return known }
    let tables = try find()
    found.withLock { $0 = .some(tables) }
    return tables
  }
}
