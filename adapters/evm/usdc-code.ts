/**
 * Port UsdcCode over the JSON-RPC nodes of EVM chains: where the issuer's proxy, and where a proxy by EIP-1967, keeps
 * the contract behind it.
 */
import { Effect, Layer } from "effect"
import { UsdcCode, type UsdcCodes } from "../../core/ports/usdc-code.ts"
import * as Node from "./node.ts"

/** `keccak256("org.zeppelinos.proxy.implementation")`, and that of EIP-1967. */
const slots = [
  "0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3",
  "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"
]

const contractIn = (word: unknown): string | undefined =>
  typeof word === "string" && /^0x0{24}[0-9a-f]{40}$/iu.test(word) && BigInt(word) > 0n
    ? `0x${word.slice(26).toLowerCase()}`
    : undefined

const read = Effect.fnUntraced(function* (node: Node.Node) {
  const { usdc } = node.connection
  const words = yield* node.ask(
    slots.map((slot) => ({ method: "eth_getStorageAt", params: [usdc, slot, "latest"] }))
  )
  return words.map(contractIn).find((each) => each !== undefined)
})

export const make = (connections: ReadonlyArray<Node.Connection>): UsdcCodes => {
  const nodes = new Map(connections.map((each) => [each.chain.id, Node.make(each)]))
  return {
    implementation: (chainId) => {
      const node = nodes.get(chainId)
      if (node === undefined) return Effect.undefined
      return Effect.mapError(read(node), (failed) => Node.translate(node, failed))
    }
  }
}

export const layer = (connections: ReadonlyArray<Node.Connection>) =>
  Layer.sync(UsdcCode, () => make(connections))
