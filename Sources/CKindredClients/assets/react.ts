// A hook of React.

/** Returns the result of a request, and again after each commit that changes it. A query of `null` asks for nothing. */
export function useLive<
  R extends Kindred.AnyResource,
  const Q extends Kindred.LiveQuery<R> & Kindred.Open = Kindred.None,
>(
  resource: Kindred.Resource<R>,
  query?: Kindred.Requested<Q, R, keyof Kindred.LiveClauses<Kindred.AnyResource>> | null,
): Kindred.Live<Kindred.Result<R, Q>[]> {
  type State = Kindred.Live<Kindred.Result<R, Q>[]>;
  const live = resource as unknown as Kindred.LiveSource;
  // The same request has the same URL, however often its query is written anew.
  const url = query === null ? null : live.request.fetchAll(query ?? {}).url;
  const before: State = { data: undefined, error: undefined, status: url === null ? "idle" : "connecting" };
  const [now, setNow] = useState({ live, url, state: before });
  useEffect(() => {
    if (url === null) return undefined;
    const ending = new AbortController();
    const { signal } = ending;
    const change = (changed: Partial<State>) => {
      if (signal.aborted) return;
      setNow((last) => {
        const state = last.url === url && last.live === live ? last.state : before;
        return { live, url, state: { ...state, error: undefined, ...changed } };
      });
    };
    const follow = async () => {
      try {
        const onStatus = (status: State["status"], error?: unknown) => change({ status, error });
        for await (const data of live.live({ ...query, signal, onStatus })) {
          change({ data: data as Kindred.Result<R, Q>[], status: "live" });
        }
      } catch (error) {
        change({ status: "ended", error });
      }
    };
    void follow();
    return () => ending.abort();
  }, [live, url]);
  return now.url === url && now.live === live ? now.state : before;
}
