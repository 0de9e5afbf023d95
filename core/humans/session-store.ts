/** The store of sessions; it holds digests, never tokens. A session that ended is not there any more. */
import { Context, type DateTime, type Effect } from "effect"
import type { Session } from "./session.ts"

export class Sessions extends Context.Service<
  Sessions,
  {
    readonly open: (session: Session, digest: string) => Effect.Effect<void>
    /** Finds one by the digest of its token, those past their time too. */
    readonly findByDigest: (digest: string) => Effect.Effect<Session | undefined>
    /** Notes that it was used; writes at most once a minute. */
    readonly noteSeen: (sessionId: string, at: DateTime.Utc) => Effect.Effect<void>
    /** Ends one; false when there is none. */
    readonly end: (sessionId: string) => Effect.Effect<boolean>
    /** Ends all that were opened with a passkey; how many there were. */
    readonly endOf: (passkeyId: string) => Effect.Effect<number>
    /** Forgets at most `max` of those that ran out before an instant; how many there were. */
    readonly forget: (expiredBefore: DateTime.Utc, max: number) => Effect.Effect<number>
  }
>()("bursar/humans/Sessions") {}
