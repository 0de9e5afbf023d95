/** The store of notices. One is written once for its thing, told once, and in one digest at most. */
import { Context, type DateTime, type Effect } from "effect"
import type { Notice, NoticeType } from "./notice.ts"

export class Notices extends Context.Service<
  Notices,
  {
    /** False, and nothing written, when the account has one of this type about this subject. */
    readonly write: (notice: Notice) => Effect.Effect<boolean>
    /** Marks it told and gives it back; undefined when it was before. Undone with its transaction. */
    readonly tell: (noticeId: string, at: DateTime.Utc) => Effect.Effect<Notice | undefined>
    /** How many of a type an account was told since an instant. */
    readonly countTold: (
      accountId: string,
      type: NoticeType,
      since: DateTime.Utc
    ) => Effect.Effect<number>
    /** Puts it into the digest that is due at an instant. */
    readonly defer: (noticeId: string, digestAt: DateTime.Utc) => Effect.Effect<void>
    /** Takes what is due out of the digests, oldest first, at most `max`; nobody else is given the same. */
    readonly takeDigest: (now: DateTime.Utc, max: number) => Effect.Effect<ReadonlyArray<Notice>>
    /** Forgets at most `max` told ones of before an instant; how many there were. */
    readonly forget: (createdBefore: DateTime.Utc, max: number) => Effect.Effect<number>
  }
>()("bursar/notices/Notices") {}
