import KindredModel

/// What a server says to its owner about who may do what: at its start, and what changes with the schema.
struct AccessReport {
  let model: Model
  /// How clients authenticate; nil if the configuration doesn't say.
  let configuration: AccessConfiguration?
  let isWritable: Bool

  /// What may not be intended, one line each.
  var warnings: [String] {
    model.accessWarnings + closed + unused + openings.filter(\.isUnrestricted).flatMap(writersToOpen)
  }

  /// What everybody may do, one line each.
  var notices: [String] {
    guard model.hasAccess else { return withoutAccess.map { [$0] } ?? [] }
    return lines(of: openings) + callable
  }

  /// The actions that clients without credentials may call.
  private var callable: [String] {
    guard isWritable else { return [] }
    let names = model.seen(by: configuration?.anonymousRoles ?? []).actions.keys
    return names.isEmpty
      ? [] : ["everybody, also without credentials, may call \(names.joined(separator: ", "))"]
  }

  /// Returns what is new since another report, warnings and notices.
  func changes(since old: AccessReport) -> (warnings: [String], notices: [String]) {
    let known = Set(old.warnings)
    let openBefore = Set(old.openings)
    return (
      warnings.filter { !known.contains($0) },
      lines(of: openings.filter { !openBefore.contains($0) }) + newColumns(since: old.model)
    )
  }

  // MARK: Closed

  /// The resources without access rules: one line names the ones that `access` of the file would open.
  private var closed: [String] {
    let others = model.closed.filter { $0.value != .noDefault }
    let undecided = model.closed.filter { $0.value == .noDefault }.map(\.key)
    let line =
      "what has no `access` section is closed since other resources have one: \(undecided.joined(separator: ", ")); to let everybody read it, add `access: { read: {} }` at the top level of the model file (views, full-text tables and queries over tables with `access` still need theirs), or `access: {}` to close it without this warning"
    return (undecided.isEmpty ? [] : [line]) + others.map { $0.value.line(of: $0.key) }
  }

  /// Credentials without any rules.
  private var unused: [String] {
    guard let configuration, configuration.databaseRoles == nil, isWritable, !model.hasAccess else {
      return []
    }
    return [
      "`access` of the configuration has no effect: the model file has no `access` section, so everybody may read and write; add `access` to it or to its resources"
    ]
  }

  // MARK: Open

  /// A verb of a resource that clients without credentials have.
  private struct Opening: Hashable {
    let verb: ResourceAccess.Verb
    let resource: ExactName
    /// Whether a rule leaves out some records.
    let hasRule: Bool

    /// Whether all records may be read.
    var isUnrestricted: Bool { verb == .read && !hasRule }
  }

  private var openings: [Opening] {
    guard model.hasAccess else { return [] }
    let anonymous = configuration?.anonymousRoles ?? []
    return ResourceAccess.Verb.allCases.filter { $0 == .read || isWritable }.flatMap { verb in
      model.resources.values.compactMap { resource in
        guard let entry = resource.access?.entry(verb, for: anonymous) else { return nil }
        return Opening(verb: verb, resource: ExactName(resource.name), hasRule: entry.rows != nil)
      }
    }
  }

  /// Returns a line for each verb.
  private func lines(of openings: [Opening]) -> [String] {
    ResourceAccess.Verb.allCases.compactMap { verb in
      let names = openings.filter { $0.verb == verb }.map {
        "\($0.resource)\($0.hasRule ? " (some records)" : "")"
      }
      guard !names.isEmpty else { return nil }
      return "everybody, also without credentials, may \(verb.rawValue) \(names.joined(separator: ", "))"
    }
  }

  /// What holds without access rules; nil where it is a warning.
  private var withoutAccess: String? {
    guard unused.isEmpty else { return nil }
    let verbs = isWritable ? "read and write" : "read"
    if configuration?.databaseRoles != nil {
      return "no `access` is configured: what clients may \(verbs) is up to the roles of the database"
    }
    return "no `access` is configured: everybody may \(verbs) everything"
  }

  /// Returns a warning if triggers of tables with access rules write to the table of a resource that everybody may read.
  private func writersToOpen(_ opening: Opening) -> [String] {
    guard let table = model.resources[opening.resource.text]?.table, !table.writers.isEmpty else { return [] }
    let restricted = model.resources.values.filter { resource in
      table.writers.contains(resource.table.name) && resource.table.name != table.name
        && resource.access?.entry(.read, for: configuration?.anonymousRoles ?? []).map { $0.rows != nil }
          ?? true
    }
    guard !restricted.isEmpty else { return [] }
    let names = Set(restricted.map { "`\($0.table.name)`" }).sorted().joined(separator: ", ")
    return [
      "everybody may read \(opening.resource), to which triggers of \(names) write, whose access is restricted; add `access` to \(opening.resource) unless it shows nothing of them"
    ]
  }

  // MARK: New columns

  /// Returns a line for each resource with columns that an entry without `fields` has opened.
  private func newColumns(since old: Model) -> [String] {
    guard model.hasAccess else { return [] }
    return model.resources.values.compactMap { resource in
      guard let before = old.resources[resource.name] else { return nil }
      let new = resource.storedColumns.map(\.name).filter { before.table.column(named: $0) == nil }
      let entries = (resource.access?.entries[.read] ?? []).filter { $0.fields == nil }
      guard !new.isEmpty, !entries.isEmpty else { return nil }
      let roles = entries.contains { $0.roles == nil } ? nil : NameSet(entries.flatMap { $0.roles ?? [] })
      let readers = roles.map { "the roles \($0.sorted().joined(separator: ", "))" } ?? "everybody"
      return
        "\(resource.name) has new columns, which \(readers) may read, as the `access` entry has no `fields`: \(new.joined(separator: ", "))"
    }
  }
}

/// The access rules for all resources fit none.
struct MisfittingAccess: Error, CustomStringConvertible {
  let lines: [String]

  var description: String {
    "\(lines.first ?? "`access` of the model file fits no resource")\(lines.count > 1 ? "; it fits no resource at all" : "")"
  }
}
