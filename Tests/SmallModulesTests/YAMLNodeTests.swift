import KindredYAML
import Testing

@Suite("Nodes of YAML")
struct YAMLNodeTests {
  private func root(_ text: String) throws -> YAMLNode { try #require(try YAMLNode.parse(text)) }

  /// Every scalar with its line, in the order of the text.
  private func scalars(_ node: YAMLNode) -> [String] {
    if let entries = node.entries {
      return entries.flatMap { entry in ["\(entry.line): \(entry.key ?? "?")"] + scalars(entry.value) }
    }
    return node.items?.flatMap(scalars) ?? ["\(node.line): \(node.text ?? "?")"]
  }

  @Test
  func `keys and values know their lines`() throws {
    let root = try root(
      """
      # A comment
      tables:
        - author
        - name: book
          columns: [id,
            title]
      empty:
      """)
    #expect(
      scalars(root) == [
        "2: tables", "3: author", "4: name", "4: book", "5: columns", "5: id", "6: title", "7: empty", "7: ",
      ])
  }

  @Test(arguments: ["", "# nothing\n", "---\n"])
  func `a text without a value is none, or null`(text: String) throws {
    #expect(try YAMLNode.parse(text)?.isNull ?? true)
  }

  @Test(arguments: [
    ("~", true, true), ("null", true, true), ("NULL", true, true), ("", true, false),
    ("'null'", false, false),
    ("nil", false, false), ("0", false, false),
  ])
  func `null is null in each of its spellings, and written out or not`(
    text: String, isNull: Bool, saysNull: Bool
  ) throws {
    let value = try #require(try root("key: \(text)\n").entries?.first?.value)
    #expect(value.isNull == isNull)
    #expect(value.saysNull == saysNull)
  }

  @Test(
    arguments: [
      ("true", true), ("Yes", true), ("on", true), ("false", false), ("NO", false), ("off", false),
      ("1", nil),
      ("[true]", nil),
    ] as [(String, Bool?)])
  func `truth has three spellings, and a number is no truth`(text: String, truth: Bool?) throws {
    #expect(try root(text).truthValue == truth)
  }

  @Test
  func `a scalar in quotes or a block isn't plain`() throws {
    let items = try #require(try root("[a, 'a', \"a\"]").items)
    #expect(items.map(\.isPlain) == [true, false, false])
    #expect(items.map(\.text) == ["a", "a", "a"])
    #expect(try root("|\n  a\n").isPlain == false)
  }

  @Test
  func `a key that is no scalar has no name`() throws {
    #expect(try root("? [a]\n: b\n").entries?.map(\.key) == [nil])
  }

  @Test
  func `aliases of aliases cost nothing until they are read`() throws {
    // A list of ten times the one before has 10⁴⁰ items.
    let lists = (1...40).map { level in
      let items = Array(repeating: "*l\(level - 1)", count: 10).joined(separator: ", ")
      return "- &l\(level) [\(items)]\n"
    }
    let root = try root("- &l0 leaf\n" + lists.joined())
    var node = try #require(root.items?.last)
    for _ in 1...40 { node = try #require(node.items?.last) }
    #expect(node.text == "leaf")
  }

  @Test(arguments: [
    "? *l40\n: x", "? [*l40]\n: x", "? {a: *l40}\n: x", "*l40 : x", "{*l40 : x}", "{*l40: x}", "[{*l40:x}]",
    "[*l40:x]",
    "{*l40}", "[[*l40]: x]", "? &k [*l40]\n: x",
  ])
  func `a key with an alias is refused, however much it stands for`(key: String) throws {
    let lists = (1...40).map { level in
      let items = Array(repeating: "*l\(level - 1)", count: 10).joined(separator: ", ")
      return "- &l\(level) [\(items)]\n"
    }
    let text = "- &l0 leaf\n" + lists.joined() + "-\n  " + key.replacing("\n", with: "\n  ") + "\n"
    let error = #expect(throws: YAMLError.self) { try YAMLNode.parse(text) }
    guard case .syntax("a key can't contain an alias", line: 43, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test
  func `an asterisk is no alias in texts, and values may be aliases`() throws {
    let root = try root(
      """
      anchor: &a [1]
      items: [*a, '*a:b', "*a", count(*), a * b]
      '*': *a
      "*a": |
        *a:b
      count(*): x # *a:b
      ? [x]
      : *a
      """)
    #expect(root.entries?.map(\.key) == ["anchor", "items", "*", "*a", "count(*)", nil])
    #expect(root.entries?[1].value.items?.map(\.text) == [nil, "*a:b", "*a", "count(*)", "a * b"])
    #expect(root.entries?.last?.value.items?.map(\.text) == ["1"])
  }

  @Test
  func `an error has its place`() {
    func error(_ text: String) -> YAMLError? {
      do throws(YAMLError) {
        _ = try YAMLNode.parse(text)
        return nil
      } catch { return error }
    }
    guard case .syntax(_, line: 2, column: let column)? = error("a: b\nc: ]\n") else {
      Issue.record("no error of syntax in line 2")
      return
    }
    #expect(column == 4)
    guard case .repeatedKey("b", line: 3)? = error("a:\n  z: 1\n  b: 2\n  z: 3\n  b: 4\n") else {
      Issue.record("no error of a repeated key in line 3")
      return
    }
    guard case .unreadable(_, line: 3)? = error("a: b\nc: d\ne: \u{1}\n") else {
      Issue.record("no error of a text that can't be read in line 3")
      return
    }
  }
}
