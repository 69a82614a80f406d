import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// The inputs of a batch: an array for each column that it reads from the parents, and the number of each parent.
struct BatchInputs {
  static let table: SQL = "\(identifier: "kindred:above")"
  static let number = SQL.term("\(table).\(identifier: "kindred:n")")

  private(set) var columns: [SQL.Binding] = []
  private var types: [String] = []
  /// The literals that are the key of a record, where each of the parents has another one.
  private let keys: Set<Int>

  init(keys: Set<Int> = []) { self.keys = keys }

  /// A placeholder for the source until all columns are known.
  static let place = SQL.term("unnest")

  private static func name(_ number: Int) -> SQL { "\(identifier: "kindred:\(number)")" }

  /// Returns an expression that reads the parents from the inputs.
  mutating func localized(_ sql: SQL) -> SQL {
    sql.replacingBindings { binding, type in
      switch binding {
      case .ancestor: break
      case .parameter(let number) where keys.contains(number): break
      default: return nil
      }
      let type = type ?? "text"
      // `unnest` would flatten an array of arrays completely.
      let isArray = type.hasSuffix("[]")
      let number =
        columns.firstIndex(of: binding)
        ?? {
          columns.append(binding)
          types.append(isArray ? "text" : type)
          return columns.count - 1
        }()
      let value: SQL = "\(Self.table).\(Self.name(number))"
      return isArray ? "(\(value)::\(SQL(trusted: type)))" : value
    }
  }

  /// Returns the condition that a column has a value of any parent, for a link to the value of one; nil if the link reads
  /// more than that.
  mutating func condition(for colocation: Colocation) -> SQL? {
    var read: [(binding: SQL.Binding, type: String?)] = []
    _ = colocation.originColumn.replacingBindings { binding, type in
      read.append((binding, type))
      return nil
    }
    guard read.count == 1, case .ancestor = read[0].binding, let type = read[0].type else { return nil }
    _ = localized(colocation.originColumn)
    guard let number = columns.firstIndex(of: read[0].binding) else { return nil }
    return "\(colocation.column) = ANY(\(SQL.bound(to: .batch(number), as: "\(type)[]")))"
  }

  /// The parents in a `FROM` clause: `unnest(…) WITH ORDINALITY AS above(…)`.
  var source: SQL {
    let arrays = types.enumerated().map { SQL.bound(to: .batch($0), as: "\($1)[]") }
    let names = columns.indices.map(Self.name) + ["\(identifier: "kindred:n")"]
    return
      "unnest(\(arrays.joined(separator: ", "))) WITH ORDINALITY AS \(Self.table)(\(names.joined(separator: ", ")))"
  }
}
