import ArgumentParser

/// A size in bytes: `8192`, `8KiB`, `1MiB`.
struct ByteCount: SettingValue, ExpressibleByArgument, CustomStringConvertible {
  let bytes: Int

  init(_ bytes: Int) { self.bytes = bytes }

  init?(setting text: String) {
    guard let measure = Measure(text, units: Self.units) else { return nil }
    bytes = measure.value
  }

  fileprivate static let units = [
    (name: "GiB", size: 1 << 30), (name: "MiB", size: 1 << 20), (name: "KiB", size: 1 << 10),
    (name: "B", size: 1),
    (name: "", size: 1),
  ]

  static var expectation: String { "a size of at most 1 GiB, such as 8192, 8KiB or 1MiB" }
  var description: String { Measure.text(of: bytes, units: Self.units) }
}

/// A size of files in bytes: `4GiB`.
struct FileSize: SettingValue, ExpressibleByArgument, CustomStringConvertible {
  let bytes: Int

  init(_ bytes: Int) { self.bytes = bytes }

  init?(setting text: String) {
    guard let measure = Measure(text, units: Self.units, maximum: 1 << 50) else { return nil }
    bytes = measure.value
  }

  private static let units = [(name: "TiB", size: 1 << 40)] + ByteCount.units

  static var expectation: String { "a size of at most 1024 TiB, such as 512MiB or 4GiB" }
  var description: String { Measure.text(of: bytes, units: Self.units) }
}

/// A positive length of time: `10s`, `500ms`, `2m`; without a unit, in seconds.
struct TimeSpan: SettingValue, ExpressibleByArgument, CustomStringConvertible {
  let milliseconds: Int

  init(seconds: Int) { milliseconds = seconds * 1000 }

  init?(setting text: String) {
    guard let measure = Measure(text, units: Self.units), measure.value > 0 else { return nil }
    milliseconds = measure.value
  }

  fileprivate static let units = [
    (name: "h", size: 3_600_000), (name: "m", size: 60_000), (name: "s", size: 1000), (name: "ms", size: 1),
    (name: "", size: 1000),
  ]

  var duration: Duration { .milliseconds(milliseconds) }

  static var expectation: String { "a time of at most 298h, such as 10s, 500ms or 2m" }
  var description: String { Measure.text(of: milliseconds, units: Self.units) }
}

/// A time limit; 0 stands for no limit.
struct TimeLimit: SettingValue, ExpressibleByArgument, CustomStringConvertible {
  /// The limit; nil for none.
  let span: TimeSpan?

  init(seconds: Int) { span = TimeSpan(seconds: seconds) }

  init?(setting text: String) {
    span = TimeSpan(setting: text)
    guard span != nil || Measure(text, units: TimeSpan.units)?.value == 0 else { return nil }
  }

  static var expectation: String { TimeSpan.expectation + ", where 0 means no limit" }
  var description: String { span?.description ?? "0" }
}

/// An integer and its unit.
private struct Measure {
  typealias Unit = (name: String, size: Int)

  let value: Int

  /// - Parameters:
  ///   - units: the units; the one with an empty name applies to numbers without a unit.
  ///   - maximum: larger values are surely mistakes, and sums of a few smaller ones can't overflow.
  init?(_ text: String, units: [Unit], maximum: Int = 1 << 30) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let name = text.dropFirst(digits.count).drop { $0 == " " }
    guard let count = Int(digits),
      let unit = units.first(where: { $0.name.lowercased() == name.lowercased() }),
      count <= maximum / unit.size
    else { return nil }
    value = count * unit.size
  }

  /// Returns a value in the largest unit in which it is an integer.
  static func text(of value: Int, units: [Unit]) -> String {
    let unit = units.first { value.isMultiple(of: $0.size) && value >= $0.size } ?? (name: "", size: 1)
    return "\(value / unit.size)\(unit.name)"
  }
}
