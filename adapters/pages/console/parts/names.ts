/**
 * Names people gave to addresses and ids: of recipients and of wallets. An address of the account's own stands
 * as its name with the address in short; any other is shown in full, as nobody has checked it.
 */
import { Effect } from "effect"
import type { Refusal } from "../../../../core/operation/refusal.ts"
import { Chains } from "../../../../core/ports/chains.ts"
import type { Needs } from "../../../../core/treasury/treasury.ts"
import type { Visit } from "./guard.ts"
import type { Choice, None, Offer } from "./input.tsx"
import type { Output } from "./list.ts"

/** Kept apart from the page of a field, which Node loads later. */
const searchName = (field: string) => `search.${field}`

export type Offers = Readonly<Record<string, Offer>>

const most = { limit: 100 } as const

export interface Names {
  readonly byId: ReadonlyMap<string, string>
  readonly byAddress: ReadonlyMap<string, string>
}

/** The beginning and the end of an address or id. */
export const shortened = (text: string): string =>
  text.length <= 16 ? text : `${text.slice(0, 6)}…${text.slice(-4)}`

/** What an operation says of a thing, or nothing when there is none such. */
const orNone = <A, E extends { readonly _tag: string }, R>(
  id: string | undefined,
  read: (id: string) => Effect.Effect<A, E, R>
): Effect.Effect<A | undefined, E, R> =>
  id === undefined
    ? Effect.undefined
    : Effect.catchIf(
        read(id),
        ({ _tag }) => _tag === "NOT_FOUND",
        () => Effect.undefined
      )

export const recipientOf = ({ calls }: Visit, id: string | undefined) =>
  orNone(id, (recipientId) => calls.get_recipient({ recipientId }))

export const walletOf = ({ calls }: Visit, id: string | undefined) =>
  orNone(id, (walletId) => calls.get_wallet({ walletId }))

interface Proposed {
  readonly proposalId: string
  readonly summary: string
}

const address = /\b(?:0x[0-9A-Fa-f]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})\b/gu

const atOnce = { concurrency: 8 } as const

/** Those that the terms of some proposals name, each read once. */
const partiesOf = Effect.fnUntraced(function* (visit: Visit, proposals: ReadonlyArray<Proposed>) {
  const all = yield* Effect.forEach(
    proposals,
    ({ proposalId }) => visit.calls.get_proposal_history({ proposalId }),
    atOnce
  )
  const idsOf = (...fields: ReadonlyArray<string>) => [
    ...new Set(
      all.flatMap(({ terms }) =>
        fields.flatMap((field) => (typeof terms[field] === "string" ? [terms[field]] : []))
      )
    )
  ]
  const recipients = yield* Effect.forEach(
    idsOf("recipientId"),
    (id) => recipientOf(visit, id),
    atOnce
  )
  const wallets = yield* Effect.forEach(
    idsOf("fromWalletId", "toWalletId", "walletId", "accountId"),
    (id) => walletOf(visit, id),
    atOnce
  )
  return [
    ...wallets.flatMap((wallet) => (wallet === undefined ? [] : [namedWallet(wallet)])),
    ...recipients.flatMap((recipient) =>
      recipient === undefined ? [] : [namedRecipient(recipient)]
    )
  ]
})

const namedWallet = ({ address, id, name, nickname }: Output<"get_wallet">) => ({
  id,
  address,
  name: nickname ?? name
})

const namedRecipient = ({ address, id, label }: Output<"get_recipient">) => ({
  id,
  address,
  name: label
})

/**
 * The newest wallets to send from and the newest recipients, and those that the proposals shown are about, however
 * old they are.
 */
export const namesOf = (
  visit: Visit,
  proposals: ReadonlyArray<Proposed>
): Effect.Effect<Names, Refusal, Needs> =>
  Effect.gen(function* () {
    const { calls } = visit
    const { wallets } = yield* calls.list_wallets({ ...most, kind: "standard" })
    const { recipients } = yield* calls.list_recipients(most)
    const newest = [...wallets.map(namedWallet), ...recipients.map(namedRecipient)]
    const known = new Set<string>(newest.map(({ address }) => address))
    const unnamed = proposals.filter(({ summary }) =>
      [...summary.matchAll(address)].some(([found]) => !known.has(found))
    )
    const all = [...newest, ...(yield* partiesOf(visit, unnamed))]
    return {
      byId: new Map(all.map(({ id, name }) => [id, name])),
      byAddress: new Map(all.map(({ address, name }) => [address, name]))
    }
  })

/** A sentence with names in place of the addresses that have one. */
export const inWords = (sentence: string, { byAddress }: Names): string =>
  [...byAddress].reduce(
    (text, [address, name]) => text.replaceAll(address, `${name} (${shortened(address)})`),
    sentence
  )

/** How many are offered at once; whoever means another one searches for it. */
const offered = 20

/** What the address of a page says of one chooser. */
const askedIn = (query: URLSearchParams, field: string) => ({
  text: (query.get(searchName(field)) ?? "").trim().slice(0, 64),
  chosen: query.getAll(field).filter((id) => id !== "")
})

interface Named {
  readonly id: string
}

/** What is chosen stays offered, whatever is searched for. */
const offerOf = Effect.fnUntraced(function* <Row extends Named, E, R>(
  query: URLSearchParams,
  field: string,
  {
    choiceOf,
    find,
    list,
    none
  }: {
    readonly none: None
    readonly list: (search: {
      readonly search?: string
    }) => Effect.Effect<{ readonly rows: ReadonlyArray<Row>; readonly hasMore: boolean }, E, R>
    readonly find: (id: string) => Effect.Effect<Row | undefined, E, R>
    readonly choiceOf: (row: Row) => Choice
  }
) {
  const { chosen, text } = askedIn(query, field)
  const { hasMore, rows } = yield* list(text === "" ? {} : { search: text })
  const others = chosen.filter((id) => rows.every((row) => row.id !== id)).slice(0, offered)
  const kept = (yield* Effect.forEach(others, find)).flatMap((row) => row ?? [])
  const choices = [...kept, ...rows].map(choiceOf)
  const offer: Offer =
    hasMore || text !== "" ? { choices, none, search: { text, hasMore } } : { choices, none }
  return offer
})

export type Offering = (
  visit: Visit,
  query: URLSearchParams,
  field: string
) => Effect.Effect<Offer, Refusal, Needs>

const walletChoice = ({ address, chainId, id, name, nickname }: Output<"get_wallet">): Choice => ({
  value: id,
  text: `${nickname ?? name}, ${chainId}`,
  code: shortened(address)
})

/** The chains that this treasury is connected to; the only one is chosen already. */
export const chainChoices: Offering = () =>
  Effect.map(Chains, ({ connected }) => {
    const choices = connected.map(({ chain: { id, name } }) => ({
      value: id,
      text: name,
      code: id
    }))
    const [only, ...others] = choices
    return others.length > 0 || only === undefined ? { choices } : { choices, usual: only.value }
  })

const noWallet = {
  standard: { text: "Open a wallet", href: "/console/new/propose_create_account" },
  collection: { text: "Add customers", href: "/console/new/create_provisioning_job" }
} as const

/** The wallets of a kind that a filter or a form offers. */
export const walletChoices =
  (kind: "standard" | "collection"): Offering =>
  (visit, query, field) =>
    offerOf(query, field, {
      list: (search) =>
        Effect.map(
          visit.calls.list_wallets({ limit: offered, kind, ...search }),
          ({ hasMore, wallets }) => ({ rows: wallets, hasMore })
        ),
      none: noWallet[kind],
      find: (id) => walletOf(visit, id),
      choiceOf: walletChoice
    })

/** The recipients that can be chosen. */
export const recipientChoices: Offering = (visit, query, field) =>
  offerOf(query, field, {
    list: (search) =>
      Effect.map(
        visit.calls.list_recipients({ limit: offered, ...search }),
        ({ hasMore, recipients }) => ({
          rows: recipients.filter(({ status }) => status !== "revoked"),
          hasMore
        })
      ),
    none: { text: "Add a recipient", href: "/console/new/add_recipient" },
    find: (id) => recipientOf(visit, id),
    choiceOf: ({ address, chainId, id, label }) => ({
      value: id,
      text: `${label}, ${chainId}`,
      code: shortened(address)
    })
  })

/** What is offered in each of some fields. */
export const offering =
  (fields: Readonly<Record<string, Offering>>) =>
  (visit: Visit, query: URLSearchParams): Effect.Effect<Offers, Refusal, Needs> =>
    Effect.map(
      Effect.forEach(Object.entries(fields), ([field, offer]) =>
        Effect.map(offer(visit, query, field), (offered) => [field, offered] as const)
      ),
      Object.fromEntries
    )
