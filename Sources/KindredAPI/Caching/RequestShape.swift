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
  struct Pattern: ExactKey {
    var bytes: [UInt8] = []

    /// Hashes all bytes at once: an array would be hashed byte by byte.
    func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
  }

  var pattern = Pattern()
  var literals: [SQLValue] = []
  /// The values of expressions by their order, if equal ones are one literal; nil if they aren't.
  var distinctValues: [SQLValue: Int]?
  /// The patterns of the root's searches, which are also literals.
  private var patterns: [String] = []
  /// Whether this pass understood everything; false if only the parser does.
  var isShareable = true
  private var limit: Int64?
  /// The cursor of the page, and the parameter that contains it.
  private var cursor: (text: String, parameter: String)?
  let type: MediaType
  private let segments: [Substring]
  private let path: Substring
  private let query: URLQuery
  /// The resource that the path leads to.
  private var resource: ShapeVocabulary.Resource?
  /// Whether the path leads to one record.
  private var isSingle = false
  /// The column that the path ends with, and the texts of the key before it.
  private var column: (name: String, key: [String])?
  /// Whether there are literals in what determines the order.
  private var ordersByLiterals = false
  private let parameters: NameDictionary<QueryParameter.Kind>
  private let principal: Principal

  /// Bytes that stand for literals, and that no URL of a shape contains.
  enum Mark {
    static let text: UInt8 = 1
    static let integer: UInt8 = 2
    static let cursor: UInt8 = 3
    static let limit: UInt8 = 4
    static let real: UInt8 = 5
    static let blob: UInt8 = 6
    /// Around the number of an equal literal before.
    static let same: UInt8 = 7
    /// The bytes that are reserved for marks; the content of `QUERY` may contain them.
    static let reserved: ClosedRange<UInt8> = 0...0x1F
  }

  init(of records: RecordsQuery, vocabulary: ShapeVocabulary, limits: RequestLimits) {
    let (segments, query) = (records.segments, records.query)
    principal = records.principal
    type = records.type
    self.query = query
    path = records.path
    self.segments = segments
    parameters = vocabulary.parameters
    pattern.bytes.reserveCapacity(
      segments.reduce(0) { $0 + $1.utf8.count + 1 } + query.text.utf8.count + 32)
    addPath(segments, vocabulary)
    if query.comparesExpressions { distinctValues = [:] }
    addQuery(query)
    addLimit(type.isUnpaged ? nil : limits.maximumPageSize, byDefault: type.isUnpaged ? nil : limits.pageSize)
  }

  /// Creates the shape of the parameters that shape what a write returns: of single records, without a limit.
  init(of query: URLQuery, resource: String, vocabulary: ShapeVocabulary) {
    principal = .operator
    type = .json
    self.query = query
    (path, segments) = ("", [])
    parameters = vocabulary.parameters
    self.resource = vocabulary.resources[resource]
    if query.comparesExpressions { distinctValues = [:] }
    addQuery(query)
  }

  /// The parameters as they are, as the pattern of a plan that no others share.
  var ownPattern: Pattern {
    // No pattern of a shape begins so.
    Pattern(bytes: [Mark.limit] + query.text.utf8)
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
    .request(RequestKey(path: path, query, type), standing: principal.standing)
  }

  /// Returns a request with the plan of `shared` and the literals of this shape, or nil if the plan doesn't fit.
  func applied(to shared: PlannedRequest, _ cursors: CursorCoding) -> PlannedRequest? {
    guard shared.literalCount == literals.count else { return nil }
    let order = RequestOrder(
      segments: segments, terms: ordersByLiterals ? orderTerms : shared.order.terms, patterns: patterns,
      principal: principal.standing)
    var parameters = Parameters(
      literals: literals, cursor: nil, claims: principal.claims)
    if let cursor {
      guard
        let cursor = try? cursors.decode(cursor.text, in: cursor.parameter, for: order.associatedData),
        let planned = shared.parameters.cursor, planned.hasShape(of: cursor)
      else { return nil }
      parameters.cursor = cursor
    }
    return PlannedRequest(
      sharing: shared, parameters: parameters, limit: limit.map { Int($0) } ?? shared.limit,
      name: column.map { ([$0.name] + $0.key).joined(separator: "-") } ?? shared.name, order: order)
  }

  /// The parameters that determine the order, as the parser has them.
  private var orderTerms: [[String]] {
    guard let parameters = try? QueryParameters(query) else { return [] }
    return parameters.orderTerms
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
    var association: ShapeVocabulary.Association?
    var key: [String] = []
    for (index, segment) in segments.enumerated().dropFirst() {
      pattern.bytes.append(UInt8(ascii: "/"))
      if isOne {
        pattern.bytes += segment.utf8
        guard let found = resource.associations[String(segment)],
          let destination = vocabulary.resources[found.destination]
        else {
          guard index == segments.count - 1, resource.hasColumn(String(segment)) else {
            isShareable = false
            return
          }
          column = (String(segment), key)
          break
        }
        (resource, association, key) = (destination, found, [])
        isOne = found.isToOne
      } else {
        guard let texts = addKey(segment, of: resource, below: association) else {
          isShareable = false
          return
        }
        (key, isOne) = (texts, true)
      }
    }
    self.resource = resource
    isSingle = isOne
  }

  /// Adds a key, by position or by name, and returns its texts; nil if only the parser understands it.
  private mutating func addKey(
    _ segment: Substring, of resource: ShapeVocabulary.Resource,
    below association: ShapeVocabulary.Association?
  ) -> [String]? {
    let isNamed = segment.contains(byte: UInt8(ascii: "="))
    let values = isNamed || resource.isKeySplit ? segment.split(byte: UInt8(ascii: ",")) : [segment]
    let columns = isNamed ? [] : resource.keyColumns(count: values.count, below: association) ?? []
    guard isNamed || !columns.isEmpty else { return nil }
    var texts: [String] = []
    for (index, value) in values.enumerated() {
      var (value, column) = (value, index < columns.count ? columns[index] : nil)
      if isNamed {
        guard let sign = value.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        pattern.bytes += value[...sign].utf8
        column = (try? URLCoding.decode(value[..<sign])).flatMap { resource.column($0) }
        value = value[value.utf8.index(after: sign)...]
      }
      guard let column, column.hasOneCandidate, let text = try? URLCoding.decode(value),
        column.isCanonical(text)
      else { return nil }
      let literal = column.literal(for: text)
      pattern.bytes += [Mark.text, UInt8(ascii: ",")]
      literals.append(literal)
      if case .text(let text) = literal { texts.append(text) }
    }
    return texts
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
    } else if name.equals("after") || name.equals("before") {
      // The last page has no cursor.
      guard name.equals("after") || !value.isEmpty else { return pattern.bytes.append(UInt8(ascii: "&")) }
      pattern.bytes.append(Mark.cursor)
      let text = Self.text(value) ?? ""
      // Only the parser knows what is wrong.
      if text.isEmpty || cursor != nil { isShareable = false }
      cursor = (text, String(decoding: name, as: UTF8.self))
    } else if kind.isOfExpressions {
      let count = literals.count
      addExpression(Array(value))
      // Those of conditions only decide which records there are.
      if literals.count > count, !kind.equals("filter"), !kind.equals("having") { ordersByLiterals = true }
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
    return Self.text(value).flatMap { column.readsBoolean($0) ? nil : column.literal(for: $0) }
  }

  private static func text(_ value: some Collection<UInt8>) -> String? {
    try? URLCoding.decode(Substring(decoding: value, as: UTF8.self), plusIsSpace: true)
  }

  static func integer(_ digits: some Collection<UInt8>) -> Int64? {
    guard !digits.isEmpty, digits.count <= 15 else { return nil }
    var value: Int64 = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { return nil }
      value = value * 10 + Int64(digit - 0x30)
    }
    return value
  }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
  /// Whether a parameter of this kind has expressions.
  fileprivate var isOfExpressions: Bool {
    switch count {
    case 4: equals("sort")
    case 5: equals("group")
    case 6: equals("filter") || equals("having") || equals("fields") || equals("values")
    case 8: equals("annotate")
    default: false
    }
  }
}

extension Substring {
  /// Returns the parts between a byte, empty ones too.
  fileprivate func split(byte: UInt8) -> [Substring] {
    utf8.split(separator: byte, omittingEmptySubsequences: false).map { Substring($0) }
  }
}
