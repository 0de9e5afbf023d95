/** The stream behind the checkout page: it tells what a browser does not have yet, and ends when it must. */
import { assert, it } from "@effect/vitest"
import { Clock, DateTime, Effect, Exit, Scope } from "effect"
import * as OpenStreams from "../../../adapters/pages/site/open-streams.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import { PaymentRequests } from "../../../core/payments/request-store.ts"
import { Transfers } from "../../../core/payments/transfer-store.ts"
import { Notifier } from "../../../core/ports/notifier.ts"
import { served } from "../../support/page-server.ts"
import * as Rows from "../../support/rows.ts"
import * as Treasury from "../../support/small-treasury.ts"
import * as Stored from "../../support/stored-rows.ts"

interface Event {
  readonly id: string
  readonly shown: {
    readonly status: string
    readonly arrivals: ReadonlyArray<{ readonly amount: string; readonly fate: string }>
  }
}

/** Reads a stream's events one after the other; undefined once it has ended. */
const reader = async (url: string, lastEventId?: string) => {
  const headers = lastEventId === undefined ? {} : { "last-event-id": lastEventId }
  const answer = await fetch(url, { headers })
  const text = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ""
  const next = async (): Promise<Event | undefined> => {
    while (true) {
      const event = /id: (\S+)\nevent: shown\ndata: (.*)\n\n/u.exec(rest)
      if (event !== null) {
        rest = rest.slice(event.index + event[0].length)
        return { id: event[1] ?? "", shown: JSON.parse(event[2] ?? "") }
      }
      const read = await text?.read()
      if (read === undefined || read.done) return undefined
      rest += read.value
    }
  }
  return { answer, next, leave: () => text?.cancel() }
}

const planted = Effect.flatMap(Stored.vault(), (vault) => Stored.paymentRequest(vault))

const becomes = Effect.fnUntraced(function* (id: string, status: "partially_paid" | "paid") {
  const requests = yield* PaymentRequests
  const request = yield* requests.lock(id)
  if (request !== undefined) yield* requests.settle({ ...request, status })
  yield* (yield* Notifier).signal("payments")
})

const wait = <A>(promise: () => Promise<A>) => Effect.promise(promise)

it.live(
  "a stream tells what changed, goes on at another server, and ends when nothing more can",
  () =>
    Effect.gen(function* () {
      const origin = yield* served()
      const { id, pid } = yield* planted
      const stream = yield* wait(() => reader(`${origin}/pay/${pid}/events`))
      assert.strictEqual(stream.answer.headers.get("content-type"), "text/event-stream")
      assert.strictEqual((yield* wait(stream.next))?.shown.status, "open")
      yield* becomes(id, "partially_paid")
      const partly = yield* wait(stream.next)
      assert.strictEqual(partly?.shown.status, "partially_paid")
      yield* wait(async () => stream.leave())
      yield* becomes(id, "paid")
      const elsewhere = yield* served()
      const resumed = yield* wait(() => reader(`${elsewhere}/pay/${pid}/events`, partly?.id))
      const paid = yield* wait(resumed.next)
      assert.strictEqual(paid?.shown.status, "paid")
      assert.isUndefined(yield* wait(resumed.next))
      const known = yield* wait(() => reader(`${origin}/pay/${pid}/events?after=${paid?.id}`))
      assert.isUndefined(yield* wait(known.next), "It was told again what it had.")
    }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)

it.live(
  "a stream of a request that ended goes on for a day, and tells of money that comes late",
  () =>
    Effect.gen(function* () {
      const origin = yield* served()
      const vault = yield* Stored.vault()
      const now = yield* DateTime.now
      const ended = (updatedAt: DateTime.Utc) =>
        Stored.paymentRequest(vault, { status: "expired", createdAt: updatedAt, updatedAt })
      const { pid } = yield* ended(now)
      const stream = yield* wait(() => reader(`${origin}/pay/${pid}/events`))
      assert.deepInclude((yield* wait(stream.next))?.shown, { status: "expired", arrivals: [] })
      const transfers = yield* Transfers
      const late = Rows.aTransfer(vault, {
        amountMicro: Usdc.make(2_000_000n),
        seenAt: now,
        settlementIssue: "late",
        candidatePids: [pid]
      })
      yield* transfers.record(late)
      yield* (yield* Notifier).signal("payments")
      const came = (yield* wait(stream.next))?.shown.arrivals
      assert.deepInclude(came?.[0], { amount: "2.00", fate: "undecided" })
      // Nothing signals what its merchant decides; the page looks by itself.
      yield* transfers.assign(late.id, { ...late, resolution: "refunded" })
      assert.deepInclude((yield* wait(stream.next))?.shown.arrivals[0], { fate: "returned" })
      yield* wait(async () => stream.leave())
      const old = yield* ended(DateTime.subtract(now, { hours: 25 }))
      const over = yield* wait(() => reader(`${origin}/pay/${old.pid}/events`))
      assert.strictEqual((yield* wait(over.next))?.shown.status, "expired")
      assert.isUndefined(yield* wait(over.next), "Nobody follows it any more.")
    }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)

it.live("one stream too many is asked to come again, and one that left makes room", () =>
  Effect.gen(function* () {
    const origin = yield* served({ max: 1, maxPerClient: 1 })
    const { pid } = yield* planted
    const url = `${origin}/pay/${pid}/events`
    const stream = yield* wait(() => reader(url))
    yield* wait(stream.next)
    const { status, headers } = yield* wait(() => fetch(url))
    assert.deepStrictEqual([status, headers.get("retry-after")], [503, "5"])
    yield* wait(async () => stream.leave())
    const asked = wait(async () => {
      const again = await reader(url)
      await again.leave()
      return again.answer.status
    })
    assert.strictEqual(yield* Effect.repeat(asked, { until: (each: number) => each === 200 }), 200)
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)

it.live("a page left open does not keep a service that stops", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const origin = yield* Scope.provide(served(), scope)
    const { pid } = yield* planted
    const stream = yield* wait(() => reader(`${origin}/pay/${pid}/events`))
    yield* wait(stream.next)
    const startedAt = yield* Clock.currentTimeMillis
    yield* Scope.close(scope, Exit.void)
    assert.isUndefined(yield* wait(stream.next))
    assert.isBelow((yield* Clock.currentTimeMillis) - startedAt, 5_000)
  }).pipe(Effect.provide(Treasury.layer()))
)

it("every client has the same bound, one on this machine too, and it holds when places are taken at once", () => {
  const streams = Effect.runSync(
    Effect.scoped(
      Effect.gen(function* () {
        const open = yield* OpenStreams.OpenStreams
        const entered = yield* Effect.forEach(
          ["203.0.113.7", "127.0.0.1", "127.0.0.1", "203.0.113.7"],
          open.enter
        )
        const rooms = ["203.0.113.7", "203.0.113.8", "127.0.0.1"].map(open.hasRoom)
        return { entered, rooms }
      })
    ).pipe(Effect.provide(OpenStreams.layer({ max: 10, maxPerClient: 1 })))
  )
  assert.deepStrictEqual(streams, {
    entered: [true, true, false, false],
    rooms: [false, true, false]
  })
})
