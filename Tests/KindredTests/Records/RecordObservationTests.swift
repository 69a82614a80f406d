import Kindred
import Synchronization
import Testing

@Suite("Observing records")
struct RecordObservationTests {
  /// What an observation notifies around a change.
  private func values<Reducer: ValueReducer>(
    _ observation: ValueObservation<Reducer>, of queue: DatabaseQueue,
    _ change: @escaping @Sendable (Database) throws -> Void
  ) async throws -> (first: Reducer.Value?, second: Reducer.Value?) {
    var iterator = observation.values(in: queue).makeAsyncIterator()
    let first = try await iterator.next()
    try await queue.write(change)
    return (first, try await iterator.next())
  }

  @Test("S302, S308: how many records there are, without repetitions")
  func count() async throws {
    let (first, second) = try await values(Author.observationForCount(), of: Library.make()) { db throws in
      try Author(id: 9, name: "New", country: nil, birthYear: nil).insert(db)
    }
    #expect(first == 3)
    #expect(second == 4)
  }

  @Test("S303: all records")
  func all() async throws {
    let (first, second) = try await values(Author.observationForAll(), of: Library.make()) { db throws in
      _ = try Library.sappho.delete(db)
    }
    #expect(first?.count == 3)
    #expect(second == [Library.melville, Library.hugo])
  }

  @Test("S304: the first record")
  func first() async throws {
    let (first, second) = try await values(
      Author.order(Column("name")).observationForFirst(), of: Library.make()
    ) {
      db in try Author(id: 9, name: "Austen", country: nil, birthYear: nil).insert(db)
    }
    #expect(first??.name == "Hugo")
    #expect(second??.name == "Austen")
  }

  @Test("S88: requests of associated records are observed, with all that they join")
  func associated() async throws {
    let (first, second) = try await values(Library.hugo.books.observationForCount(), of: Library.make()) {
      db throws in
      try Book(id: 9, authorId: 2, title: "Ruy Blas", kind: .theatrePlay, year: 1838, price: nil).insert(db)
    }
    #expect(first == 1)
    #expect(second == 2)
    let infos = Author.including(all: Author.books).asRequest(of: JoiningTests.AuthorInfo.self)
    let (before, after) = try await values(infos.observationForAll(), of: Library.make()) { db throws in
      _ = try Library.clarel.delete(db)
    }
    #expect(before?.flatMap(\.books).count == 4)
    #expect(after?.flatMap(\.books).count == 3)
  }
}
