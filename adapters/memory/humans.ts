/** The store of humans and their passkeys in memory. */
import { DateTime, Effect, Layer } from "effect"
import type { Human } from "../../core/humans/human.ts"
import { Humans } from "../../core/humans/human-store.ts"
import { mayFollow, type Passkey } from "../../core/humans/passkey.ts"
import { page } from "./paging.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

const humanDefinition = define<Human>()({
  name: "humans",
  key: (human) => human.id,
  unique: {
    email: ({ accountId, email, removedAt }) =>
      email === null || removedAt !== null ? undefined : `${accountId} ${email.toLowerCase()}`
  },
  sorted: {
    account: {
      group: (human) => human.accountId,
      at: (human) => DateTime.toEpochMillis(human.createdAt)
    }
  }
})

const passkeyDefinition = define<Passkey>()({
  name: "passkeys",
  key: (passkey) => passkey.id,
  unique: { credential: (passkey) => passkey.credentialId },
  sorted: {
    human: {
      group: (passkey) => passkey.humanId,
      at: (passkey) => DateTime.toEpochMillis(passkey.createdAt)
    }
  }
})

export const layer: Layer.Layer<Humans, never, MemoryStore> = Layer.effect(
  Humans,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const humans = store.table(humanDefinition)
    const passkeys = store.table(passkeyDefinition)
    const own = (accountId: string, humanId: string) => {
      const human = humans.get(humanId)
      return human?.accountId === accountId ? human : undefined
    }
    const ownPasskey = (accountId: string, passkeyId: string) => {
      const passkey = passkeys.get(passkeyId)
      return passkey?.accountId === accountId ? passkey : undefined
    }
    const isPresent = ({ removedAt }: Human) => removedAt === null
    /** Changes a human who was not removed and passes the guard; whether there was one. */
    const change = (
      accountId: string,
      humanId: string,
      to: Partial<Human>,
      passes: (human: Human) => boolean = () => true
    ) =>
      store.write((journal) => {
        const human = own(accountId, humanId)
        if (human === undefined || !isPresent(human) || !passes(human)) return false
        humans.replace(journal, { ...human, ...to })
        return true
      })
    return {
      add: (human) => store.write((journal) => humans.insert(journal, human)),
      find: (accountId, humanId) => store.read(() => own(accountId, humanId)),
      hold: (accountId, humanId) => store.read(() => own(accountId, humanId)),
      of: (accountId) => store.read(() => humans.group("account", accountId).filter(isPresent)),
      lock: (accountId) => store.read(() => humans.group("account", accountId).filter(isPresent)),
      page: (accountId, request) =>
        store.read(() =>
          page(humans.group("account", accountId), request, (human) => human, isPresent)
        ),
      join: (accountId, humanId, joinedAt) =>
        change(accountId, humanId, { joinedAt }, (human) => human.joinedAt === null),
      changeRole: (accountId, humanId, role) => change(accountId, humanId, { role }),
      remove: (accountId, humanId, removedAt) => change(accountId, humanId, { removedAt }),
      addPasskey: (passkey) =>
        store.write((journal) => {
          const { accountId, credentialId, humanId } = passkey
          if (own(accountId, humanId) === undefined) {
            throw new Error(`passkeys: there is no human ${humanId}`)
          }
          const isNew = passkeys.by("credential", credentialId) === undefined
          if (isNew) passkeys.insert(journal, passkey)
          return isNew
        }),
      passkey: (accountId, passkeyId) => store.read(() => ownPasskey(accountId, passkeyId)),
      byCredential: (credentialId) => store.read(() => passkeys.by("credential", credentialId)),
      passkeysOf: (humanId) => store.read(() => [...passkeys.group("human", humanId)]),
      use: (passkeyId, counter, at) =>
        store.write((journal) => {
          const passkey = passkeys.get(passkeyId)
          if (passkey === undefined || passkey.suspendedAt !== null) return false
          if (!mayFollow(passkey.counter, counter)) return false
          passkeys.replace(journal, { ...passkey, counter, lastUsedAt: at })
          return true
        }),
      suspend: (accountId, passkeyId, at) =>
        store.write((journal) => {
          const passkey = ownPasskey(accountId, passkeyId)
          if (passkey === undefined || passkey.suspendedAt !== null) return false
          passkeys.replace(journal, { ...passkey, suspendedAt: at })
          return true
        })
    }
  })
)
