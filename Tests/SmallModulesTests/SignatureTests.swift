import Testing

@testable import KindredCryptography

@Suite("Signatures of tokens, by the vectors of the standards")
struct SignatureTests {
  @Test
  func `an HMAC is that of RFC 4231 §4.2`() {
    let code = HashFunction.sha256.authenticationCode(
      of: Array("Hi There".utf8), key: [UInt8](repeating: 0x0b, count: 20))
    #expect(code.hexadecimal == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
  }

  @Test
  func `a digest is that of FIPS 180-4`() {
    #expect(
      HashFunction.sha256.digest(of: Array("abc".utf8)).hexadecimal
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }

  // RFC 7515 appendix A.3: the key, what is signed, the signature.
  private let x = Vector.base64("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")
  private let y = Vector.base64("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
  private let signed = Array(
    "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
      .utf8)
  private let signature = Vector.base64(
    "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")

  @Test
  func `ES256 verifies the example of RFC 7515 §A.3, and nothing beside it`() throws {
    let key = try PublicKey(curve: "P-256", x: x, y: y)
    #expect(key.verifies(signature, of: signed, by: .es256))
    #expect(!key.verifies(signature, of: signed + [0], by: .es256))
    #expect(!key.verifies([UInt8](repeating: 0, count: 64), of: signed, by: .es256))
    #expect(!key.verifies(Array(signature.dropLast()), of: signed, by: .es256))
    #expect(!key.verifies([], of: signed, by: .es256))
    #expect(!key.verifies(signature, of: signed, by: .es384), "the algorithm is that of another curve")
    #expect(!key.verifies(signature, of: signed, by: .rs256), "the algorithm is that of another kind of key")
  }

  @Test
  func `EdDSA verifies the example of RFC 8037 §A.4`() throws {
    let key = try PublicKey(
      curve: "Ed25519", x: Vector.base64("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"))
    let signed = Array("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc".utf8)
    let signature = Vector.base64(
      "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg")
    #expect(key.verifies(signature, of: signed, by: .edDSA))
    #expect(!key.verifies([UInt8](repeating: 0, count: 64), of: signed, by: .edDSA))
  }

  @Test
  func `RS256 verifies the example of RFC 7515 §A.2`() throws {
    let key = try PublicKey(modulus: Vector.base64(Vector.modulus), exponent: [1, 0, 1])
    #expect(key.verifies(Vector.base64(Vector.rsaSignature), of: Array(Vector.rsaSigned.utf8), by: .rs256))
    #expect(!key.verifies(Vector.base64(Vector.rsaSignature), of: Array(Vector.rsaSigned.utf8), by: .ps256))
    #expect(!key.verifies(Vector.base64(Vector.rsaSignature), of: Array(Vector.rsaSigned.utf8), by: .rs512))
  }

  @Test
  func `weak and malformed keys are refused`() {
    #expect(throws: PublicKey.Refusal.self, "512 bits") {
      try PublicKey(modulus: [UInt8](repeating: 0xC5, count: 64), exponent: [1, 0, 1])
    }
    #expect(throws: PublicKey.Refusal.self, "the exponent 1") {
      try PublicKey(modulus: [UInt8](repeating: 0xC5, count: 256), exponent: [1])
    }
    #expect(throws: PublicKey.Refusal.self, "an even exponent") {
      try PublicKey(modulus: [UInt8](repeating: 0xC5, count: 256), exponent: [4])
    }
    #expect(throws: PublicKey.Refusal.self, "no point on the curve") {
      try PublicKey(curve: "P-256", x: x, y: x)
    }
    #expect(throws: PublicKey.Refusal.self) { try PublicKey(curve: "secp256k1", x: x, y: y) }
    #expect(throws: PublicKey.Refusal.self) { try PublicKey(curve: "Ed25519", x: [1, 2, 3]) }
  }

  @Test
  func `equality is of all bytes`() {
    #expect([1, 2].isEqualInConstantTime(to: [1, 2]))
    #expect(![1, 2].isEqualInConstantTime(to: [1, 3]))
    #expect(![1, 2].isEqualInConstantTime(to: [1]))
    #expect([UInt8](hexadecimal: "00ff") == [0, 255])
    #expect([UInt8](hexadecimal: "00FF") == nil)
    #expect([UInt8](hexadecimal: "0") == nil)
  }
}

private enum Vector {
  static let modulus =
    "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"
  static let rsaSigned =
    "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
  static let rsaSignature =
    "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"

  static func base64(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer: UInt32 = 0
    var bits: UInt32 = 0
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    for digit in text.utf8 {
      buffer = buffer << 6 | UInt32(digits.firstIndex(of: digit) ?? 0)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
      }
    }
    return bytes
  }
}
