/** The store of recipients in memory: an address stands on it once for an account and chain while not revoked. */

import { DateTime, Effect, Layer } from "effect"
import * as Address from "../../core/chains/address.ts"
import { changing, type Recipient } from "../../core/recipients/recipient.ts"
import { Recipients } from "../../core/recipients/recipient-store.ts"
import { page } from "./paging.ts"
import { definition as proposalDefinition } from "./proposals.ts"
import { contains } from "./search.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

const standingKey = (accountId: string, chainId: string, address: string) =>
  JSON.stringify([accountId, chainId, Address.keyOf(chainId, address)])

const definition = define<Recipient>()({
  name: "recipients",
  key: (recipient) => recipient.id,
  unique: {
    standing: ({ accountId, address, chainId, status }) =>
      status === "revoked" ? undefined : standingKey(accountId, chainId, address)
  },
  sorted: {
    account: {
      group: (recipient) => recipient.accountId,
      at: (recipient) => DateTime.toEpochMillis(recipient.createdAt)
    }
  }
})

export const layer: Layer.Layer<Recipients, never, MemoryStore> = Layer.effect(
  Recipients,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const recipients = store.table(definition)
    const proposals = store.table(proposalDefinition)
    const own = (accountId: string, recipientId: string) => {
      const recipient = recipients.get(recipientId)
      return recipient?.accountId === accountId ? recipient : undefined
    }
    const standing = (accountId: string, chainId: string, address: string) =>
      recipients.by("standing", standingKey(accountId, chainId, address))
    return {
      find: (accountId, recipientId) => store.read(() => own(accountId, recipientId)),
      hold: (accountId, recipientId) => store.read(() => own(accountId, recipientId)),
      lock: (accountId, recipientId) => store.read(() => own(accountId, recipientId)),
      payeeOf: (accountId, proposalId) =>
        store.read(() => own(accountId, proposals.get(proposalId)?.recipientId ?? "")),
      standing: (accountId, chainId, address) =>
        store.read(() => standing(accountId, chainId, address)),
      list: (accountId, request, { search } = {}) =>
        store.read(() =>
          page(
            recipients.group("account", accountId),
            request,
            (row) => row,
            ({ address, label }) => contains([label, address], search)
          )
        ),
      add: (recipient) =>
        store.write((journal) => {
          const { accountId, address, chainId, status } = recipient
          const stands = status !== "revoked" && standing(accountId, chainId, address) !== undefined
          if (!stands) recipients.insert(journal, recipient)
          return !stands
        }),
      revise: (recipient) =>
        store.write((journal) => {
          if (own(recipient.accountId, recipient.id) === undefined) {
            throw new Error(`recipients: there is no ${recipient.id}`)
          }
          recipients.revise(journal, recipient, changing)
        })
    }
  })
)
