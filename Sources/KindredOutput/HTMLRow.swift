import KindredAssociations

/// What the rows of a table have: cells for values, cells for associations, and records below.
struct HTMLRow {
  let record: HTMLLayout.Record?
  /// The members that lead to it.
  let path: [String]
  /// The members that are shown in cells of their own.
  let values: [RecordShape.Member]
  /// The members that are records themselves.
  let records: [RecordShape.Member]
  /// By the name of a member, hidden ones too, where its value is.
  let columns: [String: Int]

  init(_ members: [RecordShape.Member], _ record: HTMLLayout.Record?, at path: [String]) {
    self.record = record
    self.path = path
    let shown = members.filter { !HTMLLayout.isHidden($0.name) }
    values = shown.filter(\.shape.isValue)
    records = shown.filter { !$0.shape.isValue }
    var columns: [String: Int] = [:]
    for member in members {
      if case .value(let column, _) = member.shape { columns[member.name] = column }
    }
    self.columns = columns
  }

  /// The columns of an address; nil where the row doesn't have them all.
  func columns(of address: HTMLLayout.Address) -> [Int]? {
    let found = address.key.compactMap { columns[$0.member] }
    return found.isEmpty || found.count < address.key.count ? nil : found
  }

  /// The associations that a row leads to.
  var associations: [HTMLLayout.Association] {
    guard let record, let address = record.address, columns(of: address) != nil else { return [] }
    return record.associations
  }

  /// Whether there is nothing to show but which record it is.
  var hasOnlyKey: Bool { values.isEmpty }

  /// The member whose cell heads the row: the label, else the key, else the first.
  var headerMember: String? {
    let names = values.map(\.name)
    if let heading = record?.heading, names.contains(heading) { return heading }
    return record?.address?.key.map(\.member).first(where: names.contains) ?? names.first
  }

  /// How many cells a row has.
  var width: Int { max(values.count, 1) + associations.count }

  /// The start tag without its end, so that a name may follow.
  var tableStart: String {
    guard let record else { return "<table" }
    return
      "<table data-resource=\"\(record.resource.escapedForHTML)\" data-node=\"\(record.node.escapedForHTML)\""
  }

  /// The rest of the start tag of a table that is the result.
  var tableName: String { " aria-label=\"\((record?.resource ?? "records").escapedForHTML)\">" }

  static let tableEnd = "</tbody></table>\n"

  var head: String {
    var cells = values.map(\.name).map { name in
      let term = record?.terms[name].map { " data-column=\"\($0.escapedForHTML)\"" } ?? ""
      return "<th scope=\"col\"\(term)>\(name.escapedForHTML)</th>"
    }
    if hasOnlyKey { cells = ["<th scope=\"col\">record</th>"] }
    cells += associations.map { association in
      let kind = association.isToMany ? "many" : "one"
      return "<th scope=\"col\" data-association=\"\(kind)\">\(association.key.escapedForHTML)</th>"
    }
    return "<thead><tr>\(cells.joined())</tr></thead><tbody>\n"
  }
}
