/** Several questions to a chain's nodes at once, and how their answers are read. */
import { Effect, Predicate } from "effect"
import type { Node } from "./node.ts"

export interface Call {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  /** Set where there is one for certain: then a node that answers null is behind. */
  readonly mustExist?: true
}

/** The answers in the order of the calls. */
export const ask = ({ call }: Node, calls: ReadonlyArray<Call>) =>
  Effect.forEach(calls, ({ method, mustExist, params }) => call(method, params, mustExist), {
    concurrency: "unbounded"
  })

/** What each node answers to one call; none may fail. */
export const askEach = ({ callEach }: Node, { method, params }: Call) => callEach(method, params)

/** A field of an answer, however deep; undefined where there is none. */
export const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>(
    (inner, field) =>
      Predicate.isObjectOrArray(inner)
        ? (inner as Record<string | number, unknown>)[field]
        : undefined,
    value
  )
