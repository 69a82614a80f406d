/// What a server proves itself with.
public struct TLSConfiguration: Hashable, Sendable {
  /// The path of a PEM file: the server's certificate, then those between it and the root.
  public var certificateFile: String

  /// The path of a PEM file with the certificate's private key, not encrypted.
  public var keyFile: String

  /// A certificate chain and its key.
  public init(certificateFile: String, keyFile: String) {
    self.certificateFile = certificateFile
    self.keyFile = keyFile
  }
}
