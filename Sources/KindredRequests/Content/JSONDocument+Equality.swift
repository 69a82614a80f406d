import KindredModel
import KindredPlanning

extension JSONDocument {
  /// Returns whether both have equal values, however written: spaces, the order of members and the digits of numbers
  /// don't count.
  package func isEqual(to other: JSONDocument) -> Bool { isEqual(root, to: other.root, of: other) }

  private func isEqual(_ node: Node, to second: Node, of other: JSONDocument) -> Bool {
    switch (node.content, second.content) {
    case (.null, .null): return true
    case (.boolean(let value), .boolean(let otherValue)): return value == otherValue
    case (.string(let value), .string(let otherValue)): return value.utf8.elementsEqual(otherValue.utf8)
    case (.number, .number):
      let (text, otherText) = (text(of: node), other.text(of: second))
      return text == otherText || Double(text) == Double(otherText)
    case (.array(let values), .array(let others)):
      return values.count == others.count && zip(values, others).allSatisfy { isEqual($0, to: $1, of: other) }
    case (.object(let members), .object(let others)):
      let values = NameDictionary(others.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
      return members.count == others.count
        && members.allSatisfy { member in
          values[member.name].map { isEqual(member.value, to: $0, of: other) } ?? false
        }
    default: return false
    }
  }
}
