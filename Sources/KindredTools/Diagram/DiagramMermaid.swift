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
        let type = Self.word(column.declaredType.isEmpty ? "ANY" : column.declaredType, keeping: "()[]")
        let word = Self.word(column.name)
        let key = entity.key.contains(column.name) ? " PK" : ""
        // A name that isn't a word stands in the comment.
        let name = word == column.name ? "" : " \"\(Self.quoted(column.name))\""
        lines.append("    \(type) \(word)\(key)\(name)")
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

  /// Returns a type or a column's name as a word of an attribute, with `_` in place of other characters.
  ///
  /// - Parameter others: Further characters that it may have after the first.
  private static func word(_ text: String, keeping others: String = "-") -> String {
    var word = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      word.append(
        isLetter(scalar) || isDigit(scalar) || others.unicodeScalars.contains(scalar) ? scalar : "_")
    }
    guard let first = word.first, isLetter(first) else { return "_\(String(word))" }
    // These mark keys.
    return ["PK", "FK", "UK"].contains(String(word).uppercased()) ? "\(String(word))_" : String(word)
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_"
      || (0xC0...0xFFFF).contains(scalar.value)
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

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
