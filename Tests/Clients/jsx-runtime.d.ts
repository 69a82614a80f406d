// What elements of a page may be, as far as the samples of docs/react.md need it.
export namespace JSX {
  type Element = unknown;
  interface ElementChildrenAttribute { children: unknown }
  interface IntrinsicAttributes { key?: string | number }
  interface IntrinsicElements {
    [name: string]: { [attribute: string]: unknown; onChange?: (event: { target: { value: string } }) => void };
  }
}
