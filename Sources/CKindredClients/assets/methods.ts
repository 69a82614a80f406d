/** The types of what a client does. */
export namespace Kindred {
  /** The key of a record: the value of a key with one column, or the columns of any unique key. */
  export type RecordKey<R extends AnyResource> =
    | R["key"]
    | { readonly [K in R["comparable"] & keyof R["record"]]?: NonNullable<Compared<R, K>> | undefined };

  // What a write returns.
  export interface Shape<R extends AnyResource> {
    readonly fields?: Clauses<R>["fields"];
    readonly include?: Nodes<R> | undefined;
    readonly annotate?: Clauses<R>["annotate"];
    /** Preferences of RFC 7240, such as `return=minimal`. */
    readonly prefer?: string | readonly string[] | undefined;
    readonly signal?: AbortSignal | undefined;
  }

  /** What a call of an action returns. */
  export interface ActionOptions<R extends AnyResource> extends Shape<R> {
    readonly idempotencyKey?: string | undefined;
  }

  /** What a write returns, and on what conditions it is done. */
  export interface WriteOptions<R extends AnyResource> extends ActionOptions<R> {
    /** The tag of the record that the change is based on; see `etag`. */
    readonly ifMatch?: string | undefined;
  }

  // What is done with a record whose key is there.
  export interface Conflicts<R extends AnyResource> {
    /** The column or columns of a unique key by which records are found; the primary key if there is none. */
    readonly onConflict?: Key<R["record"]> | readonly Key<R["record"]>[] | undefined;
    /** Whether a record that is there is changed or stays as it is. */
    readonly duplicates?: "merge" | "ignore" | undefined;
  }

  /** How a record is found, and what an upsert returns. */
  export interface UpsertOptions<R extends AnyResource> extends WriteOptions<R>, Conflicts<R> {}

  /** How the content of an import is written. */
  export interface ImportOptions<R extends AnyResource> extends Conflicts<R> {
    readonly type?: "csv" | "ndjson" | undefined;
    readonly signal?: AbortSignal | undefined;
  }
  /** Records, or a text of them. */
  export type Importable<N> =
    | string
    | Blob
    | ReadableStream<Uint8Array<ArrayBuffer>>
    | Iterable<N>
    | AsyncIterable<N>;

  export type Written<O, R extends AnyResource> =
    & O
    & Checked<O, R, keyof WriteOptions<AnyResource>>
    & Undefined<O, "ifMatch">;
  export type Upserted<O, R extends AnyResource> =
    & O
    & Checked<O, R, keyof UpsertOptions<AnyResource>>
    & Undefined<O, "ifMatch">;
  export type ShapeOnly<O, R extends AnyResource> = O & Checked<O, R, keyof Shape<AnyResource>>;
  export type Called<O, R extends AnyResource> = O & Checked<O, R, keyof ActionOptions<AnyResource>>;
  export type Selected<S, R extends AnyResource> = S & Checked<S, R, keyof Selection<AnyResource>>;
  export type Requested<Q, R extends AnyResource, Clause> = Q & Checked<Q, R, Clause | keyof R["parameters"]>;
  export type Found<K, R extends AnyResource> = K & CheckedKey<K, R>;
  // One record, or several: only of several there is an `I`.
  export type OneOrMore<N, I> = N | (readonly N[] & { [Symbol.iterator](): I });
  export type Each<I, T> = [I] extends [never] ? T : T[];
  export type None = { readonly [member in never]: never };

  export type Preference<O> = O extends { prefer: infer P } ? P extends readonly (infer One)[] ? One : P
    : never;
  // The result of a write: none where a preference says so.
  export type Returned<O, T> = "return=minimal" extends Preference<O> ? undefined
    : [Extract<Preference<O>, `${string}return=minimal${string}`>] extends [never] ? T
    : undefined;
  // The result of a deletion: none unless a preference says so.
  export type Deleted<O, T> = [Extract<Preference<O>, `${string}return=representation${string}`>] extends
    [never] ? undefined
    : T;

  /** Which records are changed or deleted together. */
  export interface Selection<R extends AnyResource> {
    readonly filter?: Text | readonly Text[] | undefined;
    readonly where?: Where<R> | undefined;
    readonly search?: string | undefined;
    /** The largest number of records; if there are more, nothing is done. */
    readonly limit?: number | undefined;
    readonly signal?: AbortSignal | undefined;
  }

  /** The value of one column of one record. */
  export interface ColumnValue<Value, Given> {
    /** Its address, for an image of a page. */
    readonly url: string;
    get(options?: { readonly signal?: AbortSignal | undefined }): Promise<Value>;
    /** Writes the value, and returns the record's new tag. */
    put<const O extends ValueOptions & Open = None>(value: Given, options?: Conditional<O>): Promise<string>;
    /** Writes NULL, and returns the record's new tag. */
    delete<const O extends ValueOptions & Open = None>(options?: Conditional<O>): Promise<string>;
  }
  export interface ValueOptions {
    readonly ifMatch?: string | undefined;
    readonly signal?: AbortSignal | undefined;
  }
  export type Conditional<O> = O & Checked<O, AnyResource, keyof ValueOptions> & Undefined<O, "ifMatch">;
  export type ValueIn<R extends AnyResource, C extends keyof R["record"]> = C extends R["bytes"]
    ? ColumnValue<Blob | Extract<R["record"][C], null>, Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer>>
    : ColumnValue<
      R["record"][C],
      | R["record"][C]
      | (C extends R["integers"] ? number | bigint : number extends R["record"][C] ? bigint : never)
    >;

  /** A request that is sent with others by `batch`. */
  export interface Part<out T> {
    readonly method: string;
    readonly url: string;
    readonly body?: unknown;
    readonly headers: { readonly [name: string]: string };
    /** The type of its result; there is no such member. */
    readonly result?: T;
  }

  // What a request is: sent at once, or a part of a batch.
  export type Sent<M, T> = M extends "part" ? Part<T> : Promise<T>;

  /** The requests of a resource. */
  export interface Requests<R extends AnyResource, M extends "part" | "promise"> {
    /** Returns the records of one page: 100, or `limit`. */
    fetchAll<const Q extends Query<R> & Open = None>(
      query?: Requested<Q, R, keyof QueryClauses<AnyResource>>,
    ): Sent<M, Result<R, Q>[]>;
    /** Returns the record with a key; without one, the problem has the status 404. */
    fetchOne<const K extends RecordKey<R>, const Q extends Query<R> & Open = None>(
      key: Found<K, R>,
      query?: Requested<Q, R, keyof QueryClauses<AnyResource>>,
    ): Sent<M, Result<R, Q>>;
    /** Adds a record, or all or none of several; nested records are added with it. */
    create<const O extends WriteOptions<R> & Open = None, I = never>(
      record: OneOrMore<R["new"], I>,
      options?: Written<O, R>,
    ): Sent<M, Returned<O, Each<I, Result<R, O>>>>;
    /** Adds records, or changes those whose key is there. */
    upsert<const O extends UpsertOptions<R> & Open = None, I = never>(
      record: OneOrMore<R["change"], I>,
      options?: Upserted<O, R>,
    ): Sent<M, Returned<O, Each<I, Result<R, O>>>>;
    /** Changes the columns that `change` names (a merge patch). */
    update<const K extends RecordKey<R>, const O extends WriteOptions<R> & Open = None>(
      key: Found<K, R>,
      change: R["change"],
      options?: Written<O, R>,
    ): Sent<M, Returned<O, Result<R, O>>>;
    /** Changes all columns; what `record` leaves out takes its default. Adds the record if there is none. */
    replace<const K extends RecordKey<R>, const O extends WriteOptions<R> & Open = None>(
      key: Found<K, R>,
      record: R["new"],
      options?: Written<O, R>,
    ): Sent<M, Returned<O, Result<R, O>>>;
    delete<const K extends RecordKey<R>, const O extends WriteOptions<R> & Open = None>(
      key: Found<K, R>,
      options?: Written<O, R>,
    ): Sent<M, Deleted<O, Result<R, O>>>;
    /** Changes all records of the selection, or none. */
    updateAll<const S extends Selection<R> & Open, const O extends Shape<R> & Open = None>(
      selection: Selected<S, R>,
      change: R["change"],
      options?: ShapeOnly<O, R>,
    ): Sent<M, Returned<O, Result<R, O>[]>>;
    /** Deletes all records of the selection, or none. */
    deleteAll<const S extends Selection<R> & Open, const O extends Shape<R> & Open = None>(
      selection: Selected<S, R>,
      options?: ShapeOnly<O, R>,
    ): Sent<M, Deleted<O, Result<R, O>[]>>;
  }

  /** A resource. */
  export interface Resource<R extends AnyResource> extends Requests<R, "promise"> {
    /** Returns a page with the cursors of the pages around it. */
    fetchPage<const Q extends PageQuery<R> & Open = None>(
      query?: Requested<Q, R, keyof PageClauses<AnyResource>>,
    ): Promise<Page<Result<R, Q>>>;
    /** Returns all records, page by page. */
    records<const Q extends Query<R> & Open = None>(
      query?: Requested<Q, R, keyof QueryClauses<AnyResource>>,
    ): AsyncGenerator<Result<R, Q>, void, undefined>;
    /** Returns the number of records of all pages. */
    fetchCount<const Q extends Query<R> & Open = None>(
      query?: Requested<Q, R, keyof QueryClauses<AnyResource>>,
    ): Promise<number>;
    /** Returns the records now, and again after each commit that changes them, until the loop ends. */
    live<const Q extends LiveQuery<R> & Open = Heard>(
      query?: Requested<Q, R, keyof LiveClauses<AnyResource>>,
    ): AsyncGenerator<Result<R, Q>[], void, undefined>;
    /** Returns one column of the record with a key, to be read and written by itself. */
    value<const K extends RecordKey<R>, C extends Key<R["record"]>>(
      key: Found<K, R>,
      column: C,
    ): ValueIn<R, C>;
    /** Adds records of any number, all or none. Returns their number. */
    import(content: Importable<R["new"]>, options?: ImportOptions<R>): Promise<number>;
    /** Returns the tag of a record that `fetchOne` or a write returned whole. */
    etag(record: object): string;
    /** The same requests, to be sent by `batch`. */
    readonly request: Requests<R, "part">;
  }

  /** A live result of `useLive`. */
  export interface Live<T> {
    /** The last result of this request. */
    readonly data: T | undefined;
    /** Why the connection was lost, or why the result has ended. */
    readonly error: unknown;
    readonly status: "idle" | "connecting" | "live" | "waiting" | "ended";
  }
  /** A resource as `useLive` needs it. */
  export interface LiveSource {
    readonly request: { fetchAll(query: Loose): Sendable };
    live(query: Loose): AsyncIterable<unknown>;
  }

  /** What the compiler knows of an action. */
  export interface AnyAction {
    parameters: object;
    /** The resource whose records it gives, or one that stands for its rows. */
    gives: AnyResource;
    /** Whether it gives `one` row, `many` or `none`. */
    rows: string;
  }
  export type Given<A extends AnyAction, O> = A["rows"] extends "none" ? undefined
    : Returned<O, A["rows"] extends "one" ? Result<A["gives"], O> | null : Result<A["gives"], O>[]>;
  export type ActionCall<A extends AnyAction, M extends "part" | "promise"> = <
    const O extends ActionOptions<A["gives"]> & Open = None,
  >(
    ...given: None extends A["parameters"] ? [parameters?: A["parameters"], options?: Called<O, A["gives"]>]
      : [parameters: A["parameters"], options?: Called<O, A["gives"]>]
  ) => Sent<M, Given<A, O>>;
  export type Calls<M extends "part" | "promise"> = {
    [K in keyof Actions]: Actions[K] extends AnyAction ? ActionCall<Actions[K], M> : never;
  };

  /** The resources of a server. */
  export type Client =
    & { readonly [K in keyof Schema]: Schema[K] extends AnyResource ? Resource<Schema[K]> : never }
    & {
      /** Sends requests as one transaction: all are done, or none. Returns their results in their order. */
      batch<const P extends readonly Part<unknown>[]>(
        parts: P,
        options?: { readonly signal?: AbortSignal | undefined; readonly idempotencyKey?: string | undefined },
      ): Promise<{ -readonly [I in keyof P]: P[I] extends Part<infer T> ? T : never }>;
    }
    & {
      /** The actions of the server. */
      readonly actions: Calls<"promise"> & { readonly request: Calls<"part"> };
    };

  export interface Options {
    /** A bearer token, or a function that returns one before each request. */
    readonly token?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
    readonly headers?: { readonly [name: string]: string } | undefined;
    readonly fetch?: typeof fetch | undefined;
    /** How often a read is tried again after an error of the network and after 503; 3 unless it is given. */
    readonly retries?: number | undefined;
    /** The time between the server's heartbeats in milliseconds, 15,000 unless it is given. */
    readonly heartbeat?: number | undefined;
  }

  // The types of what runs, here since a resource may have any name outside of this namespace.
  export type Answer = Awaited<ReturnType<typeof fetch>>;
  export type Content = NonNullable<NonNullable<Parameters<typeof fetch>[1]>["body"]>;
  export type Loose = { readonly [name: string]: unknown };
  export type Fields = { [name: string]: string };
  export type Pair = [string, string];
  /** Which members of an answer are integers that are texts: `true`, or those of the members below; an array: of each item. */
  export type Texts = true | readonly Texts[] | { [member: string]: Texts } | undefined;
  /** A request with what its answer must be. */
  export type Sendable = {
    readonly method: string;
    readonly url: string;
    readonly body?: unknown;
    readonly headers: { readonly [name: string]: string };
    /** Whether the result is a record or a list. */
    readonly gives?: "one" | "many" | "any";
    /** Whether the answer's tag is that of the record. */
    readonly tagged?: boolean;
    readonly texts?: Texts;
  };
  /** What calls need to know of an action: the resource of its rows, and whether it gives many. */
  export type ActionFacts = { readonly as?: string; readonly gives?: "many" | "any" };
  /** What requests need to know of a resource. */
  export type Facts = {
    /** The only column of the key. */
    readonly key?: string;
    /** The columns whose names are no identifiers. */
    readonly quoted?: readonly string[];
    readonly bytes?: readonly string[];
    readonly integers?: readonly string[];
    /** Where the associations lead. */
    readonly to?: { readonly [association: string]: string };
  };
}
