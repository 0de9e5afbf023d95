/** The store of humans and their passkeys. A credential is known once in the whole treasury. */
import { Context, type DateTime, type Effect } from "effect"
import type { Human } from "./human.ts"
import type { Passkey } from "./passkey.ts"

export class Humans extends Context.Service<
  Humans,
  {
    readonly add: (human: Human) => Effect.Effect<void>
    readonly find: (accountId: string, humanId: string) => Effect.Effect<Human | undefined>
    /** All humans of an account, first added first. */
    readonly of: (accountId: string) => Effect.Effect<ReadonlyArray<Human>>
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
