/**
 * What may go wrong with any call of a port: it is slow, it fails before anything was done, its reply is
 * lost after all was done, or the process dies right there. The seed decides; code and stores are as ever.
 */
import { Effect } from "effect"
import { BridgeUnavailable } from "../../core/ports/bridge.ts"
import { ChainUnavailable } from "../../core/ports/chains.ts"
import { VenueUnavailable } from "../../core/ports/swap-venue.ts"
import type { Reply } from "../../core/ports/webhook-sender.ts"
import type { Wrap } from "../support/port-wrapper.ts"
import type { Chance } from "./chance.ts"
import type { Profile } from "./profile.ts"

export interface Counters {
  calls: number
  faults: number
  crashes: number
}

export interface Surroundings {
  readonly profile: Profile
  readonly chance: Chance
  readonly counters: Counters
  /** False once the chaos is over. */
  readonly isStormy: () => boolean
  /** Whether somebody is in a transaction: then everybody waits, so nobody dawdles. */
  readonly isBusy: () => boolean
  readonly chainId: string
  /** Folds a call into the trace that two runs of one seed share. */
  readonly note: (name: string) => void
}

export interface Mortal {
  isDead: boolean
  readonly crash: () => void
}

/** Where a crash tells most: between what was committed and who hears of it. */
const delicate = new Set([
  "Atomically.run",
  "WebhookSender.carry",
  "Deliveries.conclude",
  "Idempotency.answer",
  "OrderVenue.place",
  "Tasks.take",
  "WaitStore.save"
])
const delicacy = { crash: 50, delay: 4, failure: 4 }

/** Leases end after 5 and 10 seconds: a little less and a little more than that tells most. */
const slowMs = [1, 20, 400, 2000, 4_999, 5_001, 9_999, 10_001, 30_001, 60_001] as const
const longestInTransactionMs = 2000
const maxCalls = 600_000

const unanswered: Reply = {
  _tag: "unanswered",
  reason: "reset",
  message: "the simulation lost it",
  durationMs: 0
}

const detail = "the simulation says so"
const asksChains =
  /^(Allowances|Chains|EvmRelay|Holdings|SolanaRelay)\.|^(Bridge\.start|OrderVenue\.find)$/u

/** How a call of that port says that it went wrong. */
const failureOf = (name: string, chainId: string) => {
  if (asksChains.test(name)) {
    return new ChainUnavailable({ chainId, reason: "unreachable", detail })
  }
  if (name.startsWith("Bridge.")) return new BridgeUnavailable({ detail })
  return name.startsWith("OrderVenue.")
    ? new VenueUnavailable({ protocol: "cow", reason: "unreachable", detail })
    : undefined
}

const failing = (name: string, chainId: string): Effect.Effect<never> => {
  if (name === "WebhookSender.carry")
    return Effect.succeed(unanswered) as unknown as Effect.Effect<never>
  const failure = failureOf(name, chainId)
  return failure === undefined
    ? Effect.die(new Error(`${name} failed, the simulation says so.`))
    : // These ports may fail so; a wrap cannot know which port it is around.
      (Effect.fail(failure) as unknown as Effect.Effect<never>)
}

export const faultsOf = (around: Surroundings, process: Mortal): Wrap => {
  const { chance, counters, profile } = around
  const rates = profile.faults
  const happens = (probability: number) => around.isStormy() && chance.has(probability)
  const dawdle = Effect.suspend(() => {
    const most = Math.min(profile.slowest, around.isBusy() ? longestInTransactionMs : Infinity)
    const forMs = chance.pick(slowMs)
    return forMs > most ? Effect.yieldNow : Effect.sleep(forMs)
  })
  const fail = (name: string) => {
    counters.faults += 1
    return failing(name, around.chainId)
  }
  /** Passes when nothing happens; `undefined` then. */
  const obstacle = (name: string, failure: number, crash: number) => {
    if (process.isDead) return Effect.never
    if (happens(crash)) {
      process.crash()
      return Effect.never
    }
    return happens(failure) ? fail(name) : undefined
  }
  return (name, call) =>
    Effect.suspend(() => {
      counters.calls += 1
      around.note(name)
      if (counters.calls > maxCalls) return Effect.never
      const isDelicate = delicate.has(name)
      const crash = rates.crash * (isDelicate ? delicacy.crash : 1)
      const delay = rates.delay * (isDelicate ? delicacy.delay : 1)
      const slow = happens(delay) ? dawdle : Effect.yieldNow
      const failure = isDelicate ? delicacy.failure : 1
      const before = Effect.suspend(
        () => obstacle(name, failure * rates.before, crash) ?? Effect.void
      )
      return slow.pipe(
        Effect.andThen(before),
        Effect.flatMap((lost) => (lost === undefined ? call : Effect.succeed(lost as never))),
        Effect.flatMap((answer) => {
          const after = obstacle(name, failure * rates.after, crash)
          return after ?? Effect.succeed(answer)
        })
      )
    })
}
