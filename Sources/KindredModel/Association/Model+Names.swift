import KindredSQLSyntax

extension Model {
  /// Returns the error of a name that no resource has: the name of a table suggests its resource.
  package func unknownResource(_ name: String, at origin: Origin? = nil) -> RequestError {
    let message = "there is no resource `\(name)`"
    let ofTable = resources.values.first {
      $0.table.name.hasBytes(of: name) || $0.table.nameInSchema.hasBytes(of: name)
    }
    guard let ofTable else {
      return RequestError.unknown(
        name, message, resources: Array(resources.keys), actions: Array(actions.keys), at: origin)
    }
    return RequestError(
      .unknownResource, "\(message); the table `\(name)` is `\(ofTable.name)`", at: origin,
      suggestions: [ofTable.name])
  }

}

extension Model {
  /// Whether there are several tables, and neither the schema nor the model file relates any of them.
  public var lacksReferences: Bool {
    let whole = unrestricted
    var count = 0
    for resource in whole.resources.values {
      let table = resource.table
      guard resource.associations.isEmpty, table.references.isEmpty else { return false }
      if table.kind == .table || table.isKeyless { count += 1 }
    }
    return count > 1
  }

  /// What to do where ``lacksReferences``.
  public static let referencesHint =
    "no foreign keys are declared, so there are no associations; `kindred model DATABASE --guess` proposes some"

  /// Returns the error of a name that no association of a resource has.
  ///
  /// - Parameters:
  ///   - resource: The resource of the associations.
  ///   - names: The existing names.
  ///   - shown: Returns the text that replaces the unknown name, for a suggested name.
  package func unknownAssociation(
    _ name: String, _ message: String, of resource: Resource, among names: some Sequence<String>,
    at origin: Origin? = nil, shown: (String) -> String = { $0 }
  ) -> RequestError {
    var error = RequestError.unknown(
      name, .unknownAssociation, message, among: names, at: origin, shown: shown)
    error.hint =
      lacksReferences ? Self.referencesHint : resource.hint(ofMissing: name, leadingTo: resources[name])
    return error
  }
}

extension Resource {
  /// Returns what makes an association that the resource lacks; nil if the name alone may be wrong.
  ///
  /// - Parameter other: The resource that has the name.
  fileprivate func hint(ofMissing name: String, leadingTo other: Resource?) -> String? {
    let leadsThere = associations.values.contains { $0.destination.hasBytes(of: name) }
    let way = other?.associations.values.first {
      $0.kind == "belongsTo" && $0.destination.hasBytes(of: self.name)
    }
    if let way, !leadsThere {
      return
        "`\(way.key)` leads only from \(name) to \(self.name); an entry of `foreignKeys` in the model file leads both ways"
    }
    return associations.isEmpty
      ? "\(self.name) has no associations: the database's foreign keys and the model file make them" : nil
  }
}

extension RequestError {
  /// Returns the error of a name that neither a resource nor an action has; the ending of a format, as in other tools,
  /// suggests the parameter.
  fileprivate static func unknown(
    _ name: String, _ message: String, resources: [String], actions: [String], at origin: Origin?
  ) -> RequestError {
    // PostgREST calls functions by such a path.
    if name == "rpc" {
      var error = RequestError(.unknownResource, message, at: origin)
      error.hint =
        "functions are called by queries and actions of the model file, whose names stand alone, such as `/login`"
      return error
    }
    let parts = name.split(separator: ".")
    guard parts.count == 2, ["csv", "json", "ndjson", "html"].contains(parts[1]),
      resources.contains(where: { $0 == parts[0] })
    else { return unknown(name, .unknownResource, message, among: resources + actions, at: origin) }
    let url = "\(parts[0])?format=\(parts[1])"
    return RequestError(.unknownResource, "\(message); write `\(url)`", at: origin, suggestions: [url])
  }
}
