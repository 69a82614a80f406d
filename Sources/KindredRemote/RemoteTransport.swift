import Foundation

/// Sends a request to a server, and returns its answer as soon as its head is there.
///
/// The default is `URLSession`. A program gives its own for another HTTP client, for tests, or to sign requests.
///
/// - Throws: An error of the network, `CancellationError`. An answer with any status is no error.
public typealias RemoteTransport = @Sendable (RemoteRequest) async throws -> RemoteResponse

/// A request of HTTP.
public struct RemoteRequest: Sendable {
  /// The method: `GET`, `HEAD` or `QUERY`.
  public var method: String
  /// The URL.
  public var url: URL
  /// The names and values of its fields.
  public var headers: [(name: String, value: String)]
  /// The content; nil if there is none.
  public var body: [UInt8]?
}

/// An answer of HTTP.
public struct RemoteResponse: Sendable {
  /// The status code.
  public var status: Int
  /// The fields, by their names in lower case.
  public var headers: [String: String]
  /// The content, part by part, without content coding.
  public var body: AsyncThrowingStream<[UInt8], any Error>

  /// Creates an answer.
  ///
  /// - Parameters:
  ///   - status: The status code.
  ///   - headers: The fields, by their names in any case.
  ///   - body: The content, part by part, without content coding.
  public init(status: Int, headers: [String: String], body: AsyncThrowingStream<[UInt8], any Error>) {
    self.status = status
    self.headers = Dictionary(
      headers.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
    self.body = body
  }
}

extension RemoteResponse {
  /// Returns the whole content.
  ///
  /// - Throws: The error that reading throws; `RemoteError` if it is longer than `limit`.
  func content(limit: Int = .max) async throws -> [UInt8] {
    var content: [UInt8] = []
    for try await part in body {
      content += part
      guard content.count <= limit else {
        throw RemoteError.malformedAnswer("it is longer than \(limit) bytes")
      }
    }
    return content
  }
}
