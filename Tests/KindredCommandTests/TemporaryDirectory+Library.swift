import Foundation
import TestSupport

extension TemporaryDirectory {
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
