/**
 * What stands at an address that is to be paid: a wallet, which may be a contract, or a token's contract, which nobody
 * sends on from. A token is what tells of decimals and of balances, its own among them.
 */
import { Effect } from "effect"
import type { ChainUnavailable, Payee } from "../../core/ports/chains.ts"
import * as Described from "./described.ts"
import { balanceOf, decimalsOf } from "./multicall.ts"
import type * as Node from "./node.ts"
import type { RpcFailed } from "./rpc.ts"

/** A token has a byte for them. */
const maxDecimals = 255n

export const payeeAt = (
  node: Node.Node,
  address: string
): Effect.Effect<Payee, RpcFailed | ChainUnavailable> => {
  const reads = [decimalsOf(address), balanceOf(address, address)]
  const asked = reads.map((read) => ({
    method: "eth_call",
    params: [read, "latest"],
    mayRevert: true
  }))
  return Effect.map(node.ask(asked), (answers) => {
    const [decimals, balance] = answers.map(Described.number)
    const isToken = decimals !== undefined && decimals <= maxDecimals && balance !== undefined
    return isToken
      ? { _tag: "unpayable", reason: "a token's contract; money sent there would be lost" }
      : { _tag: "payable" }
  })
}
