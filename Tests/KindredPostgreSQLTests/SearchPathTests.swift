import KindredHTTP
import KindredPostgreSQL
import Testing

/// Types, operators and functions may be in other schemas than the served ones.
@Suite("Search path", .enabled(if: Cluster.isAvailable))
struct SearchPathTests {
  static let hasExtensions =
    (try? PostgreSQLConnection(Cluster.database()).rows("CREATE EXTENSION citext")) != nil

  /// A database as hosts set it up, with a second table of the same name.
  private static func served(_ schemas: [String]) throws -> Served {
    let served = try Served(
      "CREATE SCHEMA extensions", "CREATE EXTENSION citext SCHEMA extensions",
      "CREATE EXTENSION pg_trgm SCHEMA extensions",
      "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, extensions', current_database()); END $$",
      "CREATE SCHEMA audit", "CREATE TABLE audit.country (code int PRIMARY KEY)",
      "CREATE TABLE public.country (code extensions.citext PRIMARY KEY, name text)",
      "CREATE TABLE public.city (id int PRIMARY KEY, country_code extensions.citext REFERENCES public.country, name text)",
      "CREATE FUNCTION resemble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.name % 'Bern' THEN NEW.name = 'Bern'; END IF; RETURN NEW; END $$",
      "CREATE TRIGGER resemble BEFORE INSERT ON public.city FOR EACH ROW EXECUTE FUNCTION resemble()",
      "INSERT INTO public.country VALUES ('CH', 'Switzerland')", "INSERT INTO audit.country VALUES (7)",
      "ALTER TABLE public.city DISABLE TRIGGER ALL",
      "INSERT INTO public.city VALUES (1, 'ch', 'Chur'), (2, 'CH', 'Brig')",
      "ALTER TABLE public.city ENABLE TRIGGER ALL")
    return try served.reopened(schemas: schemas)
  }

  @Test(.enabled(if: SearchPathTests.hasExtensions), arguments: [[], ["public"], ["public", "audit"]])
  func `the operators of an extension are found whatever schemas are served`(schemas: [String]) throws {
    let served = try Self.served(schemas)
    #expect(served.text("/countries/ch?fields=name") == #"{"name":"Switzerland"}"#)
    #expect(served.text("/countries?fields=name&code=Ch") == #"[{"name":"Switzerland"}]"#)
    #expect(served.text("/countries?fields=name&filter=code='cH'") == #"[{"name":"Switzerland"}]"#)
    #expect(
      served.text("/countries?fields=name&include=cities&cities.values=id&annotate=cityCount")
        == #"[{"name":"Switzerland","cityCount":2,"cities":[1,2]}]"#)
    #expect(
      served.text("/cities/1?fields=id&include=country&country.fields=code")
        == #"{"id":1,"country":{"code":"CH"}}"#)
    #expect(
      served.send(.post, "/cities?fields=name", #"{"id":3,"country_code":"cH","name":"Berne"}"#)
        == #"201 {"name":"Bern"}"#)
  }

  @Test(.enabled(if: SearchPathTests.hasExtensions))
  func `a table is that of its schema, whatever a session's path finds first`() throws {
    let served = try Self.served(["audit"])
    #expect(served.text("/countries") == #"[{"code":7}]"#)
    #expect(served.send(.post, "/countries", #"{"code":8}"#) == #"201 {"code":8}"#)
    #expect(served.send(.delete, "/countries/7", nil).hasPrefix("204"))
    #expect(try PostgreSQLConnection(served.target).rows("SELECT code::text FROM audit.country") == [["8"]])
  }

  @Test
  func `names that differ only in their bytes are names of different columns`() throws {
    let served = try Served(
      "CREATE TABLE thing (\"KId\" int PRIMARY KEY, \"\u{212A}Id\" int, \"\u{E9}\" text, \"e\u{301}\" text)",
      "INSERT INTO thing VALUES (1, 2, 'composed', 'combined')")
    #expect(
      served.text("/things")
        == "[{\"KId\":1,\"\u{212A}Id\":2,\"\u{E9}\":\"composed\",\"e\u{301}\":\"combined\"}]")
    #expect(served.text("/things?fields=%E2%84%AAId&filter=%E2%84%AAId=2") == "[{\"\u{212A}Id\":2}]")
    #expect(served.text("/things?fields=KId&filter=e%CC%81='combined'") == #"[{"KId":1}]"#)
    #expect(served.text("/things?fields=KId&filter=%C3%A9='combined'") == "[]")
    #expect(served.text("/things?fields=KId&e%CC%81=combined") == #"[{"KId":1}]"#)
    #expect(served.text("/things?fields=v:e%CC%81&sort=%C3%A9,e%CC%81&limit=1") == #"[{"v":"combined"}]"#)
  }
}
