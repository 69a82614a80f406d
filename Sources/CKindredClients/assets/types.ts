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
    /** The columns of bytes. */
    bytes: string;
    /** The columns whose integers are texts. */
    integers: string;
    /** The value of the key, where the key has one column. */
    key: unknown;
    /** The parameters of a common table expression. */
    parameters: object;
    associations: object;
  }

  export type Key<T> = keyof T & string;
  export type Target<A> = A extends { to: infer T extends AnyResource } ? T : never;
  export type Simplified<T> = { [K in keyof T]: T[K] } & unknown;
  // What stands where a mistake is: nothing is of this type, and the compiler says its text.
  export interface Wrong<Message extends string> {
    readonly mistake: Message;
  }
  // A constraint that refuses no further members, so that `Checked` says what is wrong with them.
  export interface Open {
    readonly [other: symbol]: unknown;
  }
  export type Union<T> = (T extends unknown ? (one: T) => void : never) extends (all: infer A) => void ? A
    : never;

  /** An expression with its values in it; see `expression`. */
  export type Expression = KindredExpression;
  /** What `expression` takes as a value. */
  export type Bindable = Single | readonly Single[];
  export type Single = string | number | bigint | boolean | null | Uint8Array | Expression;
  export type Text = string | Expression;

  // What is compared with a column: a number may be a `bigint`, and an integer that is a text any of the three.
  export type Compared<R extends AnyResource, K extends keyof R["record"]> =
    | Exclude<R["record"][K], undefined>
    | (K extends R["integers"] ? number | bigint : number extends R["record"][K] ? bigint : never);

  /** Conditions on columns: a value, any of several values, or `null` for `is null`. All must hold. */
  export type Where<R extends AnyResource> =
    & {
      readonly [K in R["comparable"] & keyof R["record"]]?:
        | Compared<R, K>
        | readonly (NonNullable<Compared<R, K>> | undefined)[]
        | undefined;
    }
    & { readonly [column: string]: unknown };

  /** A column, an annotation, or a column of a to-one association (`author.name`), with `-` before it for descending
   * order and `:nocase`, `:nullsfirst` or `:nullslast` after it; or any other expression. */
  export type Sort<R extends AnyResource> =
    | Key<R["record"]>
    | `-${Key<R["record"]>}`
    | (string & {})
    | { readonly expression: Text; readonly descending?: boolean | undefined };

  export interface Clauses<R extends AnyResource> {
    /** The columns, with `*` for all of them; or names with their expressions. */
    readonly fields?:
      | readonly (Key<R["record"]> | "*" | (string & {}))[]
      | { readonly [name: string]: Text }
      | undefined;
    readonly annotate?: { readonly [name: string]: Text } | undefined;
    readonly include?: Nodes<R> | undefined;
    readonly filter?: Text | readonly Text[] | undefined;
    readonly where?: Where<R> | undefined;
    readonly search?: string | undefined;
    readonly having?: Text | readonly Text[] | undefined;
    readonly sort?: Sort<R> | readonly Sort<R>[] | undefined;
  }

  export interface Pages {
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
    readonly distinct?: boolean | undefined;
    readonly group?: readonly Text[] | undefined;
  }

  /** The request for the records of a resource. */
  export type Query<R extends AnyResource> = QueryClauses<R> & R["parameters"];

  export interface QueryClauses<R extends AnyResource> extends Clauses<R>, Pages {
    /** Associations that the request uses and doesn't return. */
    readonly join?: Nodes<R> | undefined;
    readonly signal?: AbortSignal | undefined;
  }

  /** The request for a page: the first one, that after a cursor, or that before one. */
  export type PageQuery<R extends AnyResource> = PageClauses<R> & R["parameters"];

  export interface PageClauses<R extends AnyResource> extends QueryClauses<R> {
    /** The `next` of another page. */
    readonly after?: string | undefined;
    /** The `prev` of another page, or `""` for the last page. */
    readonly before?: string | undefined;
    /** Whether the number of all records is counted. */
    readonly count?: boolean | "estimated" | undefined;
  }

  /** Some records, with the cursors of the pages around them. */
  export interface Page<T> {
    readonly records: T[];
    /** For `after`, where more records follow. */
    readonly next?: string;
    /** For `before`, where records precede. */
    readonly prev?: string;
    /** The number of records of all pages, where it was counted. */
    readonly total?: number;
  }

  /** The request for a result that follows the database. */
  export type LiveQuery<R extends AnyResource> = LiveClauses<R> & R["parameters"];

  export interface LiveClauses<R extends AnyResource> extends QueryClauses<R> {
    /** Hears what becomes of the connection, with the reason for which it was lost. */
    readonly onStatus?: OnStatus | undefined;
  }
  export type OnStatus = (status: "connecting" | "live" | "waiting", error?: unknown) => void;
  // A query of nothing else, from which the compiler knows the parameters of a function that is written in place.
  export type Heard = { readonly onStatus?: OnStatus | undefined };

  export interface NodeClauses<R extends AnyResource> extends Clauses<R> {
    /** Leaves out the records without an associated one. */
    readonly required?: boolean | undefined;
    /** The association, where the key is another name. */
    readonly of?: string | undefined;
    /** Each record as the value of this expression. */
    readonly values?: Key<R["record"]> | (string & {}) | Expression | undefined;
    /** Repeats an association of a table to itself, to the end or to this depth. */
    readonly depth?: true | number | undefined;
  }

  /** The request for associated records. */
  export type NodeQuery<A> =
    & NodeClauses<Target<A>>
    & Target<A>["parameters"]
    & (A extends { many: true } ? Pages : unknown);

  export interface LooseNode {
    readonly [clause: string]: unknown;
  }

  /** Associations by their keys. */
  export type Nodes<R extends AnyResource> =
    & { readonly [K in Key<R["associations"]>]?: NodeQuery<R["associations"][K]> | LooseNode | undefined }
    & { readonly [key: string]: LooseNode | undefined };

  export type NodeName = keyof NodeClauses<AnyResource>;

  // The association of a node: that of its key, or the one that `of` names.
  export type AssociationOf<R extends AnyResource, K, N> = N extends { of: infer O extends string }
    ? O extends keyof R["associations"] ? R["associations"][O] : never
    : K extends keyof R["associations"] ? R["associations"][K]
    : never;

  export type Names<Q> =
    | (Q extends { annotate: infer A } ? keyof A : never)
    | (Q extends { fields: infer F } ? F extends readonly unknown[] ? never : keyof F : never)
    | (Q extends { include: infer I } ? keyof I : never);

  export type Bare<S extends string> = S extends `-${infer T}` ? Bare<T>
    : S extends `${infer T}:${"nocase" | "nullsfirst" | "nullslast"}` ? Bare<T>
    : S;

  export type IsSortable<S extends string, R extends AnyResource, Q> = S extends
    Key<R["record"]> | Names<Q> | `via.${string}` ? true
    : S extends `${infer A}.${infer Rest}`
      ? A extends keyof R["associations"]
        ? R["associations"][A] extends { many: false }
          ? IsSortable<Rest, Target<R["associations"][A]>, unknown>
        : false
      : A extends Names<Q> ? true
      : false
    : false;

  export type CheckedTerm<S, R extends AnyResource, Q> = S extends string
    ? IsSortable<Bare<S>, R, Q> extends true ? unknown
    : Wrong<`\`${Bare<S>}\` is not a column of ${R["name"]}`>
    : unknown;

  export type CheckedSort<S, R extends AnyResource, Q> = S extends readonly unknown[]
    ? { [I in keyof S]: CheckedTerm<S[I], R, Q> }
    : CheckedTerm<S, R, Q>;

  // What is missing where a member is `undefined` and nothing else: no type of the member itself could say it.
  export type Undefined<Q, Names> = {
    [
      K in keyof Q as K extends Names
        ? [Q[K]] extends [undefined] ? `\`${K & string}\` may be undefined` : never
        : never
    ]: never;
  };
  export type CheckedValue<K, V> = [V] extends [undefined] ? unknown
    : undefined extends V ? Wrong<`\`${K & string}\` may be undefined`>
    : V extends readonly (infer One)[]
      ? undefined extends One ? Wrong<`\`${K & string}\` may be undefined`> : unknown
    : unknown;

  export type CheckedWhere<W, R extends AnyResource> = W extends object ?
      & {
        [K in keyof W]: K extends R["comparable"] ? CheckedValue<K, W[K]>
          : Wrong<`\`${K & string}\` is not a column of ${R["name"]} to compare`>;
      }
      & Undefined<W, keyof W>
    : unknown;

  export type CheckedFields<F, R extends AnyResource> = F extends readonly unknown[] ? {
      [I in keyof F]: F[I] extends Key<R["record"]> | "*" ? unknown
        : Wrong<`\`${F[I] & string}\` is not a column of ${R["name"]}`>;
    }
    : unknown;

  export type CheckedKey<K, R extends AnyResource> = K extends object
    ? keyof K extends never ? Wrong<"a key has at least one column">
    :
      & {
        [C in keyof K]: C extends R["comparable"] ? CheckedValue<C, K[C]>
          : Wrong<`\`${C & string}\` is not a column of a key of ${R["name"]}`>;
      }
      & Undefined<K, keyof K>
    : unknown;

  export type CheckedNodes<I, R extends AnyResource> = {
    [K in keyof I]: I[K] extends { of: infer O extends string }
      ? O extends keyof R["associations"] ? CheckedNode<I[K], R["associations"][O]>
      : { of: Wrong<`\`${O}\` is not an association of ${R["name"]}`> }
      : K extends keyof R["associations"] ? CheckedNode<I[K], R["associations"][K]>
      : Wrong<`\`${K & string}\` is not an association of ${R["name"]}`>;
  };

  export type CheckedNode<N, A> =
    & NodeQuery<A>
    & Checked<
      N,
      Target<A>,
      (A extends { many: true } ? keyof Pages : never) | NodeName | keyof Target<A>["parameters"]
    >;

  // A query with the same members, where each that is wrong has its error as its type.
  export type Checked<Q, R extends AnyResource, Allowed> = {
    [K in keyof Q]: K extends Allowed ? K extends "include" | "join" ? CheckedNodes<Q[K], R>
      : K extends "sort" ? CheckedSort<Q[K], R, Q>
      : K extends "where" ? CheckedWhere<Q[K], R>
      : K extends "fields" ? CheckedFields<Q[K], R>
      : K extends "ifMatch" ? CheckedValue<K, Q[K]>
      : unknown
      : Wrong<`\`${K & string}\` is not a parameter here`>;
  };

  export type Mean = "average" | "avg" | "sum";

  // Whether each parenthesis of a text is closed in it, so that what encloses the text is one call.
  export type IsWhole<S extends string, Open extends readonly 0[] = []> = S extends `${infer A}(${infer B}`
    ? A extends `${string})${string}` ? IsClosed<S, Open> : IsWhole<B, [...Open, 0]>
    : IsClosed<S, Open>;
  export type IsClosed<S extends string, Open extends readonly 0[]> = S extends `${string})${infer B}`
    ? Open extends readonly [0, ...infer Rest extends readonly 0[]] ? IsWhole<B, Rest> : false
    : Open extends readonly [] ? true
    : false;
  export type Whole<X extends string, T> = IsWhole<X> extends true ? T : unknown;

  // The type of an expression, as far as its form tells it.
  export type ValueOf<R extends AnyResource, E> = E extends Key<R["record"]> ? R["record"][E]
    : E extends `cast(${infer X} as text)` ? Whole<X, string | null>
    : E extends `cast(${infer X} as ${"integer" | "real"})` ? Whole<X, number | null>
    : E extends `count(${infer X})` ? Whole<X, number>
    : E extends `${infer A}.${infer Rest}`
      ? A extends Key<R["associations"]> ? Along<R["associations"][A], Rest> : Call<R, E>
    : Call<R, E>;

  // What follows an association: an aggregate of many records, or a column of one, which may be absent.
  export type Along<A, E> = A extends { many: true } ? Aggregate<Target<A>, E>
    : E extends Key<Target<A>["record"]> ? Target<A>["record"][E] | null
    : E extends `${infer Next}.${infer Rest}`
      ? Next extends Key<Target<A>["associations"]> ? Along<Target<A>["associations"][Next], Rest> : unknown
    : unknown;

  export type Aggregate<R extends AnyResource, E> = E extends "count" ? number
    : E extends "isEmpty" ? boolean
    : E extends `filter(${infer F}).${infer Rest}` ? IsWhole<F> extends true ? Aggregate<R, Rest> : unknown
    : Call<R, E>;

  export type Call<R extends AnyResource, E> = E extends `${"min" | "max"}(${infer C})`
    ? C extends Key<R["record"]> ? R["record"][C] | null : unknown
    : E extends `${Mean}(${infer X})` ? Whole<X, number | null>
    : E extends `total(${infer X})` ? Whole<X, number>
    : E extends `concat(${infer X})` ? Whole<X, string | null>
    : unknown;

  export type Expressions<R extends AnyResource, E> = { -readonly [K in keyof E]: ValueOf<R, E[K]> };

  export type Columns<R extends AnyResource, Q> = Q extends { fields: infer F }
    ? F extends readonly (infer C)[]
      ? Pick<R["record"], C & keyof R["record"]> & ("*" extends C ? R["all"] : unknown)
    : F extends object ? Expressions<R, F>
    : R["plain"]
    : R["plain"];

  export type Annotations<R extends AnyResource, Q> = Q extends { annotate: infer A }
    ? A extends object ? Expressions<R, A> : unknown
    : unknown;

  export type NodeRecord<R extends AnyResource, K, N> = N extends { depth: true | number }
    ? Omit<Result<R, N>, K & string> & { [Below in K & string]: NodeResult<R, K, N, true>[] }
    : Result<R, N>;

  export type NodeResult<R extends AnyResource, K, N, Many> = N extends { values: infer V } ? ValueOf<R, V>
    : Many extends true ? NodeRecord<R, K, N>
    : N extends { depth: true | number }
      ? Omit<Result<R, N>, K & string> & { [Above in K & string]: NodeResult<R, K, N, false> | null }
    : Result<R, N>;

  export type Associated<R extends AnyResource, K, N> = AssociationOf<R, K, N> extends
    { many: true; to: infer T extends AnyResource } ? NodeResult<T, K, N, true>[]
    : NodeResult<Target<AssociationOf<R, K, N>>, K, N, false> | (N extends { required: true } ? never : null);

  export type Included<R extends AnyResource, Q> = Q extends { include: infer I }
    ? I extends object ? { -readonly [K in keyof I]: Associated<R, K, I[K]> } : unknown
    : unknown;

  // What is included below a joined association appears in the record above.
  export type Joined<R extends AnyResource, Q> = Q extends { join: infer J extends object } ? Union<
      {
        [K in keyof J]: AssociationOf<R, K, J[K]> extends { many: true }
          ? Many<Included<Target<AssociationOf<R, K, J[K]>>, J[K]>>
          : Included<Target<AssociationOf<R, K, J[K]>>, J[K]>;
      }[keyof J]
    >
    : unknown;
  export type Many<I> = { [K in keyof I]: I[K] extends readonly unknown[] ? I[K] : NonNullable<I[K]>[] };

  /** The record that a request of a resource gives: an associated record stands in the place of a column of its name. */
  export type Result<R extends AnyResource, Q> = Simplified<
    Omit<Columns<R, Q>, keyof Included<R, Q>> & Annotations<R, Q> & Included<R, Q> & Joined<R, Q>
  >;

  /** A new record below another one, which gives it these columns. */
  export type Below<N, Given extends PropertyKey> = N extends unknown
    ? Omit<N, Given> & Partial<Pick<N, Given & keyof N>>
    : never;
}
