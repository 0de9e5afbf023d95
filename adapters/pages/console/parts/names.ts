/**
 * Names people gave to addresses and ids: of recipients and of wallets. An address of the account's own stands
 * as its name with the address in short; any other is shown in full, as nobody has checked it.
 */
import { Effect } from "effect"
import type { Refusal } from "../../../../core/operation/refusal.ts"
import type { Needs } from "../../../../core/treasury/treasury.ts"
import type { Visit } from "./guard.ts"
import type { Choice } from "./input.tsx"

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

/** The newest wallets to send from and the newest recipients; what is older is told by its address. */
export const namesOf = ({ calls }: Visit): Effect.Effect<Names, Refusal, Needs> =>
  Effect.gen(function* () {
    const { wallets } = yield* calls.list_wallets({ ...most, kind: "standard" })
    const { recipients } = yield* calls.list_recipients(most)
    const all = [
      ...wallets.map(({ address, id, name, nickname }) => ({
        id,
        address,
        name: nickname ?? name
      })),
      ...recipients.map(({ address, id, label }) => ({ id, address, name: label }))
    ]
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

/** The wallets that a filter or a form offers; the newest hundred of them. */
export const walletChoices = (
  { calls }: Visit,
  kind: "standard" | "collection"
): Effect.Effect<ReadonlyArray<Choice>, Refusal, Needs> =>
  Effect.map(calls.list_wallets({ ...most, kind }), ({ wallets }) =>
    wallets.map(({ address, chainId, id, name, nickname }) => ({
      value: id,
      text: `${nickname ?? name}, ${chainId}`,
      code: shortened(address)
    }))
  )

export const recipientChoices = ({
  calls
}: Visit): Effect.Effect<ReadonlyArray<Choice>, Refusal, Needs> =>
  Effect.map(calls.list_recipients(most), ({ recipients }) =>
    recipients
      .filter(({ status }) => status !== "revoked")
      .map(({ address, chainId, id, label }) => ({
        value: id,
        text: `${label}, ${chainId}`,
        code: shortened(address)
      }))
  )
