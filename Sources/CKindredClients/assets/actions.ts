// What runs where there are actions.

// Returns the requests that call actions.
function actionCalls(): Kindred.Loose {
  const call = (name: string) => (given: unknown = {}, options: Kindred.Loose = {}): Kindred.Sendable => {
    const { as, gives = "any" } = kindredActions[name] ?? {};
    const { fields, include, annotate } = options;
    return {
      method: "POST",
      url: withQuery(`/${encodeURIComponent(name)}`, parameters(as, { fields, include, annotate })),
      body: given,
      headers: { "Content-Type": "application/json", ...conditions(options) },
      gives: isMinimal(options["prefer"]) ? "any" : gives,
      texts: textsOf(as, options),
    };
  };
  return Object.fromEntries(Object.keys(kindredActions).map((name) => [name, call(name)]));
}
