import KindredModel

/// The query of a URL, split once into its parameters; names and values are decoded where they are needed.
///
///     books.filter=kind%3D'novel'&limit=3
package struct URLQuery: Sendable {
  /// The place of a parameter in the text, in bytes.
  package struct Parameter: Sendable {
    /// Where the name begins.
    package let start: Int
    /// Where the name ends: at the `=`, or at the end.
    package let nameEnd: Int
    package let end: Int
    /// Whether the name contains an escape.
    package let isEncoded: Bool

    /// The place of the value, which is empty if there is no `=`.
    package var value: Range<Int> { min(nameEnd + 1, end)..<end }
  }

  /// The largest number of parameters.
  package static let maximumCount = 10_000

  /// The text after `?`, as received; empty if there is none.
  package let text: Substring
  /// The parameters but for empty ones; of too many, not all.
  package let parameters: [Parameter]
  /// The part of the text that was the content of a QUERY.
  package var content: Substring = ""

  /// - Parameter text: The text after `?`, as received.
  package init(_ text: Substring?) {
    self.text = text ?? ""
    guard var text, !text.isEmpty else {
      parameters = []
      return
    }
    parameters = text.withUTF8 { bytes in
      var parameters: [Parameter] = []
      var start = 0
      // The link to another page adds one.
      while start < bytes.count, parameters.count <= Self.maximumCount + 1 {
        let parameter = Self.parameter(in: bytes, from: start)
        if parameter.end > start { parameters.append(parameter) }
        start = parameter.end + 1
      }
      return parameters
    }
  }

  private static func parameter(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Parameter {
    var index = start
    var nameEnd: Int?
    var isEncoded = false
    while index < bytes.count, bytes[index] != UInt8(ascii: "&") {
      switch bytes[index] {
      case UInt8(ascii: "=") where nameEnd == nil: nameEnd = index
      case UInt8(ascii: "%") where nameEnd == nil, UInt8(ascii: "+") where nameEnd == nil: isEncoded = true
      default: break
      }
      index += 1
    }
    return Parameter(start: start, nameEnd: nameEnd ?? index, end: index, isEncoded: isEncoded)
  }

  // MARK: Names and values

  /// Returns a parameter as received.
  package func pair(_ parameter: Parameter) -> Substring { text[parameter.start..<parameter.end] }

  /// Returns a value as received.
  package func value(_ parameter: Parameter) -> Substring { text[parameter.value] }

  /// - Throws: `RequestError` if the name is badly encoded.
  func decodedName(_ parameter: Parameter) throws -> String {
    try URLCoding.decode(text[parameter.start..<parameter.nameEnd], plusIsSpace: true)
  }

  /// - Parameter name: The decoded name, for errors.
  /// - Throws: `RequestError` if the value is badly encoded.
  func decodedValue(_ parameter: Parameter, of name: String? = nil) throws -> String {
    try URLCoding.decode(value(parameter), plusIsSpace: true, parameter: name)
  }

  /// Returns whether a parameter has this name, in whatever encoding.
  package func isNamed(_ parameter: Parameter, _ name: String) -> Bool {
    if parameter.isEncoded { return (try? decodedName(parameter)) == name }
    return parameter.nameEnd - parameter.start == name.utf8.count
      && text[parameter.start..<parameter.nameEnd] == name
  }

  /// Whether the plan depends on which values of its expressions are equal: what groups are made of is compared with what
  /// is shown of them.
  package var comparesExpressions: Bool {
    guard !text.isEmpty else { return false }
    var text = text
    return text.withUTF8 { bytes in
      parameters.contains { parameter in
        let name = bytes[parameter.start..<parameter.nameEnd]
        return parameter.isEncoded || name.hasSuffix("group") || name.hasSuffix("distinct")
      }
    }
  }

  /// Returns whether a parameter has the cursor of a page.
  package func isCursor(_ parameter: Parameter) -> Bool {
    isNamed(parameter, "after") || isNamed(parameter, "before")
  }

  /// Returns whether a parameter tells which page is returned.
  package func isPlace(_ parameter: Parameter) -> Bool {
    isCursor(parameter) || isNamed(parameter, "offset")
  }

  /// Returns the parameters, as received, that don't have one of these names.
  package func pairs(without names: [String]) -> [Substring] {
    parameters.filter { parameter in !names.contains { isNamed(parameter, $0) } }.map(pair)
  }

  /// The parameters, as received, that all pages of a result have.
  package var pairsOfAllPages: [Substring] { parameters.filter { !isPlace($0) }.map(pair) }
}

extension Substring {
  /// Returns the text between two places, in bytes.
  fileprivate subscript(range: Range<Int>) -> Substring {
    let start = utf8.index(startIndex, offsetBy: range.lowerBound)
    return Substring(utf8[start..<utf8.index(start, offsetBy: range.count)])
  }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
  fileprivate func hasSuffix(_ suffix: StaticString) -> Bool {
    count >= suffix.utf8CodeUnitCount
      && self.suffix(suffix.utf8CodeUnitCount).elementsEqual(
        UnsafeBufferPointer(start: suffix.utf8Start, count: suffix.utf8CodeUnitCount))
  }
}

extension URLQuery {
  /// The name of the only parameter with an expression that isn't just names; nil if there is none or several.
  ///
  /// It locates an expression without a value, because databases don't report where such an error comes from.
  package var onlyExpression: String? {
    let found = parameters.compactMap { parameter -> String? in
      guard let name = try? decodedName(parameter) else { return nil }
      let known = RequestParameter.all.first { name == $0.name || name.hasSuffix("." + $0.name) }
      switch known?.value {
      case .namedExpressions, .fields, .expression, .expressions, .sort:
        return value(parameter).utf8.allSatisfy(Self.charactersOfNames.contains) ? nil : name
      // The name of a column, whose value is a literal.
      case nil: return name
      case .includes, .boolean, .count, .pattern, .cursor, .words: return nil
      }
    }
    return found.count == 1 ? found.first : nil
  }

  /// The characters of names, and what stands between them.
  private static let charactersOfNames = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.,-".utf8)
}
