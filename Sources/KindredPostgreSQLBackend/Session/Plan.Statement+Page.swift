import KindredPlanning
import KindredOutput
import KindredPostgreSQL
import KindredSQLSyntax

extension Plan.Statement {
  /// The text before the page; nil if there is none.
  var textBeforePage: String? {
    lengthBeforePage.map { String(sql[..<sql.utf8.index(sql.startIndex, offsetBy: $0)]) }
  }

  /// Returns the statement with a page of a common size in its text; nil if the size isn't common.
  ///
  /// PostgreSQL then knows how few rows are needed, and keeps its plan; for a parameter it would plan each time. The
  /// sizes are few, so that clients can't fill the memory of prepared statements.
  func paged(_ parameters: Parameters, below path: [Rows]) throws -> Query? {
    guard let text = textBeforePage, let size = try number(bindings.count - 2, parameters),
      Self.isCommon(size), let ahead = try number(bindings.count - 1, parameters)
    else { return nil }
    return try Query("\(text) LIMIT \(size + ahead)", Array(bindings.dropLast(2)), parameters, below: path)
  }

  private func number(_ index: Int, _ parameters: Parameters) throws -> Int64? {
    guard case .integer(let number) = try parameters.value(of: bindings[index]) else { return nil }
    return number
  }

  private static func isCommon(_ size: Int64) -> Bool {
    switch size {
    case 0...10: true
    case 11...100: size % 5 == 0
    case 101...1000: size % 50 == 0
    default: false
    }
  }
}
