import Foundation

@_exported import struct KindredModel.RequestError
@_exported import struct KindredSQLite.DatabaseError
@_exported import struct KindredSQLite.OpenError
@_exported import enum KindredSQLSyntax.SQLValue

extension DatabaseError: CustomNSError {
  /// The domain of the error as an `NSError`.
  public static var errorDomain: String { "Kindred.DatabaseError" }

  /// The code of the error as an `NSError`: the extended result code.
  public var errorCode: Int { Int(extendedCode) }

  /// The description of the error as an `NSError`.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}

extension DatabaseError {
  /// Returns the result of `body`, or throws the error of a database that can't be opened as SQLite's error for it.
  static func whileOpening<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as OpenError {
      throw DatabaseError(resultCode: error.resultCode, message: error.description)
    }
  }
}

extension OpenError {
  fileprivate var resultCode: ResultCode {
    switch reason {
    case .missing, .directory, .unreadable, .directoryNotWritable, .needsRecovery, .other: .SQLITE_CANTOPEN
    case .notWritable: .SQLITE_READONLY
    case .notADatabase, .formerVersion: .SQLITE_NOTADB
    case .damaged, .newer: .SQLITE_CORRUPT
    case .busy: .SQLITE_BUSY
    case .moved, .withoutLog: .SQLITE_READONLY_DBMOVED
    }
  }
}
