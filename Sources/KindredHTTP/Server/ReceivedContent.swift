import KindredSpooling

/// What the content of a request takes while it is received and until its request is answered: memory, or a file if it is
/// too long for that.
struct ReceivedContent {
  private var file: ContentFile?
  private var memory: TakenBytes?

  /// The length in bytes up to which a content isn't counted.
  private static let shortLength = 16384

  /// Stores a part of a content that is too long for memory; returns false if there is no room for it.
  mutating func store(_ part: [UInt8], in spools: ByteBudget, for client: ClientAddress?) -> Bool {
    if file == nil { file = ContentFile(in: spools, for: client) }
    if file?.append(part) ?? false { return true }
    file = nil
    return false
  }

  /// Takes the memory for the bytes of a content that have been received; returns false if there is no room for them.
  mutating func hold(_ length: Int, of contents: ByteBudget, for client: ClientAddress?) -> Bool {
    guard length > Self.shortLength else { return true }
    let memory = memory ?? TakenBytes(of: contents, for: client)
    self.memory = memory
    return length <= memory.count || memory.take(length - memory.count)
  }

  /// Gives a request the content that has been stored, and the rest that it has as its body; returns false if there is no
  /// room for the rest.
  mutating func move(to request: inout HTTPRequest) -> Bool {
    guard let file else { return true }
    self.file = nil
    guard file.append(request.body) else { return false }
    request.body = []
    request.longBody = file
    return true
  }
}
