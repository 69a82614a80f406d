import KindredModel
import KindredHTTP
import KindredRequests

/// The client's preferences for a write and its response (RFC 7240).
struct WritePreferences {
  enum Content {
    case minimal, representation
  }

  /// What happens to a record that already exists.
  enum Resolution {
    case merge, ignore
  }

  private(set) var content: Content?
  private(set) var resolution: Resolution?
  /// Whether everything is rolled back at the end.
  private(set) var isRolledBack = false
  /// The honoured preferences other than `return`.
  private var honoured: [String] = []

  private static let known = [
    "return=minimal", "return=representation", "resolution=merge-duplicates", "resolution=ignore-duplicates",
    "tx=commit", "tx=rollback", "handling=strict", "handling=lenient",
  ]

  /// - Throws: `RequestError` for an unknown preference if the client prefers strict handling.
  init(_ request: HTTPRequest) throws {
    var names: Set<String> = []
    var unknown: [String] = []
    var isStrict = false
    for preference in Preference.list(request.headers.values(for: "Prefer")) {
      let (name, value) = preference.nameAndValue
      // Only the first preference of a name counts (§2).
      guard names.insert(name).inserted else { continue }
      var isHonoured = true
      switch (name, value) {
      case ("return", "minimal"): (content, isHonoured) = (.minimal, false)
      case ("return", "representation"): (content, isHonoured) = (.representation, false)
      case ("resolution", "merge-duplicates") where request.method == .post: resolution = .merge
      case ("resolution", "ignore-duplicates") where request.method == .post: resolution = .ignore
      case ("tx", "rollback"): isRolledBack = true
      case ("tx", "commit"): break
      case ("handling", "strict"): isStrict = true
      case ("handling", "lenient"): break
      default:
        isHonoured = false
        unknown.append(value.isEmpty ? name : "\(name)=\(value)")
      }
      if isHonoured { honoured.append("\(name)=\(value)") }
    }
    guard isStrict, let first = unknown.first else { return }
    throw RequestError.unknown(
      first, .invalidValue,
      "`\(first)` is not a preference of this request, and `handling=strict` refuses unknown ones",
      // Known preferences that don't apply here are not suggested.
      among: Self.known.contains(first) ? [] : Self.known)
  }

  /// Returns the value of `Preference-Applied` (§3), or nil if no preference was applied.
  ///
  /// - Parameters:
  ///   - hasContent: Whether the response has content.
  ///   - isMinimal: Whether it has none because the client prefers that, or the database returns none.
  func applied(hasContent: Bool, isMinimal: Bool = false) -> String? {
    var applied = honoured
    switch content {
    case _ where isMinimal && !hasContent: applied.insert("return=minimal", at: 0)
    case .minimal where !hasContent: applied.insert("return=minimal", at: 0)
    case .representation where hasContent: applied.insert("return=representation", at: 0)
    case .minimal, .representation, nil: break
    }
    return applied.isEmpty ? nil : applied.joined(separator: ", ")
  }
}

extension Preference {
  /// The parts of `name=value` in lower case.
  ///
  /// The value may be quoted and surrounded by spaces (RFC 7240 §2).
  var nameAndValue: (name: String, value: String) {
    let name = value.prefix { $0 != "=" }
    let rest = value.dropFirst(name.count + 1).trimmed
    let isQuoted = rest.count >= 2 && rest.first == "\"" && rest.last == "\""
    return (String(name.trimmed), String(isQuoted ? rest.dropFirst().dropLast() : rest))
  }
}
