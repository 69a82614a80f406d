import CKindredOpenSSL
import Glibc
import Testing

@testable import KindredHTTP

/// Real handshakes with curl and openssl.
@Suite("A server over TLS", .eachWayOfWaiting)
struct TLSTests {
  private func withTLS(
    _ certificate: TestCertificate, limits: HTTPLimits = HTTPLimits(),
    respond: @escaping @Sendable (HTTPRequest) -> HTTPResponse = { .echo($0) },
    _ body: (_ server: HTTPServer, _ port: Int) throws -> Void
  ) throws {
    try withServer(
      limits: limits, tls: certificate.configuration, handler: TestHandler(respond: respond), body)
  }

  private func handshake(_ port: Int, _ arguments: String...) throws -> String {
    try Command(
      "/usr/bin/openssl", ["s_client", "-connect", "127.0.0.1:\(port)"] + arguments, input: "Q\n"
    ).output
  }

  @Test
  func `answers curl, which checks the certificate, several times on one connection`() throws {
    let certificate = try TestCertificate()
    try withTLS(certificate, respond: { .text($0.isSecure ? "secret" : "open") }) { server, port in
      let url = "https://localhost:\(port)/"
      let result = try Command.curl("--ipv4", "--cacert", certificate.certificate, url, url, url)
      #expect(result.output == "secretsecretsecret")
      #expect(server.counters.acceptedConnections == 1)
    }
  }

  @Test
  func `carries large content in both directions`() throws {
    let certificate = try TestCertificate()
    let large = String(repeating: "0123456789abcdef", count: 200_000)
    let body = String(repeating: "upload", count: 100_000)
    try withTLS(
      certificate,
      respond: { request in
        request.body == Array(body.utf8)
          ? HTTPResponse(status: .ok, body: .stream(PartsStream(["a", large, "b", large]), length: nil))
          : .text("no")
      }
    ) { _, port in
      let file = try certificate.file("body", body)
      let result = try Command.curl(
        "--ipv4", "--cacert", certificate.certificate, "--data-binary", "@\(file)",
        "https://localhost:\(port)/")
      #expect(result.output == "a" + large + "b" + large)
    }
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"])
  func `negotiates TLS 1.2 and 1.3, and HTTP/1.1 by ALPN (RFC 7301)`(version: String) throws {
    try withTLS(TestCertificate()) { _, port in
      let output = try handshake(port, version, "-alpn", "h2,http/1.1")
      #expect(output.contains("ALPN protocol: http/1.1"))
      #expect(output.contains("New, TLSv1.\(version.suffix(1)), Cipher is"))
    }
  }

  @Test
  func `refuses TLS 1.1 (RFC 8996 §5) and protocols other than HTTP/1.1 (RFC 7301 §3.2)`() throws {
    try withTLS(TestCertificate()) { _, port in
      let old = try handshake(port, "-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0")
      #expect(old.contains("alert protocol version"))
      let other = try handshake(port, "-alpn", "h2")
      #expect(other.contains("alert no application protocol"))
    }
  }

  @Test
  func `refuses suites without forward secrecy (RFC 9325 §4.1)`() throws {
    try withTLS(TestCertificate()) { _, port in
      let output = try handshake(port, "-tls1_2", "-cipher", "AES128-GCM-SHA256:ECDHE-ECDSA-AES128-SHA")
      #expect(output.contains("handshake failure"))
    }
  }

  @Test
  func `sends the whole chain`() throws {
    let certificate = try TestCertificate()
    let other = try TestCertificate(name: "authority")
    let chain = try Command("/bin/cat", [certificate.certificate, other.certificate]).output
    let file = try certificate.file("chain.pem", chain)
    try withServer(
      tls: TLSConfiguration(certificateFile: file, keyFile: certificate.key),
      handler: TestHandler(respond: { .echo($0) })
    ) { _, port in
      let output = try handshake(port, "-showcerts")
      #expect(output.split(separator: "BEGIN CERTIFICATE").count == 3)
    }
  }

  @Test
  func `uses reloaded certificates for new connections, and the old ones where the new are bad`() throws {
    let certificate = try TestCertificate(name: "first")
    try withTLS(certificate) { server, port in
      #expect(try handshake(port).contains("CN = first"))
      try certificate.issue(name: "second")
      try server.reloadTLS()
      #expect(try handshake(port).contains("CN = second"))
      _ = try certificate.file("certificate.pem", "damaged")
      #expect(throws: HTTPServerError.self) { try server.reloadTLS() }
      #expect(try handshake(port).contains("CN = second"))
    }
  }

  @Test(arguments: [(Duration.seconds(60), "Reused, TLSv1.2"), (.zero, "New, TLSv1.2")])
  func `resumes a session by its ticket until the ticket's keys are changed`(
    lifetime: Duration, expected: String
  ) throws {
    let certificate = try TestCertificate()
    let session = try certificate.file("session.pem", "")
    var limits = HTTPLimits()
    limits.ticketKeyLifetime = lifetime
    try withTLS(certificate, limits: limits) { _, port in
      #expect(try handshake(port, "-tls1_2", "-sess_out", session).contains("New, TLSv1.2"))
      let second = try handshake(port, "-tls1_2", "-sess_in", session, "-showcerts")
      #expect(second.contains(expected))
    }
  }

  @Test
  func `keeps the certificate and its chain when the keys of the tickets are changed`() throws {
    let certificate = try TestCertificate(name: "first")
    let other = try TestCertificate(name: "authority")
    let chain = try Command("/bin/cat", [certificate.certificate, other.certificate]).output
    var limits = HTTPLimits()
    limits.ticketKeyLifetime = .zero
    try withServer(
      limits: limits,
      tls: TLSConfiguration(
        certificateFile: try certificate.file("chain.pem", chain), keyFile: certificate.key),
      handler: TestHandler(respond: { .echo($0) })
    ) { _, port in
      for _ in 1...3 {
        let output = try handshake(port, "-showcerts")
        #expect(output.contains("CN = first"))
        #expect(output.split(separator: "BEGIN CERTIFICATE").count == 3)
      }
    }
  }

  @Test
  func `ends a handshake that doesn't go on, and what is none`() throws {
    var limits = HTTPLimits()
    limits.headerReadTimeout = .milliseconds(200)
    try withTLS(TestCertificate(), limits: limits) { server, port in
      let silent = try WireClient(port: port)
      silent.send("\u{16}\u{3}\u{1}")
      #expect(
        eventually { server.counters.acceptedConnections == 1 && server.counters.openConnections == 0 })
      #expect(server.counters.requests == 0)
    }
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"])
  func `ends idle connections with close_notify (RFC 8446 §6.1)`(version: String) throws {
    var limits = HTTPLimits()
    limits.idleTimeout = .milliseconds(100)
    try withTLS(TestCertificate(), limits: limits) { _, port in
      let output = try Command(
        "/usr/bin/openssl",
        ["s_client", "-connect", "127.0.0.1:\(port)", version, "-ign_eof", "-msg"],
        input: "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n"
      ).output
      #expect(output.contains("GET /a "))
      #expect(output.contains(/<<< .*, Alert .*\n.*\n?.*close_notify|<<< .*warning close_notify/))
      #expect(!output.contains("unexpected eof"))
    }
  }

  @Test
  func `interrupts itself where a client sends new keys again and again`() throws {
    let certificate = try TestCertificate()
    var descriptors: [CInt] = [-1, -1]
    #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &descriptors) == 0)
    defer { for descriptor in descriptors { close(descriptor) } }
    let context = try TLSContext(certificate.configuration)
    let server = try #require(
      TLSTransport(context: context, over: PlainTransport(descriptor: descriptors[0])))
    let clientContext = SSL_CTX_new(TLS_client_method())
    defer { SSL_CTX_free(clientContext) }
    let client = SSL_new(clientContext)
    defer { SSL_free(client) }
    let sending = BIO_new(BIO_s_mem())
    SSL_set_bio(client, BIO_new_socket(descriptors[1], 0), sending)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 1)
    defer { memory.deallocate() }
    func transfer() {
      let count = BIO_read(sending, memory.baseAddress, CInt(memory.count))
      if count > 0 { #expect(send(descriptors[1], memory.baseAddress, Int(count), 0) == Int(count)) }
      server.noteEvent(hasHungUp: false)
    }
    repeat {
      transfer()
      _ = server.read(into: memory)
    } while SSL_connect(client) != 1
    transfer()
    #expect(server.read(into: memory) == .wouldBlock)
    var sent = 0
    for _ in 0..<4000 where SSL_key_update(client, SSL_KEY_UPDATE_NOT_REQUESTED) == 1 {
      sent += Int(SSL_do_handshake(client))
    }
    #expect(sent == 4000)
    #expect(SSL_write(client, "end", 3) == 3)
    transfer()
    // Each call reads some of the records, without a new event in between, until the content comes.
    var interruptions = 0
    var result = server.read(into: memory)
    while result == .interrupted {
      interruptions += 1
      result = server.read(into: memory)
    }
    #expect(result == .transferred(3))
    #expect(interruptions >= 2)
  }

  @Test
  func `tells a client without TLS what is wrong, without TLS`() throws {
    try withTLS(TestCertificate()) { server, port in
      let plain = try WireClient(port: port)
      plain.request("/")
      let response = plain.response()
      #expect(response?.status == 400)
      #expect(response?.body.contains("https://") == true)
      #expect(plain.isEnded)
      #expect(server.counters.requests == 0)
    }
  }

  @Test(arguments: [
    ("X25519", true), ("P-256", true), ("P-384", true), ("X448", false), ("ffdhe8192", false),
  ])
  func `agrees on keys by curves that cost the server no more than the client`(group: String, isTaken: Bool)
    throws
  {
    try withTLS(TestCertificate()) { _, port in
      let output = try handshake(port, "-tls1_3", "-groups", group)
      #expect(output.contains("New, TLSv1.3, Cipher is") == isTaken, "\(output)")
    }
  }

  @Test
  func `cuts off a reader that takes nothing`() throws {
    var limits = HTTPLimits()
    limits.idleTimeout = .milliseconds(200)
    let stream = EndlessStream()
    let certificate = try TestCertificate()
    try withTLS(
      certificate, limits: limits,
      respond: { _ in
        HTTPResponse(status: .ok, body: .stream(stream, length: nil))
      }
    ) { _, port in
      let client = try SilentReader(
        "/usr/bin/openssl", ["s_client", "-connect", "127.0.0.1:\(port)", "-quiet"])
      client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(eventually { stream.closeCount == 1 })
      #expect(stream.nextCount < 300)
    }
  }

  @Test
  func `says which file is bad, and how`() throws {
    let certificate = try TestCertificate()
    let other = try TestCertificate()
    let encrypted = try certificate.file("encrypted.pem", "")
    _ = try Command.openssl(
      "pkey", "-in", certificate.key, "-aes256", "-passout", "pass:secret", "-out", encrypted)
    let text = try certificate.file("text.pem", "text")
    let (good, key) = (certificate.certificate, certificate.key)
    for (certificateFile, keyFile, part) in [
      ("/none.pem", key, "'/none.pem' can't be read: No such file"),
      (good, "/none.pem", "the key file '/none.pem' can't be read"),
      (text, key, "'\(text)' contains no certificate"),
      (good, text, "'\(text)' contains no private key"),
      (good, encrypted, "'\(encrypted)' contains no private key in PEM format without a passphrase"),
      (good, other.key, "doesn't match the first certificate"),
    ] {
      let configuration = TLSConfiguration(certificateFile: certificateFile, keyFile: keyFile)
      let error = #expect(throws: HTTPServerError.self) {
        try withServer(tls: configuration, handler: TestHandler(respond: { .echo($0) })) { _, _ in }
      }
      #expect(error?.code == .certificate)
      #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }
  }
}
