import KindredYAML

/// Reads a model file from disk.
public struct ModelFileReader {
  private let path: String

  /// - Parameter path: the path of the file.
  public init(path: String) {
    self.path = path
  }

  /// Reads and parses the file.
  ///
  /// - Throws: `ModelFileError` if the file is missing, unreadable, not UTF-8, or invalid.
  public func read() throws -> ModelFile {
    try ModelFileParser(path: path).parse(text())
  }

  /// Reads and parses what is valid in the file, so that the errors of the rest are reported with those of its model.
  ///
  /// - Throws: `ModelFileError` if the file is missing, unreadable, not UTF-8, or not YAML.
  public func readValidParts() throws -> ModelFile {
    try ModelFileParser(path: path).parseValidParts(of: text())
  }

  private func text() throws -> String {
    do throws(TextFileError) {
      return try TextFile.text(of: path)
    } catch {
      throw ModelFileError(path: path, line: nil, "\(error)")
    }
  }
}
