import KindredModel
import OrderedCollections

/// A diagram in the notation of Mermaid (<https://mermaid.js.org/syntax/entityRelationshipDiagram.html>).
struct DiagramMermaid {
  static let mediaType = "text/plain; charset=utf-8"

  let diagram: Diagram

  var text: String {
    var lines = ["erDiagram"]
    for entity in diagram.entities.values {
      lines.append("  \(Self.entity(entity.name)) {")
      for column in entity.columns {
        let type = Self.word(column.declaredType.isEmpty ? "ANY" : column.declaredType)
        lines.append("    \(type) \(Self.word(column.name))\(entity.key.contains(column.name) ? " PK" : "")")
      }
      lines.append("  }")
    }
    for relation in diagram.relations {
      let many = relation.isUnique ? "|o" : "}o"
      let one = relation.isOptional ? "o|" : "||"
      let label = relation.originColumns.joined(separator: ", ")
      lines.append(
        "  \(Self.entity(relation.origin)) \(many)--\(one) \(Self.entity(relation.destination)) : \"\(Self.quoted(label))\""
      )
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the name of an entity, quoted unless it is a word.
  private static func entity(_ name: String) -> String {
    let isWord =
      name.utf8.allSatisfy(isWordByte) && name.utf8.first.map { !(0x30...0x39).contains($0) } ?? false
    return isWord ? name : "\"\(quoted(name))\""
  }

  /// Returns a type or a column's name with invalid characters replaced by `_`.
  private static func word(_ text: String) -> String {
    let word = String(
      decoding: text.utf8.map { isWordByte($0) || "()[]".utf8.contains($0) ? $0 : UInt8(ascii: "_") },
      as: UTF8.self)
    guard let first = word.utf8.first, (first | 0x20) >= 0x61, (first | 0x20) <= 0x7A else {
      return "_\(word)"
    }
    return word
  }

  /// Returns a text for use between quotes, without quotes and line breaks.
  private static func quoted(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map {
          $0 == "\"" ? "'" : $0 == "\\" || $0.value < 0x20 || $0.value == 0x7F ? " " : $0
        }))
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_")
  }
}
