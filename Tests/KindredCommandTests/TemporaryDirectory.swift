import Foundation

/// A directory that is deleted with the last reference to it.
final class TemporaryDirectory: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "kindred-command-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Makes a file, and the directory in front of its name.
  func write(_ text: String, to name: String) throws {
    let file = url.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  /// Makes an empty file.
  func emptyFile(_ name: String) throws -> URL {
    try write("", to: name)
    return url.appending(path: name)
  }

  /// Makes the database `library.sqlite`: the sample library.
  func makeLibrary() throws {
    let outcome = try Program(directory: self).run(
      "migrate", "library.sqlite", "--migrations", Self.migrations.path)
    guard outcome.status == 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  /// The migrations of the checkout.
  static let migrations = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Migrations")
}
