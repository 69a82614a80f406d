import KindredModel
import OrderedCollections
import Testing

@testable import KindredSQLiteBackend

/// The rules of inference, applied to typical schemas.
@Suite struct InferredModelTests {
  @Test
  func `a schema in PascalCase`() throws {
    let model = Model(
      inferredFrom: try schema(
        """
        CREATE TABLE [Employee] ([EmployeeId] INTEGER NOT NULL, [ReportsTo] INTEGER,
          CONSTRAINT [PK_Employee] PRIMARY KEY ([EmployeeId]),
          FOREIGN KEY ([ReportsTo]) REFERENCES [Employee] ([EmployeeId]));
        CREATE TABLE [Customer] ([CustomerId] INTEGER PRIMARY KEY, [SupportRepId] INTEGER,
          FOREIGN KEY ([SupportRepId]) REFERENCES [Employee] ([EmployeeId]));
        CREATE TABLE [Playlist] ([PlaylistId] INTEGER PRIMARY KEY);
        CREATE TABLE [PlaylistTrack] ([PlaylistId] INTEGER NOT NULL, [TrackId] INTEGER NOT NULL,
          CONSTRAINT [PK_PlaylistTrack] PRIMARY KEY ([PlaylistId], [TrackId]),
          FOREIGN KEY ([PlaylistId]) REFERENCES [Playlist] ([PlaylistId]),
          FOREIGN KEY ([TrackId]) REFERENCES [Track] ([TrackId]));
        CREATE TABLE [Track] ([TrackId] INTEGER PRIMARY KEY, [MediaTypeId] INTEGER REFERENCES [MediaType]);
        CREATE TABLE [MediaType] ([MediaTypeId] INTEGER PRIMARY KEY);
        """))
    #expect(
      model.keys == [
        "employees": ["reportsTo", "employeesByReportsTo", "customers"],
        "customers": ["supportRep"],
        "playlists": ["playlistTracks", "tracks"],
        "playlistTracks": ["playlist", "track"],
        "tracks": ["mediaType", "playlistTracks", "playlists"],
        "mediaTypes": ["tracks"],
      ])
  }

  @Test
  func `a schema in snake_case, of plural names`() throws {
    let model = Model(
      inferredFrom: try schema(
        """
        CREATE TABLE languages (language_id INTEGER PRIMARY KEY);
        CREATE TABLE films (film_id INTEGER PRIMARY KEY, title TEXT,
          language_id INTEGER REFERENCES languages (language_id),
          original_language_id INTEGER REFERENCES languages (language_id));
        CREATE TABLE actors (actor_id INTEGER PRIMARY KEY, films INTEGER);
        CREATE TABLE film_actors (actor_id REFERENCES actors, film_id REFERENCES films,
          PRIMARY KEY (actor_id, film_id)) WITHOUT ROWID;
        CREATE TABLE film_texts (film_id INTEGER PRIMARY KEY REFERENCES films);
        CREATE VIEW film_list AS SELECT * FROM films;
        """))
    #expect(
      model.keys == [
        "languages": ["filmsByLanguage", "filmsByOriginalLanguage"],
        "films": ["language", "originalLanguage", "filmActors", "filmText", "actors"],
        "actors": ["filmActors", "filmsViaFilmActors"],
        "filmActors": ["actor", "film"],
        "filmTexts": ["film"],
        "filmLists": ["language", "originalLanguage", "filmActors", "filmText", "actors"],
      ])
    #expect(model.resources["films"]?.associations["filmText"]?.kind == "hasOne")
  }
}

extension Model {
  /// The association keys of each resource.
  fileprivate var keys: [String: [String]] {
    Dictionary(uniqueKeysWithValues: resources.map { ($0.key, Array($0.value.associations.keys)) })
  }
}
