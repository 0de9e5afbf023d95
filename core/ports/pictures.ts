/** Brings a small picture from an address that a merchant gave. What the bytes are is judged by whoever asked for them. */
import { Context, Data, type Effect } from "effect"

/** Why nothing came, as the end of a sentence. */
export class PictureUnavailable extends Data.TaggedError("PictureUnavailable")<{
  readonly message: string
}> {}

export class Pictures extends Context.Service<
  Pictures,
  {
    /** All bytes at a URL, unless they are more than `maxBytes`. Ten seconds in all; no redirects; no private address. */
    readonly fetch: (url: string, maxBytes: number) => Effect.Effect<Uint8Array, PictureUnavailable>
  }
>()("bursar/ports/Pictures") {}
