/**
 * The work that goes on by itself: watching chains, expiring, delivering webhooks, sending, doing tasks.
 * Every loop may run on every replica; none keeps anything in memory that a crash would lose.
 */
import { Duration, Effect } from "effect"
import { keepSequencing } from "../audit/sequence.ts"
import { leaseWorker, PollInterval, supervise } from "../background/loop.ts"
import { sendEmail } from "../mail/send.ts"
import { expireDue } from "../payments/expire.ts"
import { openTokenAccount } from "../payments/open-token-account.ts"
import { provision } from "../payments/provision.ts"
import { watchOnce } from "../payments/watch.ts"
import { tellNotice } from "../people/tell-people.ts"
import { tellTokenChanged } from "../people/tell-token-changed.ts"
import { Chains, type Connected } from "../ports/chains.ts"
import { Notifier } from "../ports/notifier.ts"
import { type Task, Tasks } from "../ports/tasks.ts"
import { expireProposals } from "../proposals/cancel.ts"
import * as CarryWaits from "../proposals/carry-waits.ts"
import * as Advance from "../submissions/advance.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import { checkList } from "../tokens/check-list.ts"
import { keepPrices } from "../tokens/keep-prices.ts"
import { watchUsdc } from "../tokens/watch-usdc.ts"
import { WaitStore } from "../waits/wait-store.ts"
import { deliver } from "../webhooks/deliver.ts"
import { catchUp } from "./catch-up.ts"
import { cleanupLoop } from "./cleanup.ts"

const sayDropped = (chainId: string, blocks: number) =>
  Effect.logWarning(
    `${chainId} dropped ${blocks} block(s) in a reorganisation; payments now follow the new blocks.`
  )

/** Follows one chain: as often as it is told to, and at once when somebody heard of a new block. */
export const watching = (connected: Connected) =>
  supervise(
    `Watching ${connected.chain.id}`,
    Effect.gen(function* () {
      const next = yield* (yield* Notifier).listen("chains")
      const pause = Effect.raceFirst(next, Effect.sleep(connected.pollMs))
      yield* Effect.forever(
        Effect.gen(function* () {
          const turn = yield* watchOnce(connected)
          if (turn.droppedBlocks > 0) yield* sayDropped(connected.chain.id, turn.droppedBlocks)
          if (turn.atHead) yield* pause
        })
      )
    }).pipe(Effect.scoped)
  )

/** Expires what the chains' final blocks have passed. */
const expiring = supervise(
  "Expiring payment requests and proposals",
  Effect.gen(function* () {
    const next = yield* (yield* Notifier).listen("payments")
    const pause = Effect.raceFirst(next, Effect.sleep(yield* PollInterval))
    const expire = Effect.andThen(expireDue, expireProposals)
    yield* Effect.forever(Effect.andThen(expire, pause))
  }).pipe(Effect.scoped)
)

/** Carries submissions to their end; each is at one worker at a time, wherever that is. */
export const submitting = Effect.gen(function* () {
  const queue = yield* SubmissionStore
  const { claim, ready } = yield* Advance.make
  return yield* leaseWorker({
    name: "Submitting",
    failureMessage: "A submission failed",
    hint: "submissions",
    maxInFlight: 100,
    queue,
    ready,
    claim,
    heldOf: ({ lease, submission }) => ({ id: submission.id, lease }),
    carry: Advance.advance
  })
}).pipe(Effect.scoped)

/** Carries what executions wait for outside to its end, in the same way. */
export const waiting = Effect.gen(function* () {
  const queue = yield* WaitStore
  const { claim } = yield* CarryWaits.make
  return yield* leaseWorker({
    name: "Looking after waits",
    failureMessage: "A look at a wait failed",
    hint: "waits",
    maxInFlight: 100,
    queue,
    claim,
    heldOf: ({ lease, wait }) => ({ id: wait.id, lease }),
    carry: CarryWaits.carry
  })
})

const perform = Effect.fnUntraced(function* ({ kind, row }: Task) {
  switch (kind) {
    case "provision_vaults":
      return yield* provision(row)
    case "open_token_account":
      return yield* openTokenAccount(row)
    case "send_mail":
      return yield* sendEmail(row)
    case "tell_notice":
      return yield* tellNotice(row)
    case "tell_token_changed":
      return yield* tellTokenChanged(row)
  }
})

const runTasks = supervise(
  "Doing tasks",
  Effect.flatMap(Tasks, (tasks) => tasks.take(perform))
)

/** How many tasks one process does at once: a mail server that hangs must not hold up vaults. */
const taskWorkers = Array.from({ length: 3 }, () => runTasks)

/** Gives audit entries their places in their log, which get_audit_checkpoint signs for. */
const sequenceAudit = supervise(
  "Sequencing audit entries",
  Effect.flatMap(PollInterval, keepSequencing)
)

export interface Options {
  /** A process that hears every hint, as a test in memory does, may look seldom. */
  readonly pollInterval?: Duration.Input
}

/** All of it, until interrupted. */
export const work = Effect.fnUntraced(function* ({ pollInterval }: Options = {}) {
  const { connected } = yield* Chains
  const all = Effect.all(
    [
      ...connected.map(watching),
      expiring,
      deliver,
      submitting,
      waiting,
      ...taskWorkers,
      sequenceAudit,
      cleanupLoop,
      keepPrices,
      checkList,
      watchUsdc,
      catchUp
    ],
    {
      concurrency: "unbounded",
      discard: true
    }
  )
  yield* pollInterval === undefined
    ? all
    : Effect.provideService(all, PollInterval, Duration.fromInputUnsafe(pollInterval))
})
