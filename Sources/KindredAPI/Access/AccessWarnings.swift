import KindredModel

/// Warns the owner of a server of access rules that don't restrict what they seem to.
struct AccessWarnings {
  let model: Model
  /// How clients authenticate; nil if the configuration doesn't say.
  let configuration: AccessConfiguration?
  let isWritable: Bool

  /// The warnings, one line each.
  var lines: [String] { model.accessWarnings + unused + secondResources }

  /// Credentials that restrict nobody.
  private var unused: [String] {
    guard let configuration, configuration.databaseRoles == nil, isWritable, !model.hasAccess else {
      return []
    }
    return [
      "`access` of the configuration has no effect: no resource of the model file has an `access` section, so everybody may read and write; add `access` to the resources"
    ]
  }

  /// Resources without rules that show the records of another one with rules.
  private var secondResources: [String] {
    let resources = model.resources.values
    let restricted = NameSet(resources.filter { $0.access != nil }.map(\.table.name))
    return resources.filter { $0.access == nil && restricted.contains($0.table.name) }.map {
      "\($0.name) has no `access` section, so everybody may read it, although it shows records of the table \($0.table.name), whose access is restricted; add `access` to \($0.name)"
    }
  }
}
