import KindredSQLSyntax

/// The common table expressions of a model that statements read by name.
///
/// Which of them one reads is found out from its text, where any occurrence of a name counts, in any case.
package struct CommonTableExpressions {
  /// The names, and the definitions in parentheses.
  private let definitions: [(name: String, sql: String)]
  /// For each definition, the definitions that it may read.
  private let reads: [[Int]]

  package init(_ definitions: [(name: String, sql: String)]) {
    self.definitions = definitions
    let names = definitions.map { $0.name.lowercased() }
    reads = definitions.map { definition in
      let text = definition.sql.lowercased().replacing("\"\"", with: "\"")
      return names.indices.filter { text.contains(names[$0]) }
    }
  }

  /// Returns the definitions that are needed to read those with these names, each after the ones that it reads, and
  /// whether one of them leads to itself.
  private func needed(for names: some Sequence<String>) -> (numbers: [Int], isRecursive: Bool) {
    var (order, open, isRecursive): ([Int], Set<Int>, Bool) = ([], [], false)
    func visit(_ number: Int) {
      guard !order.contains(number) else { return }
      guard open.insert(number).inserted else {
        isRecursive = true
        return
      }
      for other in reads[number] { visit(other) }
      open.remove(number)
      order.append(number)
    }
    for name in names {
      if let number = definitions.firstIndex(where: { $0.name == name }) { visit(number) }
    }
    return (order, isRecursive)
  }

  /// Returns the `WITH` clause by which a statement reads those with these names; empty for none.
  ///
  /// Some engines refuse the word RECURSIVE wherever it isn't needed.
  package func clause(for names: some Sequence<String>) -> String {
    let (numbers, isRecursive) = needed(for: names)
    guard !numbers.isEmpty else { return "" }
    let list = numbers.map { "\(SQL.quoted(definitions[$0].name)) AS \(definitions[$0].sql)" }
    return "WITH \(isRecursive ? "RECURSIVE " : "")\(list.joined(separator: ", ")) "
  }
}
