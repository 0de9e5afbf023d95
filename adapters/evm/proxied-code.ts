/** Port ProxiedCode over the JSON-RPC nodes of EVM chains. */
import { Effect, Layer } from "effect"
import { ProxiedCode } from "../../core/ports/proxied-code.ts"
import { behind } from "./behind.ts"
import * as Node from "./node.ts"

export const layer = (connections: ReadonlyArray<Node.Connection>) =>
  Layer.sync(ProxiedCode, () => {
    const nodes = new Map(connections.map((each) => [each.chain.id, Node.make(each)]))
    return {
      behind: (chainId, tokens) => {
        const node = nodes.get(chainId)
        return node === undefined
          ? Effect.succeed(tokens.map(() => undefined))
          : Effect.mapError(behind(node, tokens), (failed) => Node.translate(node, failed))
      }
    }
  })
