/**
 * Port Chains over the JSON-RPC nodes of EVM chains. A chain that cannot be read is unavailable by name;
 * the layer itself always builds, so one dead node stops nothing else.
 */
import { Effect, Layer } from "effect"
import { encodeFunctionData } from "viem/utils"
import * as Usdc from "../../core/money/usdc.ts"
import { Chains, type Connected } from "../../core/ports/chains.ts"
import * as Block from "./block.ts"
import { abi, address, keyOf } from "./contract.ts"
import { look } from "./look.ts"
import * as Node from "./node.ts"
import { payeeAt } from "./payee.ts"
import { finalizedBlock } from "./survey.ts"

const maxBalancesPerBatch = 100

const tip = Effect.fnUntraced(function* (node: Node.Node) {
  const [latest] = yield* node.ask([Block.ask("latest")])
  const header = Block.decode(latest)
  if (header !== undefined) return header.block
  return yield* Node.unavailable(node, "inconsistent", "the node knows no latest block")
})

const newestFinal = Effect.fnUntraced(function* (node: Node.Node) {
  const latest = yield* tip(node)
  const number = Math.max(0, latest.number - node.connection.confirmations + 1)
  if (number === latest.number) return latest
  const [settled] = yield* node.ask([Block.ask(number)])
  const header = Block.decode(settled)
  if (header !== undefined) return header.block
  return yield* Node.unavailable(node, "inconsistent", `the node does not know block ${number}`)
})

/** A node that does not tell which block is finalized has none. */
const finality = Effect.fnUntraced(function* (
  node: Node.Node,
  { hash, number }: Parameters<Chains["Service"]["finality"]>[1]
) {
  const finalized = yield* finalizedBlock(node)
  if (finalized === undefined || number > finalized.number) return "pending" as const
  const [there] = yield* Node.headers(node, [number])
  if (there === undefined) return "pending" as const
  return there.block.hash === hash ? ("finalized" as const) : ("dropped" as const)
})

const balances = Effect.fnUntraced(function* (node: Node.Node, holders: ReadonlyArray<string>) {
  const to = node.connection.usdc
  const calls = holders.map((holder) => {
    const data = encodeFunctionData({
      abi,
      functionName: "balanceOf",
      args: [address(keyOf(holder))]
    })
    return { method: "eth_call", params: [{ to, data }, "latest"] }
  })
  const held: Array<Usdc.Usdc> = []
  for (let start = 0; start < calls.length; start += maxBalancesPerBatch) {
    for (const answer of yield* node.ask(calls.slice(start, start + maxBalancesPerBatch))) {
      if (typeof answer !== "string" || !/^0x[0-9a-f]{1,64}$/iu.test(answer)) {
        return yield* Node.unavailable(node, "inconsistent", "a balance is not a number")
      }
      held.push(Usdc.make(BigInt(answer)))
    }
  }
  return held
})

/** What the treasury may know of a connection; the node's URL may carry a key. */
const connectedOf = ({ connection }: Node.Node): Connected => ({
  chain: connection.chain,
  usdc: connection.usdc,
  confirmations: connection.confirmations,
  pollMs: connection.pollMs
})

export const layer = (connections: ReadonlyArray<Node.Connection>): Layer.Layer<Chains> =>
  Layer.sync(Chains, () => {
    const nodes = connections.map(Node.make)
    const nodeOf = (chainId: string) => {
      const node = nodes.find(({ connection }) => connection.chain.id === chainId)
      return node === undefined
        ? Effect.die(new Error(`Chain ${chainId} is not connected.`))
        : Effect.succeed(node)
    }
    const on = <A>(
      chainId: string,
      read: (node: Node.Node) => Effect.Effect<A, Parameters<typeof Node.translate>[1]>
    ) =>
      Effect.flatMap(nodeOf(chainId), (node) =>
        Effect.mapError(read(node), (failed) => Node.translate(node, failed))
      )
    return {
      connected: nodes.map(connectedOf),
      tip: (chainId) => on(chainId, tip),
      newestFinal: (chainId) => on(chainId, newestFinal),
      finality: (chainId, block) => on(chainId, (node) => finality(node, block)),
      look: (chainId, from) => Effect.flatMap(nodeOf(chainId), (node) => look(node, from)),
      payee: (chainId, address) => on(chainId, (node) => payeeAt(node, address)),
      balances: (chainId, holders) => on(chainId, (node) => balances(node, holders))
    }
  })
