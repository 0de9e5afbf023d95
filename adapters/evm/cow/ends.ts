/**
 * Whether the chain's USDC would move for a swap now: neither paused by its issuer nor frozen for one of the wallets.
 * It is asked with every quote, so that nothing is approved or signed that could not be settled.
 */
import { Effect } from "effect"
import { encodeFunctionData, parseAbi } from "viem/utils"
import { type SwapRequest, TransfersClosed } from "../../../core/ports/swap-venue.ts"
import { amount } from "../block.ts"
import { address } from "../contract.ts"
import type * as Node from "../node.ts"
import type { Call } from "../rpc.ts"

const abi = parseAbi([
  "function paused() view returns (bool)",
  "function isBlacklisted(address account) view returns (bool)"
])

const read = (to: string, data: `0x${string}`): Call => ({
  method: "eth_call",
  params: [{ to, data }, "latest"],
  mayRevert: true
})

const isFrozen = (token: string, account: string): Call =>
  read(token, encodeFunctionData({ abi, functionName: "isBlacklisted", args: [address(account)] }))

/** What the issuer's contract says against the swap; a contract that answers nothing says nothing. */
const checksOf = (usdc: string, { buy, chainId, owner, receiver, sell }: SwapRequest) =>
  sell !== usdc && buy !== usdc
    ? []
    : [
        {
          call: read(usdc, encodeFunctionData({ abi, functionName: "paused" })),
          closed: { detail: `USDC is paused on ${chainId}.`, isPassing: true }
        },
        {
          call: isFrozen(usdc, sell === usdc ? owner : receiver),
          closed: {
            detail: `The issuer of USDC has frozen the ${sell === usdc ? "selling" : "receiving"} wallet on ${chainId}.`,
            isPassing: false
          }
        }
      ]

/** Fails with the first that stands against it. */
export const open = Effect.fnUntraced(function* (node: Node.Node, request: SwapRequest) {
  const checks = checksOf(node.connection.usdc, request)
  const answers = yield* node.ask(checks.map(({ call }) => call))
  const closed = checks.find((_, place) => amount(answers[place]) === 1n)?.closed
  if (closed !== undefined) return yield* new TransfersClosed(closed)
})
