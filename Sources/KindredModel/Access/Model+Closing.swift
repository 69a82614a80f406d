/// What has no access rules, once access is configured.
extension Model {
  /// Gives the resources without access rules those for all resources, and closes the others.
  ///
  /// Views, full-text tables, queries and second resources of a table that show records of tables with rules of their
  /// own need theirs.
  ///
  /// - Parameters:
  ///   - hasDefault: Whether the model file has access rules for all resources.
  ///   - read: Determines what views and queries read.
  ///   - fitted: Returns the access rules for all resources as those of one; throws what it lacks.
  package mutating func close(
    hasDefault: Bool, _ read: inout TableDependencies,
    fitted: (Resource) throws(ClosingReason.Misfit) -> ResourceAccess
  ) throws {
    let open = resources.values.filter { $0.access == nil }
    guard hasDefault else {
      for resource in open { close(resource.name, .noDefault) }
      return
    }
    let restricted = try tablesWithAccess(&read)
    var fitting = 0
    // The queries whose rows are records of a resource come after it.
    for resource in open.filter({ $0.records == nil }) + lent(open) {
      if let reason = try reasonToClose(resource, restricted, &read) {
        close(resource.name, reason)
        continue
      }
      if let lender = resource.records?.destination {
        let access = resources[lender]?.access ?? ResourceAccess([:])
        resources[resource.name]?.access = resource.followingRecords(access)
        continue
      }
      do throws(ClosingReason.Misfit) {
        resources[resource.name]?.access = try fitted(resource)
        fitting += 1
      } catch {
        close(resource.name, .misfit(error.reason))
        accessMisfits.append(error.line)
      }
    }
    fitsNoResource = fitting == 0 && !accessMisfits.isEmpty
  }

  /// Adds a warning for each association through a table that the model file removes, with the roles that see its links.
  package mutating func nameLinksThroughRemoved() {
    let served = NameSet(resources.values.map(\.table.name))
    for resource in resources.values {
      for association in resource.associations.values {
        let removed = association.steps.dropLast().map(\.destination).filter { !served.contains($0) }
        guard let table = removed.first, let destination = resources[association.destination],
          let readers = readers(of: [resource, destination])
        else { continue }
        accessWarnings.append(
          "\(resource.name).\(association.key) leads through the table `\(table)`, which the model file removes, so no rules apply to its links: \(readers) may read them; remove the association from \(resource.name) with `associations: { \(association.key): null }` unless that is intended"
        )
      }
    }
  }

  /// Returns who may read all of some resources; nil if no client may.
  private func readers(of resources: [Resource]) -> String? {
    func mayRead(_ roles: NameSet) -> Bool {
      resources.allSatisfy { $0.access?.number(of: .read, for: roles) != nil }
    }
    if mayRead([]) { return "everybody" }
    let roles = accessVocabulary.roles.filter { mayRead([$0]) }.sorted()
    guard !roles.isEmpty else { return nil }
    return "\(roles.count == 1 ? "the role" : "the roles") \(roles.joined(separator: ", "))"
  }

  private mutating func close(_ resource: String, _ reason: ClosingReason) {
    resources[resource]?.access = ResourceAccess([:])
    closed[resource] = reason
  }

  /// Returns the queries whose rows are records of resources, after these.
  private func lent(_ open: [Resource]) -> [Resource] {
    var waiting = open.filter { $0.records != nil }
    var ordered: [Resource] = []
    while !waiting.isEmpty {
      let names = NameSet(waiting.map(\.name))
      let next = waiting.partition { !names.contains($0.records?.destination ?? "") }
      // None leads back to itself, as the model file is checked for that.
      guard next < waiting.count else { break }
      ordered += waiting[next...]
      waiting.removeSubrange(next...)
    }
    return ordered + waiting
  }

  /// Returns why a resource doesn't get the access rules for all resources; nil if it does.
  private func reasonToClose(
    _ resource: Resource, _ restricted: NameSet, _ read: inout TableDependencies
  ) throws -> ClosingReason? {
    if let lender = resource.records?.destination, closed[lender] != nil { return .recordsOf(lender) }
    let own = resource.table.dependencyName
    if restricted.contains(own) { return .shows([resource.table.name]) }
    guard !restricted.isEmpty, resource.table.showsOthers else { return nil }
    guard let found = try read.tables(readBy: resource.table) else { return .mayReadAny }
    let shown = restricted.filter(found.contains).sorted()
    return shown.isEmpty ? nil : .shows(shown)
  }

  /// Returns the tables of the resources that have access rules, and the tables that these show and that aren't served
  /// themselves: views of one table that isn't served are views of one another.
  private func tablesWithAccess(_ read: inout TableDependencies) throws -> NameSet {
    let served = NameSet(resources.values.map(\.table.dependencyName))
    var tables = NameSet()
    for resource in resources.values where resource.access != nil && resource.records == nil {
      tables.insert(resource.table.dependencyName)
      guard resource.table.showsOthers else { continue }
      let found = try read.tables(readBy: resource.table) ?? []
      tables.formUnion(found.filter { !served.contains($0) })
    }
    return tables
  }
}

extension ClosingReason {
  /// What keeps the access rules for all resources from being those of one.
  package struct Misfit: Error {
    /// A clause that says what the resource lacks.
    let reason: String
    /// A line that names the place in the model file, too.
    let line: String

    /// Creates a misfit.
    package init(reason: String, line: String) { (self.reason, self.line) = (reason, line) }
  }
}

extension Table {
  /// The name by which dependencies name it: with its schema, where it has one.
  package var dependencyName: String { schema.map { "\($0).\(nameInSchema)" } ?? name }

  /// Whether its rows are those of other tables.
  package var showsOthers: Bool {
    switch kind {
    case .view, .virtual, .commonTableExpression: true
    case .table: sharesRows
    case .ofRequest: false
    }
  }
}

/// Why a resource without access rules is closed although others have some.
public enum ClosingReason: Sendable, Hashable {
  /// The model file has no access rules for resources without any.
  case noDefault
  /// It shows records of these tables, which have access rules.
  case shows([String])
  /// It may read any table, because it calls a function of the database's own.
  case mayReadAny
  /// Its rows are records of this resource, which is closed.
  case recordsOf(String)
  /// The access rules for all resources name what it lacks.
  case misfit(String)

  /// Returns a line for the log that says why a resource is closed, and what opens it.
  public func line(of resource: String) -> String {
    switch self {
    case .noDefault:
      "\(resource) is closed: it has no `access` section; add `\(resource): { access: { read: {} } }` to the `resources` of the model file to let everybody read it"
    case .shows(let tables):
      "\(resource) is closed: it has no `access` section, and shows records of \(Self.list(tables)), whose access is restricted; add `access` to \(resource)"
    case .mayReadAny:
      "\(resource) is closed: it has no `access` section, and may read any table, of which some have restricted access; add `access` to \(resource)"
    case .recordsOf(let lender):
      "\(resource) is closed: its rows are records of \(lender), which is closed; add `access` to \(lender)"
    case .misfit(let reason):
      "\(resource) is closed: the `access` of the model file doesn't fit it, because \(reason); add `access` to \(resource)"
    }
  }

  private static func list(_ names: [String]) -> String {
    names.map { "`\($0)`" }.joined(separator: ", ")
  }
}
