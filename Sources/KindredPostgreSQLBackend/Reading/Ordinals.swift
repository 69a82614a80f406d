import KindredSQLSyntax

/// The parent records of a level, identified by the values that statements read from them.
struct Ordinals {
  /// The values that are read from each record, as bindings of the child's statement.
  let inputs: [SQL.Binding]
  /// The values of the inputs, record by record.
  private var bytes: [UInt8] = []
  /// Where each value ends, or the complement of it for NULL.
  private var ends: [Int] = []
  private(set) var count = 0
  /// The place of each record in the parent level; only recorded if equal records are kept apart.
  private(set) var origins: [Int32] = []
  private var numbers = KeyTable()

  init(inputs: [SQL.Binding]) {
    self.inputs = inputs
  }

  // MARK: Adding

  /// Adds the next value of the record that is being added; nil for NULL.
  mutating func append(_ value: UnsafeRawBufferPointer?) {
    if let value { bytes.append(contentsOf: value) }
    ends.append(value == nil ? ~bytes.count : bytes.count)
  }

  /// Ends the record that is being added, and returns its number, or that of an equal one.
  ///
  /// - Parameter origin: The place of the record if equal records are to be kept apart; nil to share a number.
  mutating func endRecord(origin: Int?) -> Int32 {
    if let origin {
      origins.append(Int32(origin))
    } else {
      let hash = hash(of: count)
      if let known = numbers.number(of: hash, where: { isSame($0, count) }) {
        let start = end(before: count * inputs.count)
        bytes.removeLast(bytes.count - start)
        ends.removeLast(inputs.count)
        return Int32(known)
      }
      numbers.add(hash)
    }
    count += 1
    return Int32(count - 1)
  }

  /// Returns where the value before one ends.
  private func end(before index: Int) -> Int {
    guard index > 0 else { return 0 }
    return ends[index - 1] < 0 ? ~ends[index - 1] : ends[index - 1]
  }

  private func range(of index: Int) -> Range<Int>? {
    ends[index] < 0 ? nil : end(before: index)..<ends[index]
  }

  private func hash(of record: Int) -> UInt64 {
    bytes.withUnsafeBytes { bytes in
      var hash = KeyTable.seed
      for index in record * inputs.count..<(record + 1) * inputs.count {
        guard let range = range(of: index) else {
          hash = hash &* 31 &+ 1
          continue
        }
        hash = KeyTable.hash(UnsafeRawBufferPointer(rebasing: bytes[range]), hash)
      }
      return hash
    }
  }

  private func isSame(_ record: Int, _ other: Int) -> Bool {
    (0..<inputs.count).allSatisfy { input in
      withValue(input, of: record) { value in
        withValue(input, of: other) { other in
          guard let value, let other else { return value == nil && other == nil }
          return value.hasSameBytes(as: other)
        }
      }
    }
  }

  // MARK: Values

  /// Calls `body` with the value of an input; nil for NULL.
  @inline(__always)
  func withValue<Result>(
    _ input: Int, of ordinal: Int, _ body: (UnsafeRawBufferPointer?) -> Result
  ) -> Result {
    let range = range(of: ordinal * inputs.count + input)
    return bytes.withUnsafeBytes { bytes in
      body(range.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) })
    }
  }

  /// Returns the values of an input as the text of an array.
  func array(of input: Int) -> [UInt8] {
    var array = ArrayText()
    array.reserve(bytes.count + count * 3)
    for ordinal in 0..<count {
      withValue(input, of: ordinal) { value in
        if let value { array.append(value) } else { array.appendNull() }
      }
    }
    array.close()
    return array.bytes
  }
}
