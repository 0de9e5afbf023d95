/**
 * The nodes of chains: each answers, is of the chain it should be of, and its newest block is young. The blocks of
 * several chains are also what the clock of this machine is held against.
 */
import { DateTime, Duration, Effect } from "effect"
import { Chains } from "../../core/ports/chains.ts"
import { type Finding, ok, problem, warning } from "./finding.ts"
import type { Node } from "./wiring.ts"

const patience = "10 seconds"

/** A chain that made no block for so long stands still, or its node does. */
const maxAgeMs = 180_000

/** No chain makes blocks of the future; so far clocks may differ. */
const maxAheadMs = 30_000

const lateness = (ageMs: number) => Duration.format(Duration.seconds(Math.round(ageMs / 1000)))

const judged = (part: string, number: number, ageMs: number): Finding => {
  if (ageMs < -maxAheadMs) {
    return problem(
      part,
      `Block ${number} is ${lateness(-ageMs)} in the future, so the clock of this machine is behind. Set it by NTP: timestamps, expiry and signatures depend on it.`
    )
  }
  return ageMs > maxAgeMs
    ? warning(
        part,
        `Block ${number}, its newest, is ${lateness(ageMs)} old: the node is behind, the chain stands still, or the clock of this machine is ahead. Look at the node, then at the clock.`
      )
    : ok(part, `It answers; block ${number}, its newest, is ${lateness(Math.max(0, ageMs))} old.`)
}

export const examine = ({ chainId, chains, n }: Node): Effect.Effect<Finding> => {
  const part = n === 1 ? `chain ${chainId}` : `chain ${chainId}, node ${n}`
  return Effect.gen(function* () {
    const { tip } = yield* Chains
    const { number, timestamp } = yield* tip(chainId)
    const now = yield* DateTime.now
    return judged(part, number, DateTime.toEpochMillis(now) - DateTime.toEpochMillis(timestamp))
  }).pipe(
    Effect.provide(chains),
    Effect.timeout(patience),
    Effect.catch((error) =>
      Effect.succeed(
        problem(
          part,
          error._tag === "ChainUnavailable"
            ? `${error.message} ${error.reason === "wrong_chain" ? "Set the URL of a node of this chain." : "Check the URL, the network and the node."}`
            : "The node did not answer within 10 seconds. Check the URL, the network and the node."
        )
      )
    )
  )
}
