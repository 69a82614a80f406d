import ArgumentParser
import Dispatch
import Foundation
import KindredAPI
import KindredAssociations
import KindredExecution
import KindredHTTP
import KindredSQLite
import Logging

struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Serve a database over HTTP.")

  @Argument(help: "The database.") var database: String
  @Option var host = "127.0.0.1"
  @Option var port = 8080
  @Option var pageSize: Int64 = 100
  @Option var maxPageSize: Int64 = 1000

  func run() throws {
    try SQLiteLibrary.initialize()
    LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
    let logger = Logger(label: "kindred")
    let pool = try ConnectionPool(path: database, access: .readOnly, readers: 16)
    var options = KindredService.Options()
    options.limits.pageSize = pageSize == 0 ? nil : pageSize
    options.limits.maximumPageSize = maxPageSize == 0 ? nil : maxPageSize
    let service = try KindredService(pool: pool, options: options, logger: logger) { connection in
      Model(inferredFrom: try SchemaReader(connection).schema())
    }
    let server = HTTPServer(host: host, port: port, handler: service, logger: logger)
    let address = try server.start()
    FileHandle.standardOutput.write(Data("listening on http://\(address.host):\(address.port)\n".utf8))
    let ended = DispatchSemaphore(value: 0)
    signal(SIGTERM, SIG_IGN)
    signal(SIGINT, SIG_IGN)
    let sources = [SIGTERM, SIGINT].map { DispatchSource.makeSignalSource(signal: $0, queue: .global()) }
    for source in sources {
      source.setEventHandler { ended.signal() }
      source.resume()
    }
    ended.wait()
    server.shutdown(grace: .seconds(10))
    pool.close()
  }
}
