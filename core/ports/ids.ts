/** Identifiers and randomness; the only source of both, so that one seed replays everything. */
import { Context, type Effect } from "effect"

export class Ids extends Context.Service<
  Ids,
  {
    /** A UUID in lower case; later ones sort after earlier ones. A store may keep it as 16 bytes: it writes no other form, and finds nothing by one. */
    readonly uuid: Effect.Effect<string>
    /** Random base62 characters. */
    readonly base62: (length: number) => Effect.Effect<string>
    readonly bytes: (length: number) => Effect.Effect<Uint8Array>
    /** A number in [0, 1), for jitter. */
    readonly fraction: Effect.Effect<number>
  }
>()("bursar/ports/Ids") {}
