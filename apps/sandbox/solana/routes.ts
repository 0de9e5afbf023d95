/**
 * How the local aggregator routes a sale: by the router through one pool, or through two that meet at USDC, or by the
 * one that splits a sale over all pools of its pair. Who gives most is taken; each is told in its own published form.
 */
import { type Address, address } from "@solana/kit"
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from "@solana-program/token"
import type { Ledger } from "./ledger.ts"
import {
  type Market,
  type Pool,
  poolsProgram,
  routerProgram,
  splitterProgram,
  unitsIn
} from "./market.ts"

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

/** By which router, and what of the sale goes where: one pool after the other, or parts side by side. */
export interface Route {
  readonly router: "metis" | "okx"
  readonly hops: ReadonlyArray<Hop>
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

const maxOf = <A extends { readonly out: bigint }>(all: ReadonlyArray<A>): A | undefined =>
  all.filter(({ out }) => out > 0n).toSorted((one, other) => (one.out < other.out ? 1 : -1))[0]

const direct = (ledger: Ledger, { pools }: Market, from: Address, to: Address, units: bigint) =>
  maxOf(pools.map((pool) => through(ledger, pool, from, to, units)))

/** Through the one pool that gives most, or through two by way of USDC. */
const inTurn = (ledger: Ledger, market: Market, asked: Asked): Route | undefined => {
  const { amount, inputMint, outputMint } = asked
  const one = direct(ledger, market, inputMint, outputMint, amount)
  if (one !== undefined) return { router: "metis", hops: [one], out: one.out }
  const first = direct(ledger, market, inputMint, market.usdc, amount)
  const second =
    first === undefined ? undefined : direct(ledger, market, market.usdc, outputMint, first.out)
  return first === undefined || second === undefined
    ? undefined
    : { router: "metis", hops: [first, second], out: second.out }
}

const all = 100n

/** Over the two pools of a pair, by the hundredth that gives most. */
const sideBySide = (ledger: Ledger, { pools }: Market, asked: Asked): Route | undefined => {
  const { amount, inputMint: from, outputMint: to } = asked
  const [one, other] = pools.filter(({ accounts }) => accounts.has(from) && accounts.has(to))
  if (one === undefined || other === undefined) return undefined
  const shares = Array.from({ length: Number(all) - 1 }, (_, at) => BigInt(at + 1))
  const splits = shares.map((share): Route => {
    const units = (amount * share) / all
    const hops = [
      through(ledger, one, from, to, units),
      through(ledger, other, from, to, amount - units)
    ]
    const isWhole = hops.every(({ out }) => out > 0n)
    return { router: "okx", hops, out: isWhole ? hops.reduce((sum, { out }) => sum + out, 0n) : 0n }
  })
  return maxOf(splits)
}

/** The route that gives most; undefined where there is none. */
export const find = (ledger: Ledger, market: Market, asked: Asked): Route | undefined =>
  maxOf(
    [inTurn(ledger, market, asked), sideBySide(ledger, market, asked)].filter(
      (route) => route !== undefined
    )
  )

const bytes = (value: bigint | number, size: 1 | 2 | 4 | 8): ReadonlyArray<number> => {
  const buffer = Buffer.alloc(8)
  buffer.writeBigUInt64LE(BigInt(value))
  return [...buffer.subarray(0, size)]
}

const plain = [0xbb, 0x64, 0xfa, 0xcc, 0x31, 0xc4, 0xaf, 0x14]
const shared = [0xd1, 0x98, 0x53, 0x93, 0x7c, 0xfe, 0xd8, 0xe9]
const swap = [0xf8, 0xc6, 0x9e, 0x91, 0xe1, 0x75, 0x87, 0xc8]
const allBps = 10_000

const dataInTurn = ({ hops, out }: Route, asked: Asked): ReadonlyArray<number> => [
  ...(hops.length === 1 ? plain : [...shared, 0]),
  ...bytes(asked.amount, 8),
  ...bytes(out, 8),
  ...bytes(asked.slippageBps, 2),
  // No fee of the platform's, and none on what comes beyond the quote.
  ...bytes(0, 2),
  ...bytes(0, 2),
  ...bytes(hops.length, 4),
  ...hops.flatMap((_, index) => [0, 0, ...bytes(allBps, 2), index, index + 1])
]

/** The least that may come back, as an aggregator reckons it. */
export const thresholdOf = (out: bigint, slippageBps: number): bigint =>
  (out * BigInt(allBps - slippageBps)) / BigInt(allBps)

/** Each part has one step, by one exchange that takes all of it. */
const oneExchange = [...bytes(1, 4), ...bytes(1, 4), 0, ...bytes(1, 4), Number(all)]

const dataSideBySide = ({ hops, out }: Route, asked: Asked): ReadonlyArray<number> => [
  ...swap,
  ...bytes(asked.amount, 8),
  ...bytes(out, 8),
  ...bytes(thresholdOf(out, asked.slippageBps), 8),
  ...bytes(hops.length, 4),
  ...hops.flatMap(({ units }) => bytes(units, 8)),
  ...bytes(hops.length, 4),
  ...hops.flatMap(() => oneExchange),
  // The number of the order, which nobody reads.
  ...bytes(0, 8)
]

const tokenAccount = async (owner: Address, mint: Address) =>
  (await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS }))[0]

/** Named by every route, and used by none of them here. */
const eventAuthority = address("D8cy77BBepLMngZx6ZukaTff5hCt1HrWyKk3Hnd9oitf")

const readable = (pubkey: Address) => ({ pubkey, isSigner: false, isWritable: false })
const writable = (pubkey: Address) => ({ pubkey, isSigner: false, isWritable: true })
const signing = (pubkey: Address) => ({ pubkey, isSigner: true, isWritable: false })

/** Whose tokens a sale moves, and where they go. */
interface Ends {
  readonly source: Address
  readonly own: Address
  readonly destination: Address
}

const accountsInTurn = (
  { between, holder }: Market,
  { hops }: Route,
  { inputMint, outputMint, taker }: Asked,
  { destination, own, source }: Ends
) => {
  const mints = [readable(inputMint), readable(outputMint)]
  const programs = [readable(TOKEN_PROGRAM_ADDRESS), readable(TOKEN_PROGRAM_ADDRESS)]
  const tail = [readable(eventAuthority), readable(routerProgram)]
  return hops.length === 1
    ? [
        ...[signing(taker), writable(source), writable(destination), ...mints, ...programs],
        ...[destination === own ? readable(routerProgram) : writable(destination), ...tail]
      ]
    : [
        ...[readable(holder), signing(taker), writable(source), writable(between)],
        ...[readable(routerProgram), writable(destination), ...mints, ...programs, ...tail]
      ]
}

/** An instruction as the aggregator tells it. */
export interface Instruction {
  readonly programId: Address
  readonly accounts: ReadonlyArray<{
    readonly pubkey: Address
    readonly isSigner: boolean
    readonly isWritable: boolean
  }>
  /** Base64. */
  readonly data: string
}

/** The instruction that sells. */
export const instructionOf = async (
  market: Market,
  route: Route,
  asked: Asked
): Promise<Instruction> => {
  const { inputMint, outputMint, taker } = asked
  const own = await tokenAccount(taker, outputMint)
  const destination = asked.destination ?? own
  const ends: Ends = { source: await tokenAccount(taker, inputMint), own, destination }
  const pools = [
    ...route.hops.flatMap(({ from, pool, to }) => [
      writable(pool.accounts.get(from) as Address),
      writable(pool.accounts.get(to) as Address)
    ]),
    ...[readable(market.authority), readable(poolsProgram)]
  ]
  if (route.router === "metis") {
    return {
      programId: routerProgram,
      accounts: [...accountsInTurn(market, route, asked, ends), ...pools],
      data: Buffer.from(dataInTurn(route, asked)).toString("base64")
    }
  }
  return {
    programId: splitterProgram,
    accounts: [
      ...[signing(taker), writable(ends.source), writable(destination)],
      ...[readable(inputMint), readable(outputMint), ...pools, readable(TOKEN_PROGRAM_ADDRESS)]
    ],
    data: Buffer.from(dataSideBySide(route, asked)).toString("base64")
  }
}

/** Names the steps for people. */
export const planOf = ({ hops, router }: Route, { amount }: Asked) =>
  hops.map(({ from, out, pool, to, units }) => {
    const bps = router === "metis" ? allBps : Number((units * BigInt(allBps)) / amount)
    return {
      swapInfo: {
        ammKey: String(pool.accounts.get(from)),
        label: pool.label,
        inputMint: from,
        outputMint: to,
        inAmount: String(units),
        outAmount: String(out)
      },
      percent: Math.round(bps / 100),
      bps
    }
  })
