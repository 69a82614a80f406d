import KindredModel
import KindredRequests
import OrderedCollections

/// The parameters of a write: what it returns, and which records it changes.
struct WriteParameters {
  /// The parameters that shape a record.
  private(set) var shaping = QueryParameters([])
  /// The columns by which existing records are found; nil if the query doesn't name any.
  private(set) var conflictColumns: [String]?

  private static let shapingNames = ["include", "join", "annotate", "fields"]
  /// Parameters that make no sense in a bulk change.
  private static let readingNames = [
    "sort", "offset", "distinct", "group", "after", "count", "explain", "format",
  ]

  /// The purpose of a write: only a bulk change has conditions.
  enum Purpose {
    case single, upsert, many
  }

  /// - Parameter query: The parameters of the URL.
  /// - Throws: `RequestError` for a parameter without a meaning here.
  init(_ query: URLQuery, of resource: WrittenResource, for purpose: Purpose) throws {
    for parameter in try QueryParameters(query).parameters {
      // The name of a column may contain a dot.
      let isOfNode = !parameter.node.isEmpty && !resource.columns.contains(named: parameter.name)
      guard !isOfNode, !Self.shapingNames.contains(parameter.kind) else {
        shaping.parameters.append(parameter)
        continue
      }
      switch purpose {
      case .upsert where parameter.kind == "onConflict":
        conflictColumns = parameter.value.split(separator: ",", omittingEmptySubsequences: false).map(
          String.init)
      case .many where !Self.readingNames.contains(parameter.kind):
        // `FetchRequestParser` parses the conditions.
        continue
      case .single, .upsert, .many:
        throw Self.refusal(of: parameter, for: purpose)
      }
    }
  }

  private static func refusal(of parameter: QueryParameters.Parameter, for purpose: Purpose) -> RequestError {
    let origin = Origin(parameter: parameter.name)
    if parameter.kind == "onConflict" {
      return RequestError(
        .invalidValue,
        "`onConflict` requires `Prefer: resolution=merge-duplicates` or `resolution=ignore-duplicates`",
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
      among: shapingNames + (purpose == .upsert ? ["onConflict"] : []), at: origin)
  }
}

extension WrittenResource {
  /// Returns the columns of a unique key, in the client's order.
  ///
  /// - Throws: `RequestError` if the columns aren't a unique key.
  func uniqueKey(_ names: [String]) throws -> [String] {
    let origin = Origin(parameter: "onConflict")
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
    let keys = OrderedSet([table.primaryKey] + table.uniqueKeys).map { key in
      key.map { table.columns[$0].name }
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
