import Foundation
import KindredSpooling

/// The directory of temporary files.
enum TemporaryFiles {
  /// The directory in `TMPDIR`, unless that is empty, or else the system's.
  static var directory: URL {
    Environment.current.variables["TMPDIR"]?.isEmpty == true
      ? URL(filePath: "/tmp") : FileManager.default.temporaryDirectory
  }

  /// Returns the descriptor of a new file without a name, which is freed with it; nil if none can be created.
  static func unnamed() -> CInt? {
    var path = Array(directory.appending(path: "kindred-XXXXXX").path.utf8CString)
    let descriptor = mkstemp(&path)
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(path)
    return descriptor
  }

  /// Returns an empty file without a name, for content.
  ///
  /// - Throws: `CommandError` if none can be created.
  static func content() throws(CommandError) -> ContentFile {
    guard let descriptor = unnamed() else {
      throw CommandError(
        "no temporary file can be created in \(directory.path); set the variable TMPDIR")
    }
    return ContentFile(descriptor: descriptor, length: 0)
  }

  /// Returns the error of a temporary file that has no room for more.
  static func full() -> CommandError {
    CommandError(
      "the content can't be copied to \(directory.path): \(String(cString: strerror(errno)))")
  }
}
