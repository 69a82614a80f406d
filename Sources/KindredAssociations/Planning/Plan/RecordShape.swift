/// What a row shows of its record, as a tree: names and columns, and nothing of how a format writes them.
public indirect enum RecordShape: Sendable {
  /// One bare value.
  case value(column: Int, Plan.ValueFormat)
  /// A record of these members, each of another name.
  case object([Member])
  /// What is only there where the column is not NULL.
  case optional(column: Int, RecordShape)
  /// The rows of another node.
  case child(node: Int)

  /// A member of a record.
  public struct Member: Sendable {
    /// The name in the result.
    public let name: String
    /// What stands under the name.
    public let shape: RecordShape
    /// Whether the last level of a recursion leaves it out.
    public let isRepetition: Bool
  }

  /// The values of the record itself and of those within it, in their order, and what may not be there.
  var columns: [Column] {
    switch self {
    case .value(let column, let format): [.value(column, format)]
    case .object(let members): members.flatMap(\.shape.columns)
    case .optional(let column, let shape): [.presence(column)] + shape.columns
    case .child: []
    }
  }

  /// A column that tells results apart.
  enum Column {
    case value(Int, Plan.ValueFormat)
    /// Whether it is NULL.
    case presence(Int)
  }
}

/// The shape of a record in the making.
final class RecordShapeBuilder {
  private(set) var members: [RecordShape.Member] = []
  private var names: Set<String> = []

  /// The shape that `body` makes of a record.
  static func object(_ body: (RecordShapeBuilder) throws -> Void) rethrows -> RecordShape {
    let builder = RecordShapeBuilder()
    try body(builder)
    return .object(builder.members)
  }

  /// Reserves the place of a member.
  ///
  /// - Throws: `RequestError` where the record has a member of this name.
  func reserve(_ name: String, at origin: Origin) throws {
    guard names.insert(name).inserted else {
      throw RequestError(
        .duplicateName,
        "two members of one record would be named `\(name)`: give one another name, as in `other:\(name)`",
        at: origin, suggestions: ["\(name)2:\(name)"])
    }
  }

  /// Adds a member whose name has been reserved.
  func add(_ name: String, _ shape: RecordShape, isRepetition: Bool = false) {
    members.append(RecordShape.Member(name: name, shape: shape, isRepetition: isRepetition))
  }
}
