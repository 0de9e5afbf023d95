/** Where the source of a journey has its burn. Asked of the chain's logs alone, so that records that are lost do not matter. */
import { Effect } from "effect"
import { encodeEventTopics } from "viem/utils"
import type { Domain } from "../../../core/chains/cctp.ts"
import type { Burn } from "../../../core/ports/cctp-ends.ts"
import { hex } from "../block.ts"
import { address } from "../contract.ts"
import type * as Node from "../node.ts"
import * as SoughtLogs from "../sought-logs.ts"
import { survey } from "../survey.ts"
import { burntIn } from "./burn.ts"
import * as Contracts from "./contracts.ts"

/** Undefined when it has none of this identity. */
export const find = Effect.fnUntraced(function* (node: Node.Node, burn: Burn, from: Domain) {
  const { journey } = burn
  const topics = encodeEventTopics({
    abi: [Contracts.burntEvent],
    args: { burnToken: address(journey.from.token), depositor: address(journey.sender) }
  })
  const ask = (first: number, last: number) => ({
    method: "eth_getLogs",
    params: [
      {
        address: from.tokenMessenger,
        topics,
        fromBlock: hex(first),
        toBlock: hex(last)
      }
    ]
  })
  const { finalizedNumber, head } = yield* survey(node, [])
  const burnt = yield* SoughtLogs.anywhere(node, ask, head, (log) =>
    Effect.succeed(burntIn(log, burn, from))
  )
  if (burnt === undefined) return undefined
  const { blockNumber, isSame, txId } = burnt
  return { txId, isSame, isFinal: blockNumber <= finalizedNumber }
})
