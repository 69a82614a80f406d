import KindredModel
import KindredHTTP
import KindredOutput
import KindredSQLSyntax
import KindredRequests

/// A URL split into its literals and the rest, its shape: requests of the same shape can share a plan.
///
/// It is found in one pass over the bytes, far more cheaply than by parsing. It needn't be exact: a plan is shared only
/// after the parser has found the same literals.
struct RequestShape {
  /// The bytes of a URL with marks in place of its literals.
  struct Pattern: Hashable {
    fileprivate(set) var bytes: [UInt8] = []

    /// Hashes all bytes at once: an array would be hashed byte by byte.
    func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
  }

  private(set) var pattern = Pattern()
  private(set) var literals: [SQLValue] = []
  /// The patterns of the root's searches, which are also literals.
  private var patterns: [String] = []
  /// Whether this pass understood everything; false if only the parser does.
  private(set) var isShareable = true
  private var limit: Int64?
  private var after: String?
  let type: MediaType
  private let segments: [Substring]
  private let query: Substring
  /// The resource that the path leads to.
  private var resource: ShapeVocabulary.Resource?
  /// Whether the path leads to one record.
  private var isSingle = false
  private let parameters: NameDictionary<QueryParameter.Kind>
  private let principal: Principal

  /// Bytes that stand for literals, and that no URL of a shape contains.
  private enum Mark {
    static let text: UInt8 = 1
    static let integer: UInt8 = 2
    static let cursor: UInt8 = 3
    static let limit: UInt8 = 4
    /// The bytes that are reserved for marks; the content of `QUERY` may contain them.
    static let reserved: ClosedRange<UInt8> = 0...0x1F
  }

  init(of records: RecordsQuery, vocabulary: ShapeVocabulary, limits: RequestLimits) {
    let (segments, query) = (records.segments, records.query)
    principal = records.principal
    type = records.type
    self.query = query.text
    self.segments = segments
    parameters = vocabulary.parameters
    pattern.bytes.reserveCapacity(
      segments.reduce(0) { $0 + $1.utf8.count + 1 } + query.text.utf8.count + 32)
    addPath(segments, vocabulary)
    addQuery(query)
    addLimit(type.isUnpaged ? nil : limits.maximumPageSize, byDefault: type.isUnpaged ? nil : limits.pageSize)
  }

  /// Adds the page's limit as the last literal, wherever it stands in the request, or the default.
  private mutating func addLimit(_ maximumPageSize: Int64?, byDefault pageSize: Int64?) {
    if let maximumPageSize, let limit, limit > maximumPageSize { isShareable = false }
    if limit == nil, !isSingle { limit = pageSize }
    guard let limit else { return }
    pattern.bytes.append(Mark.limit)
    literals.append(.integer(limit))
  }

  /// The key of the plan that requests of this shape share.
  var sharedContent: PlanKey.Content { .shape(pattern, type) }

  /// The key of a plan for exactly this request.
  var ownContent: PlanKey.Content {
    .request(path: segments, query: query, type, standing: principal.standing)
  }

  /// Returns a request with the plan of `shared` and the literals of this shape, or nil if the plan doesn't fit.
  func applied(to shared: PlannedRequest, _ cursors: CursorCoding) -> PlannedRequest? {
    guard shared.literalCount == literals.count else { return nil }
    let order = RequestOrder(
      segments: segments, terms: shared.order.terms, patterns: patterns, principal: principal.standing)
    var parameters = Parameters(
      literals: literals, cursor: nil, claims: principal.claims)
    if let after {
      guard let cursor = try? cursors.decode(after, for: order.associatedData),
        let planned = shared.parameters.cursor, planned.hasShape(of: cursor)
      else { return nil }
      parameters.cursor = cursor
    }
    return PlannedRequest(
      sharing: shared, parameters: parameters, limit: limit.map { Int($0) } ?? shared.limit, order: order)
  }

  // MARK: The path

  /// Walks the path as its parser does: resources and associations are part of the shape, keys are literals.
  private mutating func addPath(_ segments: [Substring], _ vocabulary: ShapeVocabulary) {
    guard let first = segments.first, var resource = vocabulary.resources[String(first)] else {
      isShareable = false
      return
    }
    pattern.bytes += first.utf8
    var isOne = false
    for segment in segments.dropFirst() {
      pattern.bytes.append(UInt8(ascii: "/"))
      if isOne {
        guard let association = resource.associations[String(segment)],
          let destination = vocabulary.resources[association.destination]
        else {
          isShareable = false
          return
        }
        pattern.bytes += segment.utf8
        resource = destination
        isOne = association.isToOne
      } else {
        guard resource.hasKey, !segment.contains(byte: UInt8(ascii: "=")),
          let text = try? URLCoding.decode(segment), let literal = resource.keyLiteral(for: text)
        else {
          isShareable = false
          return
        }
        pattern.bytes.append(Mark.text)
        literals.append(literal)
        isOne = true
      }
    }
    self.resource = resource
    isSingle = isOne
  }

  // MARK: The query

  private mutating func addQuery(_ query: URLQuery) {
    pattern.bytes.append(UInt8(ascii: "?"))
    var text = query.text
    text.withUTF8 { bytes in
      for parameter in query.parameters { add(parameter, of: bytes) }
    }
  }

  private mutating func add(_ parameter: URLQuery.Parameter, of bytes: UnsafeBufferPointer<UInt8>) {
    let name = bytes[parameter.start..<parameter.nameEnd]
    let value = bytes[parameter.value]
    if bytes[parameter.start..<parameter.end].contains(where: Mark.reserved.contains) { isShareable = false }
    // Only the parser decodes names.
    if parameter.isEncoded { isShareable = false }
    if name.equals("limit"), let number = Self.integer(value) {
      // Only the parser refuses a second one.
      if limit != nil { isShareable = false }
      limit = number
      return
    }
    pattern.bytes.append(contentsOf: UnsafeBufferPointer(rebasing: name))
    pattern.bytes.append(UInt8(ascii: "="))
    let kind = name.lastIndex(of: UInt8(ascii: ".")).map { name[($0 + 1)...] } ?? name
    if kind.equals("limit") || kind.equals("offset"), let number = Self.integer(value) {
      pattern.bytes.append(Mark.integer)
      literals.append(.integer(number))
    } else if name.equals("after") {
      pattern.bytes.append(Mark.cursor)
      after = Self.text(value)
      if after == nil { isShareable = false }
    } else if kind.equals("filter") || kind.equals("having") {
      addExpression(Array(value))
    } else if kind.equals("search"), let text = Self.text(value), !text.utf8.contains(0) {
      pattern.bytes.append(Mark.text)
      literals.append(.text(text))
      if name.equals("search") { patterns.append(text) }
    } else if let literal = parameterLiteral(of: kind, isOfRoot: kind.count == name.count, value)
      ?? literal(of: name, value)
    {
      pattern.bytes.append(Mark.text)
      literals.append(literal)
    } else {
      pattern.bytes.append(contentsOf: UnsafeBufferPointer(rebasing: value))
    }
    pattern.bytes.append(UInt8(ascii: "&"))
  }

  /// Returns the value of a parameter of a common table expression, or nil if there is none of this name.
  ///
  /// Only the parser knows whether the node has it.
  private func parameterLiteral(
    of bytes: Slice<UnsafeBufferPointer<UInt8>>, isOfRoot: Bool, _ value: Slice<UnsafeBufferPointer<UInt8>>
  ) -> SQLValue? {
    guard !parameters.values.isEmpty else { return nil }
    let name = String(decoding: bytes, as: UTF8.self)
    guard let kind = parameters[name], !isOfRoot || resource?.hasParameter(name) ?? false else { return nil }
    return Self.text(value).flatMap(kind.value)
  }

  /// Returns what a column must equal, or nil if the name isn't a column's or only the parser understands it.
  private func literal(
    of name: Slice<UnsafeBufferPointer<UInt8>>, _ value: Slice<UnsafeBufferPointer<UInt8>>
  ) -> SQLValue? {
    guard let column = resource?.column(named: name) else { return nil }
    return Self.text(value).map { column.literal(for: $0) }
  }

  private static func text(_ value: some Collection<UInt8>) -> String? {
    try? URLCoding.decode(Substring(decoding: value, as: UTF8.self), plusIsSpace: true)
  }

  private static func integer(_ digits: some Collection<UInt8>) -> Int64? {
    guard !digits.isEmpty, digits.count <= 15 else { return nil }
    var value: Int64 = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { return nil }
      value = value * 10 + Int64(digit - 0x30)
    }
    return value
  }

  /// Adds an expression: quoted strings and plain integers are literals, everything else is part of the shape.
  private mutating func addExpression(_ value: [UInt8]) {
    var index = 0
    var isInName = false
    var isAfterMinus = false
    while index < value.count {
      let (byte, length) = Self.decoded(value, at: index)
      defer { isAfterMinus = byte == UInt8(ascii: "-") || isAfterMinus && Self.isSpace(byte, length) }
      if byte == UInt8(ascii: "'") {
        guard let end = Self.endOfString(value, from: index + length),
          let text = try? URLCoding.decode(
            Substring(decoding: value[(index + length)..<end.content], as: UTF8.self), plusIsSpace: true)
        else {
          isShareable = false
          return
        }
        pattern.bytes.append(Mark.text)
        literals.append(.text(text.replacing("''", with: "'")))
        index = end.next
        isInName = false
      } else if byte == UInt8(ascii: "\"") {
        // The content of a quoted name isn't a literal.
        guard
          let end = value[(index + length)...].indices.first(where: {
            Self.decoded(value, at: $0).byte == UInt8(ascii: "\"")
          })
        else {
          isShareable = false
          return
        }
        pattern.bytes += value[index..<end]
        pattern.bytes.append(UInt8(ascii: "\""))
        index = end + Self.decoded(value, at: end).length
        isInName = true
      } else if length == 1, !isInName, (0x30...0x39).contains(byte) {
        let end = value[index...].firstIndex { !(0x30...0x39).contains($0) } ?? value.count
        let next = end < value.count ? Self.decoded(value, at: end).byte : 0
        if !Self.isNameByte(next), let number = Self.integer(value[index..<end]) {
          pattern.bytes.append(Mark.integer)
          // As the parser does, except after an operator between two terms, where the literals differ and no plan is
          // shared. Those of `-0` wouldn't.
          if isAfterMinus, number == 0 { isShareable = false }
          literals.append(.integer(isAfterMinus ? -number : number))
        } else {
          // The digits are part of another token, such as `1.5` or `1e3`.
          pattern.bytes += value[index..<end]
          isInName = true
        }
        index = end
      } else {
        pattern.bytes += value[index..<(index + length)]
        isInName = Self.isNameByte(byte)
        index += length
      }
    }
  }

  /// Whether a byte next to a digit makes it part of something other than a plain integer.
  private static func isNameByte(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte >= 0x80
      || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "$")
  }

  /// Whether a byte of a query, which takes so many bytes in it, is white space.
  private static func isSpace(_ byte: UInt8, _ length: Int) -> Bool {
    byte <= UInt8(ascii: " ") || byte == UInt8(ascii: "+") && length == 1
  }

  /// Returns the decoded byte at an index, and the number of bytes that it takes in the URL.
  private static func decoded(_ value: [UInt8], at index: Int) -> (byte: UInt8, length: Int) {
    URLCoding.escape(in: value, at: index).map { ($0, 3) } ?? (value[index], 1)
  }

  /// Returns where a string's content ends and where the rest begins; a doubled quote stands for one.
  private static func endOfString(_ value: [UInt8], from start: Int) -> (content: Int, next: Int)? {
    var index = start
    while index < value.count {
      let (byte, length) = decoded(value, at: index)
      let next = index + length
      if byte == UInt8(ascii: "'") {
        guard next < value.count, case let (second, more) = decoded(value, at: next), second == byte else {
          return (index, next)
        }
        index = next + more
      } else {
        index = next
      }
    }
    return nil
  }
}
