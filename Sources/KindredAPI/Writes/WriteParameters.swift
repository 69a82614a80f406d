import KindredHTTP
import KindredModel
import KindredRequests
import OrderedCollections

/// The parameters of a write: what it returns, and which records it changes.
struct WriteParameters {
  /// The parameters that shape a record.
  private(set) var shaping = QueryParameters([])
  /// The columns by which existing records are found, empty for the primary key; nil if the query doesn't say.
  private(set) var conflictColumns: [String]?
  /// The same of nested records.
  private(set) var nestedConflicts: [QueryParameters.Parameter] = []
  /// The parameters that compute columns.
  private(set) var computing: [QueryParameters.Parameter] = []
  /// The parameters that select the records of a bulk change, and the ones that shape them.
  private(set) var selecting = QueryParameters([])

  /// The parameter that names a unique key.
  static let conflictName = "onConflict"
  private static let shapingNames = ["include", "join", "annotate", "fields"]
  /// Parameters that make no sense in a bulk change.
  private static let readingNames = [
    "sort", "offset", "distinct", "group", "after", "before", "count", "explain",
    "format",
  ]

  /// Whether they change what a record of the answer has.
  var shapeRecords: Bool { !shaping.parameters.isEmpty }

  /// The purpose of a write: only a bulk change has conditions, and only changes are computed.
  enum Purpose: Equatable {
    case adding
    case upsert(WritePreferences.Resolution)
    case changing, changingMany, deletingMany
    /// A replacement, or a link of one record.
    case replacing
    /// A replacement of all links.
    case linking
    case deleting

    init(of method: HTTPMethod, isSingle: Bool, _ resolution: WritePreferences.Resolution?) {
      switch method {
      case .patch: self = isSingle ? .changing : .changingMany
      case .put: self = isSingle ? .replacing : .linking
      case .post: self = resolution.map { .upsert($0) } ?? .adding
      default: self = isSingle ? .deleting : .deletingMany
      }
    }

    /// Whether the write changes records that are there.
    fileprivate var changes: Bool {
      switch self {
      case .upsert(.merge), .changing, .changingMany: true
      case .upsert(.ignore), .adding, .replacing, .linking, .deleting, .deletingMany: false
      }
    }

    /// Whether the write selects the records that it is about.
    var isOfMany: Bool { self == .changingMany || self == .deletingMany }

    /// Whether records that are there are found by a unique key.
    fileprivate var findsRecords: Bool {
      if case .upsert = self { true } else { self == .linking }
    }

    /// Whether the content may hold nested records.
    fileprivate var hasTrees: Bool { !isOfMany && self != .deleting }
  }

  /// - Parameter query: The parameters of the URL.
  /// - Throws: `RequestError` for a parameter without a meaning here.
  init(_ query: URLQuery, of resource: WrittenResource, for purpose: Purpose) throws {
    for parameter in try QueryParameters(query).parameters {
      if parameter.name == ComputedChange.parameter, purpose.changes {
        computing.append(parameter)
        continue
      }
      if parameter.kind == Self.conflictName, !parameter.node.isEmpty, purpose.hasTrees {
        nestedConflicts.append(parameter)
        continue
      }
      if purpose.isOfMany { selecting.parameters.append(parameter) }
      // The name of a column may contain a dot.
      let isOfNode = !parameter.node.isEmpty && !resource.columns.contains(named: parameter.name)
      guard !isOfNode, !Self.shapingNames.contains(parameter.kind) else {
        shaping.parameters.append(parameter)
        continue
      }
      if purpose.findsRecords, parameter.kind == Self.conflictName {
        conflictColumns = (conflictColumns ?? []) + parameter.columns
      } else if !purpose.isOfMany || Self.readingNames.contains(parameter.kind) {
        // `FetchRequestParser` parses the conditions.
        throw Self.refusal(of: parameter, for: purpose)
      }
    }
  }

  private static func refusal(of parameter: QueryParameters.Parameter, for purpose: Purpose) -> RequestError {
    let origin = Origin(parameter: parameter.name)
    if parameter.kind == conflictName {
      return RequestError(
        .invalidValue,
        "`onConflict` requires `Prefer: resolution=merge-duplicates` or `resolution=ignore-duplicates`",
        at: origin)
    }
    if parameter.name == ComputedChange.parameter, purpose == .adding || purpose == .upsert(.ignore) {
      return RequestError(
        .invalidValue,
        "`set` computes columns of records that are there: with PATCH, and with POST and `Prefer: resolution=merge-duplicates`",
        at: origin)
    }
    let names = shapingNames.joined(separator: ", ")
    if RequestNode.rootParameterNames.contains(parameter.kind) {
      return RequestError(
        .invalidValue, "a write accepts only \(names); leave out `\(parameter.kind)`", at: origin
      )
    }
    return RequestError.unknown(
      parameter.kind, .unknownParameter, "writes have no parameter `\(parameter.kind)`",
      among: shapingNames + (purpose.findsRecords ? [conflictName] : [])
        + (purpose.changes ? [ComputedChange.parameter] : []), at: origin)
  }
}

extension WrittenResource {
  /// Returns the columns of a unique key, in the client's order.
  ///
  /// - Parameters:
  ///   - names: The names of the columns; empty for the primary key.
  ///   - parameter: The parameter that names them.
  /// - Throws: `RequestError` if the columns aren't a unique key.
  func uniqueKey(_ names: [String], of parameter: String) throws -> [String] {
    let origin = Origin(parameter: parameter)
    let names = names.isEmpty ? keyColumns : names
    for name in names where !columns.contains(named: name) {
      throw RequestError.unknown(
        name, .unknownColumn, "`\(name)` is not a column of \(self.name)", among: columns.map(\.name),
        at: origin
      )
    }
    // The content doesn't determine the value of such a column, so it can't find a record.
    if let name = names.first(where: { table.column(named: $0)?.isGenerated ?? false }) {
      throw RequestError(
        .invalidValue, "`\(name)` is computed from other columns; name a key that can be written", at: origin)
    }
    let keys = OrderedSet((table.isKeyUnchecked ? [] : [table.primaryKey]) + table.uniqueKeys).map { key in
      key.map { table.columns[$0].name }
    }
    guard !names.isEmpty else {
      throw RequestError(
        .invalidValue, "\(self.name) has no primary key; name a unique key with `\(parameter)`", at: origin)
    }
    guard keys.contains(where: { !$0.isEmpty && NameSet($0) == NameSet(names) && $0.count == names.count })
    else {
      let shown = keys.filter { key in
        !key.isEmpty && key.allSatisfy { columns.first(named: $0)?.isGenerated == false }
      }
      .map { $0.joined(separator: ",") }
      let mend =
        shown.isEmpty ? "it has none" : "its keys are \(shown.map { "`\($0)`" }.joined(separator: " and "))"
      throw RequestError(
        .invalidValue, "`\(names.joined(separator: ","))` is not a unique key of \(self.name); \(mend)",
        at: origin,
        suggestions: shown)
    }
    return names
  }
}

extension QueryParameters.Parameter {
  /// The names of columns, separated by commas; none if it is empty.
  var columns: [String] {
    value.isEmpty ? [] : value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }
}
