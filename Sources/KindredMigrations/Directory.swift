import KindredSystem

/// Reads migration files from disk.
enum Directory {
  /// Returns the names of the entries of a directory, in no particular order.
  static func fileNames(_ path: String) throws -> [String] {
    guard let directory = opendir(path) else { throw unreadable(path) }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      names.append(name)
    }
    return names
  }

  /// Returns the text of a UTF-8 file.
  static func text(of path: String) throws -> String {
    guard let file = fopen(path, "r") else { throw unreadable(path) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
      bytes += buffer[..<count]
    }
    guard ferror(file) == 0 else { throw unreadable(path) }
    let text = String(decoding: bytes, as: UTF8.self)
    // Decoding replaces invalid UTF-8, so the text differs from the bytes if there is any.
    guard text.utf8.elementsEqual(bytes) else {
      throw MigrationError(.unreadable("it is not UTF-8 text"), file: path)
    }
    return text
  }

  private static func unreadable(_ path: String) -> MigrationError {
    MigrationError(.unreadable(String(cString: strerror(errno))), file: path)
  }
}
