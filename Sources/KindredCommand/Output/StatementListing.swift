import Foundation
import KindredHTTP

/// The answer to `explain=true` as SQL that can be pasted, with arguments and plans in comments.
struct StatementListing: CustomStringConvertible {
  private struct Explanation: Decodable {
    struct Statement: Decodable {
      var node: String
      var sql: String
      var arguments: [Argument]
      var plan: [String]
    }

    var statements: [Statement]
    var missingIndexes: [String]
    var statistics: String?
  }

  /// A bound value, or the source of one.
  private enum Argument: Decodable, CustomStringConvertible {
    private struct Place: Decodable {
      var level: Int?
      var column: Int?
      var input: Int?
    }

    case null, integer(Int64), real(Double), text(String), column(level: Int, column: Int), input(Int), cursor

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let value = try? container.decode(Int64.self) {
        self = .integer(value)
      } else if let value = try? container.decode(Double.self) {
        self = .real(value)
      } else if let value = try? container.decode(String.self) {
        self = .text(value)
      } else {
        let place = try container.decode(Place.self)
        if let level = place.level, let column = place.column {
          self = .column(level: level, column: column)
        } else {
          self = place.input.map { .input($0) } ?? .cursor
        }
      }
    }

    var description: String {
      switch self {
      case .null: "NULL"
      case .integer(let value): "\(value)"
      case .real(let value): "\(value)"
      case .text(let value): "'\(value.replacing("'", with: "''"))'"
      case .column(let level, let column):
        "column \(column) of the row \(level == -1 ? "one level up" : "\(-level) levels up")"
      case .input(let number): "array number \(number) of values of the parent rows"
      case .cursor: "a value of the cursor"
      }
    }
  }

  let description: String

  init(_ response: HTTPResponse) throws {
    guard case .bytes(let bytes) = response.body else {
      description = ""
      return
    }
    let explanation = try JSONDecoder().decode(Explanation.self, from: Data(bytes))
    var parts = explanation.statements.map { statement in
      var lines = ["-- \(statement.node)", statement.sql + ";"]
      for (index, argument) in statement.arguments.enumerated() {
        let mark = statement.sql.contains("$\(index + 1)") ? "$" : "?"
        lines.append("-- \(mark)\(index + 1) = \(argument)".singleLine)
      }
      lines += statement.plan.map { "-- plan: \($0)".singleLine }
      return lines.joined(separator: "\n")
    }
    if !explanation.missingIndexes.isEmpty {
      parts.append(
        (["-- missing indexes"] + explanation.missingIndexes.map { "\($0);" }).joined(separator: "\n"))
    }
    if let statistics = explanation.statistics {
      parts.append("-- the statistics of the tables are \(statistics)\nANALYZE;")
    }
    description = parts.joined(separator: "\n\n")
  }
}
