import KindredAssociations
import KindredSQLSyntax

/// A JSON object that says what is to change in another one (RFC 7396).
struct MergePatch {
  /// What is in a column can't be changed in part.
  struct Refusal: Error {
    let message: String
  }

  private let document: JSONDocument
  private let target: JSONDocument?
  private var text: [UInt8] = []

  /// The text that results from a patch of what is stored.
  ///
  /// - Parameters:
  ///   - patch: the text of a JSON object.
  ///   - stored: the value of the column; anything but the text of an object counts as an empty one.
  /// - Throws: `Refusal` where what is stored looks like an object and can't be read as one.
  static func text(of patch: String, appliedTo stored: SQLValue) throws -> String {
    let document = try JSONDocumentParser.parse(Array(patch.utf8))
    var merged = MergePatch(document: document, target: try object(in: stored))
    merged.append(document.root, onto: merged.target?.root)
    return String(decoding: merged.text, as: UTF8.self)
  }

  private static func object(in stored: SQLValue) throws -> JSONDocument? {
    guard case .text(let text) = stored,
      text.utf8.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "{")
    else { return nil }
    do {
      return try JSONDocumentParser.parse(Array(text.utf8))
    } catch let error as JSONDocumentParser.SyntaxError {
      throw Refusal(message: "what is stored is no JSON: \(error.message), at character \(error.position)")
    }
  }

  /// Appends what a value of the patch makes of a value of the target.
  private mutating func append(_ patch: JSONDocument.Node, onto value: JSONDocument.Node?) {
    guard case .object(let changes) = patch.content else {
      text += document.bytes[patch.range]
      return
    }
    var members: [JSONDocument.Member] = []
    if case .object(let present)? = value?.content { members = present }
    // By their bytes: names that only look the same are two names.
    let patches = Dictionary(changes.map { (Array($0.name.utf8), $0.value) }) { first, _ in first }
    let names = Set(members.map { Array($0.name.utf8) })
    var isFirst = true
    text.append(UInt8(ascii: "{"))
    for member in members {
      let change = patches[Array(member.name.utf8)]
      if case .null? = change?.content { continue }
      appendName(member.name, &isFirst)
      if let change {
        append(change, onto: member.value)
      } else if let target {
        text += target.bytes[member.value.range]
      }
    }
    for change in changes where !names.contains(Array(change.name.utf8)) {
      if case .null = change.value.content { continue }
      appendName(change.name, &isFirst)
      append(change.value, onto: nil)
    }
    text.append(UInt8(ascii: "}"))
  }

  private mutating func appendName(_ name: String, _ isFirst: inout Bool) {
    if !isFirst { text.append(UInt8(ascii: ",")) }
    isFirst = false
    text += JSONValue.string(name).bytes
    text.append(UInt8(ascii: ":"))
  }
}

extension RecordDraft {
  /// Has columns of JSON take what their patches make of what they hold.
  ///
  /// - Parameter record: the record that is there; nil of a new one.
  /// - Throws: `Problem` (422).
  mutating func applyPatches(to record: StoredRecord?) throws {
    for (index, assignment) in assignments.enumerated() where assignment.isPatch {
      guard case .text(let patch) = assignment.value else { continue }
      let stored = record?.values(of: [assignment.column]).first ?? .null
      do {
        let text = try MergePatch.text(of: patch, appliedTo: stored)
        assignments[index] = Assignment(
          column: assignment.column, value: .text(text), isChosen: assignment.isChosen)
      } catch let refusal as MergePatch.Refusal {
        throw Problem.refusedValue(
          "`\(assignment.column)` can't be merged: \(refusal.message). Replace it by PATCH of `application/json`",
          at: pointer + assignment.column)
      }
    }
  }
}
