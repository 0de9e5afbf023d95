/** Reads of recipients: one by its id, and the list with cooldowns. */
import { Effect } from "effect"
import { Caller } from "../operation/caller.ts"
import * as Page from "../operation/page.ts"
import * as Recipient from "./recipient.ts"
import { Recipients } from "./recipient-store.ts"

/** The caller's recipient; another account's is not found either. */
export const find = Effect.fnUntraced(function* (recipientId: string) {
  const { accountId } = yield* Caller
  const recipient = yield* (yield* Recipients).find(accountId, recipientId)
  if (recipient === undefined) {
    return yield* Recipient.unknown()
  }
  return recipient
})

export const listRecipients = Page.list("list_recipients", {
  summary: "Lists the account's recipients and their cooldowns.",
  next: "Use the id of an approved recipient as recipientId of propose_transfer.",
  scope: "recipients:read",
  key: "recipients",
  fields: Recipient.fields,
  page: ({ accountId, request }) => Recipients.use(({ list }) => list(accountId, request)),
  view: (recipient, { now }) => Recipient.view(recipient, now)
})
