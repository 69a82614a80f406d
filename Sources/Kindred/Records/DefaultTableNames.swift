import Synchronization

/// The names of the tables of types that don't declare one, found once for each type.
enum DefaultTableNames {
  private static let names = Mutex<[ObjectIdentifier: String]>([:])

  /// Returns the name of the table of a type.
  static func name<Record>(of type: Record.Type) -> String {
    if let known = names.withLock({ $0[ObjectIdentifier(type)] }) { return known }
    let name = defaultTableName(of: String(String(describing: type).prefix { $0 != "<" }))
    names.withLock { $0[ObjectIdentifier(type)] = name }
    return name
  }
}

/// Returns the default table name for a type: its leading capitals become lower case, except the last of several if
/// a lower-case letter follows it.
func defaultTableName(of type: String) -> String {
  let capitals = type.prefix { $0.isUppercase }
  let rest = type[capitals.endIndex...]
  guard capitals.count > 1, rest.first?.isLowercase == true, let last = capitals.last else {
    return capitals.lowercased() + rest
  }
  return capitals.dropLast().lowercased() + String(last) + rest
}
