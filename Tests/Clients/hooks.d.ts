// The hooks of React that `useLive` needs, as `@types/react` declares them.
type Next<S> = S | ((previous: S) => S);
export function useState<S>(initial: S | (() => S)): [S, (next: Next<S>) => void];
export function useEffect(effect: () => void | (() => void), dependencies?: readonly unknown[]): void;
