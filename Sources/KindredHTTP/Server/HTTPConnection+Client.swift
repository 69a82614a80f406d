extension HTTPConnection {
  /// The client of a connection.
  struct Client: Sendable {
    let address: ClientAddress
    let admission: ClientTable.Admission
    /// The numeric address and port.
    let peer: String
    /// The owner of the address itself, even of a proxy's.
    let own: ClientAddress
    /// Whether `Forwarded` tells whose requests the connection carries.
    let isTrustedProxy: Bool
  }
}
