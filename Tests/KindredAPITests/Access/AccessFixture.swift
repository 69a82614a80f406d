import KindredModel
import Foundation
import KindredPlanning
import KindredCryptography
import KindredHTTP
import KindredSQLSyntax
import KindredSQLite

@testable import KindredAPI
@testable import KindredRequests

/// A library with access rules.
///
/// Readers see their own books and all novels, but no prices; editors see everything; critics see all books, but not
/// their kind; others see two authors. Taggers see the same as readers, and link books and tags.
enum AccessFixture {
  static let model = """
    resources:
      authors:
        access:
          read:
            - { roles: [editor, critic] }
            - { roles: [reader], rows: countryCode = auth.country or id = auth.sub }
            - { rows: id <= 2, fields: [id, name] }
          create: { roles: [editor] }
          update: { roles: [editor] }
      books:
        access:
          read:
            - { roles: [editor] }
            - { roles: [reader], rows: authorId = auth.sub or kind = 'novel', fields: [id, authorId, title, kind, year] }
            - { roles: [critic], fields: [id, authorId, title] }
          create:
            - { roles: [editor] }
            - { roles: [reader], rows: authorId = auth.sub, fields: [id, authorId, title, kind] }
          update:
            - { roles: [editor] }
            - { roles: [reader], rows: authorId = auth.sub, fields: [title, kind, authorId] }
          delete:
            - { roles: [editor] }
            - { roles: [reader], rows: authorId = auth.sub }
      reviews:
        access:
          read:
            - { roles: [editor] }
            - { roles: [reader], rows: book.authorId = auth.sub or rating >= 4 }
          create: { roles: [editor, reader], rows: rating <= 3 }
      bookTags:
        access:
          read:
            - { roles: [editor] }
            - { roles: [reader], rows: tagId <> 2 }
          write: { roles: [editor, tagger] }
      tags:
        access:
          read:
            - { roles: [editor] }
            - { roles: [reader], rows: id <> 3 }
          create: { roles: [editor, reader] }
      employees:
        access:
          read: { roles: [reader], rows: name <> 'Bo' }
      paintings:
        access:
          read: { roles: [editor] }
    access: { read: {} }
    """

  static let secret = "a-secret-of-thirty-two-bytes-or-more"

  static var configuration: AccessConfiguration {
    var configuration = AccessConfiguration()
    var tokens = AccessConfiguration.Tokens(algorithms: [.hs256])
    tokens.secret = Array(secret.utf8)
    tokens.rolesClaim = "role"
    configuration.tokens = tokens
    configuration.keys = [
      .init(
        key: "the-key-of-a-reader", roles: ["reader"], claims: ["sub": .integer(1), "country": .text("US")])
    ]
    configuration.operatorRoles = ["admin"]
    return configuration
  }

  /// Creates a library with these rules.
  static func database(_ more: String = "", isWritable: Bool = true) throws -> TestDatabase {
    try TestDatabase(
      Library.schema + Library.records + more, modelFile: model, options: options(isWritable: isWritable))
  }

  static func options(isWritable: Bool = false) -> KindredService.Options {
    var options = KindredService.Options()
    options.isWritable = isWritable
    options.access = configuration
    return options
  }

  /// Returns the header with a token of these claims, which are JSON.
  static func bearer(
    _ claims: String, header: String = #"{"alg":"HS256","typ":"JWT"}"#, secret: String = secret
  )
    -> HTTPHeaders
  {
    ["Authorization": "Bearer \(token(claims, header: header, secret: secret))"]
  }

  static func token(
    _ claims: String, header: String = #"{"alg":"HS256","typ":"JWT"}"#, secret: String = secret
  ) -> String {
    let signed = [header, claims].map { Base64.encodeForURL(Array($0.utf8)) }.joined(separator: ".")
    let code = HashFunction.sha256.authenticationCode(of: Array(signed.utf8), key: Array(secret.utf8))
    return "\(signed).\(Base64.encodeForURL(code))"
  }

  static let reader = bearer(#"{"role":"reader","sub":1,"country":"US"}"#)
  static let other = bearer(#"{"role":"reader","sub":2}"#)
  static let editor = bearer(#"{"role":["editor"]}"#)
  static let tagger = bearer(#"{"role":["reader","tagger"],"sub":1,"country":"US"}"#)
  static let critic = bearer(#"{"role":"critic"}"#)
  static let stranger = bearer(#"{"role":"stranger"}"#)
}
