/** The store of ceremonies. Each is taken at most once, whoever asks at the same time. */
import { Context, type DateTime, type Effect } from "effect"
import type { Ceremony } from "./ceremony.ts"

export class Ceremonies extends Context.Service<
  Ceremonies,
  {
    readonly begin: (ceremony: Ceremony) => Effect.Effect<void>
    /** Deletes it and gives it back; nothing when there is none, or another browser holds it. */
    readonly take: (ceremonyId: string, holder: string) => Effect.Effect<Ceremony | undefined>
    /** Forgets at most `max` of those that ran out before an instant; how many there were. */
    readonly forget: (expiredBefore: DateTime.Utc, max: number) => Effect.Effect<number>
  }
>()("bursar/humans/Ceremonies") {}
