// The extended codes that a program seldom tells apart.

// swift-format-ignore: AlwaysUseLowerCamelCase
extension ResultCodes {
  /// `SQLITE_ERROR_MISSING_COLLSEQ`.
  public static var SQLITE_ERROR_MISSING_COLLSEQ: ResultCode { SQLITE_ERROR.extended(1) }
  /// `SQLITE_ERROR_RETRY`.
  public static var SQLITE_ERROR_RETRY: ResultCode { SQLITE_ERROR.extended(2) }
  /// `SQLITE_ERROR_SNAPSHOT`.
  public static var SQLITE_ERROR_SNAPSHOT: ResultCode { SQLITE_ERROR.extended(3) }
  /// `SQLITE_IOERR_READ`.
  public static var SQLITE_IOERR_READ: ResultCode { SQLITE_IOERR.extended(1) }
  /// `SQLITE_IOERR_SHORT_READ`.
  public static var SQLITE_IOERR_SHORT_READ: ResultCode { SQLITE_IOERR.extended(2) }
  /// `SQLITE_IOERR_WRITE`.
  public static var SQLITE_IOERR_WRITE: ResultCode { SQLITE_IOERR.extended(3) }
  /// `SQLITE_IOERR_FSYNC`.
  public static var SQLITE_IOERR_FSYNC: ResultCode { SQLITE_IOERR.extended(4) }
  /// `SQLITE_IOERR_DIR_FSYNC`.
  public static var SQLITE_IOERR_DIR_FSYNC: ResultCode { SQLITE_IOERR.extended(5) }
  /// `SQLITE_IOERR_TRUNCATE`.
  public static var SQLITE_IOERR_TRUNCATE: ResultCode { SQLITE_IOERR.extended(6) }
  /// `SQLITE_IOERR_FSTAT`.
  public static var SQLITE_IOERR_FSTAT: ResultCode { SQLITE_IOERR.extended(7) }
  /// `SQLITE_IOERR_UNLOCK`.
  public static var SQLITE_IOERR_UNLOCK: ResultCode { SQLITE_IOERR.extended(8) }
  /// `SQLITE_IOERR_RDLOCK`.
  public static var SQLITE_IOERR_RDLOCK: ResultCode { SQLITE_IOERR.extended(9) }
  /// `SQLITE_IOERR_DELETE`.
  public static var SQLITE_IOERR_DELETE: ResultCode { SQLITE_IOERR.extended(10) }
  /// `SQLITE_IOERR_BLOCKED`.
  public static var SQLITE_IOERR_BLOCKED: ResultCode { SQLITE_IOERR.extended(11) }
  /// `SQLITE_IOERR_NOMEM`.
  public static var SQLITE_IOERR_NOMEM: ResultCode { SQLITE_IOERR.extended(12) }
  /// `SQLITE_IOERR_ACCESS`.
  public static var SQLITE_IOERR_ACCESS: ResultCode { SQLITE_IOERR.extended(13) }
  /// `SQLITE_IOERR_CHECKRESERVEDLOCK`.
  public static var SQLITE_IOERR_CHECKRESERVEDLOCK: ResultCode { SQLITE_IOERR.extended(14) }
  /// `SQLITE_IOERR_LOCK`.
  public static var SQLITE_IOERR_LOCK: ResultCode { SQLITE_IOERR.extended(15) }
  /// `SQLITE_IOERR_CLOSE`.
  public static var SQLITE_IOERR_CLOSE: ResultCode { SQLITE_IOERR.extended(16) }
  /// `SQLITE_IOERR_DIR_CLOSE`.
  public static var SQLITE_IOERR_DIR_CLOSE: ResultCode { SQLITE_IOERR.extended(17) }
  /// `SQLITE_IOERR_SHMOPEN`.
  public static var SQLITE_IOERR_SHMOPEN: ResultCode { SQLITE_IOERR.extended(18) }
  /// `SQLITE_IOERR_SHMSIZE`.
  public static var SQLITE_IOERR_SHMSIZE: ResultCode { SQLITE_IOERR.extended(19) }
  /// `SQLITE_IOERR_SHMLOCK`.
  public static var SQLITE_IOERR_SHMLOCK: ResultCode { SQLITE_IOERR.extended(20) }
  /// `SQLITE_IOERR_SHMMAP`.
  public static var SQLITE_IOERR_SHMMAP: ResultCode { SQLITE_IOERR.extended(21) }
  /// `SQLITE_IOERR_SEEK`.
  public static var SQLITE_IOERR_SEEK: ResultCode { SQLITE_IOERR.extended(22) }
  /// `SQLITE_IOERR_DELETE_NOENT`.
  public static var SQLITE_IOERR_DELETE_NOENT: ResultCode { SQLITE_IOERR.extended(23) }
  /// `SQLITE_IOERR_MMAP`.
  public static var SQLITE_IOERR_MMAP: ResultCode { SQLITE_IOERR.extended(24) }
  /// `SQLITE_IOERR_GETTEMPPATH`.
  public static var SQLITE_IOERR_GETTEMPPATH: ResultCode { SQLITE_IOERR.extended(25) }
  /// `SQLITE_IOERR_CONVPATH`.
  public static var SQLITE_IOERR_CONVPATH: ResultCode { SQLITE_IOERR.extended(26) }
  /// `SQLITE_IOERR_VNODE`.
  public static var SQLITE_IOERR_VNODE: ResultCode { SQLITE_IOERR.extended(27) }
  /// `SQLITE_IOERR_AUTH`.
  public static var SQLITE_IOERR_AUTH: ResultCode { SQLITE_IOERR.extended(28) }
  /// `SQLITE_IOERR_BEGIN_ATOMIC`.
  public static var SQLITE_IOERR_BEGIN_ATOMIC: ResultCode { SQLITE_IOERR.extended(29) }
  /// `SQLITE_IOERR_COMMIT_ATOMIC`.
  public static var SQLITE_IOERR_COMMIT_ATOMIC: ResultCode { SQLITE_IOERR.extended(30) }
  /// `SQLITE_IOERR_ROLLBACK_ATOMIC`.
  public static var SQLITE_IOERR_ROLLBACK_ATOMIC: ResultCode { SQLITE_IOERR.extended(31) }
  /// `SQLITE_IOERR_DATA`.
  public static var SQLITE_IOERR_DATA: ResultCode { SQLITE_IOERR.extended(32) }
  /// `SQLITE_IOERR_CORRUPTFS`.
  public static var SQLITE_IOERR_CORRUPTFS: ResultCode { SQLITE_IOERR.extended(33) }
  /// `SQLITE_LOCKED_VTAB`.
  public static var SQLITE_LOCKED_VTAB: ResultCode { SQLITE_LOCKED.extended(2) }
  /// `SQLITE_CANTOPEN_NOTEMPDIR`.
  public static var SQLITE_CANTOPEN_NOTEMPDIR: ResultCode { SQLITE_CANTOPEN.extended(1) }
  /// `SQLITE_CANTOPEN_ISDIR`.
  public static var SQLITE_CANTOPEN_ISDIR: ResultCode { SQLITE_CANTOPEN.extended(2) }
  /// `SQLITE_CANTOPEN_FULLPATH`.
  public static var SQLITE_CANTOPEN_FULLPATH: ResultCode { SQLITE_CANTOPEN.extended(3) }
  /// `SQLITE_CANTOPEN_CONVPATH`.
  public static var SQLITE_CANTOPEN_CONVPATH: ResultCode { SQLITE_CANTOPEN.extended(4) }
  /// `SQLITE_CANTOPEN_DIRTYWAL`.
  public static var SQLITE_CANTOPEN_DIRTYWAL: ResultCode { SQLITE_CANTOPEN.extended(5) }
  /// `SQLITE_CANTOPEN_SYMLINK`.
  public static var SQLITE_CANTOPEN_SYMLINK: ResultCode { SQLITE_CANTOPEN.extended(6) }
  /// `SQLITE_CORRUPT_VTAB`.
  public static var SQLITE_CORRUPT_VTAB: ResultCode { SQLITE_CORRUPT.extended(1) }
  /// `SQLITE_CORRUPT_SEQUENCE`.
  public static var SQLITE_CORRUPT_SEQUENCE: ResultCode { SQLITE_CORRUPT.extended(2) }
  /// `SQLITE_CORRUPT_INDEX`.
  public static var SQLITE_CORRUPT_INDEX: ResultCode { SQLITE_CORRUPT.extended(3) }
  /// `SQLITE_READONLY_CANTINIT`.
  public static var SQLITE_READONLY_CANTINIT: ResultCode { SQLITE_READONLY.extended(5) }
  /// `SQLITE_READONLY_DIRECTORY`.
  public static var SQLITE_READONLY_DIRECTORY: ResultCode { SQLITE_READONLY.extended(6) }
  /// `SQLITE_NOTICE_RECOVER_WAL`.
  public static var SQLITE_NOTICE_RECOVER_WAL: ResultCode { SQLITE_NOTICE.extended(1) }
  /// `SQLITE_NOTICE_RECOVER_ROLLBACK`.
  public static var SQLITE_NOTICE_RECOVER_ROLLBACK: ResultCode { SQLITE_NOTICE.extended(2) }
  /// `SQLITE_WARNING_AUTOINDEX`.
  public static var SQLITE_WARNING_AUTOINDEX: ResultCode { SQLITE_WARNING.extended(1) }
  /// `SQLITE_AUTH_USER`.
  public static var SQLITE_AUTH_USER: ResultCode { SQLITE_AUTH.extended(1) }
  /// `SQLITE_OK_LOAD_PERMANENTLY`.
  public static var SQLITE_OK_LOAD_PERMANENTLY: ResultCode { SQLITE_OK.extended(1) }
  /// `SQLITE_OK_SYMLINK`.
  public static var SQLITE_OK_SYMLINK: ResultCode { SQLITE_OK.extended(2) }
}
