/**
 * Port Chains over the nodes of Solana chains. A chain that cannot be read is unavailable by name; the layer itself
 * always builds, so one dead node stops nothing else.
 */
import { Effect, Layer } from "effect"
import * as Address from "../../core/chains/address.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { Chains, type Connected, type Finality } from "../../core/ports/chains.ts"
import { look, type Memory } from "./look.ts"
import * as Node from "./node.ts"
import { payeeAt } from "./payee.ts"
import * as Snapshot from "./snapshot.ts"
import { associated } from "./token-address.ts"
import { heldIn } from "./vault.ts"

/** What the treasury may know of a connection; the nodes' URLs may carry keys. */
const connectedOf = ({ connection }: Node.Node): Connected => ({
  chain: connection.chain,
  usdc: connection.usdc,
  confirmations: connection.confirmations,
  pollMs: connection.pollMs
})

const blockAt = (node: Node.Node, commitment: Node.Commitment) =>
  Effect.map(Snapshot.take(node, [], { commitment }), ({ newest }) => newest)

const balances = Effect.fnUntraced(function* (
  node: Node.Node,
  { tokenAccountOf }: Memory,
  owners: ReadonlyArray<string>
) {
  const { chain, usdc } = node.connection
  const tokenAccounts = yield* Effect.forEach(owners, tokenAccountOf)
  const held: Array<Usdc.Usdc> = []
  for (let at = 0; at < tokenAccounts.length; at += Node.maxAccounts) {
    const asked = tokenAccounts.slice(at, at + Node.maxAccounts)
    const { accounts, slot } = yield* Node.accounts(node, asked, { commitment: "confirmed" })
    accounts.forEach((account, index) => {
      const owner = Address.keyOf(chain.id, owners[at + index] ?? "")
      held.push(Usdc.make(heldIn({ slot, account }, usdc, owner).micro))
    })
  }
  return held
})

const newMemory = (usdc: string): Memory => ({
  kept: new Map(),
  tries: new Map(),
  waitsSince: new Map(),
  looks: 0,
  tokenAccountOf: associated(usdc)
})

export const layer = (connections: ReadonlyArray<Node.Connection>): Layer.Layer<Chains> =>
  Layer.sync(Chains, () => {
    const all = connections.map((connection) => ({
      node: Node.make(connection),
      memory: newMemory(connection.usdc)
    }))
    const of = (chainId: string) => {
      const found = all.find(({ node }) => node.connection.chain.id === chainId)
      return found === undefined
        ? Effect.die(new Error(`Chain ${chainId} is not connected.`))
        : Effect.succeed(found)
    }
    const on = <A>(
      chainId: string,
      read: (
        node: Node.Node,
        memory: Memory
      ) => Effect.Effect<A, Parameters<typeof Node.translate>[1]>
    ) =>
      Effect.flatMap(of(chainId), ({ memory, node }) =>
        Effect.mapError(read(node, memory), (failed) => Node.translate(node, failed))
      )
    return {
      connected: all.map(({ node }) => connectedOf(node)),
      tip: (chainId) => on(chainId, (node) => blockAt(node, "confirmed")),
      newestFinal: (chainId) => on(chainId, (node) => blockAt(node, "finalized")),
      // A finalized slot holds one block and keeps it, and no other is told of as final.
      finality: (chainId, { number }) =>
        Effect.map(
          on(chainId, (node) => blockAt(node, "finalized")),
          (newest): Finality => (number <= newest.number ? "finalized" : "pending")
        ),
      look: (chainId, from) =>
        Effect.flatMap(of(chainId), ({ memory, node }) => look(node, memory, from)),
      balances: (chainId, owners) => on(chainId, (node, memory) => balances(node, memory, owners)),
      payee: (chainId, address) => on(chainId, (node) => payeeAt(node, address))
    }
  })
