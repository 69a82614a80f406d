import KindredRequests
import KindredSQLSyntax

/// An array as PostgreSQL writes it (<https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO>): `{1,NULL,"a b"}`.
struct ArrayLiteral {
  indirect enum Element {
    case null
    case text(String)
    case array([Element])
  }

  let elements: [Element]

  /// Returns nil for a text that isn't an array.
  init?(_ text: String) {
    var parser = Parser(rest: Array(text.unicodeScalars)[...])
    // The bounds may precede it: `[0:1]={a,b}`.
    if parser.rest.first == "[" {
      guard let sign = parser.rest.firstIndex(of: "=") else { return nil }
      parser.rest = parser.rest[(sign + 1)...]
    }
    guard case .array(let elements)? = parser.element(depth: 0), parser.rest.isEmpty else { return nil }
    self.elements = elements
  }

  private struct Parser {
    var rest: ArraySlice<Unicode.Scalar>

    /// The largest number of dimensions of PostgreSQL's arrays.
    static let largestDepth = 6

    mutating func element(depth: Int) -> Element? {
      switch rest.first {
      case "{": return array(depth: depth)
      case "\"":
        rest = rest.dropFirst()
        var text = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
          if scalar == "\"" { return .text(String(text)) }
          guard let taken = scalar == "\\" ? rest.popFirst() : scalar else { return nil }
          text.append(taken)
        }
        return nil
      default:
        let word = rest.prefix { $0 != "," && $0 != "}" }
        rest = rest[word.endIndex...]
        let text = String(String.UnicodeScalarView(word))
        return text == "NULL" ? .null : .text(text)
      }
    }

    private mutating func array(depth: Int) -> Element? {
      guard depth < Self.largestDepth else { return nil }
      rest = rest.dropFirst()
      var elements: [Element] = []
      if rest.first == "}" {
        rest = rest.dropFirst()
        return .array([])
      }
      while let element = element(depth: depth + 1) {
        elements.append(element)
        switch rest.popFirst() {
        case ",": continue
        case "}": return .array(elements)
        default: return nil
        }
      }
      return nil
    }
  }
}

extension SQLValue {
  /// Returns whether this is the JSON of an array that the database has stored.
  func isArray(ofText stored: SQLValue) -> Bool {
    guard case .text(let json) = self, case .text(let text) = stored, let literal = ArrayLiteral(text),
      let document = try? JSONDocumentParser.parse(Array(json.utf8))
    else { return false }
    func isEqual(_ node: JSONDocument.Node, _ element: ArrayLiteral.Element) -> Bool {
      switch (node.content, element) {
      case (.null, .null): true
      case (.string(let value), .text(let text)): value == text
      case (.boolean(let value), .text(let text)): text == (value ? "t" : "f")
      case (.number, .text(let text)): Double(document.text(of: node)).map { $0 == Double(text) } ?? false
      case (.array(let nodes), .array(let elements)):
        nodes.count == elements.count && zip(nodes, elements).allSatisfy { isEqual($0, $1) }
      default: false
      }
    }
    return isEqual(document.root, .array(literal.elements))
  }
}
