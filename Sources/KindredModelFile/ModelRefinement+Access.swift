import KindredModel

extension ModelRefinement {
  /// Returns the access rules of a resource, with the columns in their spelling.
  func access(_ definitions: [ModelFile.AccessDefinition], to resource: Resource) throws -> ResourceAccess {
    var access = ResourceAccess([:])
    for definition in definitions {
      let fields = try definition.fields.map { try $0.map { try column($0, of: resource) } }
      let entry = AccessEntry(
        roles: definition.roles.map { NameSet($0.map(\.value)) }, rows: definition.rows?.value,
        fields: fields.map { NameSet($0) })
      for verb in definition.verbs { access.entries[verb, default: []].append(entry) }
    }
    return access
  }
}
