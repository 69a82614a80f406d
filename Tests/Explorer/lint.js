// Rules for the explorer's scripts: names of the database are looked up in Maps or by `Object.hasOwn`, and answers with
// records are read by `json.js`, which keeps all digits.

export default {
  name: "explorer",
  rules: {
    "no-in": {
      create: (/** @type {any} */ context) => ({
        'BinaryExpression[operator="in"]'(/** @type {any} */ node) {
          context.report({
            node,
            message: "`in` finds members of `Object.prototype`: use a Map or `Object.hasOwn`.",
          });
        },
      }),
    },
    "no-lossy-json": {
      create: (/** @type {any} */ context) => ({
        'CallExpression[callee.property.name="json"]'(/** @type {any} */ node) {
          const { name } = node.callee.object;
          if (name === "Response" || !/assets\/(?!server\.js)/.test(context.filename)) return;
          context.report({ node, message: "Numbers lose digits: read the text by `json.js`." });
        },
      }),
    },
  },
};
