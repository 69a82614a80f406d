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
