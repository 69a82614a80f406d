import KindredModel
import KindredPlanning
import Foundation
import KindredCryptography
import KindredHTTP
import Logging
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("Tokens and keys")
struct TokenTests {
  private func verifier(_ change: (inout AccessConfiguration.Tokens) -> Void = { _ in }) throws
    -> TokenVerifier
  {
    var tokens = AccessConfiguration.Tokens(algorithms: [.hs256])
    tokens.secret = Array(AccessFixture.secret.utf8)
    change(&tokens)
    return try TokenVerifier(tokens, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  private func holds(_ token: String, _ change: (inout AccessConfiguration.Tokens) -> Void = { _ in }) throws
    -> Bool
  {
    (try? verifier(change).verify(token)) != nil
  }

  @Test
  func `HS256 verifies the example of RFC 7515 §A.1`() throws {
    let token =
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    let secret = try #require(
      Base64.decode("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"))
    // It expired long ago, so only a leeway makes it valid.
    #expect(try holds(token) { ($0.secret, $0.leeway) = (secret, 1e10) })
    #expect(try !holds(token) { $0.secret = secret })
    #expect(try !holds(token.dropLast() + "l") { ($0.secret, $0.leeway) = (secret, 1e10) })
  }

  @Test(arguments: [
    #"{"alg":"none"}"#, #"{"alg":"None"}"#, #"{"alg":""}"#, #"{}"#, #"{"alg":"HS512"}"#,
    #"{"alg":"hs256"}"#,
    #"{"alg":"HS256","crit":["exp"]}"#, #"{"alg":"HS256","crit":[]}"#, #"{"alg":"HS256","alg":"HS256"}"#,
    #"{"alg":["HS256"]}"#, #"{"alg":"HS256","kid":1}"#, #"["HS256"]"#, "", "{",
  ])
  func `a header that asks for another way to be verified is refused`(header: String) throws {
    #expect(try !holds(AccessFixture.token("{}", header: header)))
  }

  @Test
  func `an unsigned token is refused`() throws {
    let parts = AccessFixture.token("{}").split(separator: ".")
    #expect(try !holds("\(parts[0]).\(parts[1])."))
    #expect(try !holds("\(parts[0]).\(parts[1])"))
    #expect(try !holds(AccessFixture.token("{}") + ".x"))
    #expect(try !holds(AccessFixture.token("{}", secret: "another")))
  }

  @Test
  func `a token is base64url, of one form only`() throws {
    let token = AccessFixture.token(#"{"a":"?>"}"#)
    #expect(try holds(token))
    #expect(try !holds(token + "="))
    #expect(Base64.decodeStrictly("YQ".utf8[...]) == [97])
    for text in ["YR", "YQ==", "Y", "YQ+/", "Y Q", "YQ\n"] {
      #expect(Base64.decodeStrictly(Substring(text).utf8) == nil, "\(text)")
    }
  }

  @Test
  func `claims must be of their kind, and in their time`() throws {
    let now = Date().timeIntervalSince1970
    for claims in [
      #"{"exp":\#(now - 5)}"#, #"{"exp":"tomorrow"}"#, #"{"exp":null}"#, #"{"exp":[\#(now + 60)]}"#,
      #"{"exp":1e999}"#,
      #"{"nbf":\#(now + 60)}"#, #"{"nbf":"now"}"#, #"{"sub":1,"sub":2}"#, "[]", "1", #"{"exp":0}"#,
    ] {
      #expect(try !holds(AccessFixture.token(claims)), "\(claims)")
    }
    #expect(try holds(AccessFixture.token(#"{"exp":\#(now + 60.5),"nbf":\#(now - 60)}"#)))
    #expect(try holds(AccessFixture.token(#"{"exp":\#(now - 5)}"#)) { $0.leeway = 30 })
  }

  @Test
  func `the issuer is equal, and the audience among those of the token`() throws {
    func holds(_ claims: String) throws -> Bool {
      try self.holds(AccessFixture.token(claims)) {
        ($0.issuer, $0.audience) = ("https://id.example", "kindred")
      }
    }
    #expect(try holds(#"{"iss":"https://id.example","aud":"kindred"}"#))
    #expect(try holds(#"{"iss":"https://id.example","aud":["a","kindred"]}"#))
    for claims in [
      #"{"aud":"kindred"}"#, #"{"iss":"https://id.example"}"#,
      #"{"iss":["https://id.example"],"aud":"kindred"}"#,
      #"{"iss":"https://id.example/","aud":"kindred"}"#, #"{"iss":"https://id.example","aud":["kindre"]}"#,
    ] {
      #expect(try !holds(claims), "\(claims)")
    }
  }

  @Test
  func `roles are found inside of claims, also below names with dots`() throws {
    func roles(_ claims: String, _ path: String) throws -> NameSet {
      try TokenClaims(Array(claims.utf8)).roles(at: path)
    }
    #expect(try roles(#"{"realm_access":{"roles":["a","b"]}}"#, "realm_access.roles") == ["a", "b"])
    #expect(try roles(#"{"https://id.example/roles":"a"}"#, "https://id.example/roles") == ["a"])
    #expect(try roles(#"{"id.example":{"roles":"a"}}"#, "id.example.roles") == ["a"])
    #expect(try roles(#"{"roles":[1,null,{"a":1},"b"]}"#, "roles") == ["b"])
    #expect(try roles(#"{"role":"a"}"#, "roles").isEmpty)
    #expect(try roles(#"{"roles":["\u212A"]}"#, "roles") != ["K"], "names are compared byte by byte")
  }

  @Test
  func `a JWK set keeps keys to their algorithms, and leaves out those that verify nothing`() throws {
    let curve =
      #""crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0""#
    func count(_ keys: String, _ algorithm: SignatureAlgorithm, _ id: String? = nil) throws -> Int {
      try KeySet(Array(#"{"keys":[\#(keys)]}"#.utf8)).candidates(for: algorithm, keyID: id).count
    }
    #expect(try count(#"{"kty":"EC",\#(curve)}"#, .es256) == 1)
    #expect(try count(#"{"kty":"EC",\#(curve)}"#, .hs256) == 0)
    #expect(try count(#"{"kty":"EC","alg":"ES384",\#(curve)}"#, .es256) == 0)
    #expect(try count(#"{"kty":"EC","kid":"a",\#(curve)}"#, .es256, "b") == 0)
    #expect(
      try count(#"{"kty":"oct","k":"\#(Base64.encodeForURL([UInt8](repeating: 7, count: 32)))"}"#, .hs256)
        == 1)
    #expect(
      try count(#"{"kty":"oct","k":"\#(Base64.encodeForURL([UInt8](repeating: 7, count: 32)))"}"#, .hs512)
        == 0)
    for keys in [
      #"{"kty":"EC","use":"enc",\#(curve)}"#, #"{"kty":"EC","key_ops":["sign"],\#(curve)}"#,
      #"{"kty":"oct"}"#,
      #"{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#, #"{"kty":"RSA","n":"xQ","e":"AQAB"}"#,
      #"{"kty":"unheard of"}"#,
    ] {
      #expect(throws: KeySetError.self) { try KeySet(Array(#"{"keys":[\#(keys)]}"#.utf8)) }
    }
    for text in ["", "{}", "[]", #"{"keys":{}}"#] {
      #expect(throws: KeySetError.self) { try KeySet(Array(text.utf8)) }
    }
  }

  @Test
  func `credentials that don't hold are 401 everywhere, also where none are needed`() throws {
    let database = try AccessFixture.database()
    for field in ["Bearer", "Bearer ", "Bearer x", "Bearer ..", "Basic YTpi", "x", "Bearer a b"] {
      for target in ["/countries", "/", "/-/health", "/nothing"] {
        let answer = try database.get(target, headers: ["Authorization": field])
        #expect(answer.status == 401, "\(field) \(target)")
        #expect(answer.headers["WWW-Authenticate"]?.hasPrefix("Bearer") ?? false)
      }
    }
    let twice: HTTPHeaders = ["Authorization": "Bearer the-key-of-a-reader", "authorization": "Bearer x"]
    #expect(try database.get("/countries", headers: twice).status == 401)
    #expect(
      try database.get("/countries", headers: ["Authorization": "bearer the-key-of-a-reader"]).status == 200)
  }
}
