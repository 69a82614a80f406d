import CKindredSQLite

/// A collation, by which statements compare texts (<https://www.sqlite.org/c3ref/create_collation.html>).
public final class Collation: Sendable {
  /// The name in SQL; the case of its ASCII letters is ignored.
  public let name: String
  private let compare: @Sendable (_ left: String, _ right: String) -> Int32

  /// Creates a collation.
  ///
  /// - Parameters:
  ///   - name: The name in SQL.
  ///   - compare: Returns a negative number if the left text comes first, a positive one if the right one does, and
  ///     0 if they are equal. The order must be consistent, or indexes get damaged.
  public init(_ name: String, _ compare: @escaping @Sendable (_ left: String, _ right: String) -> Int32) {
    self.name = name
    self.compare = compare
  }

  package func define(on connection: Connection) throws {
    let code = sqlite3_create_collation_v2(
      connection.handle, name, SQLITE_UTF8, Unmanaged.passRetained(self).toOpaque(),
      { context, leftCount, left, rightCount, right in
        guard let context else { return 0 }
        return Unmanaged<Collation>.fromOpaque(context).takeUnretainedValue().compare(
          String(decoding: UnsafeRawBufferPointer(start: left, count: Int(leftCount)), as: UTF8.self),
          String(decoding: UnsafeRawBufferPointer(start: right, count: Int(rightCount)), as: UTF8.self))
      },
      { context in context.map { Unmanaged<Collation>.fromOpaque($0).release() } })
    guard code == SQLITE_OK else {
      // Unlike similar functions of SQLite, this one does not call the destructor when it fails.
      Unmanaged.passUnretained(self).release()
      throw connection.error(code)
    }
  }
}

extension Collation: Hashable {
  /// Whether both are the same object.
  public static func == (left: Collation, right: Collation) -> Bool { left === right }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
