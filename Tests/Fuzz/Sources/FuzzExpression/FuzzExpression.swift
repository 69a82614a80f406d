import FuzzSupport
import KindredModel
import KindredPlanning

/// Each way to parse a text must return a tree, or an error whose position is inside the text.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  // A URL with invalid UTF-8 is rejected before its expressions are parsed.
  guard let text = String(validating: bytes, as: UTF8.self) else { return 0 }
  parse(text)
  if Repetition.isChosen(bytes) { parse(Repetition.of(text, separatedBy: [" or ", ",", "("][count % 3])) }
  return 0
}

/// Parses a text in each way.
private func parse(_ text: String) {
  let readings: [(inout ExpressionParser) throws -> Void] = [
    { _ = try $0.parseExpression() }, { _ = try $0.parseExpressions() },
    { _ = try $0.parseNamedExpressions() },
    { _ = try $0.parseFields() }, { _ = try $0.parseSort() }, { _ = try $0.parseIncludes() },
  ]
  for reading in readings {
    do {
      var parser = try ExpressionParser(text, parameter: "filter", literals: Literals())
      try reading(&parser)
    } catch let error as RequestError {
      let position = error.origin?.position ?? 0
      let length = text.unicodeScalars.count
      check((0...length).contains(position), "position \(position) of \(length) characters")
    } catch {
      check(false, "an error of another kind: \(error)")
    }
  }
}
