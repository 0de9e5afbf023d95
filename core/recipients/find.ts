/** Reads of recipients: one by its id, the list with cooldowns, and which addresses may be one at all. */

import { DateTime, Effect, Schema } from "effect"
import * as Address from "../chains/address.ts"
import * as Chain from "../chains/chain.ts"
import * as Text from "../encoding/text.ts"
import * as Operation from "../operation/operation.ts"
import { findOwn } from "../operation/own.ts"
import * as Page from "../operation/page.ts"
import { InvalidAddress, NotFound, UpstreamUnavailable } from "../operation/refusal.ts"
import { Chains } from "../ports/chains.ts"
import { Wallets } from "../wallets/wallet-store.ts"
import * as Recipient from "./recipient.ts"
import { Recipients } from "./recipient-store.ts"

/** The caller's recipient; another account's is not found either. */
export const find = (recipientId: string) =>
  findOwn(Recipient.missing, (accountId) =>
    Recipients.use(({ find }) => find(accountId, recipientId))
  )

export const getRecipient = Operation.make("get_recipient", {
  summary: "Reads a recipient: whom it pays, its status, and when its cooldown ends.",
  next: "propose_transfer pays an approved one; approve_recipient ends a cooldown.",
  scope: "recipients:read",
  input: { recipientId: Recipient.RecipientId },
  output: Recipient.fields,
  refusals: [NotFound],
  example: { input: { recipientId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d" } },
  handle: Effect.fnUntraced(function* ({ recipientId }) {
    return Recipient.view(yield* find(recipientId), yield* DateTime.now)
  })
})

export const listRecipients = Page.list("list_recipients", {
  summary:
    "Lists the account's recipients and their cooldowns, optionally those that a search finds, or of a time.",
  next: "Use the id of an approved recipient as recipientId of propose_transfer.",
  scope: "recipients:read",
  key: "recipients",
  fields: Recipient.fields,
  input: {
    search: Schema.optionalKey(
      Text.Line(64).annotate({
        description: "Part of a label or an address. Case is ignored."
      })
    ),
    ...Page.times
  },
  page: ({ accountId, filter: { since, until, ...filter }, request }) =>
    Effect.flatMap(Page.during(request, { since, until }), (period) =>
      Recipients.use(({ list }) => list(accountId, period, filter))
    ),
  view: (recipient, { now }) => Recipient.view(recipient, now)
})

/** The address in its display form, refused by name when nobody can be paid there. */
export const checkedAddress = Effect.fnUntraced(function* (chainId: string, text: string) {
  const { connected } = yield* Chains
  const address = Address.parse(chainId, text)
  if (address === undefined) {
    return yield* new InvalidAddress({
      param: "address",
      message: `This is not an address of that chain; send ${Address.familyOf(chainId).addressForm}.`
    })
  }
  const usdc = connected.find((each) => each.chain.id === chainId)?.usdc
  const isToken = usdc !== undefined && Address.isSame(chainId, address, usdc)
  const reason = isToken
    ? "the USDC token itself; money sent there would be lost"
    : Address.whyLost(chainId, address)
  if (reason !== undefined) {
    return yield* new InvalidAddress({ param: "address", message: `The address is ${reason}.` })
  }
  return address
})

/** What the chain says of an address, where it says anything: refused when nobody can be paid there. Asks the network. */
export const payeeAt = Effect.fnUntraced(function* (idOrCaip2: string, text: string) {
  const chains = yield* Chains
  const chainId = Chain.find(idOrCaip2)?.id ?? ""
  const address = Address.parse(chainId, text)
  const isConnected = chains.connected.some(({ chain }) => chain.id === chainId)
  // Neither is asked about: both are refused later, by what is known without the network.
  if (!isConnected || address === undefined) return undefined
  const payee = yield* Effect.catchTag(
    chains.payee(chainId, address),
    "ChainUnavailable",
    () =>
      new UpstreamUnavailable({
        message: `${chainId} does not respond, so it is not known what stands at this address; try again in a moment.`
      })
  )
  if (payee._tag === "payable") return payee.note
  return yield* new InvalidAddress({
    param: "address",
    message: `The address is ${payee.reason}. Send the address of a wallet.`
  })
})

/** Whether an address is a wallet of the account on that chain. */
export const isOwn = Effect.fnUntraced(function* (
  accountId: string,
  chainId: string,
  address: Address.Address
) {
  const owner = yield* (yield* Wallets).ownerOf(chainId, address)
  return owner === accountId
})
