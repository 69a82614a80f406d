import CKindredSQLite
import KindredModel
import KindredPlanning
import KindredSQLSyntax
import KindredSQLite

/// Determines the columns of common table expressions by preparing them
/// (<https://www.sqlite.org/lang_with.html>).
public struct CommonTableExpressionReader {
  private let connection: Connection

  /// Creates a reader for the main database of `connection`.
  public init(_ connection: Connection) {
    self.connection = connection
  }

  /// Returns the definitions as tables without a key, in the given order; each of them may read the others.
  ///
  /// - Throws: `CommonTableDefinition.Failure` for SQL that is not one SELECT, or that SQLite rejects;
  ///   `DatabaseError` if the file can't be read.
  public func tables(_ definitions: [CommonTableDefinition]) throws -> [Table] {
    var clauses: [SQL] = []
    for (index, definition) in definitions.enumerated() {
      let sql = definition.sql.enclosable
      if let objection = Self.objection(to: sql) {
        throw CommonTableDefinition.Failure(index: index, message: objection)
      }
      clauses.append("\(identifier: definition.name) AS (\(SQL(trusted: sql)))")
    }
    let words = try DefinitionWords(connection, definitions.map { ($0.name, $0.sql) })
    let compounds = words.names(with: DefinitionWords.compound)
    let moving = words.names(with: DefinitionWords.clock)
    let volatile = words.names(with: DefinitionWords.volatile)
    var tables: [Int: Table] = [:]
    var missing = Array(definitions.indices)
    // In rounds: a definition that reads another can only be prepared after it, and must not be blamed for its
    // errors.
    while !missing.isEmpty {
      var failures: [CommonTableDefinition.Failure] = []
      for index in missing {
        let known = clauses.indices.filter {
          $0 == index || definitions[$0].isReadable && tables[$0] != nil
        }.map { clauses[$0] }
        do {
          let name = definitions[index].name.foldingASCIICase
          var table = try table(
            definitions[index], with: known, isCompound: compounds.contains(name),
            readsClock: moving.contains(name))
          table.isTimeless = !volatile.contains(name)
          tables[index] = table
        } catch let error as DatabaseError where error.code == SQLITE_ERROR {
          failures.append(CommonTableDefinition.Failure(index: index, message: error.text))
        } catch let objection as Objection {
          throw CommonTableDefinition.Failure(index: index, message: objection.message)
        }
      }
      if failures.count == missing.count {
        let reasons = Set(missing.map { "no such table: \(definitions[$0].name)" })
        throw failures.first { !reasons.contains($0.message) } ?? failures[0]
      }
      missing = failures.map(\.index)
    }
    return definitions.indices.compactMap { tables[$0] }
  }

  private struct Objection: Error {
    let message: String
  }

  private func table(
    _ definition: CommonTableDefinition, with clauses: [SQL], isCompound: Bool, readsClock: Bool
  ) throws -> Table {
    let sql: SQL =
      "WITH \(clauses.joined(separator: ", ")) SELECT * FROM \(identifier: definition.name) LIMIT 0"
    let statement = try connection.prepare(sql.rendered().text)
    guard statement.parameterCount == 0 else {
      throw Objection(message: "it has a parameter; write the value instead")
    }
    let probe = ColumnProbe(connection: connection)
    let comparisons = try probe.comparisons(of: definition.name, with: clauses)
    let stored = try isCompound ? [] : probe.storedColumns(of: definition.name, with: clauses)
    let columns = (0..<statement.columnCount).map { column in
      let name = statement.columnName(column)
      let type = statement.columnDeclaredType(column) ?? ""
      let compared = comparisons?[name]
      var made = Column(
        name: name, declaredType: type, affinity: compared?.affinity(ofType: type),
        collation: compared?.collation ?? "BINARY")
      made.isStored = stored.contains(name)
      return made
    }
    return Table(
      name: definition.name, kind: .commonTableExpression(sql: definition.sql.enclosable),
      columns: columns, primaryKey: [], isCompound: isCompound, readsClock: readsClock)
  }

  /// Returns why a text can't be enclosed in parentheses, as it would end before the closing one; nil if it
  /// can.
  private static func objection(to sql: String) -> String? {
    var depth = 0
    for token in SQLTokens.all(in: sql) {
      switch token {
      case .symbol("("): depth += 1
      case .symbol(")") where depth == 0: return "a `)` has no matching `(`"
      case .symbol(")"): depth -= 1
      case .symbol(";"): return "it must be a single SELECT"
      default: break
      }
    }
    return nil
  }
}
