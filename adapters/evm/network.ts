/**
 * What sending asks of a node before and while it hands a transaction over: fees, a trial, the broadcast.
 * Only a node's own words decide; a reply that was lost says nothing about what was taken.
 */
import { Effect, Predicate } from "effect"
import type { Authorization } from "../../core/evm/journal.ts"
import type { Conditions, Simulation } from "../../core/evm/relay.ts"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import { callOf } from "./authorization.ts"
import * as Block from "./block.ts"
import * as Gas from "./gas.ts"
import * as Node from "./node.ts"
import type { RpcFailed } from "./rpc.ts"

const feeBlocks = 5

const { amount } = Block

/** The tip a node advises; nodes that know no such advice are content with what the last blocks took. */
const advisedTip = (node: Node.Node) =>
  node.ask([{ method: "eth_maxPriorityFeePerGas", params: [] }]).pipe(
    Effect.map(([advice]) => amount(advice)),
    Effect.catchTag("RpcFailed", (failed) =>
      failed.reason === "refused" || failed.reason === "absent"
        ? Effect.succeed(undefined)
        : Effect.fail(failed)
    )
  )

const listIn = (history: unknown, key: string): ReadonlyArray<unknown> =>
  Predicate.hasProperty(history, key) && Array.isArray(history[key]) ? history[key] : []

/** The highest of what the middle transaction of each of the last blocks gave. */
const defaultTip = (history: unknown): bigint =>
  listIn(history, "reward")
    .map((each) => amount(Array.isArray(each) ? each[0] : undefined) ?? 0n)
    .sort((one, other) => Number(other - one))[0] ?? 0n

export const conditions = Effect.fnUntraced(function* (node: Node.Node, relayer: string) {
  const asked = node.ask([
    Block.ask("latest"),
    { method: "eth_feeHistory", params: [Block.hex(feeBlocks), "latest", [50]] },
    { method: "eth_getTransactionCount", params: [relayer, "pending"] },
    { method: "eth_getTransactionCount", params: [relayer, "latest"] },
    { method: "eth_getBalance", params: [relayer, "latest"] }
  ])
  const [answers, tip, dataFeeWei] = yield* Effect.all(
    [asked, advisedTip(node), Gas.dataFee(node)],
    {
      concurrency: "unbounded"
    }
  )
  const [latest, history, count, mined, balance] = answers
  const header = Block.decode(latest)
  const baseFee = amount(listIn(history, "baseFeePerGas").at(-1))
  const relayerCount = amount(count)
  const relayerMined = amount(mined)
  const relayerWei = amount(balance)
  if (
    header === undefined ||
    baseFee === undefined ||
    relayerCount === undefined ||
    relayerMined === undefined ||
    relayerWei === undefined
  ) {
    return yield* Node.unavailable(node, "inconsistent", "the node does not tell what a send costs")
  }
  const maxPriorityFeePerGas = tip ?? defaultTip(history)
  const maxFeePerGas = baseFee * 2n + maxPriorityFeePerGas
  return {
    maxFeePerGas,
    maxPriorityFeePerGas,
    relayerCount: Number(relayerCount),
    relayerMined: Number(relayerMined),
    chainTime: Math.floor(header.block.timestamp.epochMilliseconds / 1000),
    relayerWei,
    dataFeeWei
  } satisfies Conditions
})

/** What the token says when it refuses, and how the treasury tells it. */
const plainReasons: ReadonlyArray<readonly [RegExp, string]> = [
  [/exceeds balance/iu, "The wallet has an insufficient balance of USDC."],
  [/blacklisted/iu, "An address is blacklisted by the token."],
  [/paused/iu, "The token is paused."],
  [/used or cancell?ed/iu, "The authorization was used or cancelled."],
  [/(?:authorization|permit) is expired/iu, "The authorization has expired."],
  [/authorization is not yet valid/iu, "The authorization is not valid yet."],
  [/invalid signature/iu, "The signature is invalid."]
]

const maxReasonCharacters = 120

/** Why the token would refuse, when it was the token that failed and not the node. */
export const refusal = ({ detail }: RpcFailed): string | undefined => {
  const said = /(?:execution )?revert(?:ed)?[:\s]*(.*)$/isu.exec(detail)?.[1]
  if (said === undefined) {
    return /out of gas|gas required exceeds/iu.test(detail)
      ? "The token takes more gas than a send is given."
      : undefined
  }
  const plain = plainReasons.find(([pattern]) => pattern.test(said))?.[1]
  return (plain ?? said.trim().slice(0, maxReasonCharacters)) || "The token refuses it."
}

type Trial = Readonly<Record<"from" | "to" | "data", string>>

const trialOf = (trial: Trial, gas: bigint) => [{ ...trial, gas: Block.hex(Number(gas)) }, "latest"]

/** Whether it passes with what the usual limit is given for. A node tries this once, and many times for an estimate. */
const fits = (node: Node.Node, trial: Trial) =>
  node.ask([{ method: "eth_call", params: trialOf(trial, Gas.fitting), mayRevert: true }]).pipe(
    // What passes returns nothing; some nodes give the bytes of a revert as an answer.
    Effect.map(([answer]) => answer === "0x"),
    Effect.catchTag("RpcFailed", (failed) =>
      failed.reason === "unreachable" || failed.reason === "throttled"
        ? Effect.fail(failed)
        : Effect.succeed(false)
    )
  )

const estimated = Effect.fnUntraced(function* (node: Node.Node, trial: Trial) {
  const { chain } = node.connection
  const params = trialOf(trial, Gas.maxOn(chain))
  const [estimate] = yield* node.ask([{ method: "eth_estimateGas", params }])
  const gas = amount(estimate)
  if (gas !== undefined) return Gas.limitFor(gas, chain)
  return yield* Node.unavailable(node, "inconsistent", "the node does not tell the gas")
})

/** Has the node try it, and says what it is given; what takes more than a send is ever given is refused. */
export const simulate = Effect.fnUntraced(function* (
  node: Node.Node,
  relayer: string,
  authorization: Authorization
) {
  const trial = { from: relayer, to: authorization.token, data: callOf(authorization) }
  // Whatever does not fit is asked for once more, by the words of an estimate.
  if (Gas.isOwnOn(node.connection.chain) && (yield* fits(node, trial))) {
    return { _tag: "ok", gas: Gas.usual } satisfies Simulation
  }
  return yield* estimated(node, trial).pipe(
    Effect.map((gas): Simulation => ({ _tag: "ok", gas })),
    Effect.catchTag("RpcFailed", (failed) => {
      const reason = refusal(failed)
      return reason === undefined
        ? Effect.fail(failed)
        : Effect.succeed<Simulation>({ _tag: "would_revert", reason })
    })
  )
})

/** A node has these bytes already, or the relayer's nonce is spent in a block: either is fine. */
const content = /already (?:imported|known|exists|in )|known transaction|nonce (?:is )?too low/iu

/** Hands the bytes over. A refusal is told as such, never as something that did not happen. */
export const broadcast = Effect.fnUntraced(function* (node: Node.Node, raw: string) {
  yield* node.ask([{ method: "eth_sendRawTransaction", params: [raw] }]).pipe(
    Effect.catchTag("RpcFailed", (failed): Effect.Effect<void, ChainUnavailable> => {
      if (content.test(failed.detail)) return Effect.void
      return failed.reason === "unreachable" || failed.reason === "throttled"
        ? Effect.fail(Node.translate(node, failed))
        : Effect.fail(Node.unavailable(node, "inconsistent", failed.detail))
    })
  )
})
