/** How a request was let in by the door, and the place among strangers that it holds until it gives it up. */

export interface Entry {
  /** Whether it waited with strangers. */
  readonly isStranger: boolean
  /** Whether too many waited before it: it is let in to hear so. */
  readonly isRefused: boolean
  /** Gives up its place among strangers. */
  readonly leave: () => void
}

export const straight: Entry = { isStranger: false, isRefused: false, leave: () => undefined }
