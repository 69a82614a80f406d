/** @param {unknown} actual @param {unknown} expected */
export function assertEquals(actual, expected) {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left !== right) throw new Error(`expected ${right}, got ${left}`);
}
