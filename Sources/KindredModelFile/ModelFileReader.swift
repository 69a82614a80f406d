import Foundation

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
    func refuse(_ message: String) -> ModelFileError { ModelFileError(path: path, line: nil, message) }
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw refuse("there is no such file; name the model file with `--model`")
    }
    guard !isDirectory.boolValue else { throw refuse("this is a directory; name the model file in it") }
    guard let bytes = FileManager.default.contents(atPath: path) else {
      throw refuse("it can't be read; check its permissions")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw refuse("it is not UTF-8; save it as UTF-8")
    }
    return try ModelFileParser(path: path).parse(text)
  }
}
