import KindredModel

/// The names of the types of resources: the singular in UpperCamelCase.
struct TypeNames {
  private var names: [String: String] = [:]

  /// - Parameters:
  ///   - reserved: The names that no type may have.
  ///   - variants: The prefixes and suffixes of the further types of each resource, which must not meet other names.
  init(_ schema: ServerSchema, reserved: Set<String>, variants: [(prefix: String, suffix: String)] = []) {
    var taken = reserved
    for resource in schema.resources {
      let base = Self.identifier(Inflector.singular(resource.name))
      var name = base
      var number = 1
      while !Self.all(name, variants).isDisjoint(with: taken) {
        name = number == 1 ? base + "Record" : "\(base)Record\(number)"
        number += 1
      }
      taken.formUnion(Self.all(name, variants))
      names[resource.name] = name
    }
  }

  subscript(_ resource: String) -> String? { names[resource] }

  private static func all(_ name: String, _ variants: [(prefix: String, suffix: String)]) -> Set<String> {
    Set([name] + variants.map { $0.prefix + name + $0.suffix })
  }

  /// Returns a name with only letters and digits, the first of each word in upper case.
  private static func identifier(_ name: String) -> String {
    let words = name.split { !$0.isOfWords }
    let joined = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    return joined.beginsIdentifier ? joined : "Record" + joined
  }
}

extension Character {
  /// Whether it can be part of a word in an identifier of any language (UAX #31), which not all letters and numbers can,
  /// such as `²` and `Ⓐ`.
  var isOfWords: Bool {
    unicodeScalars.allSatisfy {
      $0.properties.isXIDContinue && $0.properties.generalCategory != .connectorPunctuation
    }
  }
}

extension String {
  /// Returns a literal of the text, as Swift and TypeScript write it; other characters may be escaped, too.
  func literal(escaping others: Set<Unicode.Scalar> = []) -> String {
    let escaped = unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case "\0"..<" ", "\u{7F}", "\u{2028}", "\u{2029}": "\\u{\(String(scalar.value, radix: 16))}"
      case _ where others.contains(scalar): "\\u{\(String(scalar.value, radix: 16))}"
      default: String(scalar)
      }
    }
    return "\"\(escaped.joined())\""
  }
}

extension StringProtocol {
  /// Whether an identifier can begin as this text does.
  var beginsIdentifier: Bool { unicodeScalars.first?.properties.isXIDStart ?? false }
}
