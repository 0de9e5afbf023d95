/**
 * How the local aggregator routes a sale: through the one pool of a pair that gives most, or through two that meet at
 * USDC. The first is told as a plain route, the second as a shared one, the two forms that the router takes.
 */
import { type Address, address } from "@solana/kit"
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from "@solana-program/token"
import type { Ledger } from "./ledger.ts"
import { type Market, type Pool, routerProgram, unitsIn } from "./market.ts"

export interface Asked {
  readonly inputMint: Address
  readonly outputMint: Address
  readonly amount: bigint
  readonly taker: Address
  readonly slippageBps: number
  /** The taker's own account when left out. */
  readonly destination?: Address
}

interface Hop {
  readonly pool: Pool
  readonly from: Address
  readonly to: Address
  readonly units: bigint
  readonly out: bigint
}

/** As the program reckons it: a pool keeps three of a thousand. */
const through = (ledger: Ledger, pool: Pool, from: Address, to: Address, units: bigint): Hop => {
  const [incoming, outgoing] = [pool.accounts.get(from), pool.accounts.get(to)]
  if (incoming === undefined || outgoing === undefined) return { pool, from, to, units, out: 0n }
  const counted = (units * 997n) / 1000n
  const held = unitsIn(ledger, incoming) + counted
  const out = held === 0n ? 0n : (unitsIn(ledger, outgoing) * counted) / held
  return { pool, from, to, units, out }
}

const best = (hops: ReadonlyArray<Hop>): Hop | undefined =>
  hops.filter(({ out }) => out > 0n).toSorted((one, other) => (one.out < other.out ? 1 : -1))[0]

const direct = (ledger: Ledger, { pools }: Market, from: Address, to: Address, units: bigint) =>
  best(pools.map((pool) => through(ledger, pool, from, to, units)))

/** The steps of the best route; none where there is none. */
export const find = (ledger: Ledger, market: Market, asked: Asked): ReadonlyArray<Hop> => {
  const { amount, inputMint, outputMint } = asked
  const one = direct(ledger, market, inputMint, outputMint, amount)
  if (one !== undefined) return [one]
  const first = direct(ledger, market, inputMint, market.usdc, amount)
  const second =
    first === undefined ? undefined : direct(ledger, market, market.usdc, outputMint, first.out)
  return first === undefined || second === undefined ? [] : [first, second]
}

const bytes = (value: bigint | number, size: 2 | 4 | 8): ReadonlyArray<number> => {
  const buffer = Buffer.alloc(8)
  buffer.writeBigUInt64LE(BigInt(value))
  return [...buffer.subarray(0, size)]
}

const plain = [0xbb, 0x64, 0xfa, 0xcc, 0x31, 0xc4, 0xaf, 0x14]
const shared = [0xd1, 0x98, 0x53, 0x93, 0x7c, 0xfe, 0xd8, 0xe9]
const allBps = 10_000

const dataOf = (hops: ReadonlyArray<Hop>, asked: Asked, bump: number): Uint8Array => {
  const out = hops.at(-1)?.out ?? 0n
  return Uint8Array.from([
    ...(hops.length === 1 ? plain : [...shared, 0]),
    ...bytes(asked.amount, 8),
    ...bytes(out, 8),
    ...bytes(asked.slippageBps, 2),
    // No fee of the platform's, and none on what comes beyond the quote.
    ...bytes(0, 2),
    ...bytes(0, 2),
    ...bytes(hops.length, 4),
    ...hops.flatMap((_, index) => [0, bump, ...bytes(allBps, 2), index, index + 1])
  ])
}

const tokenAccount = async (owner: Address, mint: Address) =>
  (await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS }))[0]

/** Named by every route, and used by none of them here. */
const eventAuthority = address("D8cy77BBepLMngZx6ZukaTff5hCt1HrWyKk3Hnd9oitf")

const readable = (pubkey: Address) => ({ pubkey, isSigner: false, isWritable: false })
const writable = (pubkey: Address) => ({ pubkey, isSigner: false, isWritable: true })
const signing = (pubkey: Address) => ({ pubkey, isSigner: true, isWritable: false })

/** The instruction that sells, as the aggregator tells instructions. */
export const instructionOf = async (market: Market, hops: ReadonlyArray<Hop>, asked: Asked) => {
  const { inputMint, outputMint, taker } = asked
  const source = await tokenAccount(taker, inputMint)
  const own = await tokenAccount(taker, outputMint)
  const destination = asked.destination ?? own
  const mints = [readable(inputMint), readable(outputMint)]
  const programs = [readable(TOKEN_PROGRAM_ADDRESS), readable(TOKEN_PROGRAM_ADDRESS)]
  const tail = [readable(eventAuthority), readable(routerProgram)]
  const accounts =
    hops.length === 1
      ? [
          ...[signing(taker), writable(source), writable(destination), ...mints, ...programs],
          ...[destination === own ? readable(routerProgram) : writable(destination), ...tail]
        ]
      : [
          ...[readable(market.authority), signing(taker), writable(source)],
          ...[readable(routerProgram), readable(routerProgram), writable(destination)],
          ...[...mints, ...programs, ...tail]
        ]
  const pools = hops.flatMap(({ from, pool, to }) => [
    writable(pool.accounts.get(from) as Address),
    writable(pool.accounts.get(to) as Address)
  ])
  return {
    programId: routerProgram,
    accounts: [...accounts, ...pools, readable(market.authority)],
    data: Buffer.from(dataOf(hops, asked, market.bump)).toString("base64")
  }
}

/** Names the steps for people. */
export const planOf = (hops: ReadonlyArray<Hop>) =>
  hops.map(({ from, out, pool, to, units }) => ({
    swapInfo: {
      ammKey: String(pool.accounts.get(from)),
      label: pool.label,
      inputMint: from,
      outputMint: to,
      inAmount: String(units),
      outAmount: String(out)
    },
    percent: 100,
    bps: allBps
  }))
