import KindredHTTP

/// Which pages of other origins may use the service from a browser (Fetch standard, "CORS protocol").
public struct CORSPolicy: Sendable {
  /// A set of origins.
  public enum Origins: Sendable, Hashable {
    /// Any origin, without credentials.
    case any
    /// These origins, each written as browsers do: `https://example.org`, with a port unless it is the scheme's
    /// default.
    case these(Set<String>)
  }

  /// The allowed origins.
  public let origins: Origins
  /// The allowed methods.
  public let methods: [String]
  /// The request header fields that pages may set.
  public let headers: [String]
  /// The response header fields that pages may read.
  public let exposedHeaders: [String]
  /// How many seconds a browser may cache the policy.
  public let maxAge: Int
  /// Whether browsers may send cookies and HTTP authentication; only for named origins.
  public let allowsCredentials: Bool

  /// Creates a policy; returns nil if it allows credentials from any origin, which would expose every user's data to
  /// every page.
  public init?(
    origins: Origins,
    methods: [String] = ["GET", "HEAD", "OPTIONS", "QUERY", "POST", "PUT", "PATCH", "DELETE"],
    headers: [String] = [
      "Accept", "Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "If-Range",
      "Kindred-Position", "Last-Event-ID", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Prefer",
      "Range", "Traceparent",
      "Tracestate",
    ],
    exposedHeaders: [String] = [
      "Accept-Patch", "Accept-Post", "Accept-Query", "Accept-Ranges", "Allow", "Content-Disposition",
      "Content-Range", "ETag", "Kindred-Position", "Link", "Location", "Preference-Applied", "Retry-After",
      "Server-Timing",
      "WWW-Authenticate", "X-Estimated-Count", "X-Total-Count",
    ],
    maxAge: Int = 600, allowsCredentials: Bool = false
  ) {
    guard origins != .any || !allowsCredentials else { return nil }
    self.origins = origins
    self.methods = methods
    self.headers = headers
    self.exposedHeaders = exposedHeaders
    self.maxAge = max(0, maxAge)
    self.allowsCredentials = allowsCredentials
  }

  /// Adds the CORS fields to a response, successful or not.
  ///
  /// - Parameter others: Header fields that pages may set, in addition to those of the policy.
  func apply(to response: inout HTTPResponse, for request: HTTPRequest, allowing others: [String] = []) {
    let isPreflight = Self.isPreflight(request)
    var varies: [String] = []
    if origins != .any { varies.append("Origin") }
    if isPreflight { varies += ["Access-Control-Request-Method", "Access-Control-Request-Headers"] }
    if !varies.isEmpty {
      // Even without an origin: a cache must not reuse this response for a page with one.
      let all = response.headers.values(for: "Vary") + varies
      response.headers.set("Vary", all.joined(separator: ", "))
    }
    guard let origin = request.headers["Origin"], let allowed = allowedOrigin(origin) else { return }
    allow(allowed, in: &response)
    if isPreflight {
      response.headers.append("Access-Control-Allow-Methods", methods.joined(separator: ", "))
      response.headers.append("Access-Control-Allow-Headers", (headers + others).joined(separator: ", "))
      response.headers.append("Access-Control-Max-Age", String(maxAge))
    } else if !exposedHeaders.isEmpty {
      response.headers.append("Access-Control-Expose-Headers", exposedHeaders.joined(separator: ", "))
    }
  }

  /// Adds the CORS fields to the response to a request whose header couldn't be read.
  ///
  /// With several allowed origins the sender is unknown, so its page learns only that the request failed.
  func applyWithoutOrigin(to response: inout HTTPResponse) {
    switch origins {
    case .any:
      allow("*", in: &response)
    case .these(let origins):
      response.headers.append("Vary", "Origin")
      if let origin = origins.first, origins.count == 1 { allow(origin, in: &response) }
    }
  }

  private func allow(_ origin: String, in response: inout HTTPResponse) {
    response.headers.append("Access-Control-Allow-Origin", origin)
    if allowsCredentials { response.headers.append("Access-Control-Allow-Credentials", "true") }
  }

  /// Returns whether pages of this origin may use the service.
  func allows(_ origin: String) -> Bool { allowedOrigin(origin) != nil }

  private func allowedOrigin(_ origin: String) -> String? {
    switch origins {
    case .any: "*"
    case .these(let origins): origins.contains(origin) ? origin : nil
    }
  }

  /// Returns whether a request is a preflight (Fetch standard, "CORS-preflight request").
  private static func isPreflight(_ request: HTTPRequest) -> Bool {
    request.method == .options && request.headers["Access-Control-Request-Method"] != nil
  }
}
