import CKindredSQLite

/// A file that is to be opened as a database.
struct DatabaseFile {
  let path: String
  let access: Connection.Access

  /// Opens the file, whose content SQLite reads only for the first statement.
  func open() throws -> OpaquePointer {
    try check()
    // NOMUTEX: a connection has one holder at a time, so SQLite need not lock it.
    var flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    switch access {
    case .readOnly, .immutable: flags |= SQLITE_OPEN_READONLY
    case .readWrite: flags |= SQLITE_OPEN_READWRITE
    case .readWriteCreate, .sharedMemory: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    }
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(uri, &handle, flags, kindred_vfs_name)
    guard code == SQLITE_OK, let handle else {
      // SQLite requires closing even a connection that failed to open.
      defer { sqlite3_close_v2(handle) }
      throw OpenError(
        DatabaseError(code: code, connection: handle, sql: nil, interruption: nil), path: path,
        connection: handle)
    }
    return handle
  }

  /// A URI in which nothing of the path can be read as a parameter (<https://www.sqlite.org/uri.html>).
  ///
  /// All paths become URIs, because some builds of SQLite also read plain paths that begin with `file:` as URIs.
  private var uri: String {
    let digits = Array("0123456789ABCDEF".utf8)
    var uri = Array((path.hasPrefix("/") ? "file://" : "file:").utf8)
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"), UInt8(ascii: ":"):
        uri.append(byte)
      default:
        uri += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: uri, as: UTF8.self) + parameters
  }

  private var parameters: String {
    switch access {
    case .readOnly, .readWrite, .readWriteCreate: ""
    case .immutable: "?immutable=1"
    case .sharedMemory: "?mode=memory&cache=shared"
    }
  }

  /// Finds problems for which SQLite only says "unable to open database file".
  private func check() throws {
    guard access != .sharedMemory else { return }
    switch FileStatus(path: path) {
    case .missing where access == .readWriteCreate: return
    case .missing: throw OpenError(.missing, path: path)
    case .directory: throw OpenError(.directory, path: path)
    case .unreachable: throw OpenError(.unreadable, path: path)
    case .other: break
    }
    guard FileStatus.isReadable(path) else { throw OpenError(.unreadable, path: path) }
  }
}
