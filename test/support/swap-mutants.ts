/**
 * Changes of an honest swap on Solana, one at a time: every field, account and flag that is signed, every instruction
 * and every byte of the message. What is left out is the venue's own business: its plan, and the pools it goes through.
 */
import { AccountRole, isSignerRole } from "@solana/kit"
import type { Effect } from "effect"
import { type Form, formOf, planAt } from "../../adapters/solana/route-data.ts"
import * as Check from "../../adapters/solana/swap-check.ts"
import type { honest } from "./honest-swaps.ts"

export type Told = Check.Decoded
export type Honest = Pick<
  Effect.Success<ReturnType<typeof honest>>,
  "bytes" | "decoded" | "draft" | "held" | "tables"
>

export interface Mutant {
  readonly what: string
  readonly to: Told
}

type Instruction = Told["instructions"][number]

export const replaced = <A>(all: ReadonlyArray<A>, at: number, one: A): ReadonlyArray<A> =>
  all.map((each, index) => (index === at ? one : each))

export const flipped = (data: Uint8Array, at: number): Uint8Array => {
  const other = Uint8Array.from(data)
  other[at] = (other[at] ?? 0) ^ 1
  return other
}

/** The route's instruction, which is the last, and how it is read. */
export const routeOf = ({ instructions }: Told) => {
  const at = instructions.length - 1
  const told = instructions[at] as Instruction
  const form = formOf(told.program, told.data)
  if (form === undefined) throw new Error("The route has no form.")
  return { at, told, form }
}

/** The places of the route's accounts that say who sells what for whom. */
export const placesIn = (form: Form): ReadonlyArray<number> => [
  ...[form.wallet, form.source, form.destination, form.sellMint, form.buyMint],
  ...form.tokenPrograms,
  ...(form.events === null ? [] : [form.events.authority, form.events.program]),
  ...(form.otherDestination === null ? [] : [form.otherDestination])
]

/** The bytes of the route's data that say what is called and for how much. */
export const bytesIn = (form: Form): ReadonlyArray<number> =>
  Array.from({ length: planAt(form) }, (_, at) => at).filter(
    // Between discriminator and amounts a form may choose among the program's own authorities.
    (at) => at < 8 || at >= form.amountsAt
  )

/** Every account replaced by somebody's, every byte flipped, and the program, of one instruction. */
const changesOf = (
  decoded: Told,
  at: number,
  other: string,
  places?: ReadonlyArray<number>,
  bytes?: ReadonlyArray<number>
): ReadonlyArray<Mutant> => {
  const told = decoded.instructions[at] as Instruction
  const as = (what: string, instruction: Instruction): Mutant => ({
    what: `instruction ${at}: ${what}`,
    to: { ...decoded, instructions: replaced(decoded.instructions, at, instruction) }
  })
  return [
    as("another program", { ...told, program: other }),
    ...told.accounts.flatMap((account, place) =>
      places === undefined || places.includes(place)
        ? as(`another account at ${place}`, {
            ...told,
            accounts: replaced(told.accounts, place, { ...account, address: other })
          })
        : []
    ),
    ...Array.from(told.data, (_, byte) => byte).flatMap((byte) =>
      bytes === undefined || bytes.includes(byte)
        ? as(`another byte at ${byte}`, { ...told, data: flipped(told.data, byte) })
        : []
    )
  ]
}

/** Of our own instructions each part, and of the route what is not the venue's business. */
export const ofFields = ({ decoded }: Honest, other: string): ReadonlyArray<Mutant> => {
  const { at: last, form } = routeOf(decoded)
  const more = { address: other, role: AccountRole.READONLY }
  const ofOurs = decoded.instructions.slice(0, last).flatMap((told, at) => [
    ...changesOf(decoded, at, other),
    {
      what: `instruction ${at}: an account more`,
      to: {
        ...decoded,
        instructions: replaced(decoded.instructions, at, {
          ...told,
          accounts: [...told.accounts, more]
        })
      }
    }
  ])
  return [...ofOurs, ...changesOf(decoded, last, other, placesIn(form), bytesIn(form))]
}

const flags = [
  AccountRole.READONLY,
  AccountRole.WRITABLE,
  AccountRole.READONLY_SIGNER,
  AccountRole.WRITABLE_SIGNER
]

/** The message with another flag for an account, wherever it is named. */
export const flagged = (decoded: Told, address: string, role: AccountRole): Told => {
  const as = (each: Told["accounts"][number]) =>
    each.address === address ? { ...each, role } : each
  return {
    ...decoded,
    accounts: decoded.accounts.map(as),
    instructions: decoded.instructions.map((told) => ({ ...told, accounts: told.accounts.map(as) }))
  }
}

/** Who pays and signs, for how long, and what may be done to each account. */
export const ofFrame = ({ decoded, draft }: Honest, other: string): ReadonlyArray<Mutant> => {
  const [payer, wallet, ...rest] = decoded.accounts
  if (payer === undefined || wallet === undefined) throw new Error("Nobody signs.")
  const signerMore = { address: other, role: AccountRole.READONLY_SIGNER }
  const withAccounts = (what: string, accounts: Told["accounts"]): Mutant => ({
    what,
    to: { ...decoded, accounts }
  })
  return [
    withAccounts("the wallet pays", [wallet, payer, ...rest]),
    withAccounts("a stranger pays", [signerMore, ...decoded.accounts]),
    withAccounts("one more signs", [...decoded.accounts, signerMore]),
    withAccounts("an account twice", [...decoded.accounts, ...rest]),
    { what: "another block", to: { ...decoded, lifetime: other } },
    ...decoded.accounts.flatMap(({ address, role }) =>
      flags
        .filter((each) => each !== role && (isSignerRole(each) || isSignerRole(role)))
        // The payer signs and pays by its place, whatever else is said of it.
        .filter((each) => address !== draft.relayer || each !== AccountRole.READONLY_SIGNER)
        .map((each) => ({
          what: `${address} as ${each} in place of ${role}`,
          to: flagged(decoded, address, each)
        }))
    )
  ]
}

/** Instructions left out, added, doubled or exchanged. */
export const ofOrder = ({ decoded, draft }: Honest, other: string): ReadonlyArray<Mutant> => {
  const all = decoded.instructions
  const { told: route } = routeOf(decoded)
  const as = (what: string, instructions: Told["instructions"]): Mutant => ({
    what,
    to: { ...decoded, instructions }
  })
  /** What would take the wallet's tokens, beside an honest swap. */
  const taking: Instruction = {
    program: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
    accounts: [
      { address: draft.places.source, role: AccountRole.WRITABLE },
      { address: other, role: AccountRole.WRITABLE },
      { address: draft.swap.from, role: AccountRole.READONLY_SIGNER }
    ],
    data: Uint8Array.from([3, 1, 0, 0, 0, 0, 0, 0, 0])
  }
  return [
    ...all.map((_, at) =>
      as(
        `without instruction ${at}`,
        all.filter((__, index) => index !== at)
      )
    ),
    ...[...all, route].map((_, at) =>
      as(`with one more at ${at}`, [...all.slice(0, at), taking, ...all.slice(at)])
    ),
    as("the route twice", [...all, route]),
    as("another in the route's place", [...all.slice(0, -1), taking])
  ]
}

const view = (decoded: Told, form: Form): string => {
  const at = decoded.instructions.length - 1
  const route = decoded.instructions[at]
  const kept = bytesIn(form)
  const named = [
    ...decoded.instructions.slice(0, at).flatMap(({ accounts }) => accounts),
    ...placesIn(form).map((place) => route?.accounts[place])
  ]
  const isNamed = (address: string) => named.some((each) => each?.address === address)
  const signed = {
    lifetime: decoded.lifetime,
    accounts: decoded.accounts.filter(
      ({ address, role }) => isSignerRole(role) || isNamed(address)
    ),
    ours: decoded.instructions
      .slice(0, at)
      .map((each) => ({ ...each, data: Array.from(each.data) })),
    program: route?.program,
    places: placesIn(form).map((place) => route?.accounts[place]),
    amounts: kept.map((byte) => route?.data[byte])
  }
  return JSON.stringify(signed)
}

const decodedOr = (bytes: Uint8Array, tables: Honest["tables"]): Told | undefined => {
  try {
    return Check.decode(bytes, tables)
  } catch {
    return undefined
  }
}

/** Each byte of the message flipped in one bit; what cannot be read, or changes nothing that is signed for, is left out. */
export const ofBytes = ({ bytes, decoded, tables }: Honest): ReadonlyArray<Mutant> => {
  const { form } = routeOf(decoded)
  const before = view(decoded, form)
  return Array.from(bytes, (_, at) => at).flatMap((at) => {
    const to = decodedOr(flipped(bytes, at), tables)
    return to === undefined || view(to, form) === before
      ? []
      : [{ what: `byte ${at} of the message`, to }]
  })
}

/** All of them. */
export const mutantsOf = (given: Honest, other: string): ReadonlyArray<Mutant> => [
  ...ofFields(given, other),
  ...ofFrame(given, other),
  ...ofOrder(given, other),
  ...ofBytes(given)
]

/** What of them would be signed. */
export const survivors = (
  mutants: ReadonlyArray<Mutant>,
  { draft, held }: Pick<Honest, "draft" | "held">
): ReadonlyArray<string> =>
  mutants.filter(({ to }) => Check.violation(to, draft, held) === undefined).map(({ what }) => what)
