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
    let text: String
    do throws(TextFileError) {
      text = try TextFile.text(of: path)
    } catch {
      throw ModelFileError(path: path, line: nil, "\(error)")
    }
    return try ModelFileParser(path: path).parse(text)
  }
}
