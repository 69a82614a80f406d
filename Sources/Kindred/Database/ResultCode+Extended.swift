import CKindredSQLite
import KindredSQLite

// The extended codes that a program seldom tells apart.

// swift-format-ignore: AlwaysUseLowerCamelCase
extension ResultCode {
  /// `SQLITE_ERROR_MISSING_COLLSEQ`.
  public static let SQLITE_ERROR_MISSING_COLLSEQ = extended(CKindredSQLite.SQLITE_ERROR, 1)
  /// `SQLITE_ERROR_RETRY`.
  public static let SQLITE_ERROR_RETRY = extended(CKindredSQLite.SQLITE_ERROR, 2)
  /// `SQLITE_ERROR_SNAPSHOT`.
  public static let SQLITE_ERROR_SNAPSHOT = extended(CKindredSQLite.SQLITE_ERROR, 3)
  /// `SQLITE_IOERR_READ`.
  public static let SQLITE_IOERR_READ = extended(CKindredSQLite.SQLITE_IOERR, 1)
  /// `SQLITE_IOERR_SHORT_READ`.
  public static let SQLITE_IOERR_SHORT_READ = extended(CKindredSQLite.SQLITE_IOERR, 2)
  /// `SQLITE_IOERR_WRITE`.
  public static let SQLITE_IOERR_WRITE = extended(CKindredSQLite.SQLITE_IOERR, 3)
  /// `SQLITE_IOERR_FSYNC`.
  public static let SQLITE_IOERR_FSYNC = extended(CKindredSQLite.SQLITE_IOERR, 4)
  /// `SQLITE_IOERR_DIR_FSYNC`.
  public static let SQLITE_IOERR_DIR_FSYNC = extended(CKindredSQLite.SQLITE_IOERR, 5)
  /// `SQLITE_IOERR_TRUNCATE`.
  public static let SQLITE_IOERR_TRUNCATE = extended(CKindredSQLite.SQLITE_IOERR, 6)
  /// `SQLITE_IOERR_FSTAT`.
  public static let SQLITE_IOERR_FSTAT = extended(CKindredSQLite.SQLITE_IOERR, 7)
  /// `SQLITE_IOERR_UNLOCK`.
  public static let SQLITE_IOERR_UNLOCK = extended(CKindredSQLite.SQLITE_IOERR, 8)
  /// `SQLITE_IOERR_RDLOCK`.
  public static let SQLITE_IOERR_RDLOCK = extended(CKindredSQLite.SQLITE_IOERR, 9)
  /// `SQLITE_IOERR_DELETE`.
  public static let SQLITE_IOERR_DELETE = extended(CKindredSQLite.SQLITE_IOERR, 10)
  /// `SQLITE_IOERR_BLOCKED`.
  public static let SQLITE_IOERR_BLOCKED = extended(CKindredSQLite.SQLITE_IOERR, 11)
  /// `SQLITE_IOERR_NOMEM`.
  public static let SQLITE_IOERR_NOMEM = extended(CKindredSQLite.SQLITE_IOERR, 12)
  /// `SQLITE_IOERR_ACCESS`.
  public static let SQLITE_IOERR_ACCESS = extended(CKindredSQLite.SQLITE_IOERR, 13)
  /// `SQLITE_IOERR_CHECKRESERVEDLOCK`.
  public static let SQLITE_IOERR_CHECKRESERVEDLOCK = extended(CKindredSQLite.SQLITE_IOERR, 14)
  /// `SQLITE_IOERR_LOCK`.
  public static let SQLITE_IOERR_LOCK = extended(CKindredSQLite.SQLITE_IOERR, 15)
  /// `SQLITE_IOERR_CLOSE`.
  public static let SQLITE_IOERR_CLOSE = extended(CKindredSQLite.SQLITE_IOERR, 16)
  /// `SQLITE_IOERR_DIR_CLOSE`.
  public static let SQLITE_IOERR_DIR_CLOSE = extended(CKindredSQLite.SQLITE_IOERR, 17)
  /// `SQLITE_IOERR_SHMOPEN`.
  public static let SQLITE_IOERR_SHMOPEN = extended(CKindredSQLite.SQLITE_IOERR, 18)
  /// `SQLITE_IOERR_SHMSIZE`.
  public static let SQLITE_IOERR_SHMSIZE = extended(CKindredSQLite.SQLITE_IOERR, 19)
  /// `SQLITE_IOERR_SHMLOCK`.
  public static let SQLITE_IOERR_SHMLOCK = extended(CKindredSQLite.SQLITE_IOERR, 20)
  /// `SQLITE_IOERR_SHMMAP`.
  public static let SQLITE_IOERR_SHMMAP = extended(CKindredSQLite.SQLITE_IOERR, 21)
  /// `SQLITE_IOERR_SEEK`.
  public static let SQLITE_IOERR_SEEK = extended(CKindredSQLite.SQLITE_IOERR, 22)
  /// `SQLITE_IOERR_DELETE_NOENT`.
  public static let SQLITE_IOERR_DELETE_NOENT = extended(CKindredSQLite.SQLITE_IOERR, 23)
  /// `SQLITE_IOERR_MMAP`.
  public static let SQLITE_IOERR_MMAP = extended(CKindredSQLite.SQLITE_IOERR, 24)
  /// `SQLITE_IOERR_GETTEMPPATH`.
  public static let SQLITE_IOERR_GETTEMPPATH = extended(CKindredSQLite.SQLITE_IOERR, 25)
  /// `SQLITE_IOERR_CONVPATH`.
  public static let SQLITE_IOERR_CONVPATH = extended(CKindredSQLite.SQLITE_IOERR, 26)
  /// `SQLITE_IOERR_VNODE`.
  public static let SQLITE_IOERR_VNODE = extended(CKindredSQLite.SQLITE_IOERR, 27)
  /// `SQLITE_IOERR_AUTH`.
  public static let SQLITE_IOERR_AUTH = extended(CKindredSQLite.SQLITE_IOERR, 28)
  /// `SQLITE_IOERR_BEGIN_ATOMIC`.
  public static let SQLITE_IOERR_BEGIN_ATOMIC = extended(CKindredSQLite.SQLITE_IOERR, 29)
  /// `SQLITE_IOERR_COMMIT_ATOMIC`.
  public static let SQLITE_IOERR_COMMIT_ATOMIC = extended(CKindredSQLite.SQLITE_IOERR, 30)
  /// `SQLITE_IOERR_ROLLBACK_ATOMIC`.
  public static let SQLITE_IOERR_ROLLBACK_ATOMIC = extended(CKindredSQLite.SQLITE_IOERR, 31)
  /// `SQLITE_IOERR_DATA`.
  public static let SQLITE_IOERR_DATA = extended(CKindredSQLite.SQLITE_IOERR, 32)
  /// `SQLITE_IOERR_CORRUPTFS`.
  public static let SQLITE_IOERR_CORRUPTFS = extended(CKindredSQLite.SQLITE_IOERR, 33)
  /// `SQLITE_LOCKED_VTAB`.
  public static let SQLITE_LOCKED_VTAB = extended(CKindredSQLite.SQLITE_LOCKED, 2)
  /// `SQLITE_CANTOPEN_NOTEMPDIR`.
  public static let SQLITE_CANTOPEN_NOTEMPDIR = extended(CKindredSQLite.SQLITE_CANTOPEN, 1)
  /// `SQLITE_CANTOPEN_ISDIR`.
  public static let SQLITE_CANTOPEN_ISDIR = extended(CKindredSQLite.SQLITE_CANTOPEN, 2)
  /// `SQLITE_CANTOPEN_FULLPATH`.
  public static let SQLITE_CANTOPEN_FULLPATH = extended(CKindredSQLite.SQLITE_CANTOPEN, 3)
  /// `SQLITE_CANTOPEN_CONVPATH`.
  public static let SQLITE_CANTOPEN_CONVPATH = extended(CKindredSQLite.SQLITE_CANTOPEN, 4)
  /// `SQLITE_CANTOPEN_DIRTYWAL`.
  public static let SQLITE_CANTOPEN_DIRTYWAL = extended(CKindredSQLite.SQLITE_CANTOPEN, 5)
  /// `SQLITE_CANTOPEN_SYMLINK`.
  public static let SQLITE_CANTOPEN_SYMLINK = extended(CKindredSQLite.SQLITE_CANTOPEN, 6)
  /// `SQLITE_CORRUPT_VTAB`.
  public static let SQLITE_CORRUPT_VTAB = extended(CKindredSQLite.SQLITE_CORRUPT, 1)
  /// `SQLITE_CORRUPT_SEQUENCE`.
  public static let SQLITE_CORRUPT_SEQUENCE = extended(CKindredSQLite.SQLITE_CORRUPT, 2)
  /// `SQLITE_CORRUPT_INDEX`.
  public static let SQLITE_CORRUPT_INDEX = extended(CKindredSQLite.SQLITE_CORRUPT, 3)
  /// `SQLITE_READONLY_CANTINIT`.
  public static let SQLITE_READONLY_CANTINIT = extended(CKindredSQLite.SQLITE_READONLY, 5)
  /// `SQLITE_READONLY_DIRECTORY`.
  public static let SQLITE_READONLY_DIRECTORY = extended(CKindredSQLite.SQLITE_READONLY, 6)
  /// `SQLITE_NOTICE_RECOVER_WAL`.
  public static let SQLITE_NOTICE_RECOVER_WAL = extended(CKindredSQLite.SQLITE_NOTICE, 1)
  /// `SQLITE_NOTICE_RECOVER_ROLLBACK`.
  public static let SQLITE_NOTICE_RECOVER_ROLLBACK = extended(CKindredSQLite.SQLITE_NOTICE, 2)
  /// `SQLITE_WARNING_AUTOINDEX`.
  public static let SQLITE_WARNING_AUTOINDEX = extended(CKindredSQLite.SQLITE_WARNING, 1)
  /// `SQLITE_AUTH_USER`.
  public static let SQLITE_AUTH_USER = extended(CKindredSQLite.SQLITE_AUTH, 1)
  /// `SQLITE_OK_LOAD_PERMANENTLY`.
  public static let SQLITE_OK_LOAD_PERMANENTLY = extended(CKindredSQLite.SQLITE_OK, 1)
  /// `SQLITE_OK_SYMLINK`.
  public static let SQLITE_OK_SYMLINK = extended(CKindredSQLite.SQLITE_OK, 2)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
extension DatabaseError {
  /// ``ResultCode/SQLITE_ERROR_MISSING_COLLSEQ``.
  public static let SQLITE_ERROR_MISSING_COLLSEQ = ResultCode.SQLITE_ERROR_MISSING_COLLSEQ
  /// ``ResultCode/SQLITE_ERROR_RETRY``.
  public static let SQLITE_ERROR_RETRY = ResultCode.SQLITE_ERROR_RETRY
  /// ``ResultCode/SQLITE_ERROR_SNAPSHOT``.
  public static let SQLITE_ERROR_SNAPSHOT = ResultCode.SQLITE_ERROR_SNAPSHOT
  /// ``ResultCode/SQLITE_IOERR_READ``.
  public static let SQLITE_IOERR_READ = ResultCode.SQLITE_IOERR_READ
  /// ``ResultCode/SQLITE_IOERR_SHORT_READ``.
  public static let SQLITE_IOERR_SHORT_READ = ResultCode.SQLITE_IOERR_SHORT_READ
  /// ``ResultCode/SQLITE_IOERR_WRITE``.
  public static let SQLITE_IOERR_WRITE = ResultCode.SQLITE_IOERR_WRITE
  /// ``ResultCode/SQLITE_IOERR_FSYNC``.
  public static let SQLITE_IOERR_FSYNC = ResultCode.SQLITE_IOERR_FSYNC
  /// ``ResultCode/SQLITE_IOERR_DIR_FSYNC``.
  public static let SQLITE_IOERR_DIR_FSYNC = ResultCode.SQLITE_IOERR_DIR_FSYNC
  /// ``ResultCode/SQLITE_IOERR_TRUNCATE``.
  public static let SQLITE_IOERR_TRUNCATE = ResultCode.SQLITE_IOERR_TRUNCATE
  /// ``ResultCode/SQLITE_IOERR_FSTAT``.
  public static let SQLITE_IOERR_FSTAT = ResultCode.SQLITE_IOERR_FSTAT
  /// ``ResultCode/SQLITE_IOERR_UNLOCK``.
  public static let SQLITE_IOERR_UNLOCK = ResultCode.SQLITE_IOERR_UNLOCK
  /// ``ResultCode/SQLITE_IOERR_RDLOCK``.
  public static let SQLITE_IOERR_RDLOCK = ResultCode.SQLITE_IOERR_RDLOCK
  /// ``ResultCode/SQLITE_IOERR_DELETE``.
  public static let SQLITE_IOERR_DELETE = ResultCode.SQLITE_IOERR_DELETE
  /// ``ResultCode/SQLITE_IOERR_BLOCKED``.
  public static let SQLITE_IOERR_BLOCKED = ResultCode.SQLITE_IOERR_BLOCKED
  /// ``ResultCode/SQLITE_IOERR_NOMEM``.
  public static let SQLITE_IOERR_NOMEM = ResultCode.SQLITE_IOERR_NOMEM
  /// ``ResultCode/SQLITE_IOERR_ACCESS``.
  public static let SQLITE_IOERR_ACCESS = ResultCode.SQLITE_IOERR_ACCESS
  /// ``ResultCode/SQLITE_IOERR_CHECKRESERVEDLOCK``.
  public static let SQLITE_IOERR_CHECKRESERVEDLOCK = ResultCode.SQLITE_IOERR_CHECKRESERVEDLOCK
  /// ``ResultCode/SQLITE_IOERR_LOCK``.
  public static let SQLITE_IOERR_LOCK = ResultCode.SQLITE_IOERR_LOCK
  /// ``ResultCode/SQLITE_IOERR_CLOSE``.
  public static let SQLITE_IOERR_CLOSE = ResultCode.SQLITE_IOERR_CLOSE
  /// ``ResultCode/SQLITE_IOERR_DIR_CLOSE``.
  public static let SQLITE_IOERR_DIR_CLOSE = ResultCode.SQLITE_IOERR_DIR_CLOSE
  /// ``ResultCode/SQLITE_IOERR_SHMOPEN``.
  public static let SQLITE_IOERR_SHMOPEN = ResultCode.SQLITE_IOERR_SHMOPEN
  /// ``ResultCode/SQLITE_IOERR_SHMSIZE``.
  public static let SQLITE_IOERR_SHMSIZE = ResultCode.SQLITE_IOERR_SHMSIZE
  /// ``ResultCode/SQLITE_IOERR_SHMLOCK``.
  public static let SQLITE_IOERR_SHMLOCK = ResultCode.SQLITE_IOERR_SHMLOCK
  /// ``ResultCode/SQLITE_IOERR_SHMMAP``.
  public static let SQLITE_IOERR_SHMMAP = ResultCode.SQLITE_IOERR_SHMMAP
  /// ``ResultCode/SQLITE_IOERR_SEEK``.
  public static let SQLITE_IOERR_SEEK = ResultCode.SQLITE_IOERR_SEEK
  /// ``ResultCode/SQLITE_IOERR_DELETE_NOENT``.
  public static let SQLITE_IOERR_DELETE_NOENT = ResultCode.SQLITE_IOERR_DELETE_NOENT
  /// ``ResultCode/SQLITE_IOERR_MMAP``.
  public static let SQLITE_IOERR_MMAP = ResultCode.SQLITE_IOERR_MMAP
  /// ``ResultCode/SQLITE_IOERR_GETTEMPPATH``.
  public static let SQLITE_IOERR_GETTEMPPATH = ResultCode.SQLITE_IOERR_GETTEMPPATH
  /// ``ResultCode/SQLITE_IOERR_CONVPATH``.
  public static let SQLITE_IOERR_CONVPATH = ResultCode.SQLITE_IOERR_CONVPATH
  /// ``ResultCode/SQLITE_IOERR_VNODE``.
  public static let SQLITE_IOERR_VNODE = ResultCode.SQLITE_IOERR_VNODE
  /// ``ResultCode/SQLITE_IOERR_AUTH``.
  public static let SQLITE_IOERR_AUTH = ResultCode.SQLITE_IOERR_AUTH
  /// ``ResultCode/SQLITE_IOERR_BEGIN_ATOMIC``.
  public static let SQLITE_IOERR_BEGIN_ATOMIC = ResultCode.SQLITE_IOERR_BEGIN_ATOMIC
  /// ``ResultCode/SQLITE_IOERR_COMMIT_ATOMIC``.
  public static let SQLITE_IOERR_COMMIT_ATOMIC = ResultCode.SQLITE_IOERR_COMMIT_ATOMIC
  /// ``ResultCode/SQLITE_IOERR_ROLLBACK_ATOMIC``.
  public static let SQLITE_IOERR_ROLLBACK_ATOMIC = ResultCode.SQLITE_IOERR_ROLLBACK_ATOMIC
  /// ``ResultCode/SQLITE_IOERR_DATA``.
  public static let SQLITE_IOERR_DATA = ResultCode.SQLITE_IOERR_DATA
  /// ``ResultCode/SQLITE_IOERR_CORRUPTFS``.
  public static let SQLITE_IOERR_CORRUPTFS = ResultCode.SQLITE_IOERR_CORRUPTFS
  /// ``ResultCode/SQLITE_LOCKED_VTAB``.
  public static let SQLITE_LOCKED_VTAB = ResultCode.SQLITE_LOCKED_VTAB
  /// ``ResultCode/SQLITE_CANTOPEN_NOTEMPDIR``.
  public static let SQLITE_CANTOPEN_NOTEMPDIR = ResultCode.SQLITE_CANTOPEN_NOTEMPDIR
  /// ``ResultCode/SQLITE_CANTOPEN_ISDIR``.
  public static let SQLITE_CANTOPEN_ISDIR = ResultCode.SQLITE_CANTOPEN_ISDIR
  /// ``ResultCode/SQLITE_CANTOPEN_FULLPATH``.
  public static let SQLITE_CANTOPEN_FULLPATH = ResultCode.SQLITE_CANTOPEN_FULLPATH
  /// ``ResultCode/SQLITE_CANTOPEN_CONVPATH``.
  public static let SQLITE_CANTOPEN_CONVPATH = ResultCode.SQLITE_CANTOPEN_CONVPATH
  /// ``ResultCode/SQLITE_CANTOPEN_DIRTYWAL``.
  public static let SQLITE_CANTOPEN_DIRTYWAL = ResultCode.SQLITE_CANTOPEN_DIRTYWAL
  /// ``ResultCode/SQLITE_CANTOPEN_SYMLINK``.
  public static let SQLITE_CANTOPEN_SYMLINK = ResultCode.SQLITE_CANTOPEN_SYMLINK
  /// ``ResultCode/SQLITE_CORRUPT_VTAB``.
  public static let SQLITE_CORRUPT_VTAB = ResultCode.SQLITE_CORRUPT_VTAB
  /// ``ResultCode/SQLITE_CORRUPT_SEQUENCE``.
  public static let SQLITE_CORRUPT_SEQUENCE = ResultCode.SQLITE_CORRUPT_SEQUENCE
  /// ``ResultCode/SQLITE_CORRUPT_INDEX``.
  public static let SQLITE_CORRUPT_INDEX = ResultCode.SQLITE_CORRUPT_INDEX
  /// ``ResultCode/SQLITE_READONLY_CANTINIT``.
  public static let SQLITE_READONLY_CANTINIT = ResultCode.SQLITE_READONLY_CANTINIT
  /// ``ResultCode/SQLITE_READONLY_DIRECTORY``.
  public static let SQLITE_READONLY_DIRECTORY = ResultCode.SQLITE_READONLY_DIRECTORY
  /// ``ResultCode/SQLITE_NOTICE_RECOVER_WAL``.
  public static let SQLITE_NOTICE_RECOVER_WAL = ResultCode.SQLITE_NOTICE_RECOVER_WAL
  /// ``ResultCode/SQLITE_NOTICE_RECOVER_ROLLBACK``.
  public static let SQLITE_NOTICE_RECOVER_ROLLBACK = ResultCode.SQLITE_NOTICE_RECOVER_ROLLBACK
  /// ``ResultCode/SQLITE_WARNING_AUTOINDEX``.
  public static let SQLITE_WARNING_AUTOINDEX = ResultCode.SQLITE_WARNING_AUTOINDEX
  /// ``ResultCode/SQLITE_AUTH_USER``.
  public static let SQLITE_AUTH_USER = ResultCode.SQLITE_AUTH_USER
  /// ``ResultCode/SQLITE_OK_LOAD_PERMANENTLY``.
  public static let SQLITE_OK_LOAD_PERMANENTLY = ResultCode.SQLITE_OK_LOAD_PERMANENTLY
  /// ``ResultCode/SQLITE_OK_SYMLINK``.
  public static let SQLITE_OK_SYMLINK = ResultCode.SQLITE_OK_SYMLINK
}
