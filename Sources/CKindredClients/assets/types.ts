/** The types of requests and of their results: each result has the type of its request. */
export namespace Kindred {
  /** What the compiler knows of a resource. */
  export interface AnyResource {
    name: string;
    /** All columns. */
    record: object;
    /** The columns that a request without `fields` gives. */
    plain: object;
    /** The columns of `*`. */
    all: object;
    new: object;
    change: object;
    /** The columns that `where` compares. */
    comparable: string;
    /** The value of the key, where the key has one column. */
    key: unknown;
    /** The parameters of a common table expression. */
    parameters: object;
    associations: object;
  }

  type Key<T> = keyof T & string;
  type Target<A> = A extends { to: infer T extends AnyResource } ? T : never;
  type Simplified<T> = { [K in keyof T]: T[K] } & unknown;
  type Value = string | number | boolean;
  // What stands where a mistake is: nothing is of this type, and the compiler says its text.
  interface Wrong<Text extends string> {
    readonly mistake: Text;
  }
  type Union<T> = (T extends unknown ? (one: T) => void : never) extends (all: infer A) => void ? A : never;

  /** Conditions on columns: a value, any of several values, or `null` for `is null`. All must hold. */
  export type Where<R extends AnyResource> = {
    readonly [K in R["comparable"] & keyof R["record"]]?:
      | Exclude<R["record"][K], undefined>
      | readonly NonNullable<R["record"][K]>[];
  };

  /** A column, an annotation, or a column of a to-one association (`author.name`), with `-` before it for descending
   * order and `:nocase`, `:nullsfirst` or `:nullslast` after it; or any other expression. */
  export type Sort<R extends AnyResource> =
    | Key<R["record"]>
    | `-${Key<R["record"]>}`
    | (string & {})
    | { readonly expression: string; readonly descending?: boolean };

  interface Clauses<R extends AnyResource> {
    /** The columns, with `*` for all of them; or names with their expressions. */
    readonly fields?: readonly (Key<R["record"]> | "*")[] | { readonly [name: string]: string };
    readonly annotate?: { readonly [name: string]: string };
    readonly include?: Nodes<R>;
    readonly filter?: string | readonly string[];
    readonly where?: Where<R>;
    readonly search?: string;
    readonly having?: string | readonly string[];
    readonly sort?: Sort<R> | readonly Sort<R>[];
  }

  interface Pages {
    readonly limit?: number;
    readonly offset?: number;
    readonly distinct?: boolean;
    readonly group?: readonly string[];
  }

  /** The request for the records of a resource. */
  export type Query<R extends AnyResource> = QueryClauses<R> & R["parameters"];

  interface QueryClauses<R extends AnyResource> extends Clauses<R>, Pages {
    /** Associations that the request uses and doesn't return. */
    readonly join?: Nodes<R>;
    readonly signal?: AbortSignal;
  }

  interface NodeClauses<R extends AnyResource> extends Clauses<R> {
    /** Leaves out the records without an associated one. */
    readonly required?: boolean;
    /** The association, where the key is another name. */
    readonly of?: string;
    /** Each record as the value of this expression. */
    readonly values?: Key<R["record"]> | (string & {});
    /** Repeats an association of a table to itself, to the end or to this depth. */
    readonly depth?: true | number;
  }

  /** The request for associated records. */
  export type NodeQuery<A> =
    & NodeClauses<Target<A>>
    & Target<A>["parameters"]
    & (A extends { many: true } ? Pages : unknown);

  interface LooseNode {
    readonly [clause: string]: unknown;
  }

  /** Associations by their keys. */
  export type Nodes<R extends AnyResource> =
    & { readonly [K in Key<R["associations"]>]?: NodeQuery<R["associations"][K]> | LooseNode }
    & { readonly [key: string]: LooseNode };

  type NodeName = keyof NodeClauses<AnyResource>;

  // The association of a node: that of its key, or the one that `of` names.
  type AssociationOf<R extends AnyResource, K, N> = N extends { of: infer O extends string }
    ? O extends keyof R["associations"] ? R["associations"][O] : never
    : K extends keyof R["associations"] ? R["associations"][K]
    : never;

  type Names<Q> =
    | (Q extends { annotate: infer A } ? keyof A : never)
    | (Q extends { fields: infer F } ? F extends readonly unknown[] ? never : keyof F : never)
    | (Q extends { include: infer I } ? keyof I : never);

  type Bare<S extends string> = S extends `-${infer T}` ? Bare<T>
    : S extends `${infer T}:${"nocase" | "nullsfirst" | "nullslast"}` ? Bare<T>
    : S;

  type IsSortable<S extends string, R extends AnyResource, Q> = S extends
    Key<R["record"]> | Names<Q> | `via.${string}` ? true
    : S extends `${infer A}.${infer Rest}`
      ? A extends keyof R["associations"]
        ? R["associations"][A] extends { many: false }
          ? IsSortable<Rest, Target<R["associations"][A]>, unknown>
        : false
      : A extends Names<Q> ? true
      : false
    : false;

  type CheckedTerm<S, R extends AnyResource, Q> = S extends string
    ? IsSortable<Bare<S>, R, Q> extends true ? unknown
    : Wrong<`\`${Bare<S>}\` is not a column of ${R["name"]}`>
    : unknown;

  type CheckedSort<S, R extends AnyResource, Q> = S extends readonly unknown[]
    ? { [I in keyof S]: CheckedTerm<S[I], R, Q> }
    : CheckedTerm<S, R, Q>;

  type CheckedWhere<W, R extends AnyResource> = {
    [K in keyof W]: K extends R["comparable"] ? unknown
      : Wrong<`\`${K & string}\` is not a column of ${R["name"]} to compare`>;
  };

  type CheckedNodes<I, R extends AnyResource> = {
    [K in keyof I]: I[K] extends { of: infer O extends string }
      ? O extends keyof R["associations"] ? CheckedNode<I[K], R["associations"][O]>
      : { of: Wrong<`\`${O}\` is not an association of ${R["name"]}`> }
      : K extends keyof R["associations"] ? CheckedNode<I[K], R["associations"][K]>
      : Wrong<`\`${K & string}\` is not an association of ${R["name"]}`>;
  };

  type CheckedNode<N, A> =
    & NodeQuery<A>
    & Checked<
      N,
      Target<A>,
      (A extends { many: true } ? keyof Pages : never) | NodeName | keyof Target<A>["parameters"]
    >;

  // A query with the same members, where each that is wrong has its error as its type.
  type Checked<Q, R extends AnyResource, Allowed> = {
    [K in keyof Q]: K extends Allowed ? K extends "include" | "join" ? CheckedNodes<Q[K], R>
      : K extends "sort" ? CheckedSort<Q[K], R, Q>
      : K extends "where" ? CheckedWhere<Q[K], R>
      : unknown
      : Wrong<`\`${K & string}\` is not a parameter here`>;
  };

  type Sum = "average" | "avg" | "sum" | "total";

  // The type of an expression, as far as its form alone tells it.
  type Expression<R extends AnyResource, E> = E extends Key<R["record"]> ? R["record"][E]
    : E extends `count(${string}`
      ? E extends `count(${string})${infer Rest}` ? Rest extends "" ? number : unknown : unknown
    : E extends `${infer A}.${infer Rest}`
      ? A extends Key<R["associations"]>
        ? R["associations"][A] extends { many: true } ? Aggregate<Target<R["associations"][A]>, Rest>
        : Rest extends `${string}.${string}` ? Expression<Target<R["associations"][A]>, Rest>
        : unknown
      : unknown
    : unknown;

  type Aggregate<R extends AnyResource, E> = E extends "count" ? number
    : E extends "isEmpty" ? boolean
    : E extends `${"min" | "max"}(${infer C})` ? C extends Key<R["record"]> ? R["record"][C] | null : unknown
    : E extends `${Sum}(${infer C})` ? C extends Key<R["record"]> ? number | null : unknown
    : E extends `filter(${string}).${"count" | "isEmpty"}` ? E extends `${string}.count` ? number : boolean
    : unknown;

  type Expressions<R extends AnyResource, E> = { -readonly [K in keyof E]: Expression<R, E[K]> };

  type Columns<R extends AnyResource, Q> = Q extends { fields: infer F }
    ? F extends readonly (infer C)[]
      ? Pick<R["record"], C & keyof R["record"]> & ("*" extends C ? R["all"] : unknown)
    : Expressions<R, F>
    : R["plain"];

  type Annotations<R extends AnyResource, Q> = Q extends { annotate: infer A } ? Expressions<R, A> : unknown;

  type NodeRecord<R extends AnyResource, K, N> = N extends { depth: true | number }
    ? Result<R, N> & { [Below in K & string]: NodeResult<R, K, N, true>[] }
    : Result<R, N>;

  type NodeResult<R extends AnyResource, K, N, Many> = N extends { values: infer V } ? Expression<R, V>
    : Many extends true ? NodeRecord<R, K, N>
    : N extends { depth: true | number }
      ? Result<R, N> & { [Above in K & string]: NodeResult<R, K, N, false> | null }
    : Result<R, N>;

  type Associated<R extends AnyResource, K, N> = AssociationOf<R, K, N> extends
    { many: true; to: infer T extends AnyResource } ? NodeResult<T, K, N, true>[]
    : NodeResult<Target<AssociationOf<R, K, N>>, K, N, false> | (N extends { required: true } ? never : null);

  type Included<R extends AnyResource, Q> = Q extends { include: infer I }
    ? { -readonly [K in keyof I]: Associated<R, K, I[K]> }
    : unknown;

  // What is included below a joined association appears in the record above.
  type Joined<R extends AnyResource, Q> = Q extends { join: infer J } ? Union<
      {
        [K in keyof J]: AssociationOf<R, K, J[K]> extends { many: true }
          ? Many<Included<Target<AssociationOf<R, K, J[K]>>, J[K]>>
          : Included<Target<AssociationOf<R, K, J[K]>>, J[K]>;
      }[keyof J]
    >
    : unknown;
  type Many<I> = { [K in keyof I]: I[K] extends readonly unknown[] ? I[K] : NonNullable<I[K]>[] };

  /** The record that a request of a resource gives. */
  export type Result<R extends AnyResource, Q> = Simplified<
    Columns<R, Q> & Annotations<R, Q> & Included<R, Q> & Joined<R, Q>
  >;

  /** A new record below another one, which gives it these columns. */
  export type Below<N, Given extends PropertyKey> = N extends unknown
    ? Omit<N, Given> & Partial<Pick<N, Given & keyof N>>
    : never;

  /** The key of a record: the value of a key with one column, or the columns of any unique key. */
  export type RecordKey<R extends AnyResource> =
    | R["key"]
    | { readonly [K in R["comparable"] & keyof R["record"]]?: NonNullable<R["record"][K]> };

  /** What a write returns, and on what conditions it is done. */
  export interface WriteOptions<R extends AnyResource> {
    readonly fields?: Clauses<R>["fields"];
    readonly include?: Nodes<R>;
    readonly annotate?: Clauses<R>["annotate"];
    /** The tag of the record that the change is based on; see `etag`. */
    readonly ifMatch?: string;
    readonly idempotencyKey?: string;
    /** Preferences of RFC 7240, such as `return=minimal`. */
    readonly prefer?: string | readonly string[];
    readonly signal?: AbortSignal;
  }
  type Written<O, R extends AnyResource> = O & Checked<O, R, keyof WriteOptions<AnyResource>>;
  type Asked<Q, R extends AnyResource> =
    & Q
    & Checked<Q, R, keyof QueryClauses<AnyResource> | keyof R["parameters"]>;
  type None = object;

  type Returned<O, T> = O extends { prefer: infer P }
    ? (P extends readonly (infer One)[] ? One : P) extends infer One
      ? "return=minimal" extends One ? undefined
      : One extends `${string}return=minimal${string}` ? undefined
      : T
    : T
    : T;
  type Deleted<R extends AnyResource, O> = O extends { prefer: `${string}return=representation${string}` }
    ? Result<R, O>
    : undefined;

  /** Which records are changed or deleted together. */
  export interface Selection<R extends AnyResource> {
    readonly filter?: string | readonly string[];
    readonly where?: Where<R>;
    readonly search?: string;
    /** The largest number of records; if there are more, nothing is done. */
    readonly limit?: number;
    readonly signal?: AbortSignal;
  }

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
  type Sent<M, T> = M extends "part" ? Part<T> : Promise<T>;

  /** The requests of a resource. */
  export interface Requests<R extends AnyResource, M extends "part" | "promise"> {
    /** Returns the records of one page: 100, or `limit`. */
    fetchAll<const Q extends Query<R> = None>(query?: Asked<Q, R>): Sent<M, Result<R, Q>[]>;
    /** Returns the record with a key; without one, the problem has the status 404. */
    fetchOne<const Q extends Query<R> = None>(key: RecordKey<R>, query?: Asked<Q, R>): Sent<M, Result<R, Q>>;
    /** Adds a record, or all or none of several; nested records are added with it. */
    create<const O extends WriteOptions<R> = None>(
      record: R["new"],
      options?: Written<O, R>,
    ): Sent<M, Returned<O, Result<R, O>>>;
    create<const O extends WriteOptions<R> = None>(
      records: readonly R["new"][],
      options?: Written<O, R>,
    ): Sent<M, Returned<O, Result<R, O>[]>>;
    /** Changes the columns that `change` names (a merge patch). */
    update<const O extends WriteOptions<R> = None>(
      key: RecordKey<R>,
      change: R["change"],
      options?: Written<O, R>,
    ): Sent<M, Returned<O, Result<R, O>>>;
    /** Changes all columns; those that `record` leaves out take their defaults. Adds the record if there is none. */
    replace<const O extends WriteOptions<R> = None>(
      key: RecordKey<R>,
      record: R["new"],
      options?: Written<O, R>,
    ): Sent<M, Returned<O, Result<R, O>>>;
    delete<const O extends WriteOptions<R> = None>(
      key: RecordKey<R>,
      options?: Written<O, R>,
    ): Sent<M, Deleted<R, O>>;
    /** Changes all records of the selection, or none. */
    updateAll(selection: Selection<R>, change: R["change"]): Sent<M, R["plain"][]>;
    /** Deletes all records of the selection, or none. */
    deleteAll(selection: Selection<R>): Sent<M, undefined>;
  }

  /** A resource. */
  export interface Resource<R extends AnyResource> extends Requests<R, "promise"> {
    /** Returns all records, page by page. */
    records<const Q extends Query<R> = None>(
      query?: Asked<Q, R>,
    ): AsyncGenerator<Result<R, Q>, void, undefined>;
    /** Returns the number of records of all pages. */
    fetchCount<const Q extends Query<R> = None>(query?: Asked<Q, R>): Promise<number>;
    /** Returns the records now, and again after each commit that changes them, until the loop ends. */
    live<const Q extends Query<R> = None>(
      query?: Asked<Q, R>,
    ): AsyncGenerator<Result<R, Q>[], void, undefined>;
    /** Returns the tag with which `fetchOne`, `create`, `update` or `replace` returned a record. */
    etag(record: object): string | undefined;
    /** The same requests, to be sent by `batch`. */
    readonly request: Requests<R, "part">;
  }

  /** The resources of a server. */
  export type Client =
    & { readonly [K in keyof Schema]: Schema[K] extends AnyResource ? Resource<Schema[K]> : never }
    & {
      /** Sends requests as one transaction: all are done, or none. Returns their results in their order. */
      batch<const P extends readonly Part<unknown>[]>(
        parts: P,
        options?: { readonly signal?: AbortSignal; readonly idempotencyKey?: string },
      ): Promise<{ -readonly [I in keyof P]: P[I] extends Part<infer T> ? T : never }>;
    };

  export interface Options {
    /** A bearer token, or a function that returns one before each request. */
    readonly token?: string | (() => string | undefined | Promise<string | undefined>);
    readonly headers?: { readonly [name: string]: string };
    readonly fetch?: typeof fetch;
  }

  // The types of what runs, here since a resource may have any name outside of this namespace.
  export type Fields = { [name: string]: string };
  export type Answer = Awaited<ReturnType<typeof fetch>>;
  export type Loose = { readonly [name: string]: unknown };
  export type Pair = [string, string];
  export type Sendable = {
    readonly method: string;
    readonly url: string;
    readonly body?: unknown;
    readonly headers: { readonly [name: string]: string };
  };
}
