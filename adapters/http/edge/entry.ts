/** How a request was let in by the door, and the place it holds until it gives it up. */
import type { Overloaded } from "../refusals.ts"

export interface Entry {
  /** The key it waited for, because that was in force when it last came. */
  readonly key?: string
  /** Whether it waited with strangers. */
  readonly isStranger: boolean
  /** Too many waited before it: it is let in to hear so. */
  readonly refusal?: Overloaded
  readonly leave: () => void
}

export const straight: Entry = { isStranger: false, leave: () => undefined }
