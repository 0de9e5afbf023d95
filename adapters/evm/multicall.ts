/**
 * Many reads of contracts as one call, where the chain has Multicall3, and as a batch where it has not. A
 * read that reverts is undefined and spoils no other; only contracts we list are read together like this.
 */
import { Effect } from "effect"
import { decodeFunctionResult, encodeFunctionData, parseAbi, toFunctionSelector } from "viem/utils"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import { type Address, address } from "./contract.ts"
import * as Node from "./node.ts"
import type { RpcFailed } from "./rpc.ts"

/** The same on every chain that has it (mds1/multicall3). */
export const contract: Address = "0xcA11bde05977b3631167028862bE2a173976CA11"

const abi = parseAbi([
  "struct Read { address target; bool allowFailure; bytes callData; }",
  "struct Result { bool success; bytes returnData; }",
  "function aggregate3(Read[] calls) payable returns (Result[] returnData)"
])

/** A node limits the gas of a call; a balance behind a proxy takes some 15,000. */
const maxReadsPerCall = 400
const maxReadsPerBatch = 100
const atOnce = 4

export interface Read {
  readonly to: string
  readonly data: Address
}

/** A call of a function that takes one address; written by hand, since there is one for every balance. */
const calling = (signature: string) => {
  const selector = toFunctionSelector(signature)
  return (holder: string): Address =>
    address(`${selector}${holder.slice(2).toLowerCase().padStart(64, "0")}`)
}

const coinsData = calling("getEthBalance(address)")
const balanceData = calling("balanceOf(address)")

/** What an address has of the chain's coin, asked of Multicall3 itself. */
export const coinsOf = (holder: string): Read => ({ to: contract, data: coinsData(holder) })

/** What an address has of a token. */
export const balanceOf = (token: string, holder: string): Read => ({
  to: token,
  data: balanceData(holder)
})

/** Of how many decimals a token says it is. */
export const decimalsOf = (token: string): Read => ({
  to: token,
  data: toFunctionSelector("decimals()")
})

/** What a token calls itself. */
export const symbolOf = (token: string): Read => ({
  to: token,
  data: toFunctionSelector("symbol()")
})

type Failed = RpcFailed | ChainUnavailable

const chunks = <A>(all: ReadonlyArray<A>, most: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / most) }, (_, at) =>
    all.slice(at * most, (at + 1) * most)
  )

const aggregated = Effect.fnUntraced(function* (
  node: Node.Node,
  reads: ReadonlyArray<Read>,
  at: string
): Effect.fn.Return<ReadonlyArray<string | undefined>, Failed> {
  const data = encodeFunctionData({
    abi,
    functionName: "aggregate3",
    args: [
      reads.map((read) => ({ target: address(read.to), allowFailure: true, callData: read.data }))
    ]
  })
  const [answer] = yield* node.ask([{ method: "eth_call", params: [{ to: contract, data }, at] }])
  const results = yield* Effect.try({
    try: () =>
      decodeFunctionResult({ abi, functionName: "aggregate3", data: address(String(answer)) }),
    catch: () => Node.unavailable(node, "inconsistent", "Multicall3 gave an unreadable answer")
  })
  if (results.length !== reads.length) {
    return yield* Node.unavailable(node, "inconsistent", "Multicall3 left reads out")
  }
  return results.map(({ success, returnData }) => (success ? returnData : undefined))
})

const batched = Effect.fnUntraced(function* (
  node: Node.Node,
  reads: ReadonlyArray<Read>,
  at: string
) {
  const answers = yield* Effect.forEach(chunks(reads, maxReadsPerBatch), (some) =>
    node.ask(some.map((read) => ({ method: "eth_call", params: [read, at], mayRevert: true })))
  )
  return answers.flat().map((answer) => (typeof answer === "string" ? answer : undefined))
})

/** One contract that burns all gas fails the call for all; then each is read by itself. */
const isBurnt = (failed: Failed): boolean =>
  failed._tag === "RpcFailed" && (failed.reason === "refused" || failed.reason === "oversized")

/** Whether the chain has Multicall3, now or at the end of a block. */
export const isDeployed = (node: Node.Node, at = "latest"): Effect.Effect<boolean, Failed> =>
  Effect.map(
    node.ask([{ method: "eth_getCode", params: [contract, at] }]),
    ([code]) => typeof code === "string" && code.length > 2
  )

/** The answers in the order of the reads, as hex; now, or as they were at the end of a block. */
export const readAll = (
  node: Node.Node,
  reads: ReadonlyArray<Read>,
  together: boolean,
  at = "latest"
): Effect.Effect<ReadonlyArray<string | undefined>, Failed> => {
  const read = (some: ReadonlyArray<Read>) =>
    Effect.catch(aggregated(node, some, at), (failed) =>
      isBurnt(failed) ? batched(node, some, at) : Effect.fail(failed)
    )
  return together
    ? Effect.map(
        Effect.forEach(chunks(reads, maxReadsPerCall), read, { concurrency: atOnce }),
        (answers) => answers.flat()
      )
    : batched(node, reads, at)
}
