// The hooks of React that `useLive` and the samples of docs/react.md need, as `@types/react` declares them.
type Next<S> = S | ((previous: S) => S);
export function useState<S>(initial: S | (() => S)): [S, (next: Next<S>) => void];
export function useState<S = undefined>(): [S | undefined, (next: Next<S | undefined>) => void];
export function useEffect(effect: () => void | (() => void), dependencies?: readonly unknown[]): void;
