/** Amounts as tests write them: a plain bigint where a row has one of its own type. */

type Bare<A> = A extends bigint ? bigint : A

export type Plain<Row> = { readonly [Field in keyof Row]: Bare<Row[Field]> }
