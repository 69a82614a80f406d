// What runs where integers are texts.

// Whether `texts` says so of the place to which names and indexes lead.
function isTextAt(path: readonly (string | number)[], texts: Kindred.Texts): boolean {
  let here = texts;
  for (const step of path) {
    if (typeof step === "number") here = Array.isArray(here) ? here[step] : here;
    else {here = isObject(here) && Object.hasOwn(here, step)
        ? (here as { [member: string]: Kindred.Texts })[step]
        : undefined;}
  }
  return here === true;
}

// Which members of the records of a request are integers that are texts.
function textsOf(
  resource: string | undefined,
  query: Kindred.Loose,
): { [member: string]: Kindred.Texts } | undefined {
  const { fields, annotate, include, join } = query;
  const found: { [member: string]: Kindred.Texts } = {};
  for (const name of facts(resource).integers ?? []) if (!isObject(fields)) found[name] = true;
  for (const named of [fields, annotate]) {
    for (const [name, text] of isObject(named) ? Object.entries(named) : []) {
      if (isText(resource, `${text}`)) found[name] = true;
    }
  }
  for (const [key, value] of isObject(include) ? Object.entries(include) : []) {
    if (!isObject(value)) continue;
    const { of = key, values, depth } = value;
    const target = destination(resource, `${of}`);
    const below = values === undefined ? textsOf(target, value) : isText(target, `${values}`) || undefined;
    if (depth !== undefined && isObject(below)) (below as { [member: string]: Kindred.Texts })[key] = below;
    if (below) found[key] = below;
  }
  for (const [key, value] of isObject(join) ? Object.entries(join) : []) {
    if (!isObject(value)) continue;
    const { of = key } = value;
    const { include, join } = value;
    Object.assign(found, textsOf(destination(resource, `${of}`), { fields: {}, include, join }));
  }
  return Object.keys(found).length ? found : undefined;
}

// Whether an expression is such an integer, as the types know it.
function isText(resource: string | undefined, text: string): boolean {
  const call = /^(?:min|max)\((.*)\)$/s.exec(text)?.[1];
  if (facts(resource).integers?.includes(call ?? text)) return true;
  const [, association = "", rest = ""] = /^(.+?)\.(?:filter\(.*\)\.)?(.*)$/s.exec(text) ?? [];
  const target = destination(resource, association);
  return target !== undefined && isText(target, rest);
}
