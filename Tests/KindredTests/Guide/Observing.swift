import Dispatch
import Kindred
import Testing

@Suite("The guide: observation", .timeLimit(.minutes(10)))
struct Observing {
  private let dbQueue: DatabaseQueue

  init() throws {
    dbQueue = try Library.make()
  }

  @Test
  @MainActor
  func `values on the main queue`() throws {
    var counts: [Int] = []
    func show(_ count: Int) { counts.append(count) }
    // Sample: start
    let observation = Book.observationForCount()
    let observer = try observation.start(in: dbQueue) { count in
      show(count)
    }
    // End
    withExtendedLifetime(observer) { #expect(counts == [7]) }
  }

  struct AuthorInfo: Decodable, FetchableRecord {
    var author: Author
    var books: [Book]
  }

  private func watch(_ show: @Sendable ([AuthorInfo]) -> Void) async throws {
    // Sample: values
    let request = Author.including(all: Author.books).asRequest(of: AuthorInfo.self)
    for try await authors in request.observationForAll().values(in: dbQueue) {
      show(authors)
    }
    // End
  }

  @Test
  func `values as a sequence`() async throws {
    let (counts, continuation) = AsyncStream.makeStream(of: [Int].self)
    let task = Task { try await watch { continuation.yield($0.map(\.books.count)) } }
    var iterator = counts.makeAsyncIterator()
    #expect(await iterator.next() == [3, 2, 1, 0])
    try await dbQueue.write { db throws in
      try Book(id: 9, authorId: 1, title: "Claude Gueux", kind: .novel, year: 1834).insert(db)
    }
    #expect(await iterator.next() == [4, 2, 1, 0])
    task.cancel()
    try await task.value
  }

  @Test
  func `what a closure fetches`() async throws {
    // Sample: tracking
    let observation = ValueObservation.tracking { db in
      (novels: try Book.filter(Column("kind") == "novel").fetchCount(db), all: try Book.fetchCount(db))
    }
    let shares = observation.map { counts in counts.all == 0 ? 0 : counts.novels * 100 / counts.all }
      .removeDuplicates()
    // End
    var values = shares.values(in: dbQueue).makeAsyncIterator()
    #expect(try await values.next() == 71)
    try await dbQueue.write { db in _ = try Book.fetchOne(db, id: 7)?.delete(db) }
    #expect(try await values.next() == 83)
  }
}
