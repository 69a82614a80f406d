import KindredSQLite

/// Why the migrations stopped, in one line that begins with the file.
public struct MigrationError: Error, Hashable, Sendable {
  /// What is wrong.
  public enum Reason: Hashable, Sendable {
    /// The file name is not `NUMBER-NAME.sql`.
    case misnamed
    /// The other file has the same number.
    case duplicateNumber(otherFile: String)
    /// The file, or the directory, can't be read as UTF-8 text.
    case unreadable(String)
    /// The file was applied, and is not what it was then.
    case changed
    /// The file was applied, and is not there any more.
    case missing
    /// A later one has been applied already.
    case outOfOrder(laterFile: String)
    /// The file begins or ends transactions itself.
    case transactionStatement(String)
    /// SQLite refuses a statement.
    case failed(DatabaseError)
    /// A row refers to nothing.
    case foreignKeyViolation(table: String, rowID: Int64?, parent: String)
  }

  /// What is wrong.
  public let reason: Reason
  /// The file, with the directory where that is known.
  public let file: String
  /// The line of the statement, from 1.
  public let line: Int?

  /// An error about a file.
  public init(_ reason: Reason, file: String, line: Int? = nil) {
    self.reason = reason
    self.file = file
    self.line = line
  }
}

extension MigrationError: CustomStringConvertible {
  /// One line: file, line number, what is wrong, and how to mend it.
  public var description: String {
    let place = line.map { "\(file):\($0)" } ?? file
    let text =
      switch reason {
      case .misnamed:
        "a migration is named by a number and a name, as in 0001-schema.sql"
      case .duplicateNumber(let otherFile):
        "has the number of \(otherFile); give it the next free one"
      case .unreadable(let message):
        "can't be read: \(message)"
      case .changed:
        "has been applied, and was changed since; restore it, and put the change into a new file"
      case .missing:
        "has been applied, and is missing now; restore it"
      case .outOfOrder(let laterFile):
        "comes before \(laterFile), which has been applied already; give it a higher number"
      case .transactionStatement(let keyword):
        "\(keyword) is not allowed: each file is one transaction"
      case .failed(let error):
        error.message
      case .foreignKeyViolation(let table, let rowID, let parent):
        "leaves \(rowID.map { "row \($0)" } ?? "a row") of \(table) without the row of \(parent) that it refers to"
      }
    return "\(place): \(text)"
  }
}
