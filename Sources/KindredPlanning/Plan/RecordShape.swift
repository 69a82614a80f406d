/// The content of a row as a tree of names and columns, independent of any output format.
public indirect enum RecordShape: Sendable {
  /// One bare value.
  case value(column: Int, Plan.ValueFormat)
  /// A record with these members, whose names differ.
  case object([Member])
  /// Content that exists only if the column is not NULL.
  case optional(column: Int, RecordShape)
  /// The rows of another node.
  case child(node: Int)

  /// A member of a record.
  public struct Member: Sendable {
    /// The name in the result.
    public let name: String
    /// The value of the member.
    public let shape: RecordShape
    /// Whether the last level of a recursion leaves it out.
    public internal(set) var isRepetition = false
    /// The position of the member in whose place it stands in an object: the column that refers to the record.
    ///
    /// Arrays by position have both.
    public internal(set) var place: Int?
  }

  /// The columns of the record and of the records in it, in order, including the columns that mark optional content,
  /// without columns whose place a record takes.
  package var columns: [Column] {
    switch self {
    case .value(let column, let format): [.value(column, format)]
    case .object(let members): members.placed.flatMap(\.member.shape.columns)
    case .optional(let column, let shape): [.presence(column)] + shape.columns
    case .child: []
    }
  }

  /// A column that distinguishes results.
  package enum Column {
    case value(Int, Plan.ValueFormat)
    /// Only whether it is NULL matters.
    case presence(Int)

    /// The number of the column whose value is shown; nil if it isn't.
    var value: Int? {
      if case .value(let column, _) = self { column } else { nil }
    }
  }
}

extension [RecordShape.Member] {
  /// The members of an object in their order, each with the value in whose place it stands.
  public var placed: [(member: RecordShape.Member, replaced: RecordShape?)] {
    var successors: [Int: RecordShape.Member] = [:]
    for member in self { member.place.map { successors[$0] = member } }
    return enumerated().compactMap { position, member in
      guard member.place == nil else { return nil }
      return successors[position].map { ($0, member.shape) } ?? (member, nil)
    }
  }
}
