/** Port UsdcCode over the JSON-RPC nodes of EVM chains: the contract behind the issuer's proxy, however it is kept. */
import { Effect, Layer } from "effect"
import { UsdcCode, type UsdcCodes } from "../../core/ports/usdc-code.ts"
import { implementations } from "./behind.ts"
import * as Node from "./node.ts"

const read = (node: Node.Node) =>
  Effect.map(implementations(node, [node.connection.usdc]), ([found = []]) =>
    found.length === 0 ? undefined : found.join("-")
  )

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
