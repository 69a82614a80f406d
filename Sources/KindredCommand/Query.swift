import ArgumentParser
import Foundation
import KindredAPI
import KindredAssociations
import KindredExecution
import KindredHTTP
import KindredSQLite
import Logging

struct Query: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Answer one request without a server.")

  @Argument(help: "The database.") var database: String
  @Argument(help: "The URL.") var url: String

  func run() throws {
    try SQLiteLibrary.initialize()
    let pool = try ConnectionPool(path: database, access: .readOnly, readers: 1)
    let service = try KindredService(pool: pool, logger: Logger(label: "kindred")) { connection in
      Model(inferredFrom: try SchemaReader(connection).schema())
    }
    let response = service.respond(
      to: HTTPRequest(method: .get, target: url))
    switch response.body {
    case .none: break
    case .bytes(let bytes): FileHandle.standardOutput.write(Data(bytes))
    case .stream(let stream, _):
      while let part = try stream.next() { FileHandle.standardOutput.write(Data(part)) }
      stream.close()
    }
    pool.close()
    if response.status.code >= 400 { throw ExitCode(1) }
  }
}
