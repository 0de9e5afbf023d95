/** The people of an account with their passkeys, the suspended too, as pages and operators list them. */
import { Effect, Schema } from "effect"
import * as Human from "./human.ts"
import { Humans } from "./human-store.ts"
import * as Passkey from "./passkey.ts"

export const fields = {
  ...Human.fields,
  passkeys: Schema.Array(Schema.Struct(Passkey.fields))
}

export const humansOf = Effect.fnUntraced(function* (accountId: string) {
  const humans = yield* Humans
  return yield* Effect.forEach(yield* humans.of(accountId), (human) =>
    Effect.map(humans.passkeysOf(human.id), (passkeys) => ({ ...human, passkeys }))
  )
})
