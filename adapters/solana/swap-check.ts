/**
 * What a wallet's key may sign as a swap on Solana, judged by the very bytes that would be signed and by what the chain
 * says of the accounts in them. The venue is taken for an enemy: whatever is not exactly the swap is a violation.
 */
import {
  AccountRole,
  getCompiledTransactionMessageDecoder,
  type Instruction,
  isSignerRole,
  isWritableRole,
  mergeRoles
} from "@solana/kit"
import { TOKEN_PROGRAM_ADDRESS } from "@solana-program/token"
import type { Account } from "./account.ts"
import { keyOf } from "./derived.ts"
import type { Tables } from "./lookup-table.ts"
import { amountsIn, type Form, formOf, programsOn } from "./route-data.ts"
import { ownInstructions, roleOf, type SwapDraft } from "./swap-message.ts"

/** Signs the router's events. */
const eventAuthority = "D8cy77BBepLMngZx6ZukaTff5hCt1HrWyKk3Hnd9oitf"

export interface Used {
  readonly address: string
  readonly role: AccountRole
}

export interface Decoded {
  readonly lifetime: string
  readonly accounts: ReadonlyArray<Used>
  readonly instructions: ReadonlyArray<{
    readonly program: string
    readonly accounts: ReadonlyArray<Used>
    readonly data: Uint8Array
  }>
}

const roleAt = (
  at: number,
  count: number,
  header: {
    readonly numSignerAccounts: number
    readonly numReadonlySignerAccounts: number
    readonly numReadonlyNonSignerAccounts: number
  }
): AccountRole => {
  if (at < header.numSignerAccounts) {
    return at < header.numSignerAccounts - header.numReadonlySignerAccounts
      ? AccountRole.WRITABLE_SIGNER
      : AccountRole.READONLY_SIGNER
  }
  return at < count - header.numReadonlyNonSignerAccounts
    ? AccountRole.WRITABLE
    : AccountRole.READONLY
}

const nobody: Used = { address: "", role: AccountRole.READONLY }

/** A message as the runtime reads it; undefined when it is none, or names what the tables do not hold. */
export const decode = (bytes: Uint8Array, tables: Tables): Decoded | undefined => {
  const message = getCompiledTransactionMessageDecoder().decode(bytes)
  if (message.version !== 0) return undefined
  const named = message.staticAccounts.map(
    (each, at): Used => ({
      address: each,
      role: roleAt(at, message.staticAccounts.length, message.header)
    })
  )
  const looked = (role: AccountRole) =>
    (message.addressTableLookups ?? []).flatMap((lookup) =>
      (role === AccountRole.WRITABLE ? lookup.writableIndexes : lookup.readonlyIndexes).map(
        (place): Used => ({
          address: tables.get(lookup.lookupTableAddress)?.[place] ?? "",
          role
        })
      )
    )
  const accounts = [...named, ...looked(AccountRole.WRITABLE), ...looked(AccountRole.READONLY)]
  if (accounts.some((each) => each.address === "")) return undefined
  const instructions = message.instructions.map((instruction) => ({
    // The runtime takes programs from the message itself alone.
    program: named[instruction.programAddressIndex]?.address ?? "",
    accounts: (instruction.accountIndices ?? []).map((at) => accounts[at] ?? nobody),
    data: Uint8Array.from(instruction.data ?? [])
  }))
  return { lifetime: message.lifetimeToken, accounts, instructions }
}

type Told = Decoded["instructions"][number]

const isSameData = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0

/** Whether an instruction is exactly one that we would make; how accounts may be used is judged for all together. */
export const isOurs = (told: Told | undefined, own: Instruction): boolean =>
  told !== undefined &&
  told.program === own.programAddress &&
  told.accounts.map((each) => each.address).join() ===
    (own.accounts ?? []).map((each) => each.address).join() &&
  isSameData(told.data, Uint8Array.from(own.data ?? []))

type Check = readonly [holds: boolean, violation: string]

const firstBroken = (checks: ReadonlyArray<Check>): string | undefined =>
  checks.find(([holds]) => !holds)?.[1]

/** Where the form says that something stands. */
const placesViolation = (told: Told, form: Form, draft: SwapDraft): string | undefined => {
  const { places, swap } = draft
  const at = (place: number) => told.accounts[place]?.address
  const { events, program } = form
  const other = form.otherDestination === null ? program : at(form.otherDestination)
  const isPaid =
    other === program
      ? at(form.destination) === places.destination
      : other === places.destination &&
        [places.destination, places.own].some((own) => own === at(form.destination))
  return firstBroken([
    [at(form.wallet) === swap.from, "another wallet would sell"],
    [at(form.source) === places.source, "it would be taken from another account"],
    [isPaid, "it would be given to another account"],
    [at(form.sellMint) === swap.amount.token.address, "another token would be sold"],
    [at(form.buyMint) === swap.buy, "another token would be bought"],
    [
      form.tokenPrograms.every((place) => at(place) === TOKEN_PROGRAM_ADDRESS),
      "the tokens would be of another program"
    ],
    [
      events === null || at(events.authority) === eventAuthority,
      "its events would be somebody else's"
    ],
    [events === null || at(events.program) === program, "it would name another program as itself"]
  ])
}

const amountsViolation = (told: Told, form: Form, { swap }: SwapDraft): string | undefined => {
  const amounts = amountsIn(told.data, form)
  return firstBroken([
    [amounts.inAmount === swap.amount.units, "another amount would be sold"],
    // Without slippage the quote is what the program holds it to, where it is told no least.
    [amounts.quotedAmount === swap.minBuyAmount, "it would be held to another minimum"],
    [amounts.minAmount === swap.minBuyAmount, "it would be held to another minimum"],
    [amounts.slippageBps === 0n, "less than the minimum would do"],
    [amounts.platformFeeBps === 0n, "a fee would be taken for the platform"],
    [amounts.positiveSlippageBps === 0n, "a fee would be taken on what comes beyond the quote"]
  ])
}

/** Whether anything that the wallet's signature moves lies in an account. */
const isWallets = ({ data }: Account, { swap }: SwapDraft): boolean =>
  Buffer.from(data).includes(Buffer.from(keyOf(swap.from)))

/** Whom the route may change, and who may be named in it at all. */
const reachViolation = (
  told: Told,
  draft: SwapDraft,
  held: ReadonlyMap<string, Account | undefined>
): string | undefined => {
  const { places, relayer, swap } = draft
  const named = told.accounts.map((each) => each.address)
  const own: ReadonlyArray<string> = [places.source, places.destination, places.own]
  const changed = told.accounts.filter((each) => isWritableRole(each.role))
  return firstBroken([
    [!named.includes(relayer), "the route would use the relayer"],
    [!named.includes(places.mark), "the route would use the mark"],
    [
      told.accounts.every((each) => !isSignerRole(each.role) || each.address === swap.from),
      "somebody else would sign the route"
    ],
    [changed.every((each) => held.has(each.address)), "an account that it changes was not read"],
    [
      changed.every(({ address }) => {
        const account = held.get(address)
        return own.includes(address) || account === undefined || !isWallets(account, draft)
      }),
      "another account of the wallet could be changed"
    ]
  ])
}

/** Whether each account may be used as our instructions and the route ask for it, and no otherwise. */
const isUsedAsAsked = ({ accounts }: Decoded, draft: SwapDraft): boolean => {
  // That the relayer pays the fee asks no more of it than that it pays for the mark.
  const asked = new Map<string, AccountRole>()
  const ask = (address: string, role: AccountRole) =>
    asked.set(address, mergeRoles(asked.get(address) ?? AccountRole.READONLY, role))
  for (const { instruction } of ownInstructions(draft)) {
    for (const { address, role } of instruction.accounts ?? []) ask(address, role)
  }
  for (const account of draft.route.accounts) ask(account.address, roleOf(account))
  return accounts.every(
    ({ address, role }) => role === (asked.get(address) ?? AccountRole.READONLY)
  )
}

/** What the message says beside its route. */
const frameViolation = (decoded: Decoded, draft: SwapDraft): string | undefined => {
  const { conditions, relayer, swap } = draft
  const [payer] = decoded.accounts
  const own = ownInstructions(draft)
  const signers = decoded.accounts.filter((each) => isSignerRole(each.role))
  const wallet = decoded.accounts.find((each) => each.address === swap.from)
  const addresses = decoded.accounts.map((each) => each.address)
  return firstBroken([
    [payer?.address === relayer, "another account would pay the fee"],
    [
      signers.map((each) => each.address).join() === `${relayer},${swap.from}`,
      "others than relayer and wallet would sign"
    ],
    [wallet?.role === AccountRole.READONLY_SIGNER, "the wallet's own coins could be taken"],
    [new Set(addresses).size === addresses.length, "an account is named twice"],
    [decoded.lifetime === conditions.blockhash, "it would live by another block"],
    [decoded.instructions.length === own.length + 1, "it has other instructions than a swap"],
    [
      own.every(({ instruction }, at) => isOurs(decoded.instructions[at], instruction)),
      "an instruction of ours was changed"
    ],
    [isUsedAsAsked(decoded, draft), "an account could be used otherwise than is asked for"]
  ])
}

/** The accounts that a route may change, which must be read from the chain to judge it. */
export const changedBy = (decoded: Decoded): ReadonlyArray<string> => [
  ...new Set(
    (decoded.instructions.at(-1)?.accounts ?? [])
      .filter((each) => isWritableRole(each.role))
      .map((each) => each.address)
  )
]

/** Why the bytes must not be signed for the swap; undefined when they may. */
export const violation = (
  decoded: Decoded,
  draft: SwapDraft,
  held: ReadonlyMap<string, Account | undefined>
): string | undefined => {
  const framed = frameViolation(decoded, draft)
  if (framed !== undefined) return framed
  const route = decoded.instructions.at(-1)
  if (route === undefined || !programsOn(draft.swap.chainId).includes(route.program)) {
    return "another program would be called"
  }
  const form = formOf(route.program, route.data)
  if (form === undefined) return "the route has no form whose amounts can be read"
  return (
    placesViolation(route, form, draft) ??
    amountsViolation(route, form, draft) ??
    reachViolation(route, draft, held)
  )
}
