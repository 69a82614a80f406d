import Foundation

/// The directory of temporary files.
enum TemporaryFiles {
  /// The directory in `TMPDIR`, unless that is empty, or else the system's.
  static var directory: URL {
    ProcessInfo.processInfo.environment["TMPDIR"]?.isEmpty == true
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
}
