@testable import KindredModel

extension Model {
  /// The associations of a resource, each as a line.
  func keys(_ resource: String) -> [String] {
    resources[resource]?.associations.values.map { association in
      let columns = association.steps.map { step in
        (step.direction == .belongsTo ? step.originColumns : step.destinationColumns).joined(separator: ",")
      }
      return "\(association.key): \(association.kind) \(association.destination) by "
        + columns.joined(separator: ", ")
    } ?? []
  }
}

extension Table {
  /// A table of columns as `name`, `name*` (of the primary key), `name!` (unique), each with `-> table` or
  /// `-> table.column` where it refers; without `*`, there is an `id` that is the key.
  static func make(_ name: String, _ columns: [String] = []) -> Table {
    var names: [String] = []
    var primaryKey: [String] = []
    var unique: [[String]] = []
    var foreignKeys: [ForeignKey] = []
    for column in columns.contains(where: { $0.contains("*") }) ? columns : ["id*"] + columns {
      let parts = column.split(separator: " ")
      let name = String(parts[0].prefix { $0 != "*" && $0 != "!" })
      if !names.contains(name) {
        names.append(name)
        if parts[0].hasSuffix("*") { primaryKey.append(name) }
        if parts[0].hasSuffix("!") { unique.append([name]) }
      }
      if parts.count == 3 {
        let target = parts[2].split(separator: ".")
        foreignKeys.append(
          ForeignKey(
            columns: [name], destination: String(target[0]),
            destinationColumns: [target.count > 1 ? String(target[1]) : "id"]))
      }
    }
    func positions(_ key: [String]) -> [Int] { key.compactMap { names.firstIndex(of: $0) } }
    return Table(
      name: name, kind: .table, columns: names.map { Column(name: $0) }, primaryKey: positions(primaryKey),
      uniqueKeys: ([primaryKey] + unique).map(positions), foreignKeys: foreignKeys)
  }
}
