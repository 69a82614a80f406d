import Foundation

extension [CodingUserInfoKey: Any] {
  /// The values for a coder of JSON, which is used by the thread that has created it only.
  ///
  /// `Sendable` is no part of a value, so that `Any` and `any Sendable` have the same representation.
  var forCoder: [CodingUserInfoKey: any Sendable] {
    mapValues { unsafeBitCast($0, to: (any Sendable).self) }
  }
}
