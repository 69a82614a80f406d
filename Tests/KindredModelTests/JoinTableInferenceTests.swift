import Testing

@testable import KindredModel

@Suite struct JoinTableInferenceTests {
  @Test
  func `a join table associates both ends`() {
    let schema = Schema(tables: [
      .make("Playlist"), .make("Track"),
      .make("PlaylistTrack", ["PlaylistId* -> Playlist", "TrackId* -> Track", "position"]),
    ])
    let model = Model(inferredFrom: schema)
    #expect(
      model.keys("playlists") == [
        "playlistTracks: hasMany playlistTracks by PlaylistId",
        "tracks: hasManyThrough tracks by PlaylistId, TrackId",
      ])
    #expect(
      model.keys("tracks") == [
        "playlistTracks: hasMany playlistTracks by TrackId",
        "playlists: hasManyThrough playlists by TrackId, PlaylistId",
      ])
    let steps = model.resources["playlists"]?.associations["tracks"]?.steps ?? []
    #expect(steps.map(\.isToOne) == [false, true])
    #expect(steps.map(\.direction) == [.has, .belongsTo])
  }

  @Test
  func `where its key is taken, it is + Via + the join table, in table order`() {
    let schema = Schema(tables: [
      .make("coauthor", ["bookId* -> book", "authorId* -> author"]), .make("author"),
      .make("book", ["authorId -> author"]),
      .make("illustrator", ["bookId* -> book", "authorId* -> author"]),
    ])
    let model = Model(inferredFrom: schema)
    #expect(
      model.keys("authors") == [
        "coauthors: hasMany coauthors by authorId", "books: hasMany books by authorId",
        "illustrators: hasMany illustrators by authorId",
        "booksViaCoauthor: hasManyThrough books by authorId, bookId",
        "booksViaIllustrator: hasManyThrough books by authorId, bookId",
      ])
    #expect(
      model.keys("books") == [
        "author: belongsTo authors by authorId", "coauthors: hasMany coauthors by bookId",
        "illustrators: hasMany illustrators by bookId",
        "authors: hasManyThrough authors by bookId, authorId",
        "authorsViaIllustrator: hasManyThrough authors by bookId, authorId",
      ])
  }

  @Test
  func `a join table from a table to itself uses the plurals of the stems`() {
    let schema = Schema(tables: [
      .make("person"), .make("friendship", ["personId* -> person", "friendId* -> person"]),
    ])
    #expect(
      Model(inferredFrom: schema).keys("people") == [
        "friendshipsByPerson: hasMany friendships by personId",
        "friendshipsByFriend: hasMany friendships by friendId",
        "friends: hasManyThrough people by personId, friendId",
        "people: hasManyThrough people by friendId, personId",
      ])
  }

  @Test
  func `any unique key of two foreign keys makes a join table`() {
    let links = [["aId", "bId"], ["bId", "aId"]].map { key in
      Table(
        name: "link", kind: .table, columns: ["id", "aId", "bId", "note"].map { Column(name: $0) },
        primaryKey: [0], uniqueKeys: [[0], key.map { $0 == "aId" ? 1 : 2 }],
        foreignKeys: [
          ForeignKey(columns: ["aId"], destination: "a", destinationColumns: ["id"]),
          ForeignKey(columns: ["bId"], destination: "b", destinationColumns: ["id"]),
        ])
    }
    for link in links {
      let model = Model(inferredFrom: Schema(tables: [.make("a"), .make("b"), link]))
      #expect(model.keys("bs").last == "as: hasManyThrough as by bId, aId")
    }
  }

  @Test
  func `two foreign keys alone, with or without a key, make a join table`() {
    let schema = Schema(tables: [
      .make("a"), .make("b"), .make("c"), .make("pass", ["id*", "aId -> a", "bId -> b"]),
      Table(
        name: "bare", kind: .table, columns: ["aId", "cId"].map { Column(name: $0) }, primaryKey: [],
        foreignKeys: [
          ForeignKey(columns: ["aId"], destination: "a", destinationColumns: ["id"]),
          ForeignKey(columns: ["cId"], destination: "c", destinationColumns: ["id"]),
        ]),
    ])
    let model = Model(inferredFrom: schema)
    #expect(
      model.keys("as").filter { $0.contains("Through") } == [
        "bs: hasManyThrough bs by aId, bId", "cs: hasManyThrough cs by aId, cId",
      ])
  }

  @Test
  func `join tables whose primary key is the link take their keys first`() {
    let schema = Schema(tables: [
      .make("club"), .make("writer"), .make("team", ["id*", "clubId -> club", "writerId -> writer"]),
      .make("appearance", ["clubId* -> club", "writerId* -> writer", "at"]),
    ])
    #expect(
      Model(inferredFrom: schema).keys("clubs").filter { $0.contains("Through") } == [
        "writers: hasManyThrough writers by clubId, writerId",
        "writersViaTeam: hasManyThrough writers by clubId, writerId",
      ])
  }

  @Test
  func `a table that extends another, has more columns, or refers to itself is no join table`() {
    let schema = Schema(tables: [
      .make("a"), .make("b"), .make("extension", ["id* -> a", "id* -> b"]),
      .make("desk", ["aId* -> a", "bId -> b"]), .make("card", ["aId! -> a", "bId -> b"]),
      .make("pick", ["aId -> a", "bId -> b", "chosen"]), .make("folder", ["parentId -> folder", "aId -> a"]),
    ])
    let model = Model(inferredFrom: schema)
    #expect(model.resources.values.allSatisfy { $0.associations.values.allSatisfy { $0.steps.count == 1 } })
  }
}
