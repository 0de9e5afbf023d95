/**
 * Port Chains over scripted chains: payments, blocks, reorganisations and outages happen when a script
 * says so and never by themselves. The state is a value that outlives the layers built over it.
 */
import { Clock, Context, Effect, Layer } from "effect"
import * as Address from "../../core/chains/address.ts"
import * as Base58 from "../../core/encoding/base58.ts"
import {
  type Block,
  type ChainPosition,
  Chains,
  type ChainUpdate,
  type Connected,
  type Finality,
  type Payee,
  ReorganisedTooDeep,
  type TransferLog
} from "../../core/ports/chains.ts"
import * as Mempool from "./mempool.ts"
import type { Approving } from "./scripted-approvals.ts"
import type { Oddity } from "./scripted-calls.ts"
import * as ScriptedChain from "./scripted-chain.ts"

export interface Paying {
  readonly to: string
  readonly amountMicro: bigint
  /** Default: the faucet of the chain's family. */
  readonly from?: string
  /** Addresses that the transaction only names. */
  readonly references?: ReadonlyArray<string> | undefined
  /** Default: the first chain, here and in every other call. */
  readonly chainId?: string
}

export interface Reorganising {
  /** The transactions to mine again, all in the first new block; the others are lost. */
  readonly keep?: ReadonlyArray<string>
  /** How many blocks come in place of those dropped; as many, unless said otherwise. */
  readonly newBlocks?: number
  readonly chainId?: string
}

/** Tokens out of nothing. A contract that is new describes itself; one that is known keeps its description. */
export interface Airdrop {
  readonly to: string
  readonly amount: bigint
  /** Default: a contract of its own for every symbol. */
  readonly tokenAddress?: string
  readonly symbol: string
  readonly name?: string
  /** Default: 18. */
  readonly decimals?: number
  readonly chainId?: string
}

/** What a token's contract says of itself. */
type Claimed = Partial<
  Pick<ScriptedChain.OtherToken, "decimals" | "symbol" | "codeHash" | "behind">
>

export class ChainScript extends Context.Service<
  ChainScript,
  {
    /** Mines a block with one transfer and gives back its transaction. */
    readonly pay: (paying: Paying) => Effect.Effect<Address.TransactionId>
    readonly mine: (blocks: number, chainId?: string) => Effect.Effect<void>
    /** Drops the newest blocks and mines others. */
    readonly reorg: (depth: number, reorganising?: Reorganising) => Effect.Effect<void>
    /** Moves the chain's time on from the clock's, and mines a block there. */
    readonly timePasses: (seconds: number, chainId?: string) => Effect.Effect<void>
    /** While the chain is away nothing can be read from it. */
    readonly outage: (isAway: boolean, chainId?: string) => Effect.Effect<void>
    /** Whether no further block is finalized. */
    readonly holdFinality: (isHeld: boolean, chainId?: string) => Effect.Effect<void>
    readonly balanceOf: (address: string, chainId?: string) => Effect.Effect<bigint>
    /** Says what stands at an address; whoever is not said to be otherwise is payable. */
    readonly standsAt: (address: string, payee: Payee, chainId?: string) => Effect.Effect<void>
    /** From now on a token's contract claims this of itself. */
    readonly claims: (tokenAddress: string, claimed: Claimed) => Effect.Effect<void>
    /** Says that a token takes approvals otherwise than others. */
    readonly takesOddly: (token: string, oddity: Oddity, chainId?: string) => Effect.Effect<void>
    /** Has an owner let a spender take a token, of USDC unless said otherwise, in a block of its own. */
    readonly approve: (approving: Approving) => Effect.Effect<Address.TransactionId>
    /** Makes USDC out of nothing, in a block of its own. */
    readonly fund: (to: string, amountMicro: bigint, chainId?: string) => Effect.Effect<void>
    /** Mines a block, as any mined block takes what was broadcast; the relayers' transactions in it. */
    readonly mineBroadcasts: (chainId?: string) => Effect.Effect<ReadonlyArray<string>>
    /** While the chain is congested, blocks leave what was broadcast where it is. */
    readonly congest: (isCongested: boolean, chainId?: string) => Effect.Effect<void>
    /** The next broadcasts are taken, but the node's answers do not arrive. */
    readonly loseReply: (broadcasts?: number, chainId?: string) => Effect.Effect<void>
    /** The next broadcasts are refused by the node. */
    readonly refuseNext: (broadcasts?: number, chainId?: string) => Effect.Effect<void>
    /** The network forgets a transaction that waits, or all that wait. */
    readonly dropFromMempool: (txHash?: string, chainId?: string) => Effect.Effect<void>
    readonly relayersLackGas: (lackGas: boolean, chainId?: string) => Effect.Effect<void>
    /** Gives an address tokens other than USDC; their contract. */
    readonly airdrop: (airdrop: Airdrop) => Effect.Effect<Address.AddressKey>
    /** Gives an address so much of the chain's coin, in its smallest units. */
    readonly giveCoins: (to: string, amount: bigint, chainId?: string) => Effect.Effect<void>
  }
>()("bursar/memory/ChainScript") {}

/** Who pays when a script does not say. */
export const faucet = `0x${"fa".repeat(20)}`

/** The same, in the form of an address of the chain. */
const faucetOn = (chainId: string): string =>
  Address.parse(chainId, faucet) ?? Base58.encode(new Uint8Array(32).fill(0xfa))

const nowhere = `0x${"00".repeat(20)}`

const maxBlocksPerLook = 200

const withoutPayments = ({ number, hash, timestamp }: ScriptedChain.Mined): Block => ({
  number,
  hash,
  timestamp
})

const transfersIn = (mined: ScriptedChain.Mined): ReadonlyArray<TransferLog> => {
  const block = withoutPayments(mined)
  return mined.payments.map((payment, logIndex) => ({ ...payment, logIndex, block }))
}

const finalNumberOf = ({ blocks, connected }: ScriptedChain.Scripted): number =>
  Math.max(0, blocks.length - connected.confirmations)

const newestFinal = (chain: ScriptedChain.Scripted): ScriptedChain.Mined =>
  chain.blocks[finalNumberOf(chain)] ?? ScriptedChain.tip(chain)

const look = Effect.fnUntraced(function* (
  chain: ScriptedChain.Scripted,
  from: ChainPosition
): Effect.fn.Return<ChainUpdate, ReorganisedTooDeep> {
  const named = chain.connected.chain
  const head = ScriptedChain.tip(chain).number
  const common = from.blocks.findLast((block) => chain.blocks[block.number]?.hash === block.hash)
  if (common === undefined) {
    const oldestKnown = from.blocks[0]?.number ?? 0
    return yield* new ReorganisedTooDeep({ chainId: named.id, oldestKnown })
  }
  const first = common.number + 1
  const taken = chain.blocks.slice(first, first + maxBlocksPerLook)
  const finalNumber = finalNumberOf(chain)
  const through = Math.min(finalNumber, common.number + taken.length)
  return {
    head,
    commonNumber: common.number,
    blocks: taken.map(withoutPayments),
    transfers: taken.flatMap(transfersIn),
    finalNumber,
    ...(from.watched === undefined ? {} : { known: { through, except: [] } }),
    atHead: common.number + taken.length === head
  }
})

const chainsOver = (state: ScriptedChain.State): Chains["Service"] => {
  const present = (chainId: string) => ScriptedChain.present(state, chainId)
  return {
    connected: Array.from(state.scripted.values(), ({ connected }): Connected => connected),
    tip: (chainId) =>
      Effect.map(present(chainId), (chain) => withoutPayments(ScriptedChain.tip(chain))),
    newestFinal: (chainId) =>
      Effect.map(present(chainId), (chain) => withoutPayments(newestFinal(chain))),
    finality: (chainId, { hash, number }) =>
      Effect.map(present(chainId), (chain): Finality => {
        if (number > Mempool.finalizedNumber(chain)) return "pending"
        return chain.blocks[number]?.hash === hash ? "finalized" : "dropped"
      }),
    look: (chainId, from) => Effect.flatMap(present(chainId), (chain) => look(chain, from)),
    payee: (chainId, address) =>
      Effect.map(
        present(chainId),
        (chain) => chain.payees.get(Address.keyOf(chainId, address)) ?? { _tag: "payable" }
      ),
    balances: (chainId, addresses) =>
      Effect.map(present(chainId), (chain) =>
        addresses.map((address) => ScriptedChain.balance(chain, address))
      )
  }
}

const idOf = ({ connected }: ScriptedChain.Scripted): string => connected.chain.id

type Change = <A>(
  chainId: string | undefined,
  make: (chain: ScriptedChain.Scripted, nowMs: number) => A
) => Effect.Effect<A>

const changing =
  (state: ScriptedChain.State): Change =>
  (chainId, make) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) => make(ScriptedChain.find(state, chainId), nowMs))

/** The part of the script that is about blocks and payments. */
const blocksOver = (state: ScriptedChain.State, change: Change) => ({
  pay: ({ to, amountMicro, from, chainId, references }: Paying) =>
    change(chainId, (chain, nowMs) => {
      const payment = ScriptedChain.sign(state, {
        chainId: idOf(chain),
        from: from ?? faucetOn(idOf(chain)),
        to,
        amountMicro,
        references
      })
      ScriptedChain.mine(state, chain, nowMs, [payment])
      return payment.txHash
    }),
  approve: ({ owner, spender, amount, token, chainId }: Approving) =>
    change(chainId, (chain, nowMs) => {
      const over = token ?? chain.connected.usdc
      const approving = { chainId: idOf(chain), owner, spender, amount, token: over }
      const approval = ScriptedChain.approve(state, approving)
      ScriptedChain.mine(state, chain, nowMs, [], [approval])
      return approval.txHash
    }),
  fund: (to: string, amountMicro: bigint, chainId?: string) =>
    change(chainId, (chain, nowMs) => {
      const funding = { chainId: idOf(chain), from: nowhere, to, amountMicro }
      const payment = ScriptedChain.sign(state, funding)
      ScriptedChain.mine(state, chain, nowMs, [payment])
    }),
  mine: (blocks: number, chainId?: string) =>
    change(chainId, (chain, nowMs) => {
      for (let mined = 0; mined < blocks; mined++) ScriptedChain.mine(state, chain, nowMs)
    }),
  reorg: (depth: number, { keep = [], newBlocks = depth, chainId }: Reorganising = {}) =>
    change(chainId, (chain, nowMs) => {
      const isKept = ({ txHash }: { readonly txHash: string }) => keep.includes(txHash)
      const carried = ScriptedChain.carriedIn(chain, depth).filter(isKept)
      const payments = ScriptedChain.drop(chain, depth).filter(isKept)
      const kept = payments.length + carried.length
      if (kept !== keep.length || (kept > 0 && newBlocks < 1)) {
        throw new Error("Only transactions of dropped blocks can be mined again, in a new block.")
      }
      chain.pool.unshift(...carried)
      for (let mined = 0; mined < newBlocks; mined++) {
        ScriptedChain.mine(state, chain, nowMs, mined === 0 ? payments : [])
      }
    }),
  timePasses: (seconds: number, chainId?: string) =>
    change(chainId, (chain, nowMs) => {
      chain.aheadSeconds += seconds
      ScriptedChain.mine(state, chain, nowMs)
    }),
  holdFinality: (isHeld: boolean, chainId?: string) =>
    change(chainId, (chain) => {
      chain.finalityHeldAt = isHeld ? Mempool.finalizedNumber(chain) : undefined
    }),
  outage: (isAway: boolean, chainId?: string) =>
    change(chainId, (chain) => void Object.assign(chain, { isAway })),
  balanceOf: (address: string, chainId?: string) =>
    change(chainId, (chain) => ScriptedChain.balance(chain, address)),
  standsAt: (address: string, payee: Payee, chainId?: string) =>
    change(chainId, (chain) => {
      chain.payees.set(Address.keyOf(idOf(chain), address), payee)
    }),
  takesOddly: (token: string, oddity: Oddity, chainId?: string) =>
    change(chainId, (chain) => {
      chain.oddities.set(Address.keyOf(idOf(chain), token), oddity)
    })
})

/** The part of the script that is about what relayers broadcast. */
const broadcastsOver = (state: ScriptedChain.State, change: Change) => ({
  mineBroadcasts: (chainId?: string) =>
    change(chainId, (chain, nowMs) => {
      const { number } = ScriptedChain.mine(state, chain, nowMs)
      return chain.landed
        .filter(({ blockNumber }) => blockNumber === number)
        .map(({ txHash }) => txHash)
    }),
  congest: (isCongested: boolean, chainId?: string) =>
    change(chainId, (chain) => void Object.assign(chain, { isCongested })),
  loseReply: (broadcasts = 1, chainId?: string) =>
    change(chainId, (chain) => {
      chain.lostReplies += broadcasts
    }),
  refuseNext: (broadcasts = 1, chainId?: string) =>
    change(chainId, (chain) => {
      chain.refusals += broadcasts
    }),
  dropFromMempool: (txHash?: string, chainId?: string) =>
    change(chainId, (chain) => {
      const left = chain.pool.filter((each) => txHash !== undefined && each.txHash !== txHash)
      chain.pool.splice(0, chain.pool.length, ...left)
    }),
  relayersLackGas: (lackGas: boolean, chainId?: string) =>
    change(chainId, (chain) => {
      chain.relayersLackGas = lackGas
    })
})

const add = (
  balances: Map<Address.AddressKey, bigint>,
  holder: Address.AddressKey,
  amount: bigint
): void => {
  balances.set(holder, (balances.get(holder) ?? 0n) + amount)
}

/** The contract of that symbol and name, or one that none has yet. */
const contractOf = (
  others: ReadonlyMap<Address.AddressKey, ScriptedChain.OtherToken>,
  symbol: string,
  name: string
): string => {
  const known = Array.from(others).find(
    ([, token]) => token.symbol === symbol && token.name === name
  )
  return known?.[0] ?? `0x70${others.size.toString(16).padStart(38, "0")}`
}

/** The part of the script that is about other tokens than USDC. */
const tokensOver = (change: Change) => ({
  claims: (tokenAddress: string, claimed: Claimed) =>
    change(undefined, ({ others, ...chain }) => {
      const address = Address.keyOf(chain.connected.chain.id, tokenAddress)
      const token = others.get(address)
      if (token !== undefined) others.set(address, { ...token, ...claimed })
    }),
  airdrop: ({ to, amount, symbol, name = symbol, chainId, ...given }: Airdrop) =>
    change(chainId, (chain) => {
      const { others } = chain
      const key = (text: string) => Address.keyOf(idOf(chain), text)
      const address = key(given.tokenAddress ?? contractOf(others, symbol, name))
      const { decimals = 18 } = given
      const token = others.get(address) ?? { symbol, name, decimals, balances: new Map() }
      others.set(address, token)
      add(token.balances, key(to), amount)
      return address
    }),
  giveCoins: (to: string, amount: bigint, chainId?: string) =>
    change(chainId, (chain) => add(chain.coins, Address.keyOf(idOf(chain), to), amount))
})

const scriptOver = (state: ScriptedChain.State): ChainScript["Service"] => {
  const change = changing(state)
  return { ...blocksOver(state, change), ...broadcastsOver(state, change), ...tokensOver(change) }
}

/** The chains and their script, over a state that is kept elsewhere. */
export const layer = (state: ScriptedChain.State): Layer.Layer<Chains | ChainScript> =>
  Layer.sync(Chains, () => chainsOver(state)).pipe(
    Layer.merge(Layer.sync(ChainScript, () => scriptOver(state)))
  )
