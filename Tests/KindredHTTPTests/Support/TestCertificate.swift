import Foundation
import KindredHTTP

/// A self-signed certificate for localhost, in its own directory.
final class TestCertificate {
  let directory = FileManager.default.temporaryDirectory.appending(path: "kindred-\(UUID().uuidString)")

  var certificate: String { directory.appending(path: "certificate.pem").path() }
  var key: String { directory.appending(path: "key.pem").path() }
  var configuration: TLSConfiguration { TLSConfiguration(certificateFile: certificate, keyFile: key) }

  init(name: String = "localhost") throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try issue(name: name)
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  /// Writes another certificate with another key.
  func issue(name: String) throws {
    _ = try Command.openssl(
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
      "-keyout", key, "-out", certificate, "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:localhost")
  }

  /// Writes a file with this text, and returns its path.
  func file(_ name: String, _ text: String) throws -> String {
    let url = directory.appending(path: name)
    try text.write(to: url, atomically: true, encoding: .utf8)
    return url.path()
  }
}
