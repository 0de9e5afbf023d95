/**
 * What the operator counts: every invocation by operation and outcome, how long it took, sends that wait
 * for gas, and signatures that were refused.
 */
import { Clock, Context, type Effect, Metric } from "effect"

const counters = new Map<string, Metric.Counter<number>>()

const cached = <A>(kept: Map<string, A>, name: string, make: () => A): A => {
  const known = kept.get(name)
  if (known !== undefined) return known
  const made = make()
  kept.set(name, made)
  return made
}

/** What is counted of one operation. */
interface Counted {
  readonly outcomes: Map<string, Metric.Counter<number>>
  readonly took: Metric.Histogram<number>
}

const operations = new Map<string, Counted>()

const countedOf = (operation: string): Counted =>
  cached(operations, operation, () => ({
    outcomes: new Map(),
    took: Metric.histogram("invocation_duration_ms", {
      description: "How long invocations took, in milliseconds.",
      attributes: { operation },
      boundaries: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000, 30_000]
    })
  }))

const counterOf = ({ outcomes }: Counted, operation: string, outcome: string) =>
  cached(outcomes, outcome, () =>
    Metric.counter("invocations_total", {
      description:
        "Invocations by operation and outcome: ok, replayed, or the code of the refusal.",
      attributes: { operation, outcome },
      incremental: true
    })
  )

/** Counts a look at a send that had to wait because the relayer of its chain cannot pay gas. */
export const relayerOutOfGas = (chainId: string): Effect.Effect<void> =>
  Metric.update(
    cached(counters, `relayer ${chainId}`, () =>
      Metric.counter("relayer_out_of_gas_total", {
        description:
          "Attempts to continue sends that wait because their chain's relayer has no gas.",
        attributes: { chainId },
        incremental: true
      })
    ),
    1
  )

/** Counts steps of executions that became stuck: what they wait for outside is far too late. */
export const executionStuck = (chainId: string, step: string): Effect.Effect<void> =>
  Metric.update(
    cached(counters, `stuck ${chainId} ${step}`, () =>
      Metric.counter("executions_stuck_total", {
        description: "Steps of executions whose end is far too late, counted once each.",
        attributes: { chainId, step },
        incremental: true
      })
    ),
    1
  )

/** Counts what waited or was refused because the network fees of a day have reached a cap. */
export const outlayLimitReached = (chainId: string, scope: string): Effect.Effect<void> =>
  Metric.update(
    cached(counters, `outlay ${chainId} ${scope}`, () =>
      Metric.counter("outlay_limit_reached_total", {
        description:
          "Attempts that wait or were refused because a day's network fees have reached the limit of an account or of the installation.",
        attributes: { chainId, scope },
        incremental: true
      })
    ),
    1
  )

/** Counts a signature that the signing side refused, because the records do not warrant it. */
export const signatureRefused = (chainId: string): Effect.Effect<void> =>
  Metric.update(
    cached(counters, `signingDenied ${chainId}`, () =>
      Metric.counter("signatures_refused_total", {
        description: "Signatures denied by the signing policy; investigate each.",
        attributes: { chainId },
        incremental: true
      })
    ),
    1
  )

/** Counts a way of a swap venue that did other things than swap, and was not signed. */
export const routeRefused = (chainId: string): Effect.Effect<void> =>
  Metric.update(
    cached(counters, `routeRefused ${chainId}`, () =>
      Metric.counter("swap_routes_refused_total", {
        description: "Routes of a swap venue that were not what was asked for and not signed.",
        attributes: { chainId },
        incremental: true
      })
    ),
    1
  )

/** Counts what was refused while something is between two chains, by its code. */
export const bridgeRefused = (chainId: string, code: string): Effect.Effect<void> =>
  Metric.update(
    cached(counters, `bridgeRefused ${chainId} ${code}`, () =>
      Metric.counter("bridge_refusals_total", {
        description:
          "Answers of bridges that were not about what had left (`BRIDGE_CONTRADICTED`), calls that a destination refused (`BRIDGE_CALL_REFUSED`), orders that somebody else took back (`BRIDGE_CANCELLED_ELSEWHERE`), others who tried to and were refused (`BRIDGE_STRANGER_REFUSED`), and arrivals of less than was signed for (`BRIDGE_BELOW_MINIMUM`); once for each bridge, and to be looked into.",
        attributes: { chainId, code },
        incremental: true
      })
    ),
    1
  )

/** Counts another contract behind the USDC of a chain. */
export const usdcChanged = (chainId: string): Effect.Effect<void> =>
  Metric.update(
    cached(counters, `usdcChanged ${chainId}`, () =>
      Metric.counter("usdc_implementations_changed_total", {
        description:
          "Other contracts that were found behind the USDC of a chain, which stop signing there.",
        attributes: { chainId },
        incremental: true
      })
    ),
    1
  )

/** Counts a token of the list whose contract says otherwise than the list. */
export const tokenContradicted = (chainId: string): Effect.Effect<void> =>
  Metric.update(
    cached(counters, `tokenContradicted ${chainId}`, () =>
      Metric.counter("tokens_contradicted_total", {
        description:
          "Tokens of the list whose contract is not there or has other decimals; nothing of them is traded.",
        attributes: { chainId },
        incremental: true
      })
    ),
    1
  )

/** Counts a swap that gave less than was signed for, which no chain should let happen. */
export const boughtTooLittle = (chainId: string): Effect.Effect<void> =>
  Metric.update(
    cached(counters, `boughtTooLittle ${chainId}`, () =>
      Metric.counter("swaps_below_minimum_total", {
        description: "Swaps that gave less than was signed for; investigate each.",
        attributes: { chainId },
        incremental: true
      })
    ),
    1
  )

/** The time as this context has it. */
export const nowIn = (context: Context.Context<never>): number =>
  Context.get(context, Clock.Clock).currentTimeMillisUnsafe()

/** Begins to measure an invocation of an operation; what it gives counts it under the name of its outcome. */
export const begin = (context: Context.Context<never>, operation: string) => {
  const clock = Context.get(context, Clock.Clock)
  const startedAtMs = clock.currentTimeMillisUnsafe()
  return (outcome: string): void => {
    const counted = countedOf(operation)
    counterOf(counted, operation, outcome).updateUnsafe(1, context)
    counted.took.updateUnsafe(clock.currentTimeMillisUnsafe() - startedAtMs, context)
  }
}
