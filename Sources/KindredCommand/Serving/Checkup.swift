import ArgumentParser
import Foundation
import KindredAPI
import KindredBackend
import KindredHTTP
import KindredModelFile
import Logging

/// Checks everything that `kindred serve` needs, without listening and without changing the database.
struct Checkup {
  private let command: ServeCommand
  private let mistakes = Mistakes()

  init(of command: ServeCommand) {
    self.command = command
  }

  /// Reports all mistakes, or what is open to others, one line each.
  ///
  /// - Throws: `ExitCode` if there are any.
  func run() throws {
    for mistake in command.config.mistakes { mistakes.add(mistake) }
    command.checkSettings(mistakes)
    mistakes.attempt { try command.place([]).check() }
    for mistake in command.server.tls?.mistakes() ?? [] { mistakes.add(mistake) }
    let access = command.config.file?.access?.configuration(mistakes)
    let model = mistakes.attempt { try ModelDefinition(command.requests.everyday.model, isDraft: true) }
    let location = mistakes.attempt { try command.databasePath.map { try DatabaseLocation($0) } }
    let notices =
      switch location {
      case .some(.some(let location)): checkDatabase(location, access, model)
      case .some(nil): checkSampleLibrary(access, model)
      case nil: [String]()
      }
    for mistake in mistakes.all {
      for line in lines(of: mistake) { StandardError.write("kindred: \(line.singleLine)\n") }
    }
    guard mistakes.all.isEmpty else { throw ReportedMistakes() }
    for notice in notices { StandardError.write("kindred: \(notice.singleLine)\n") }
    try StandardOutput.writeLine("the configuration is valid")
  }

  /// Returns what is open to others.
  private func checkSampleLibrary(_ access: AccessConfiguration?, _ model: ModelDefinition?) -> [String] {
    mistakes.attempt {
      let sample = try SampleLibrary()
      defer { sample.remove() }
      try sample.create(migrations: command.migrations.migrations)
      return checkDatabase(.file(sample.path), access, model)
    } ?? []
  }

  /// - Parameter model: nil if it can't be read.
  /// - Returns: what is open to others, one line each.
  private func checkDatabase(
    _ location: DatabaseLocation, _ access: AccessConfiguration?, _ model: ModelDefinition?
  ) -> [String] {
    let logger = Logger.kindred(level: max(command.server.everyday.logLevel, .warning))
    guard var opening = mistakes.attempt({ try command.opening(for: location, logger) }) else { return [] }
    opening.readers = 1
    if let path = location.path {
      // To be opened for writing, a database is switched to another mode.
      opening.isWritable = false
      if command.server.everyday.writable { checkWritable(path) }
    }
    let database = mistakes.attempt { try location.open(opening, command.postgreSQL) }
    guard let database else {
      // What is wrong in the model file itself is known without the database.
      mistakes.attempt { try model?.check() }
      return []
    }
    defer { database.backend.close() }
    return mistakes.attempt {
      mistakes.attempt { try database.backend.probe() }
      mistakes.attempt { try command.checkAnonymousRole(in: database.backend) }
      let configured = mistakes.attempt { try command.access(access, for: location) }
      var options = try command.options(for: command.place([]))
      options.live = nil
      options.access = configured ?? nil
      // Without a usable model file, the keys of tokens are checked nevertheless.
      let model = try model ?? ModelDefinition(nil)
      return mistakes.attempt {
        let service = try KindredService(
          database.backend, options: options, logger: logger, model: model.model)
        for misfit in service.accessMisfits { mistakes.add(MisfittingDefault(message: misfit)) }
        let exposure = NetworkExposure(of: command, at: command.place([]), configured ?? nil, model)
        return exposure.warnings + exposure.notices(of: service) + database.backend.statisticsNotices
      } ?? []
    } ?? []
  }

  private func checkWritable(_ path: String) {
    let directory = URL(filePath: path).deletingLastPathComponent().path
    for path in [path, directory] where access(path, F_OK) == 0 && access(path, W_OK) != 0 {
      mistakes.add(
        ConfigurationError(
          place: path,
          message: "it can't be written to, as --writable requires: \(String(cString: strerror(errno)))"
        ))
    }
  }

  private func lines(of mistake: any Error) -> [String] {
    guard let error = mistake as? ModelFileError else { return [Kindred.message(for: mistake)] }
    return ([error] + error.others).sorted { ($0.line ?? 0) < ($1.line ?? 0) }.map { "\($0)" }
  }
}

/// The access rules for all resources don't fit one, which is closed.
private struct MisfittingDefault: Error, CustomStringConvertible {
  let message: String

  var description: String { message }
}

/// There are mistakes, which have been reported.
struct ReportedMistakes: Error {}
