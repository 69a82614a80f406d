import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests by `URLSession`, whose parts of contents are passed on as they arrive.
///
/// The asynchronous methods of `URLSession` that do the same don't exist on Linux.
///
/// A redirection isn't followed, since the token would be sent to another host: it is the answer to the request, which
/// its status refuses.
///
/// The answer to a request that is read slowly has a session of its own, which can be kept from receiving more without
/// holding up other answers.
final class URLSessionTransport: NSObject, URLSessionDataDelegate {
  static let shared = URLSessionTransport(bufferLength: nil)

  /// What waits for the answer to a request.
  private struct Exchange {
    var head: CheckedContinuation<RemoteResponse, any Error>?
    /// The content, until the answer has it: it is cancelled as soon as no reader owns it.
    var stream: AsyncThrowingStream<[UInt8], any Error>?
    let body: BoundedChannel<[UInt8]>
  }

  /// How many connections to a host there may be at the same time, so that requests don't wait for one another.
  private static let maximumConnectionsPerHost = 1000
  /// The length in bytes of what is received before a slow reader has read it.
  private static let slowBufferLength = 1 << 19

  /// The length in bytes of what is received before it is read; nil if it isn't limited.
  private let bufferLength: Int?
  private let exchanges = Mutex<[Int: Exchange]>([:])
  /// Made on first use, since it refers to its delegate, which is this object.
  private let session = Mutex<URLSession?>(nil)

  private init(bufferLength: Int?) { self.bufferLength = bufferLength }

  func send(_ request: RemoteRequest) async throws -> RemoteResponse {
    guard bufferLength == nil, request.isReadSlowly else { return try await exchange(request) }
    return try await URLSessionTransport(bufferLength: Self.slowBufferLength).exchange(request)
  }

  private func exchange(_ request: RemoteRequest) async throws -> RemoteResponse {
    var message = URLRequest(url: request.url)
    message.httpMethod = request.method
    message.httpBody = request.body.map { Data($0) }
    // The server's tags decide what is new.
    message.cachePolicy = .reloadIgnoringLocalCacheData
    for (name, value) in request.headers { message.setValue(value, forHTTPHeaderField: name) }
    let body = BoundedChannel<[UInt8]>(limit: bufferLength ?? .max)
    let task = SessionTask(of: started(for: body).dataTask(with: message))
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { head in
        let stream = body.elements { task.cancel() }
        exchanges.withLock { $0[task.number] = Exchange(head: head, stream: stream, body: body) }
        // Where it has been cancelled before, there was no exchange to end.
        if Task.isCancelled { cancel(task) } else { task.resume() }
      }
    } onCancel: {
      cancel(task)
    }
  }

  /// Cancels a request, and ends its exchange at once: a task that has not been resumed may never report its end.
  private func cancel(_ task: SessionTask) {
    let ended = exchanges.withLock { $0.removeValue(forKey: task.number) }
    ended?.body.finish(throwing: CancellationError())
    // Before the task, which waits for the session, which may wait for room.
    ended?.body.close()
    if bufferLength == nil { task.cancel() } else { session.withLock { $0 }?.invalidateAndCancel() }
    ended?.head?.resume(throwing: CancellationError())
  }

  /// A task of the session, whose methods any thread may call.
  private struct SessionTask: @unchecked Sendable {
    let task: URLSessionDataTask

    init(of task: URLSessionDataTask) { self.task = task }

    var number: Int { task.taskIdentifier }
    func resume() { task.resume() }
    func cancel() { task.cancel() }
  }

  /// Returns the session, which passes a content to a channel if it is that of one answer.
  private func started(for body: BoundedChannel<[UInt8]>) -> URLSession {
    session.withLock { session in
      if let session { return session }
      let configuration = URLSessionConfiguration.ephemeral
      configuration.urlCache = nil
      configuration.httpMaximumConnectionsPerHost = Self.maximumConnectionsPerHost
      let made = URLSession(configuration: configuration, delegate: self, delegateQueue: queue(for: body))
      session = made
      return made
    }
  }

  /// Returns the queue on which the parts of an answer arrive; nil for any.
  private func queue(for body: BoundedChannel<[UInt8]>) -> OperationQueue? {
    #if canImport(FoundationNetworking)
      return bufferLength == nil ? nil : HeldQueue(body)
    #else
      return nil
    #endif
  }

  /// Releases the session of one answer, which has ended.
  private func invalidate() {
    guard bufferLength != nil else { return }
    session.withLock { $0 }?.finishTasksAndInvalidate()
  }

  // MARK: URLSessionDataDelegate

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    let (status, headers) = Self.head(of: response)
    let waiting = exchanges.withLock { exchanges -> Exchange? in
      let waiting = exchanges[dataTask.taskIdentifier]
      exchanges[dataTask.taskIdentifier]?.head = nil
      exchanges[dataTask.taskIdentifier]?.stream = nil
      return waiting
    }
    if let head = waiting?.head, let stream = waiting?.stream {
      head.resume(returning: RemoteResponse(status: status, headers: headers, body: stream))
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    guard let body = exchanges.withLock({ $0[dataTask.taskIdentifier]?.body }) else { return }
    body.put([[UInt8](data)], length: data.count)
    #if !canImport(FoundationNetworking)
      guard !body.hasRoom else { return }
      dataTask.suspend()
      body.whenRoom { dataTask.resume() }
    #endif
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let ended = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
    invalidate()
    let error = (error as? URLError)?.code == .cancelled ? CancellationError() : error
    ended.body.finish(throwing: error)
    guard let head = ended.head, let stream = ended.stream else { return }
    if let error {
      head.resume(throwing: error)
    } else if let response = task.response {
      let (status, headers) = Self.head(of: response)
      head.resume(returning: RemoteResponse(status: status, headers: headers, body: stream))
    } else {
      head.resume(throwing: RemoteError.malformedAnswer("it is empty"))
    }
  }

  private static func head(of response: URLResponse) -> (status: Int, headers: [String: String]) {
    guard let response = response as? HTTPURLResponse else { return (0, [:]) }
    let headers = response.allHeaderFields.compactMap { name, value in
      (name as? String).map { ($0, "\(value)") }
    }
    return (response.statusCode, Dictionary(headers, uniquingKeysWith: { first, _ in first }))
  }
}

#if canImport(FoundationNetworking)
  /// A queue that keeps a session from receiving more of its only answer than there is room for.
  ///
  /// The session waits for it before it reads on. To suspend the task instead would send the request again, since the
  /// `URLSession` of Linux removes a suspended transfer.
  private final class HeldQueue: OperationQueue, @unchecked Sendable {
    private let body: BoundedChannel<[UInt8]>
    /// The number of parts that may be under way to the channel.
    private static let maximumOperationCount = 8

    init(_ body: BoundedChannel<[UInt8]>) {
      self.body = body
      super.init()
      maxConcurrentOperationCount = 1
    }

    override func addOperation(_ block: @escaping @Sendable () -> Void) {
      if operationCount >= Self.maximumOperationCount { waitUntilAllOperationsAreFinished() }
      if !body.hasRoom {
        let signal = DispatchSemaphore(value: 0)
        body.whenRoom { signal.signal() }
        signal.wait()
      }
      super.addOperation(block)
    }
  }
#endif
