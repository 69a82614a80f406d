import KindredSystem

/// Where SQLite keeps temporary tables and large sorts; the raw values are those of `PRAGMA temp_store`.
enum TemporaryStorage: Int, Sendable {
  /// In files, so that memory is bounded whatever is sorted. Small ones never leave the cache.
  case files = 1
  /// In memory, if no directory can be written, for example in a container with a read-only root.
  case memory = 2

  static let available = TemporaryStorage(candidates: directories)

  /// Chooses files if one of these directories can be written.
  init(candidates: [String]) {
    self =
      candidates.contains { FileStatus(path: $0) == .directory && FileStatus.isWritable($0) }
      ? .files : .memory
  }

  /// The directories that SQLite tries, in order
  /// (<https://www.sqlite.org/tempfiles.html#temporary_file_storage_locations>).
  private static var directories: [String] {
    let variables: [String] = ["SQLITE_TMPDIR", "TMPDIR"]
    let named = variables.compactMap { name in getenv(name).map { String(cString: $0) } }
    return named + ["/var/tmp", "/usr/tmp", "/tmp", "."]
  }
}
