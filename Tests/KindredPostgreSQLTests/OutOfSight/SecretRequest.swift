import Foundation
import KindredAPI
import KindredHTTP
import TestSupport

/// A random request of a member of team 1, and what tells its answers apart.
struct SecretRequest: CustomStringConvertible {
  static let key = "a-key-of-the-test-with-enough-characters"

  private var method = HTTPMethod.get
  private var target: String
  private var content: String?
  private var type = "application/json"
  private let headers: HTTPHeaders

  var description: String { "\(method) \(target) \(content ?? "")" }

  init(_ random: inout SeededRandom, isSQLite: Bool) {
    var headers: HTTPHeaders = ["Authorization": "Bearer \(Self.key)"]
    if random.chance(25) {
      let write = Self.write(&random, isSQLite)
      (method, target, content, type) = write
      headers.append("Prefer", random.chance(15) ? "tx=rollback, resolution=merge-duplicates" : "tx=rollback")
    } else {
      target = Self.read(&random, isSQLite)
      let types = ["application/json", "application/x-ndjson", "text/csv", "text/html"]
      headers.append("Accept", random.chance(70) ? types[0] : random.one(of: types))
    }
    self.headers = headers
  }

  /// Returns the answers of a service: that to the request, and those to up to two of the next pages.
  func answers(of service: KindredService) -> [String] {
    var request = HTTPRequest(method: method, target: Self.encoded(target), headers: headers)
    if let content {
      request.headers.append("Content-Type", type)
      request.body = Array(content.utf8)
    }
    var answers: [String] = []
    for _ in 0..<3 {
      let response = service.respond(to: request)
      let link = response.headers.values(for: "Link").joined(separator: ", ")
      // A page for people shows its own URL, with a cursor that may be padded, and its tag covers that.
      let hasOwnTag = request.target.contains("after=") && headers["Accept"] == "text/html"
      let fields = (hasOwnTag ? [] : ["ETag"]) + ["X-Total-Count", "Location", "Content-Type"]
      let values = fields.flatMap(response.headers.values)
      answers.append(
        Self.withoutCursors(
          "\(response.status.code)\n\(values.joined(separator: "\n"))\n\(link)\n\(response.body.text)"))
      guard method == .get, let next = Self.next(in: link) else { break }
      request = HTTPRequest(method: .get, target: next, headers: headers)
    }
    return answers
  }

  /// The URL of the next page in a field.
  private static func next(in link: String) -> String? {
    link.ranges(of: ">; rel=\"next\"").first.flatMap { end in
      link[..<end.lowerBound].split(separator: "<").last.map(String.init)
    }
  }

  /// A cursor that hides values is padded with random bytes, so that its length alone could tell anything.
  private static func withoutCursors(_ text: String) -> String {
    ["after=", "before="].reduce(text) { text, name in
      text.split(separator: name, omittingEmptySubsequences: false).enumerated().map { number, part in
        let cursor = number == 0 ? "" : part.prefix { $0.isLetter || $0.isNumber || "-_".contains($0) }
        return (number == 0 ? "" : "\(cursor.count)") + part.dropFirst(cursor.count)
      }.joined(separator: name)
    }
  }

  private static func encoded(_ target: String) -> String {
    target.addingPercentEncoding(
      withAllowedCharacters: CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,:!()*-_'=<>/?&"))
      ?? target
  }

  // MARK: Reading

  private static func read(_ random: inout SeededRandom, _ isSQLite: Bool) -> String {
    let resource = random.one(of: [
      "sites", "sites", "towns", "places", "figures", "projects", "notes", "marks", "cards",
    ])
    let id = random.one(of: [1, 2, 50, 51, 52, 99])
    if random.chance(8), !["notes", "marks"].contains(resource) { return "/\(resource)/\(id)" }
    var parameters: [String] = []
    switch resource {
    case "sites": site(&parameters, "", &random, isSQLite)
    case "towns", "places", "figures": number(&parameters, "", &random, isAs: resource == "figures")
    case "projects": project(&parameters, &random, isSQLite)
    case "cards": if random.chance(50) { parameters.append("filter=name>'\(id)'") }
    default: mark(&parameters, &random)
    }
    if random.chance(25) { parameters.append("count=true") }
    return "/\(resource)" + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
  }

  private static func site(
    _ parameters: inout [String], _ path: String, _ random: inout SeededRandom, _ isSQLite: Bool
  ) {
    let computed = isSQLite ? ["city=2", "city>1", "city is null", "ifnull(city,0)=1"] : ["length(data)=1"]
    if random.chance(60) {
      let condition = random.one(
        of: ["rank>2", "name='ann'", "name>''", "project in (1,2,50)", "bonus>0.1", "id>0"] + computed)
      parameters.append("\(path)filter=\(condition)")
    }
    if random.chance(45) {
      let values = [
        "c:concat(id)", "c:concat(name)", "s:sum(bonus)", "a:avg(bonus)", "m:min(name)", "z:max(name)",
        "n:count()", "t:total(bonus)", "r:max(rank)", "c:concat(name,'-')",
      ]
      let shown = Set((0..<2).map { _ in random.one(of: values) }).sorted()
      let names = Set(shown.map(\.first))
      let fields = names.count == shown.count ? shown : [shown[0]]
      let key = random.one(of: ["", "name", "project", "rank"])
      parameters.append("\(path)fields=\(([key].filter { !$0.isEmpty } + fields).joined(separator: ","))")
      if !key.isEmpty { parameters.append("\(path)group=\(key)") }
    } else {
      if random.chance(50) {
        parameters.append(
          "\(path)sort=\(random.one(of: ["-rank", "name", "bonus,-id", isSQLite ? "city" : "data"]))")
      }
      if random.chance(20) { parameters += ["\(path)fields=name", "\(path)distinct=true"] }
    }
    if random.chance(35) { parameters.append("\(path)limit=\(Int.random(in: 1...3, using: &random))") }
  }

  private static func number(
    _ parameters: inout [String], _ path: String, _ random: inout SeededRandom, isAs: Bool
  ) {
    if random.chance(70) {
      let condition = random.one(
        of: ["n>1", "n=2", "n is null", "n>1 and id=50", "n>0 or id>0", "abs(n)=1", "n in (1,3)", "not n=1"])
      parameters.append("\(path)filter=\(condition)")
    }
    if random.chance(15) { parameters.append("n=2") }
    if random.chance(30) {
      parameters.append(
        "\(path)fields=" + random.one(of: ["s:sum(n)", "n,c:count()&\(path)group=n", "m:max(n)"]))
    } else if random.chance(50) {
      parameters.append("\(path)sort=\(random.one(of: ["n", "-n,id", "id"]))")
    }
    if !isAs, random.chance(15) { parameters.append("\(path)join=projectRecord!") }
    if random.chance(35) { parameters.append("\(path)limit=\(Int.random(in: 1...3, using: &random))") }
  }

  private static func project(
    _ parameters: inout [String], _ random: inout SeededRandom, _ isSQLite: Bool
  ) {
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      parameters.append("include=sites")
      site(&parameters, "sites.", &random, isSQLite)
    case 1:
      parameters.append("include=towns")
      number(&parameters, "towns.", &random, isAs: true)
      parameters.removeAll { $0 == "n=2" }
    case 2:
      parameters.append(
        "annotate=x:"
          + random.one(
            of: [
              "sites.sum(bonus)", "sites.concat(name)", "sites.min(name)", "towns.max(n)", "sites.count",
              "towns.filter(n>1).count", "towns.sum(n)",
            ]))
    default:
      parameters.append(
        "filter=" + random.one(of: ["towns.filter(n>1).count>0", "sites.count>1", "towns.max(n)>1"]))
    }
  }

  private static func mark(_ parameters: inout [String], _ random: inout SeededRandom) {
    parameters.append(
      random.one(
        of: [
          "limit=1", "limit=2", "sort=-name", "fields=c:concat(name)", "fields=name,n:count()&group=name",
          "fields=name&distinct=true", "fields=m:min(name)", "filter=name>'b'",
        ]))
  }

  // MARK: Writing

  private static func write(
    _ random: inout SeededRandom, _ isSQLite: Bool
  ) -> (HTTPMethod, String, String?, String) {
    var members = ["\"project\":\(random.one(of: [1, 2, 50, 51, 52, 53, 54, 55, 99]))"]
    if random.chance(70) { members.append("\"est\":\(random.one(of: [1, 4, 2000]))") }
    if random.chance(40) { members.append("\"twice\":\(random.one(of: [2, 8, 9]))") }
    let hasCode = !isSQLite || random.chance(75)
    let record = "{" + (members + (hasCode ? ["\"code\":\"new\""] : [])).joined(separator: ",") + "}"
    let change = "{" + (members + (hasCode ? [] : ["\"code\":null"])).joined(separator: ",") + "}"
    let json = "application/json"
    if random.chance(20) {
      // What the database makes of the name and the pin fails for some names, whatever the pin.
      let content = "{\"name\":\"\(random.one(of: ["7", "x", "-", "{", "0 0"]))\"}"
      let target = random.one(of: ["/cards/1", "/cards?filter=id<3"])
      return (.patch, target, content, json)
    }
    return switch Int.random(in: 0..<8, using: &random) {
    case 0: (.post, "/jobs", record, json)
    case 1: (.post, "/jobs", "[{\"code\":\"first\",\"project\":1},\(record)]", json)
    case 2: (.patch, "/jobs/j1", change, json)
    case 3: (.patch, "/jobs?filter=code='j1'", change, json)
    case 4: (.put, "/jobs/\(random.one(of: ["j1", "new"]))", "{\(members.joined(separator: ","))}", json)
    case 5: (.post, "/jobs", record + "\n", "application/x-ndjson")
    case 6: (.post, "/-/batch", "[{\"method\":\"POST\",\"url\":\"/jobs\",\"body\":\(record)}]", json)
    default: (.patch, "/jobs?filter=project>0", change, json)
    }
  }
}
