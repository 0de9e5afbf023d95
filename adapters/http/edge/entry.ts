/** How a request was let in by the door, and the place it holds until it gives it up. */
import type { Overloaded } from "../refusals.ts"
import type { Request } from "../surface/exchange.ts"

/** What of a request says which line it waits in; of a request of Effect's or of node's. */
export type Asked = Pick<Request, "method" | "url" | "headers">

export interface Entry {
  /** As it was read at the door, once for all that looks at it later. */
  readonly asked: Asked
  /** The key it waited for, because that was in force when it last came. */
  readonly key: string | undefined
  /** Whether it waited with strangers. */
  readonly isStranger: boolean
  /** Too many waited before it: it is let in to hear so. */
  readonly refusal: Overloaded | undefined
  readonly leave: () => void
}

/** Of a request that waits for nobody. */
export const straight = (asked: Asked): Entry => ({
  asked,
  key: undefined,
  isStranger: false,
  refusal: undefined,
  leave: () => undefined
})
