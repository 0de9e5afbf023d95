/**
 * What is known for ever, on every line: an HMAC under the identity key, which is made once and never changed, over
 * things that outlive the records. Where records are lost, the same things give the same identity again.
 */
import { Context } from "effect"

export const version = 1

/** What an identity is made of, in this order, as canonical JSON. */
export type Facts = readonly [typeof version, ...ReadonlyArray<string>]

export class Identity extends Context.Service<
  Identity,
  {
    /** 32 bytes in hex. */
    readonly derive: (facts: Facts) => string
  }
>()("bursar/timeline/Identity") {}
