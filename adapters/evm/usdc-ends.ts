/**
 * Whether USDC at an end of a bridge lets an amount of a wallet pass now: it may be paused, and wallets frozen. It is
 * asked of both ends before anything leaves.
 */
import { Effect } from "effect"
import { encodeFunctionData, parseAbi } from "viem/utils"
import type { End } from "../../core/ports/bridge.ts"
import { amount } from "./block.ts"
import { address } from "./contract.ts"
import type * as Node from "./node.ts"
import type { Call } from "./rpc.ts"

const abi = parseAbi([
  "function paused() view returns (bool)",
  "function isBlacklisted(address account) view returns (bool)"
])

/** Reads a contract; one that reverts, or that is not there, answers nothing. */
export const readOf = (to: string, data: string): Call => ({
  method: "eth_call",
  params: [{ to, data }, "latest"],
  mayRevert: true
})

export const isNo = (answer: unknown): boolean => amount(answer) === 0n

/** A question, what its answer must be, and what is wrong otherwise. */
export type Check = readonly [call: Call, holds: (answer: unknown) => boolean, otherwise: string]

/** What is wrong with the first of these that does not hold. */
export const firstClosed = Effect.fnUntraced(function* (
  node: Node.Node,
  checks: ReadonlyArray<Check>
) {
  const answers = yield* node.ask(checks.map(([call]) => call))
  return checks.find(([, holds], at) => !holds(answers[at]))?.[2]
})

export const checksOf = (
  { chainId, token }: End,
  wallet: string,
  role: "sending" | "receiving"
): ReadonlyArray<Check> => [
  [
    readOf(token, encodeFunctionData({ abi, functionName: "paused" })),
    isNo,
    `USDC is paused on ${chainId}.`
  ],
  [
    readOf(
      token,
      encodeFunctionData({ abi, functionName: "isBlacklisted", args: [address(wallet)] })
    ),
    isNo,
    `The issuer has frozen the ${role} wallet on ${chainId}.`
  ]
]
