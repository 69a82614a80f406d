/// The certificate of a server.
public struct TLSConfiguration: Hashable, Sendable {
  /// The path of a PEM file with the server's certificate, followed by the intermediate certificates.
  public var certificateFile: String

  /// The path of a PEM file with the certificate's unencrypted private key.
  public var keyFile: String

  /// Creates a configuration with a certificate chain and its key.
  public init(certificateFile: String, keyFile: String) {
    self.certificateFile = certificateFile
    self.keyFile = keyFile
  }

  /// Checks that the files can be used.
  ///
  /// - Throws: `HTTPServerError`
  public func check() throws(HTTPServerError) { _ = try TLSContext(self) }

  /// Returns an error for each file that can't be read, or else that of the two together.
  public func mistakes() -> [HTTPServerError] {
    let unreadable = [(certificateFile, "certificate"), (keyFile, "key")].compactMap { path, what in
      error { () throws(HTTPServerError) in try TLSContext.checkReadable(path, what) }
    }
    return unreadable.isEmpty ? [error(check)].compactMap(\.self) : unreadable
  }

  private func error(_ body: () throws(HTTPServerError) -> Void) -> HTTPServerError? {
    do throws(HTTPServerError) {
      try body()
      return nil
    } catch {
      return error
    }
  }
}
