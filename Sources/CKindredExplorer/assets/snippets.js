// Programs that make the request.

/** @typedef {{ name: string, kind: "number" | "text" | "boolean" | "unknown" }} Field */
/** @typedef {{ type: string, fields: Field[], lists: { key: string, shape: Shape, isMany: boolean }[] }} Shape The shape of a record. */

/** A text in single quotes for a shell. @param {string} text */
export function shellQuoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** @param {string} url absolute */
export function curl(url) {
  return `curl --silent --show-error --fail-with-body \\\n  --header 'Accept: application/json' \\\n  ${
    shellQuoted(url)
  }`;
}

/** @param {string} target path and query */
export function query(target) {
  return `kindred query "$DATABASE" ${shellQuoted(target)}`;
}

/** @param {string} url */
export function javaScript(url) {
  return `const response = await fetch(${JSON.stringify(url)}, {
  headers: { Accept: "application/json" },
});
if (!response.ok) throw new Error((await response.json()).detail);
const records = await response.json();`;
}

/** @param {string} name */
function member(name) {
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : JSON.stringify(name);
}

/** @param {Shape} shape @param {(shape: Shape) => string} one @returns {string} */
function types(shape, one) {
  const seen = new Set();
  /** @param {Shape} each @returns {string[]} */
  const collect = (each) => {
    if (seen.has(each.type)) return [];
    seen.add(each.type);
    return [one(each), ...each.lists.flatMap((list) => collect(list.shape))];
  };
  return collect(shape).join("\n\n");
}

/** @param {string} url @param {Shape} shape @param {boolean} isSingle */
export function typeScript(url, shape, isSingle) {
  const kinds = { number: "number", text: "string", boolean: "boolean", unknown: "unknown" };
  const declarations = types(shape, ({ type, fields, lists }) =>
    [
      `interface ${type} {`,
      ...fields.map(({ name, kind }) =>
        `  ${member(name)}: ${kinds[kind]}${kind === "unknown" ? "" : " | null"};`
      ),
      ...lists.map(({ key, shape, isMany }) =>
        `  ${member(key)}: ${shape.type}${isMany ? "[]" : " | null"};`
      ),
      "}",
    ].join("\n"));
  return `${declarations}

const response = await fetch(${JSON.stringify(url)}, {
  headers: { Accept: "application/json" },
});
if (!response.ok) throw new Error((await response.json()).detail);
const records: ${shape.type}${isSingle ? "" : "[]"} = await response.json();`;
}

/** A text as a Swift literal. @param {string} text */
function swiftText(text) {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** @param {string} name */
function swiftName(name) {
  const word = name.replace(/[^A-Za-z0-9_]/g, "_").replace(/^(?=[0-9])/, "_");
  return /^(as|associatedtype|break|case|catch|class|continue|default|defer|deinit|do|else|enum|extension|fallthrough|false|for|func|guard|if|import|in|init|internal|is|let|nil|operator|private|protocol|public|repeat|return|self|static|struct|subscript|super|switch|throw|throws|true|try|var|where|while)$/
      .test(word)
    ? `\`${word}\``
    : word;
}

/** @param {string} url @param {Shape} shape @param {boolean} isSingle */
export function swift(url, shape, isSingle) {
  const kinds = { number: "Double", text: "String", boolean: "Bool", unknown: "String" };
  const declarations = types(shape, ({ type, fields, lists }) => {
    const members = [
      ...fields.map(({ name, kind }) => ({ name, text: `${kinds[kind]}?` })),
      ...lists.map(({ key, shape, isMany }) => ({
        name: key,
        text: isMany ? `[${shape.type}]` : `${shape.type}?`,
      })),
    ];
    const renamed = members.some(({ name }) => swiftName(name).replaceAll("`", "") !== name);
    const keys = renamed
      ? [
        "",
        "  enum CodingKeys: String, CodingKey {",
        ...members.map(({ name }) => `    case ${swiftName(name)} = ${swiftText(name)}`),
        "  }",
      ]
      : [];
    return [
      `struct ${type}: Decodable {`,
      ...members.map(({ name, text }) => `  var ${swiftName(name)}: ${text}`),
      ...keys,
      "}",
    ].join("\n");
  });
  return `import Foundation
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

${declarations}

var request = URLRequest(url: URL(string: ${swiftText(url)})!)
request.setValue("application/json", forHTTPHeaderField: "Accept")
let (data, _) = try await URLSession.shared.data(for: request)
let records = try JSONDecoder().decode(${isSingle ? shape.type : `[${shape.type}]`}.self, from: data)`;
}
