import KindredAssociations

/// A member of an object.
struct RecordMember {
  let name: String
  let content: RecordContent
}

/// What a node's program shows of a row, as a tree.
indirect enum RecordContent {
  case value(column: Int, Plan.ValueFormat)
  case object([RecordMember])
  /// Only there where the column is not NULL.
  case optional(column: Int, RecordContent)
  case child(node: Int)

  /// Nil for a program that shows nothing.
  init?(_ program: [Plan.Instruction]) {
    var elements = RecordTemplate(program).elements[...]
    guard let content = Self.next(&elements) else { return nil }
    self = content
  }

  private static func next(_ elements: inout ArraySlice<RecordTemplate.Element>) -> RecordContent? {
    guard let element = elements.popFirst() else { return nil }
    switch element {
    case .value(let column, let format):
      return .value(column: column, format)
    case .child(let node):
      return .child(node: node)
    case .beginOptional(let column):
      let content = next(&elements)
      if case .endOptional? = elements.first { elements.removeFirst() }
      return content.map { .optional(column: column, $0) }
    case .beginObject:
      var members: [RecordMember] = []
      while let element = elements.first {
        if case .endObject = element {
          elements.removeFirst()
          break
        }
        guard case .member(let name) = element else { return .object(members) }
        elements.removeFirst()
        guard let content = next(&elements) else { break }
        members.append(RecordMember(name: name, content: content))
      }
      return .object(members)
    case .endObject, .endOptional, .member:
      return nil
    }
  }

  /// Whether it is one value, and not a record or records.
  var isValue: Bool {
    switch self {
    case .value: true
    case .optional(_, let content): content.isValue
    case .object, .child: false
    }
  }
}
