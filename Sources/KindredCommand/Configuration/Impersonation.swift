import ArgumentParser
import Foundation
import KindredAPI

typealias Impersonation = KindredService.Options.Impersonation

extension Impersonation {
  /// The bearer of a token with the claims of `--as`; without claims, the user who runs the program.
  ///
  /// - Throws: `ValidationError` unless they are a JSON object, even where no rule looks at them.
  init(claims: String?) throws {
    guard let claims else {
      self = .operator
      return
    }
    let value = try? JSONSerialization.jsonObject(with: Data(claims.utf8))
    guard value is [String: Any] else {
      throw ValidationError(#"--as: it must be a JSON object, such as '{"sub": 1, "roles": ["reader"]}'"#)
    }
    self = .claims(Array(claims.utf8))
  }
}
