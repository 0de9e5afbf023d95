/** Single looks at an order that is out between two real chains, each in the state that a fork, a failure or a refusal leaves. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { encodeFunctionData, parseAbi } from "viem/utils"
import * as Fulfilment from "../../core/bridges/fulfilment.ts"
import * as Dln from "../../core/chains/dln.ts"
import { type Bridge, Bridges, BridgeUnavailable } from "../../core/ports/bridge.ts"
import type { Status, Submission } from "../../core/submissions/submission.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import type { Wait } from "../../core/waits/wait.ts"
import { WaitStore } from "../../core/waits/wait-store.ts"
import * as Service from "../support/real-bridging.ts"

const keeping = parseAbi(["function setFees(uint256 fee, uint16 bps)"])

/** An order that nobody fills and that is to be taken back; the wait for it as it is after a fork dropped a fill. */
const ordered = Effect.gen(function* () {
  const service = yield* Service.openRealBridging
  const { call, faults, orders, within } = service
  faults.status = 503
  orders.faults.isIdle = true
  yield* Service.allowOrders(service, "300000000")
  const proposalId = yield* Service.startBridge(service, "250.00")
  yield* Service.until(
    "it waits for somebody to fill it",
    Effect.map(call("get_proposal", { proposalId }), ({ subStatus }) =>
      subStatus === "fulfilling" ? true : undefined
    )
  )
  const waits = yield* within(WaitStore.use(({ ofProposals }) => ofProposals([proposalId])))
  const wait = waits.find(({ kind }) => kind === "fulfil")
  if (wait === undefined) return assert.fail("Nothing waits for it.")
  const forked: Wait = {
    ...wait,
    isStopAsked: true,
    journal: { ...wait.journal, isThere: true }
  }
  return { ...service, forked }
})

type Ordered = Effect.Success<typeof ordered>

/** One look, with a part of the treasury changed. */
const lookAt = (
  { forked, within }: Ordered,
  changed: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = (work) => work
) =>
  within(
    Effect.flatMap(Fulfilment.fulfilment.batch("local-2"), ({ look }) => changed(look(forked)))
  )

/** As if a cancellation were there in this state. */
const withTry = (status: Status) =>
  Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
    const store = yield* SubmissionStore
    return yield* Effect.provideService(work, SubmissionStore, {
      ...store,
      ofProposals: (ids) =>
        Effect.map(store.ofProposals(ids), (all) => {
          const [first] = all
          if (first === undefined) return all
          const purpose = { ...first.purpose, name: "bridge_cancellation" as const }
          const tried: Submission = { ...first, purpose, status }
          return [...all, tried]
        })
    })
  }) as unknown as <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const withBridge = (changed: Partial<Bridge>) =>
  Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
    const bridges = (yield* Bridges).map((bridge) =>
      bridge.protocol === "dln" ? { ...bridge, ...changed } : bridge
    )
    return yield* Effect.provideService(work, Bridges, bridges)
  }) as unknown as <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const refusals = ({ within }: Ordered, code: string) =>
  Effect.map(within(PrometheusMetrics.format({ prefix: "bursar" })), (text) => {
    const line = new RegExp(`bursar_bridge_refusals_total\\{[^}]*${code}[^}]*\\} (\\d+)`, "u")
    return Number(line.exec(text)?.[1] ?? 0)
  })

const test = (title: string, body: (world: Ordered) => Effect.Effect<void, unknown>) =>
  it.live(title, () => Effect.scoped(Effect.flatMap(ordered, body)), 120_000)

test("a fill that a fork dropped is on its way again while the order is taken back", (world) =>
  Effect.gen(function* () {
    const { other } = world
    const due = yield* lookAt(world)
    assert.lengthOf(due.submissions ?? [], 1)
    assert.deepInclude(due.journal, { isThere: false })
    const underWay = yield* lookAt(world, withTry("submitted"))
    assert.isUndefined(underWay.submissions)
    assert.deepInclude(underWay.journal, { isThere: false })
    const tooDear = encodeFunctionData({
      ...{ abi: keeping, functionName: "setFees", args: [60n * 10n ** 18n, 0] }
    })
    yield* other.send(other.stranger, Dln.destination, tooDear)
    const closed = yield* lookAt(world, withTry("failed"))
    assert.match(closed.reason ?? "", /coin/u)
    assert.deepInclude(closed.journal, { isThere: false, isTold: true })
  }))

const away: Partial<Bridge> = {
  refund: () => Effect.fail(new BridgeUnavailable({ detail: "it is away" })),
  strangers: () => Effect.succeed({ txIds: [`0x${"5".repeat(64)}` as never], through: 7 })
}

test("what a look tells once it keeps, and a look that fails has told nothing", (world) =>
  Effect.gen(function* () {
    const failing = <A, E, R>(work: Effect.Effect<A, E, R>) =>
      withBridge(away)(withTry("failed")(work))
    const told = Effect.forEach(["BRIDGE_STRANGER_REFUSED", "BRIDGE_CALL_REFUSED"], (code) =>
      refusals(world, code)
    )
    // The figures are of the whole process.
    const before = yield* told
    yield* lookAt(world, failing)
    yield* lookAt(world, failing)
    assert.deepStrictEqual(yield* told, before)
    const { strangers } = away
    const kept = yield* lookAt(world, withBridge(strangers === undefined ? {} : { strangers }))
    assert.deepInclude(kept.journal, { isStrangerTold: true })
    const [strangersBefore = 0, callsBefore] = before
    assert.deepStrictEqual(yield* told, [strangersBefore + 1, callsBefore])
  }))
