import KindredOutput
import KindredSQLSyntax
import KindredRequests

/// A JSON object that describes changes to another one (RFC 7396).
struct MergePatch {
  /// Why a stored value can't be patched.
  struct Refusal: Error {
    let message: String
  }

  private let document: JSONDocument
  private let target: JSONDocument?
  private var text: [UInt8] = []

  /// Returns the text that results from applying a patch to a stored value.
  ///
  /// - Parameters:
  ///   - patch: The text of a JSON object.
  ///   - stored: The value of the column; anything but the text of an object counts as an empty object.
  /// - Throws: `Refusal` if the value looks like an object but isn't valid JSON.
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
      throw Refusal(message: "the stored value is not JSON: \(error.message), at character \(error.position)")
    }
  }

  /// Appends the result of applying a value of the patch to a value of the target.
  private mutating func append(_ patch: JSONDocument.Node, onto value: JSONDocument.Node?) {
    guard case .object(let changes) = patch.content else {
      text += document.bytes[patch.range]
      return
    }
    var members: [JSONDocument.Member] = []
    if case .object(let present)? = value?.content { members = present }
    // Compared by bytes: Swift considers canonically equivalent names equal, JSON doesn't.
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
    text.append(quoted: name)
    text.append(UInt8(ascii: ":"))
  }
}

extension RecordDraft {
  /// Replaces each patch of a JSON column by the value that results from it.
  ///
  /// - Parameter record: The stored record; nil for a new one.
  /// - Throws: `Problem` (422) if a stored value can't be patched.
  mutating func applyPatches(to record: StoredRecord?) throws {
    guard assignments.contains(where: \.isPatch) else { return }
    for (index, assignment) in assignments.enumerated() where assignment.isPatch {
      guard case .text(let patch) = assignment.value else { continue }
      let stored = record?.values(of: [assignment.column]).first ?? .null
      do {
        let text = try MergePatch.text(of: patch, appliedTo: stored)
        assignments[index] = Assignment(
          column: assignment.column, value: .text(text), isChosen: assignment.isChosen)
      } catch let refusal as MergePatch.Refusal {
        throw Problem.refusedValue(
          "`\(assignment.column)` can't be merged: \(refusal.message); replace it with a PATCH of `application/json`",
          at: pointer + assignment.column)
      }
    }
  }
}
