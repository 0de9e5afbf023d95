/**
 * What the token has done under a nonce of a wallet, when no records say so. It is found by the token's own logs:
 * over the whole chain where the node allows it, and over the last month where not.
 */
import { Clock, Effect } from "effect"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import type { FoundPayment, KnownPayment } from "../../core/submissions/submitter.ts"
import { hexOf } from "./authorization.ts"
import * as Ending from "./ending.ts"
import * as Log from "./log.ts"
import type * as Node from "./node.ts"
import * as Receipt from "./receipt.ts"
import type { RpcFailed } from "./rpc.ts"
import { listed } from "./sought-logs.ts"
import { blockOf, inconsistent, survey } from "./survey.ts"
import { isUsed } from "./trace.ts"

const soughtSeconds = 30 * 24 * 3600

/** Where the nonce ended: by one question about all blocks, or a range at a time for a node that refuses that. */
const endingOf = Effect.fnUntraced(function* (
  node: Node.Node,
  authorization: Receipt.Spent,
  head: number
) {
  const whole = node.ask([Receipt.askEnds(authorization, 0, head)]).pipe(
    Effect.flatMap(([logs]) => listed(node, logs)),
    Effect.catchTag("RpcFailed", (failed) =>
      failed.reason === "oversized" ? Effect.undefined : Effect.fail(failed)
    )
  )
  const logs = yield* whole
  if (logs !== undefined) {
    return logs.flatMap((log) => Ending.decode(log, authorization) ?? []).at(0)
  }
  const since = Math.floor((yield* Clock.currentTimeMillis) / 1000) - soughtSeconds
  return yield* Ending.find(node, authorization, since, head)
})

export const findPayment = (
  node: Node.Node,
  { from, identity }: KnownPayment
): Effect.Effect<FoundPayment | undefined, ChainUnavailable | RpcFailed> =>
  Effect.gen(function* () {
    const { chain, usdc: token } = node.connection
    const authorization = { token, from, nonce: hexOf(`0x${identity}`) }
    if (!(yield* isUsed(node, authorization, "latest"))) return undefined
    const { finalizedNumber, head } = yield* survey(node, [])
    const ending = yield* endingOf(node, authorization, head)
    if (ending === undefined) {
      return yield* inconsistent(node, "the nonce was used, and no log of the last month says how")
    }
    const [receipt] = (yield* survey(node, [ending.txHash])).receipts
    if (receipt === undefined) {
      return yield* inconsistent(node, `there is no receipt of ${ending.txHash}`)
    }
    const block = yield* blockOf(node, receipt)
    // By it a cap is given back or consumed, with nothing of ours on the chain.
    const found = { txId: receipt.txHash, isFinal: block.number <= finalizedNumber }
    if (ending.end === "cancelled") return { ...found, paid: null }
    // The token logs the transfer right after the use of its authorization.
    const used = receipt.logs.findIndex((log) => Receipt.endIn(log, authorization) === "used")
    const [moved] = receipt.logs
      .slice(used + 1)
      .flatMap((log) => Log.decode(log, token, block) ?? [])
      .filter((transfer) => transfer.from === authorization.from)
    if (moved === undefined) {
      return yield* inconsistent(node, `${receipt.txHash} used the nonce without a transfer`)
    }
    const amount = { token: { chainId: chain.id, address: token }, units: moved.amountMicro }
    return { ...found, paid: { to: moved.to, amount } }
  })
