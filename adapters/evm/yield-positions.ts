/**
 * Port YieldPositions over the JSON-RPC nodes of EVM chains. What a vault says is read in bounded calls with
 * bounded gas; one that holds another token than it is known for is not read at all.
 */
import { Effect, Layer } from "effect"
import type { Address } from "../../core/chains/address.ts"
import {
  type HeldToken,
  type VaultPosition,
  type VaultReference,
  YieldPositions
} from "../../core/ports/yield-positions.ts"
import * as Block from "./block.ts"
import { keyOf } from "./contract.ts"
import * as Described from "./described.ts"
import * as Multicall from "./multicall.ts"
import * as Node from "./node.ts"
import type { Call } from "./rpc.ts"
import * as Reads from "./vault-reads.ts"
import { apyOf } from "./yield-rate.ts"

const maxBytes = 8 * 1024 * 1024
/** Conversions take more gas than balances, so fewer are read in one call. */
const positionsPerCall = 40
/** Strangers' tokens looked into at one time; each is asked alone. */
const maxUnknown = 50
const atOnce = 4
/** Enough for a vault of vaults, too little to hold a node up. */
const gas = `0x${(1_000_000).toString(16)}`

interface Chain {
  readonly node: Node.Node
  /** Learnt from the first answer, and kept. */
  hasMulticall: boolean | undefined
}

const together = Effect.fnUntraced(function* (chain: Chain) {
  chain.hasMulticall ??= yield* Multicall.isDeployed(chain.node)
  return chain.hasMulticall
})

const addressIn = (answer: string | undefined) =>
  answer !== undefined && /^0x0{24}[0-9a-f]{40}$/iu.test(answer)
    ? keyOf(`0x${answer.slice(26)}`)
    : undefined

/** The vaults that say they hold what they are known for. */
const honest = Effect.fnUntraced(function* (chain: Chain, vaults: ReadonlyArray<VaultReference>) {
  const assets = yield* Multicall.readAll(
    chain.node,
    vaults.map(Reads.assetOf),
    yield* together(chain)
  )
  return vaults.filter(({ asset }, at) => addressIn(assets[at]) === asset)
})

interface Shares {
  readonly vault: VaultReference
  readonly owner: Address
  readonly balance: bigint
}

/** A balance of Aave's is its worth; what is left in the pool bounds what can be taken out. */
const lentReads = ({ owner, vault }: Shares) => [
  Reads.scaledBalanceOf(vault.address, owner),
  Multicall.balanceOf(vault.asset, vault.address)
]

const sharedReads = ({ balance, owner, vault }: Shares) => [
  Reads.convertToAssets(vault.address, balance),
  Reads.maxWithdraw(vault.address, owner)
]

const positionOf = (
  { balance, owner, vault }: Shares,
  [first, second]: ReadonlyArray<bigint | undefined>
): VaultPosition | undefined => {
  const common = { owner, vault: vault.address, asset: vault.asset }
  if (first === undefined) return undefined
  if (vault.kind === "erc4626") {
    return { ...common, shares: balance, assets: first, withdrawable: second ?? 0n }
  }
  const left = second ?? 0n
  return {
    ...common,
    shares: first,
    assets: balance,
    withdrawable: left < balance ? left : balance
  }
}

const positions = Effect.fnUntraced(function* (
  chain: Chain,
  owners: ReadonlyArray<Address>,
  asked: ReadonlyArray<VaultReference>
) {
  if (owners.length === 0 || asked.length === 0) return []
  const atOnceThere = yield* together(chain)
  const vaults = yield* honest(chain, asked)
  const pairs = owners.flatMap((owner) => vaults.map((vault) => ({ owner, vault })))
  const answers = yield* Multicall.readAll(
    chain.node,
    pairs.map(({ owner, vault }) => Reads.sharesOf(vault, owner)),
    atOnceThere
  )
  const held = pairs.flatMap((pair, at): ReadonlyArray<Shares> => {
    const balance = Described.number(answers[at]) ?? 0n
    return balance === 0n ? [] : [{ ...pair, balance }]
  })
  const found: Array<VaultPosition> = []
  for (let start = 0; start < held.length; start += positionsPerCall) {
    const some = held.slice(start, start + positionsPerCall)
    const reads = some.flatMap((each) =>
      each.vault.kind === "erc4626" ? sharedReads(each) : lentReads(each)
    )
    const numbers = (yield* Multicall.readAll(chain.node, reads, atOnceThere)).map(Described.number)
    found.push(
      ...some.flatMap((each, at) => positionOf(each, numbers.slice(2 * at, 2 * at + 2)) ?? [])
    )
  }
  return found
})

const states = Effect.fnUntraced(function* (chain: Chain, vaults: ReadonlyArray<VaultReference>) {
  if (vaults.length === 0) return []
  const { node } = chain
  const atOnceThere = yield* together(chain)
  const [answer] = yield* node.ask([Block.ask("latest")])
  const head = Block.decode(answer)?.block
  if (head === undefined) {
    return yield* Node.unavailable(node, "inconsistent", "the node knows no latest block")
  }
  const holding = yield* honest(chain, vaults)
  const totals = yield* Multicall.readAll(node, holding.map(Reads.totalOf), atOnceThere)
  const rates = yield* apyOf(node, holding, head, atOnceThere)
  return vaults.map((vault) => {
    const at = holding.indexOf(vault)
    const totalAssets = at === -1 ? undefined : Described.number(totals[at])
    return totalAssets === undefined
      ? undefined
      : { totalAssets, apyPct: rates[at], at: head.timestamp }
  })
})

const call = ({ data, to }: Multicall.Read): Call => ({
  method: "eth_call",
  params: [{ to, data, gas }, "latest"],
  mayRevert: true
})

/** A contract that answers beyond bounds, or with no answer of a vault, is none. */
const probed = Effect.fnUntraced(function* (node: Node.Node, { balance, owner, token }: HeldToken) {
  const vault = { kind: "erc4626", address: token, asset: token } as const
  const asking = node.ask([
    call(Reads.assetOf(vault)),
    call(Reads.convertToAssets(token, balance)),
    call(Reads.maxWithdraw(token, owner))
  ])
  const answers = yield* Effect.catchTag(asking, "RpcFailed", (failed) =>
    failed.reason === "oversized" || failed.reason === "refused"
      ? Effect.succeed([])
      : Effect.fail(failed)
  )
  const asset = addressIn(typeof answers[0] === "string" ? answers[0] : undefined)
  const [assets, withdrawable] = [Described.number(answers[1]), Described.number(answers[2])]
  return asset === undefined || assets === undefined
    ? []
    : [{ owner, vault: token, asset, shares: balance, assets, withdrawable: withdrawable ?? 0n }]
})

export const layer = (connections: ReadonlyArray<Node.Connection>): Layer.Layer<YieldPositions> =>
  Layer.sync(YieldPositions, () => {
    const chains = connections.map(
      (connection): Chain => ({
        node: Node.make({ ...connection, maxBytes: connection.maxBytes ?? maxBytes }),
        hasMulticall: undefined
      })
    )
    /** A chain of another family has no such vaults, and one that is not connected is never asked. */
    const on = <A>(
      chainId: string,
      read: (chain: Chain) => Effect.Effect<ReadonlyArray<A>, Parameters<typeof Node.translate>[1]>
    ) => {
      const chain = chains.find(({ node }) => node.connection.chain.id === chainId)
      return chain === undefined
        ? Effect.succeed<ReadonlyArray<A>>([])
        : Effect.mapError(read(chain), (failed) => Node.translate(chain.node, failed))
    }
    return {
      positions: (chainId, owners, vaults) =>
        on(chainId, (chain) => positions(chain, owners, vaults)),
      states: (chainId, vaults) => on(chainId, (chain) => states(chain, vaults)),
      unknown: (chainId, held) =>
        on(chainId, ({ node }) =>
          Effect.map(
            Effect.forEach(held.slice(0, maxUnknown), (each) => probed(node, each), {
              concurrency: atOnce
            }),
            (found) => found.flat()
          )
        )
    }
  })
