import CKindredClients
import KindredModel

/// A client in Python: the types of a server's resources, and what is the same for all servers.
public struct PythonClient {
  let schema: ServerSchema
  let names: TypeNames

  /// Creates the client of a server.
  public init(_ schema: ServerSchema) {
    self.schema = schema
    names = TypeNames(
      schema, reserved: Self.reserved,
      variants: [("New", ""), ("", "Change"), ("", "Resource"), ("Async", "Resource")])
  }

  /// The content of the module, which needs `httpx` alone.
  public var text: String {
    let types = schema.resources.map(types).joined(separator: "\n")
    let attributes = attributes
    func properties(_ prefix: String) -> String {
      schema.resources.map { resource in
        let attribute = attributes[resource.name] ?? ""
        let type = "\(prefix)\(name(of: resource))Resource[\(name(of: resource))]"
        return """

              @property
              def \(attribute)(self) -> \(type):
                  resource: \(type) = self._resources[\(string(attribute))]
                  return resource

          """
      }.joined()
    }
    return """
      \(Self.text(of: kindred_python_imports()))
      \(types)
      \(Self.text(of: kindred_python_client()))

      \(schema.resources.isEmpty ? "" : "if TYPE_CHECKING:\n")\(schema.resources.map(requests).joined(separator: "\n"))

      \(facts)

      class Client(_Client):
          \"""The resources of a server.\"""
      \(properties(""))

      class AsyncClient(_AsyncClient):
          \"""The resources of a server, whose methods are awaited.\"""
      \(properties("Async"))
      """
  }

  private static func text(of text: kindred_client_text) -> String {
    String(decoding: UnsafeBufferPointer(start: text.bytes, count: text.length), as: UTF8.self)
  }

  /// The names that the module uses, which no type may have.
  private static let reserved: Set = [
    "Any", "AsyncClient", "AsyncIterator", "AttributeError", "Awaitable", "BinaryIO", "Callable", "Client",
    "Decimal",
    "Exception", "Expression", "False", "Generic", "ImportError", "Iterable", "Iterator", "Literal",
    "Mapping", "None",
    "NotRequired", "Page", "Part", "Problem", "Self", "Sequence", "True", "TypeError", "TypeVar", "TypedDict",
    "UUID",
    "Unpack", "ValueError",
  ]

  /// The attributes of a client by the names of their resources.
  private var attributes: [String: String] {
    Self.attributes(of: schema.resources.map(\.name), besides: Self.attributesOfClients)
  }

  /// Returns a different attribute for each of these names.
  ///
  /// - Parameter taken: The names that no attribute may have.
  static func attributes(of names: [String], besides taken: Set<String>) -> [String: String] {
    var taken = taken
    var found: [String: String] = [:]
    for name in names {
      let base = attribute(name)
      var attribute = taken.contains(base) ? base + "_" : base
      var number = 2
      while !taken.insert(attribute).inserted {
        attribute = "\(base)_\(number)"
        number += 1
      }
      found[name] = attribute
    }
    return found
  }

  /// The keywords of Python (<https://docs.python.org/3/reference/lexical_analysis.html#keywords>).
  static let keywords: Set = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda",
    "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
  ]
  /// What the client has already.
  private static let attributesOfClients = keywords.union(["aclose", "actions", "batch", "close"])

  /// What the object of the actions has already.
  private static let attributesOfActions: Set = ["request"]

  /// Returns a name in snake_case, with only letters, digits and underscores.
  static func attribute(_ name: String) -> String {
    var words = ""
    var last: Character?
    let characters = Array(name)
    for (index, character) in characters.enumerated() {
      guard character.isOfWords else {
        if let last, last != "_" { words.append("_") }
        last = words.last
        continue
      }
      let next = index + 1 < characters.count ? characters[index + 1] : nil
      if character.isUppercase, let last, last != "_",
        last.isLowercase || last.isNumber || last.isUppercase && next?.isLowercase == true
      {
        words.append("_")
      }
      words += character.lowercased()
      last = character
    }
    while words.hasPrefix("_") { words.removeFirst() }
    while words.hasSuffix("_") { words.removeLast() }
    return words.beginsIdentifier ? words : "resource_" + words
  }

  // MARK: Facts

  private var facts: String {
    let resources = schema.resources.map { resource in
      let columns = resource.columns.map { "\(string($0.name)): \(string(kind(of: $0)))" }
      let to = resource.associations.filter { names[$0.destination] != nil }.map {
        "\(string($0.key)): (\(string($0.destination)), \($0.isToMany ? "True" : "False"))"
      }
      return """
            \(string(resource.name)): _Facts(
                \(tuple(resource.key)),
                {\(columns.joined(separator: ", "))},
                \(tuple(resource.plainColumns.map(\.name))),
                \(tuple(resource.allColumns.map(\.name))),
                {\(to.joined(separator: ", "))},\(decimals(of: resource))
            ),

        """
    }
    let attributes = attributes
    let entries = schema.resources.map { "    \(string(attributes[$0.name] ?? "")): \(string($0.name)),\n" }
    let calls = Self.attributes(
      of: schema.actions.map(\.name), besides: Self.keywords.union(Self.attributesOfActions))
    let actions = schema.actions.map { action in
      let gives = action.columns.isEmpty || action.single ? "any" : "many"
      return
        "    \(string(calls[action.name] ?? "")): (\(string(action.name)), \(action.as.map(string) ?? "None"), \(string(gives))),\n"
    }
    let hasDecimals = schema.resources.contains { resource in
      resource.columns.contains { $0.decimal == true } || !decimals(of: resource).isEmpty
    }
    return """
      _FACTS: dict[str, _Facts] = {
      \(resources.joined())}
      _RESOURCES: dict[str, str] = {
      \(entries.joined())}
      _ACTIONS: dict[str, tuple[str, str | None, str]] = {
      \(actions.joined())}
      _HAS_DECIMALS = \(hasDecimals ? "True" : "False")

      """
  }

  private func kind(of column: ServerSchema.Column) -> String {
    switch column.input {
    case .number: column.decimal == true ? "Decimal" : column.isInteger ? "int" : "float"
    case .boolean: "bool"
    case .text, .date, .time, .timestamp, .choice: "str"
    case .bytes: "bytes"
    case .json, .array: "json"
    case .any: "any"
    }
  }

  /// Returns which parts of columns are decimals, as a further argument; empty if none are.
  private func decimals(of resource: ServerSchema.Resource) -> String {
    func decimals(of parts: [ServerSchema.Part]) -> String? {
      let found = parts.compactMap { part -> (name: String?, decimals: String)? in
        (part.decimal == true ? "True" : part.parts.flatMap(decimals)).map { (part.name, $0) }
      }
      // An element has no name.
      guard let first = found.first, first.name != nil else { return found.first?.decimals }
      return "{\(found.map { "\(string($0.name ?? "")): \($0.decimals)" }.joined(separator: ", "))}"
    }
    let found = resource.columns.compactMap { column in
      column.parts.flatMap(decimals).map { "\(string(column.name)): \($0)" }
    }
    return found.isEmpty ? "" : "\n        {\(found.joined(separator: ", "))},"
  }

  private func tuple(_ items: [String]) -> String {
    "(\(items.map { string($0) + ", " }.joined()))".replacing(", )", with: ",)")
  }

  func name(of resource: ServerSchema.Resource) -> String { names[resource.name] ?? "" }

  /// Returns a text as a literal (<https://docs.python.org/3/reference/lexical_analysis.html#string-and-bytes-literals>).
  func string(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case "\0"..<" ", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}", "\u{FEFF}":
        "\\u" + String(String(scalar.value + 0x10000, radix: 16).dropFirst())
      default: String(scalar)
      }
    }
    return "\"\(escaped.joined())\""
  }
}
