import Foundation
import TestSupport
import Testing

/// The keys of an identity provider: a second server with TLS and another certificate authority serves them, out of a
/// database.
@Suite("Keys of tokens from an https URL", .timeLimit(.minutes(10)))
struct KeySetTests {
  private let program: Program

  init() throws {
    program = Program(directory: try TemporaryDirectory())
  }

  @Test
  func `they are fetched from a trusted server, and kept while it is down`() async throws {
    try tool("openssl", "genrsa", "-out", "first.pem", "2048")
    try tool("openssl", "genrsa", "-out", "second.pem", "2048")
    let provider = try provider(of: ["first"])
    let server = try server(provider, trusting: "authority.pem")
    let (first, second) = (try token("first"), try token("second"))
    #expect(try await status(server, first) == 200)
    let (stranger, _) = try await server.get("/authors/1")
    #expect(stranger == 401)

    #expect(try await status(server, second) == 401, "its key is unknown")

    provider.send(SIGTERM)
    #expect(provider.wait() == 0)
    #expect(try await status(server, first) == 200, "the keys are kept while the provider is down")
  }

  @Test
  func `a server whose authority isn't trusted ends the start with the reason`() throws {
    try tool("openssl", "genrsa", "-out", "first.pem", "2048")
    let provider = try provider(of: ["first"])
    try writeConfiguration(provider)
    let outcome = try program.run("serve", "library.sqlite", "--config", "kindred.yaml")
    #expect(outcome.status != 0)
    #expect(outcome.errors.contains("/sets/1?fields=keys"))
    #expect(outcome.errors.contains("certificate"), "\(outcome.errors)")
  }

  // MARK: The provider

  /// A server with the keys of these names.
  private func provider(of names: [String]) throws -> ServerProcess {
    let days = ["-days", "2"]
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    try tool(
      ["openssl", "req", "-x509"] + key + days
        + ["-keyout", "authority.key", "-out", "authority.pem", "-subj", "/CN=An authority"])
    try tool(
      ["openssl", "req"] + key + ["-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost"])
    try program.directory.write("subjectAltName=DNS:localhost\n", to: "names.cnf")
    try tool(
      ["openssl", "x509", "-req", "-in", "server.csr", "-CA", "authority.pem", "-CAkey", "authority.key"]
        + days
        + ["-CAcreateserial", "-extfile", "names.cnf", "-out", "server.pem"])
    try tool("sqlite3", "keys.sqlite", "CREATE TABLE \"set\" (id INTEGER PRIMARY KEY, keys JSON)")
    try publish(names)
    return try ServerProcess(
      program, "keys.sqlite", "--host", "localhost", "--port", "0", "--tls-certificate", "server.pem",
      "--tls-key", "server.key")
  }

  private func publish(_ names: [String]) throws {
    let keys = try names.map { name in
      // "Modulus=" and hexadecimal digits.
      let digits = try tool("openssl", "rsa", "-in", "\(name).pem", "-noout", "-modulus")
        .trimmingCharacters(in: .newlines).dropFirst(8)
      let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { offset in
        UInt8(digits.dropFirst(offset).prefix(2), radix: 16)
      }
      return #"{"kty":"RSA","use":"sig","kid":"\#(name)","e":"AQAB","n":"\#(Self.encode(Data(bytes)))"}"#
    }
    let content = keys.joined(separator: ",")
    try tool("sqlite3", "keys.sqlite", "REPLACE INTO \"set\" VALUES (1, '[\(content)]')")
  }

  // MARK: The server

  private func writeConfiguration(_ provider: ServerProcess) throws {
    try program.directory.makeLibrary()
    try program.directory.write(
      "access:\n  jwt:\n    algorithm: RS256\n    keys: \(try #require(provider.url))/sets/1?fields=keys\n"
        + "model: model.yaml\nport: 0\n", to: "kindred.yaml")
    try program.directory.write(
      "resources:\n  authors:\n    access: { read: { roles: [reader] } }\n", to: "model.yaml")
  }

  private func server(_ provider: ServerProcess, trusting authority: String) throws -> ServerProcess {
    try writeConfiguration(provider)
    var program = program
    program.environment["SSL_CERT_FILE"] = program.directory.url.appending(path: authority).path
    return try ServerProcess(program, "library.sqlite", "--config", "kindred.yaml")
  }

  private func status(_ server: ServerProcess, _ token: String) async throws -> Int {
    try await server.get("/authors/1", sending: ["Authorization": "Bearer \(token)"]).status
  }

  /// A token that is signed by the key of this name.
  private func token(_ name: String, kid: String? = nil) throws -> String {
    let parts = [#"{"alg":"RS256","kid":"\#(kid ?? name)"}"#, #"{"sub":1,"roles":["reader"]}"#]
    let signed = parts.map { Self.encode(Data($0.utf8)) }.joined(separator: ".")
    try program.directory.write(signed, to: "signed")
    try tool("openssl", "dgst", "-sha256", "-sign", "\(name).pem", "-out", "signature", "signed")
    return
      "\(signed).\(Self.encode(try Data(contentsOf: program.directory.url.appending(path: "signature"))))"
  }

  private static func encode(_ data: Data) -> String {
    data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  // MARK: Tools

  @discardableResult
  private func tool(_ arguments: String...) throws -> String { try tool(arguments) }

  @discardableResult
  private func tool(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.currentDirectoryURL = program.directory.url
    process.standardError = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(arguments.joined(separator: " ")) fails")
    return String(decoding: text, as: UTF8.self)
  }
}
