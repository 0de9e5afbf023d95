/**
 * The state of scripted chains and how it changes: payments and what relayers carry are mined in blocks,
 * a reorganisation makes other blocks of them. Every block and payment made gets a hash no other has.
 */
import { DateTime, Effect } from "effect"
import * as Address from "../../core/chains/address.ts"
import * as Base58 from "../../core/encoding/base58.ts"
import type { Authorization } from "../../core/evm/journal.ts"
import * as Usdc from "../../core/money/usdc.ts"
import {
  type Block,
  ChainUnavailable,
  type Connected,
  type Payee
} from "../../core/ports/chains.ts"
import { isSigned } from "./authorization.ts"
import { type Approval, type Approving, permitsOf } from "./scripted-approvals.ts"
import { movedBy } from "./scripted-bridge.ts"
import { isAffordable, type Lent, type Oddity, type Own, run } from "./scripted-calls.ts"
import * as Swaps from "./scripted-swaps.ts"

/** A chain as a script names it; the address of its USDC in any case. */
export type Connection = Omit<Connected, "usdc"> & { readonly usdc: string }

export interface Payment {
  readonly txHash: Address.TransactionId
  readonly from: Address.AddressKey
  readonly to: Address.AddressKey
  readonly amountMicro: Usdc.Usdc
  /** Of the authorization it was made under, if it was. */
  readonly signedAs?: string
  /** What its transaction only names. */
  readonly references?: ReadonlyArray<Address.AddressKey>
}

export interface Mined extends Block {
  readonly payments: ReadonlyArray<Payment>
  readonly approvals: ReadonlyArray<Approval>
}

/** A relayer's transaction; those of one relayer are mined in the order of their nonces, without gaps. */
export interface Carried {
  readonly txHash: Address.TransactionId
  readonly relayer: Address.Address
  readonly relayerNonce: number
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly authorization: Authorization
  /** What a wallet calls in a transaction of its own; then the relayer is that wallet. */
  readonly own?: Own
  /** What the relayer gives away of the chain's coin. */
  readonly lent?: Lent
  /** The text that a transfer carries. */
  readonly memo?: string
  /** What it swaps; then the authorization says who sells what, and for whom. */
  readonly swapped?: Swaps.Swapped
}

/** A relayer's transaction in a block; the token did what it says, or reverted it. */
export interface Landed extends Carried {
  readonly blockNumber: number
  readonly isPaid: boolean
  /** What its receiver got, if it swapped. */
  readonly boughtAmount?: bigint
  /** Why it did nothing, where its family tells. */
  readonly failure?: Swaps.Failure
}

/** Another token than USDC, and who holds how much of it. */
export interface OtherToken {
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  /** Of its code, where the script says one. */
  readonly codeHash?: string
  /** What does its work, where the script says that it is a proxy. */
  readonly behind?: string
  readonly balances: Map<Address.AddressKey, bigint>
}

export interface Scripted {
  readonly connected: Connected
  /** By contract. They are no part of any block, and no reorganisation takes them away. */
  readonly others: Map<Address.AddressKey, OtherToken>
  /** Tokens that take no approval, or take it and do nothing. */
  readonly oddities: Map<Address.AddressKey, Oddity>
  /** The chain's coin, by holder, as scripts gave it. */
  readonly coins: Map<Address.AddressKey, bigint>
  /** Whose token accounts were opened, where they have to be. */
  readonly openAccounts: Set<Address.AddressKey>
  /** What stands at addresses of which a script has said so. */
  readonly payees: Map<Address.AddressKey, Payee>
  /** All blocks; each stands at its number. */
  readonly blocks: Array<Mined>
  /** What relayers have carried in these blocks, oldest first. */
  readonly landed: Array<Landed>
  /** What was broadcast and waits for a block. */
  readonly pool: Array<Carried>
  /** Blocks leave what was broadcast where it is. */
  isCongested: boolean
  relayersLackGas: boolean
  /** How many broadcasts to come the node refuses, or takes without its answer arriving. */
  refusals: number
  lostReplies: number
  isAway: boolean
  /** The highest block that is finalized, while the script holds finality back. */
  finalityHeldAt: number | undefined
  /** By how much the chain's time is ahead of the clock. */
  aheadSeconds: number
}

/** Everything the scripted chains remember. */
export interface State {
  readonly scripted: ReadonlyMap<string, Scripted>
  /** At which tokens are swapped from now on. */
  readonly rates: Swaps.Rates
  blocksMade: number
  transactionsMade: number
}

const hash = (prefix: string, count: number): string =>
  `0x${prefix}${count.toString(16).padStart(64 - prefix.length, "0")}`

const first = (state: State): Mined => ({
  number: 0,
  hash: hash("b10c", state.blocksMade++),
  timestamp: DateTime.makeUnsafe(0),
  payments: [],
  approvals: []
})

/** New chains, each with nothing but its first block. */
export const makeState = (connections: ReadonlyArray<Connection>): State => {
  const scripted = new Map<string, Scripted>()
  const state: State = { scripted, rates: new Map(), blocksMade: 0, transactionsMade: 0 }
  for (const connected of connections) {
    scripted.set(connected.chain.id, {
      connected: { ...connected, usdc: Address.keyOf(connected.chain.id, connected.usdc) },
      others: new Map(),
      coins: new Map(),
      oddities: new Map(),
      payees: new Map(),
      openAccounts: new Set(),
      blocks: [first(state)],
      landed: [],
      pool: [],
      isCongested: false,
      relayersLackGas: false,
      refusals: 0,
      lostReplies: 0,
      isAway: false,
      finalityHeldAt: undefined,
      aheadSeconds: 0
    })
  }
  return state
}

/** The chain of that name, or the first. */
export const find = (state: State, chainId?: string): Scripted => {
  const [someChain] = state.scripted.values()
  const chain = chainId === undefined ? someChain : state.scripted.get(chainId)
  if (chain === undefined) throw new Error(`Chain ${chainId} is not connected.`)
  return chain
}

/** The chain as whoever asks it finds it: it does not answer while the script says it is away. */
export const present = (state: State, chainId: string): Effect.Effect<Scripted, ChainUnavailable> =>
  Effect.suspend(() => {
    const chain = find(state, chainId)
    const detail = "the script says the chain is away"
    return chain.isAway
      ? Effect.fail(new ChainUnavailable({ chainId, reason: "unreachable", detail }))
      : Effect.succeed(chain)
  })

export const tip = (chain: Scripted): Mined => {
  const newest = chain.blocks.at(-1)
  if (newest === undefined) throw new Error("A chain has at least its first block.")
  return newest
}

/** How many transactions of the relayer stand in blocks: the nonce of its next. */
export const countOf = (chain: Scripted, relayer: Address.Address): number =>
  chain.landed.filter((landed) => landed.relayer === relayer).length

/** A transfer is paid once, however it was signed; a permit is one signature among others of its count. */
const isSame = (one: Authorization, other: Authorization): boolean =>
  one.act === other.act &&
  one.nonce === other.nonce &&
  one.from === other.from &&
  one.token === other.token &&
  (one.act === "transfer" || one.signature === other.signature)

/** Where the token took it, or another with its nonce, if it did. */
export const usedIn = (chain: Scripted, authorization: Authorization): Landed | undefined =>
  chain.landed.find(({ authorization: other, isPaid }) => isPaid && isSame(other, authorization))

/** Where the token did what the authorization says, if it did. */
export const paidIn = (chain: Scripted, authorization: Authorization): Landed | undefined => {
  const used = usedIn(chain, authorization)
  const { amountMicro, to } = authorization
  return used?.authorization.to === to && used.authorization.amountMicro === amountMicro
    ? used
    : undefined
}

/** Why the token refuses an authorization at a time on the chain (Unix seconds), if it does. */
export const refusal = (
  chain: Scripted,
  authorization: Authorization,
  seconds: number
): string | undefined => {
  if (seconds >= authorization.validBefore) return "The authorization has expired."
  if (seconds <= (authorization.validAfter ?? -1)) return "The authorization is not valid yet."
  if (usedIn(chain, authorization)) return "The authorization was used or cancelled."
  const isOfToken = authorization.token === chain.connected.usdc
  if (!isOfToken || !isSigned(authorization)) return "The signature is invalid."
  if (authorization.act === "permit") {
    // As on a real token, a count that is not the next makes another message, and so another signer.
    const isNext = Number(authorization.nonce) === permitsOf(chain, authorization.from)
    return isNext ? undefined : "The signature is invalid."
  }
  return balance(chain, authorization.from) < authorization.amountMicro
    ? "The wallet has an insufficient balance of USDC."
    : undefined
}

/** The time a block would have that is mined now, never before its parent's. */
export const timeOf = (chain: Scripted, nowMs: number): DateTime.Utc => {
  const seconds = Math.floor(nowMs / 1000) + chain.aheadSeconds
  return DateTime.max(tip(chain).timestamp, DateTime.makeUnsafe(seconds * 1000))
}

/** Takes out of the pool the first transaction that may come next, if there is one. */
const takeNext = (chain: Scripted): Carried | undefined => {
  const at = chain.pool.findIndex(
    (carried) =>
      carried.relayerNonce === countOf(chain, carried.relayer) && isAffordable(chain, carried)
  )
  return at === -1 ? undefined : chain.pool.splice(at, 1)[0]
}

interface Taking {
  readonly payments: Array<Payment>
  readonly approvals: Array<Approval>
}

/** Whether a transaction names a block and is taken for as long as that lasts; elsewhere its nonce holds its place. */
const endsWithItsBlock = (chainId: string): boolean => Address.familyOf(chainId).curve === "ed25519"

/** Mines what waits and may come next; nonces that are spent by then wait no longer. */
const mineWaiting = (
  chain: Scripted,
  rates: Swaps.Rates,
  block: Block,
  { payments, approvals }: Taking
): void => {
  if (chain.isCongested) return
  const seconds = DateTime.toEpochMillis(block.timestamp) / 1000
  if (endsWithItsBlock(chain.connected.chain.id)) {
    const inTime = chain.pool.filter(({ authorization }) => seconds < authorization.validBefore)
    chain.pool.splice(0, chain.pool.length, ...inTime)
  }
  let next = takeNext(chain)
  while (next !== undefined) {
    const { authorization, lent, own, swapped } = next
    if (swapped !== undefined) {
      const landed = Swaps.land(chain, rates, next, swapped)
      payments.push(...landed.payments)
      chain.landed.push({ ...next, ...landed.told, blockNumber: block.number })
      next = takeNext(chain)
      continue
    }
    const ran = own === undefined ? undefined : run(chain, next, own)
    const moved = movedBy(chain, next)
    const isCarried = own === undefined && lent === undefined
    const isPaid = isCarried
      ? refusal(chain, authorization, seconds) === undefined
      : ran?._tag !== "reverted" && moved !== "refused"
    if (isPaid && moved !== undefined && moved !== "refused") payments.push(moved)
    if (ran?._tag === "ran" && ran.approval !== undefined) approvals.push(ran.approval)
    const { act, amountMicro, from, nonce, to, token } = authorization
    const { txHash } = next
    if (isPaid && isCarried && act === "transfer") {
      payments.push({ txHash, from, to, amountMicro, signedAs: nonce })
    }
    if (isPaid && isCarried && act === "permit") {
      const permission = { token, owner: from, spender: to }
      approvals.push({ ...permission, txHash, amount: amountMicro, isPermit: true })
    }
    chain.landed.push({ ...next, blockNumber: block.number, isPaid })
    next = takeNext(chain)
  }
  const waiting = chain.pool.filter(
    ({ relayer, relayerNonce }) => relayerNonce > countOf(chain, relayer)
  )
  chain.pool.splice(0, chain.pool.length, ...waiting)
}

/** Mines a block at the clock's time with what is given, and after it what was broadcast. */
export const mine = (
  state: State,
  chain: Scripted,
  nowMs: number,
  givenPayments: ReadonlyArray<Payment> = [],
  givenApprovals: ReadonlyArray<Approval> = []
): Mined => {
  const taking: Taking = { payments: [...givenPayments], approvals: [...givenApprovals] }
  const block: Mined = {
    number: tip(chain).number + 1,
    hash: hash("b10c", state.blocksMade++),
    timestamp: timeOf(chain, nowMs),
    ...taking
  }
  chain.blocks.push(block)
  mineWaiting(chain, state.rates, block, taking)
  return block
}

/** A hash in the form that transactions are known by there: as it is, or as a signature of 64 bytes. */
export const transactionOn = (chainId: string, txHash: string): Address.TransactionId => {
  if (!endsWithItsBlock(chainId)) return Address.transactionKeyOf(chainId, txHash)
  const bytes = Buffer.from(txHash.slice(2), "hex")
  return Address.transactionKeyOf(chainId, Base58.encode(Buffer.concat([bytes, bytes])))
}

const madeTransaction = (state: State, chainId: string): Address.TransactionId =>
  transactionOn(chainId, hash("7a", state.transactionsMade++))

/** An approval by a transaction of the owner, not yet mined. */
export const approve = (state: State, approval: Required<Approving>): Approval => ({
  txHash: madeTransaction(state, approval.chainId),
  token: Address.keyOf(approval.chainId, approval.token),
  owner: Address.keyOf(approval.chainId, approval.owner),
  spender: Address.keyOf(approval.chainId, approval.spender),
  amount: approval.amount,
  isPermit: false
})

/** A payment with a transaction of its own, not yet mined. */
export const sign = (
  state: State,
  payment: {
    readonly chainId: string
    readonly from: string
    readonly to: string
    readonly amountMicro: bigint
    readonly references?: ReadonlyArray<string> | undefined
  }
): Payment => ({
  txHash: madeTransaction(state, payment.chainId),
  from: Address.keyOf(payment.chainId, payment.from),
  to: Address.keyOf(payment.chainId, payment.to),
  amountMicro: Usdc.make(payment.amountMicro),
  ...(payment.references === undefined
    ? {}
    : { references: payment.references.map((each) => Address.keyOf(payment.chainId, each)) })
})

/** What relayers have carried in the newest blocks, oldest first. */
export const carriedIn = (chain: Scripted, depth: number): ReadonlyArray<Carried> =>
  chain.landed
    .filter(({ blockNumber }) => blockNumber > tip(chain).number - depth)
    .map(
      ({ blockNumber: _number, boughtAmount: _, failure: _failure, isPaid: _isPaid, ...carried }) =>
        carried
    )

/**
 * Takes the newest blocks away and gives back the payments that were in them. What relayers carried in
 * them is gone, and what it paid counts as never paid.
 */
export const drop = (chain: Scripted, depth: number): ReadonlyArray<Payment> => {
  if (depth < 1 || depth >= chain.blocks.length) {
    throw new Error(`A chain of ${chain.blocks.length} blocks cannot lose ${depth}.`)
  }
  const payments = chain.blocks.splice(-depth).flatMap((block) => block.payments)
  const standing = chain.landed.filter(({ blockNumber }) => blockNumber <= tip(chain).number)
  const gone = chain.landed.splice(standing.length)
  for (const each of gone) Swaps.undo(chain, each)
  const lost = new Set(gone.map(({ txHash }) => txHash))
  return payments.filter(({ txHash }) => !lost.has(txHash))
}

/** USDC held by an address; payers are not asked where they have theirs from. */
export const balance = (chain: Scripted, holder: string): Usdc.Usdc => {
  const address = Address.keyOf(chain.connected.chain.id, holder)
  let heldMicro = 0n
  for (const { from, to, amountMicro } of chain.blocks.flatMap((block) => block.payments)) {
    if (to === address) heldMicro += amountMicro
    if (from === address) heldMicro -= amountMicro
  }
  return heldMicro < 0n ? Usdc.zero : Usdc.make(heldMicro)
}
