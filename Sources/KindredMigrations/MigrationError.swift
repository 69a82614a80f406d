/// The reason why the migrations stopped, described in one line that begins with the file.
public struct MigrationError: Error, Hashable, Sendable {
  /// The kinds of errors.
  public enum Reason: Error, Hashable, Sendable {
    /// The file name is not of the form `NUMBER-NAME.sql`.
    case misnamed
    /// Another file has the same number.
    case duplicateNumber(otherFile: String)
    /// The directory can't be read, or the file is unreadable or not UTF-8.
    case unreadable(String)
    /// The file has changed since it was applied.
    case changed
    /// The file was applied but no longer exists.
    case missing
    /// A file with a higher number has already been applied.
    case outOfOrder(laterFile: String)
    /// The file contains a statement that begins or ends a transaction.
    case transactionStatement(String)
    /// The file contains a pragma that has no effect inside a transaction.
    case ineffectivePragma(String)
    /// A statement failed, or the commit, maybe because the disk is full.
    case failed(message: String, isFull: Bool)
    /// A statement can't be in a file.
    case unsupported(String)
    /// A row refers to a row that doesn't exist, and didn't before.
    case foreignKeyViolation(BrokenReference)
  }

  /// The kind of error.
  public let reason: Reason
  /// The file, with the directory if it is known.
  public let file: String
  /// The line of the statement, from 1; nil if the error has no line.
  public let line: Int?

  /// Creates an error about a file.
  public init(_ reason: Reason, file: String, line: Int? = nil) {
    self.reason = reason
    self.file = file
    self.line = line
  }
}

extension MigrationError: CustomStringConvertible {
  /// One line with the file, the line number, the error and its fix.
  public var description: String {
    let place = line.map { "\(file):\($0)" } ?? file
    let text =
      switch reason {
      case .misnamed:
        "the file name of a migration must be a number and a name, as in 0001-schema.sql"
      case .duplicateNumber(let otherFile):
        "has the same number as \(otherFile); give it the next free one"
      case .unreadable(let message):
        "can't be read: \(message)"
      case .changed:
        "was changed after it was applied; restore it, and put the change into a new file"
      case .missing:
        "was applied, but is missing now; restore it"
      case .outOfOrder(let laterFile):
        "comes before \(laterFile), which is already applied; give it a higher number"
      case .transactionStatement(let keyword):
        "\(keyword) is not allowed, because each file is one transaction"
      case .ineffectivePragma(let name):
        "PRAGMA \(name) has no effect, because each file is one transaction; remove it"
      case .failed(let message, let isFull):
        message + (isFull ? "; free some space, and run the migrations again" : "")
      case .unsupported(let explanation):
        explanation
      case .foreignKeyViolation(let reference):
        "leaves \(reference.row) of \(reference.table) with a reference to a missing row of \(reference.target)"
      }
    return "\(place): \(text)"
  }
}
