/** The stores of humans and their passkeys, of enrolments, sessions and passkey challenges. A credential is known once in the whole treasury. */
import { Context, type DateTime, type Effect } from "effect"
import type * as Page from "../operation/page.ts"
import type { Role } from "../operation/role.ts"
import type { Enrolment, Purpose } from "./enrolment.ts"
import type { Human } from "./human.ts"
import type { Passkey } from "./passkey.ts"
import type { PasskeyChallenge } from "./passkey-challenge.ts"
import type { Session } from "./session.ts"

export class Humans extends Context.Service<
  Humans,
  {
    readonly add: (human: Human) => Effect.Effect<void>
    readonly find: (accountId: string, humanId: string) => Effect.Effect<Human | undefined>
    /** The same, whom nobody changes until the transaction ends. */
    readonly hold: (accountId: string, humanId: string) => Effect.Effect<Human | undefined>
    /** The humans of an account who were not removed, first added first. */
    readonly of: (accountId: string) => Effect.Effect<ReadonlyArray<Human>>
    /** The same, none of whom changes until the transaction ends. */
    readonly lock: (accountId: string) => Effect.Effect<ReadonlyArray<Human>>
    /** The same in pages, newest first. */
    readonly page: (accountId: string, request: Page.Request) => Effect.Effect<Page.Page<Human>>
    /** Notes that an invited human has come; false when they had, or were removed. */
    readonly join: (accountId: string, humanId: string, at: DateTime.Utc) => Effect.Effect<boolean>
    /** False when they were removed, or are not the account's. */
    readonly changeRole: (accountId: string, humanId: string, role: Role) => Effect.Effect<boolean>
    /** Removes them for ever; false when they were, or are not the account's. */
    readonly remove: (
      accountId: string,
      humanId: string,
      at: DateTime.Utc
    ) => Effect.Effect<boolean>
    /** Adds a passkey of a human there is; false when its credential is known already. */
    readonly addPasskey: (passkey: Passkey) => Effect.Effect<boolean>
    readonly passkey: (accountId: string, passkeyId: string) => Effect.Effect<Passkey | undefined>
    /** By the name its authenticator gave it, over all accounts. */
    readonly byCredential: (credentialId: string) => Effect.Effect<Passkey | undefined>
    /** All passkeys of a human, the suspended too, first added first. */
    readonly passkeysOf: (humanId: string) => Effect.Effect<ReadonlyArray<Passkey>>
    /**
     * Notes a signature by its counter; false when the passkey is suspended, or the counter may not follow
     * the last one. Of two signatures with one counter, one goes through.
     */
    readonly use: (passkeyId: string, counter: number, at: DateTime.Utc) => Effect.Effect<boolean>
    /** Suspends it for ever; false when it is not the account's or suspended already. */
    readonly suspend: (
      accountId: string,
      passkeyId: string,
      at: DateTime.Utc
    ) => Effect.Effect<boolean>
  }
>()("bursar/humans/Humans") {}

/** The store of passkey challenges. Each is taken at most once, whoever asks at the same time. */
export class PasskeyChallenges extends Context.Service<
  PasskeyChallenges,
  {
    readonly begin: (passkeyChallenge: PasskeyChallenge) => Effect.Effect<void>
    /** Deletes it and gives it back; nothing when there is none, or another browser holds it. */
    readonly take: (
      passkeyChallengeId: string,
      browserId: string
    ) => Effect.Effect<PasskeyChallenge | undefined>
    /** Forgets at most `max` of those that ran out before an instant; how many there were. */
    readonly forget: (expiredBefore: DateTime.Utc, max: number) => Effect.Effect<number>
  }
>()("bursar/humans/PasskeyChallenges") {}

/** The store of one-time enrolment links; it holds digests, never tokens. */
export class Enrolments extends Context.Service<
  Enrolments,
  {
    readonly issue: (enrolment: Enrolment, digest: string) => Effect.Effect<void>
    /** Finds one by the digest of its token, ended and expired ones too. */
    readonly findByDigest: (digest: string) => Effect.Effect<Enrolment | undefined>
    readonly find: (enrolmentId: string) => Effect.Effect<Enrolment | undefined>
    /** Ends it, once; false when it has ended before. Undone with its transaction. */
    readonly use: (enrolmentId: string, at: DateTime.Utc) => Effect.Effect<boolean>
    /** Ends all of an account for one purpose; how many there were. */
    readonly withdraw: (
      accountId: string,
      purpose: Purpose,
      at: DateTime.Utc
    ) => Effect.Effect<number>
    /** Ends all of one human, or those for one purpose; how many there were. */
    readonly withdrawOf: (
      accountId: string,
      humanId: string,
      at: DateTime.Utc,
      purpose?: Purpose
    ) => Effect.Effect<number>
    /** Forgets at most `max` of those that ran out before an instant; how many there were. */
    readonly forget: (expiredBefore: DateTime.Utc, max: number) => Effect.Effect<number>
  }
>()("bursar/humans/Enrolments") {}

/** The store of sessions; it holds digests, never tokens. A session that ended is not there any more. */
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
