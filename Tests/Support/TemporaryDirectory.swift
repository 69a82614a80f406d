import Foundation

/// A directory that is removed after the test.
package final class TemporaryDirectory: Sendable {
  /// The directory.
  package let url: URL

  /// Creates an empty directory.
  package init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "kindred-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The path of the directory.
  package var path: String { url.path }

  /// Returns the path of a file in the directory.
  package func path(_ name: String) -> String { path + "/" + name }

  /// The names of the files.
  package var fileNames: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }

  /// Writes a text to a file, and returns its path.
  @discardableResult
  package func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: name)
  }

  /// Writes a file in the directory or, with a name such as `a/b`, in one below it, and returns its path.
  @discardableResult
  package func write(_ bytes: [UInt8], to name: String) throws -> String {
    let file = url.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
    return path(name)
  }
}
