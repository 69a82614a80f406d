#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where temporary tables and big sorts go; the raw values are those of `PRAGMA temp_store`.
enum TemporaryStorage: Int, Sendable {
  /// To files, so that memory stays bounded whatever is sorted. Small ones never leave the cache.
  case files = 1
  /// To memory, where no directory can be written to: a container with a read-only root, say.
  case memory = 2

  static let available = TemporaryStorage(candidates: directories)

  /// Files if one of these directories can be written to.
  init(candidates: [String]) {
    self =
      candidates.contains { FileStatus(path: $0) == .directory && FileStatus.isWritable($0) }
      ? .files : .memory
  }

  /// Where SQLite looks, in its order (<https://www.sqlite.org/tempfiles.html#temporary_file_storage_locations>).
  private static var directories: [String] {
    let variables: [String] = ["SQLITE_TMPDIR", "TMPDIR"]
    let named = variables.compactMap { name in getenv(name).map { String(cString: $0) } }
    return named + ["/var/tmp", "/usr/tmp", "/tmp", "."]
  }
}
