/** Swaps on Solana that no chain has: drafts with keys that anybody can tell apart, by each form that may be signed. */
import { type Address, address } from "@solana/kit"
import { TOKEN_PROGRAM_ADDRESS } from "@solana-program/token"
import { Effect } from "effect"
import type { Account } from "../../adapters/solana/account.ts"
import { tokenAccountOf } from "../../adapters/solana/derived.ts"
import * as Check from "../../adapters/solana/swap-check.ts"
import { compile, placesOf, type SwapDraft } from "../../adapters/solana/swap-message.ts"
import { AddressKey } from "../../core/chains/address.ts"
import * as Base58 from "../../core/encoding/base58.ts"
import type { Route, Swap } from "../../core/solana/swap.ts"

export const jupiter = "JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4"
export const okx = "6m2CDdhRgxpH4WjvdzxAYbGxwdGUz5MziiL5jek2kBma"
export const eventAuthority = "D8cy77BBepLMngZx6ZukaTff5hCt1HrWyKk3Hnd9oitf"

/** An address of its own for each number. */
export const numbered = (n: number): AddressKey =>
  AddressKey.make(Base58.encode(Uint8Array.from({ length: 32 }, (_, at) => (at === 0 ? n : at))))

export const relayer = numbered(1)
export const wallet = numbered(2)
export const other = numbered(3)
export const sold = numbered(4)
export const bought = numbered(5)
export const pool = numbered(6)
export const table = numbered(7)
export const vaults = [numbered(8), numbered(9)] as const
export const stranger = numbered(10)
const authority = numbered(11)

export const inAmount = 1_000_003n
export const minBuyAmount = 2_000_005n

export const swapTo = (to: AddressKey): Swap => ({
  chainId: "local-solana",
  from: wallet,
  to,
  amount: { token: { chainId: "local-solana", address: sold }, units: inAmount },
  identity: "5a".repeat(32),
  buy: bought,
  minBuyAmount
})

type Used = Route["accounts"][number]
const readable = (each: string): Used => ({ address: each, isSigner: false, isWritable: false })
const writable = (each: string): Used => ({ address: each, isSigner: false, isWritable: true })
const signing = (each: string): Used => ({ address: each, isSigner: true, isWritable: false })

/** What the venue wrote for amounts is not what is signed for. */
const dataOf = (head: string, amountBytes: number): string =>
  Buffer.concat([
    Buffer.from(head, "hex"),
    Buffer.alloc(amountBytes, 9),
    Buffer.from("a plan")
  ]).toString("base64")

const source = tokenAccountOf(wallet, sold)
const own = tokenAccountOf(wallet, bought)
const theirs = tokenAccountOf(other, bought)
const pools = [writable(pool), ...vaults.map(writable)]
const programs = [readable(TOKEN_PROGRAM_ADDRESS), readable(TOKEN_PROGRAM_ADDRESS)]

const direct = (ends: ReadonlyArray<Used>): Route => ({
  program: jupiter,
  accounts: [
    ...[signing(wallet), writable(source), writable(own), readable(sold), readable(bought)],
    ...[...programs, ...ends, readable(eventAuthority), readable(jupiter), ...pools]
  ],
  data: dataOf("bb64facc31c4af14", 22),
  tables: [table]
})

const shared: Route = {
  program: jupiter,
  accounts: [
    ...[readable(authority), signing(wallet), writable(source)],
    ...[writable(vaults[0]), writable(vaults[1]), writable(own)],
    ...[readable(sold), readable(bought), ...programs],
    ...[readable(eventAuthority), readable(jupiter), writable(pool)]
  ],
  data: dataOf("d19853937cfed8e903", 22),
  tables: [table]
}

const split: Route = {
  program: okx,
  accounts: [
    ...[signing(wallet), writable(source), writable(own), readable(sold), readable(bought)],
    ...[readable(TOKEN_PROGRAM_ADDRESS), ...pools]
  ],
  data: dataOf("f8c69e91e17587c8", 24),
  tables: [table]
}

export const tables: ReadonlyMap<string, ReadonlyArray<Address>> = new Map([
  [table, [pool, ...vaults, sold, bought].map((each) => address(each))]
])

const strange: Account = {
  owner: TOKEN_PROGRAM_ADDRESS,
  lamports: 2_039_280n,
  executable: false,
  data: new Uint8Array(165).fill(7)
}

/** Its data names the wallet's key, as its owner, from so many bytes on. */
export const walletsAccount = (at: number): Account => {
  const data = new Uint8Array(165)
  data.set(Base58.decode(wallet, 32) ?? [], at)
  return { ...strange, data }
}

export const message = (draft: SwapDraft) => Uint8Array.from(compile(draft, tables).messageBytes)

/** A draft as it is judged: its message as it was read, and what the chain has of the accounts that it changes. */
export const judgeable = (draft: SwapDraft) => {
  const bytes = message(draft)
  const decoded = Check.decode(bytes, tables)
  if (decoded === undefined) throw new Error("The message cannot be read.")
  const wallets: ReadonlyArray<string> = [draft.places.source, draft.places.own]
  const held = new Map(
    Check.changedBy(decoded).map((each): [string, Account] => [
      each,
      wallets.includes(each) ? walletsAccount(32) : strange
    ])
  )
  return { draft, decoded, held, bytes, tables }
}

const draftOf = async (route: Route, to: AddressKey = wallet): Promise<SwapDraft> => {
  const swap = swapTo(to)
  return {
    swap,
    places: await Effect.runPromise(placesOf(swap)),
    route,
    relayer,
    bid: { units: 100_000, priority: 7n, opensAccount: true },
    conditions: { blockhash: stranger, lastValidBlockHeight: 9n, markLamports: 1_447_680n }
  }
}

export const drafted = {
  "through one pool": () => draftOf(direct([readable(jupiter)])),
  "through shared accounts": () => draftOf(shared),
  "for another wallet": () => draftOf(direct([writable(theirs)]), other),
  "split over two pools": () => draftOf(split)
}
