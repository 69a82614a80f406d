import KindredModel
import KindredPlanning
import KindredRequests

/// How nested records find existing ones (`tags.onConflict=name`).
struct NestedConflicts: Sendable {
  /// The unique key by which records are found, and what happens to them.
  struct Conflict: Sendable {
    let key: [String]
    let resolution: WritePreferences.Resolution
  }

  private var conflicts: [[String]: Conflict] = [:]

  /// Nested records are new ones.
  init() {}

  /// - Parameters:
  ///   - parameters: The parameters of nodes.
  ///   - resolution: What happens to records of the root that are there.
  /// - Throws: `RequestError` if one doesn't lead to records that can be written, or names no unique key of theirs.
  init(
    _ parameters: [QueryParameters.Parameter], below root: WrittenResource,
    _ resolution: WritePreferences.Resolution?, in version: ModelVersion
  ) throws {
    var columns: [[String]: (parameter: String, names: [String])] = [:]
    for parameter in parameters {
      columns[parameter.node, default: (parameter.name, [])].names += parameter.columns
    }
    for (path, (parameter, names)) in columns {
      let resource = try Self.resource(at: path, below: root, in: version, Origin(parameter: parameter))
      conflicts[path] = Conflict(
        key: try resource.uniqueKey(names, of: parameter), resolution: resolution ?? .merge)
    }
  }

  /// Returns how the records at a path of associations are found; nil if they are new.
  subscript(_ path: [String]) -> Conflict? { conflicts[path] }

  private static func resource(
    at path: [String], below root: WrittenResource, in version: ModelVersion, _ origin: Origin
  ) throws -> WrittenResource {
    var resource = root
    for key in path {
      guard let association = resource.resource.associations[key] else {
        throw RequestError.unknown(
          key, .unknownNode, "\(resource.name) has no association `\(key)`",
          among: resource.resource.associations.keys, at: origin)
      }
      guard association.linkage(in: version.model) != nil,
        let destination = version.model.resources[association.destination]
      else {
        throw RequestError(
          .invalidValue, "`\(key)` can't be written, since it doesn't correspond to single records",
          at: origin)
      }
      resource = version.written(destination)
    }
    return resource
  }
}
