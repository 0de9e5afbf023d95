/** The streams behind the console's pages: for whom they are, what they tell, how many there may be, and their end. */
import { get, type OutgoingHttpHeaders } from "node:http"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { issueEnrolment } from "../../../core/humans/issue-enrolment.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { Visitor } from "../../support/console-visitor.ts"
import { humanAccount } from "../../support/human-account.ts"
import { served } from "../../support/page-server.ts"
import * as Treasury from "../../support/small-treasury.ts"

const wait = <A>(promise: () => Promise<A>) => Effect.promise(promise)

const signedIn = Effect.fnUntraced(function* (origin: string, accountId: string) {
  const visitor = new Visitor(origin, Treasury.siteUrl)
  const wanted = { accountId, purpose: "operator", name: "Grace", hours: 24 } as const
  const { url } = yield* (yield* Atomically).run(issueEnrolment(wanted, "operator"))
  assert.strictEqual((yield* visitor.enrol(url)).status, 200)
  return visitor
})

/** Reads a stream: the version of the next event, or undefined once it has ended. */
const stream = async (url: string, visitor?: Visitor) => {
  const headers = { ...visitor?.cookie, accept: "text/event-stream" }
  const answer = await fetch(url, { headers })
  const text = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ""
  const next = async (): Promise<string | undefined> => {
    while (true) {
      const event = /id: (\S+)\nevent: changed\n/u.exec(rest)
      if (event !== null) {
        rest = rest.slice(event.index + event[0].length)
        return event[1]
      }
      const read = await text?.read()
      if (read === undefined || read.done) return undefined
      rest += read.value
    }
  }
  return { status: answer.status, headers: answer.headers, next, leave: () => text?.cancel() }
}

const opened = Effect.fnUntraced(function* (bounds?: Parameters<typeof served>[0]) {
  const origin = yield* served(bounds)
  const account = yield* humanAccount
  const visitor = yield* signedIn(origin, account.accountId)
  const proposalId = yield* account.confirmed("5")
  const page = `${origin}/console/proposals/${proposalId}`
  return { ...account, origin, visitor, proposalId, page, events: `${page}/events` }
})

/** The version that a page was written with. */
const versionOn = (page: string, { cookie }: Visitor) =>
  wait(async () => {
    const text = await (await fetch(page, { headers: cookie })).text()
    return /data-live="([\w-]{16})"/u.exec(text)?.[1]
  })

it.live("a stream tells of each change, and ends with what it follows", () =>
  Effect.gen(function* () {
    const { call, events, page, proposalId, visitor } = yield* opened()
    const version = yield* versionOn(page, visitor)
    assert.isDefined(version)
    const following = yield* wait(() => stream(`${events}?after=${version}`, visitor))
    assert.strictEqual(following.headers.get("content-type"), "text/event-stream")
    yield* call.cancel_proposal({ proposalId })
    const changed = yield* wait(following.next)
    assert.isDefined(changed)
    assert.notStrictEqual(changed, version, "It told what the page shows already.")
    assert.isUndefined(yield* wait(following.next))
    assert.isUndefined(yield* versionOn(page, visitor), "A page that has ended follows nothing.")
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)

it.live("nobody follows another's page, or any page without being signed in", () =>
  Effect.gen(function* () {
    const { events, origin } = yield* opened()
    const other = yield* humanAccount
    const stranger = yield* signedIn(origin, other.accountId)
    assert.strictEqual((yield* wait(() => stream(events, stranger))).status, 404)
    assert.strictEqual((yield* wait(() => stream(events))).status, 401)
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)

it.live("a stream ends with the session that opened it", () =>
  Effect.gen(function* () {
    const { events, visitor } = yield* opened()
    const following = yield* wait(() => stream(events, visitor))
    assert.isDefined(yield* wait(following.next))
    yield* visitor.post("sign-out")
    assert.isUndefined(yield* wait(following.next))
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)

/** The status of a page; Node's own `fetch` would say itself how it was asked for. */
const statusOf = (url: string, headers: OutgoingHttpHeaders) =>
  wait(
    () =>
      new Promise<number | undefined>((done, fail) => {
        const asked = get(url, { headers }, (answer) => {
          answer.resume()
          done(answer.statusCode)
        })
        asked.on("error", fail)
      })
  )

/** Half an hour and a bit, a minute at a time: whoever follows looks at each, and answers over a real socket. */
const halfAnHour = Effect.repeat(
  Effect.andThen(
    TestClock.adjust("1 minute"),
    wait(() => new Promise((done) => setTimeout(done, 5)))
  ),
  { times: 31 }
)

it.effect("a session ends when it is idle, though a page of it is left open", () =>
  Effect.gen(function* () {
    const { events, page, visitor } = yield* opened()
    const asks = (headers: Readonly<Record<string, string>>) =>
      statusOf(page, { ...visitor.cookie, ...headers })
    const following = yield* wait(() => stream(events, visitor))
    assert.isDefined(yield* wait(following.next))
    yield* TestClock.adjust("29 minutes")
    assert.strictEqual(yield* asks({ "bursar-follow": "1" }), 200)
    assert.strictEqual(yield* asks({ "sec-fetch-mode": "navigate" }), 200)
    yield* TestClock.adjust("2 minutes")
    assert.strictEqual(yield* asks({}), 303)
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)

it.effect(
  "a stream ends when its session is idle, and goes on while somebody uses it elsewhere",
  () =>
    Effect.gen(function* () {
      const { events, page, visitor } = yield* opened()
      const following = yield* wait(() => stream(events, visitor))
      assert.isDefined(yield* wait(following.next))
      yield* TestClock.adjust("20 minutes")
      const used = yield* statusOf(page, visitor.cookie)
      assert.strictEqual(used, 200)
      yield* TestClock.adjust("20 minutes")
      assert.strictEqual((yield* wait(() => stream(events, visitor))).status, 200)
      yield* halfAnHour
      assert.strictEqual((yield* wait(() => stream(events, visitor))).status, 401)
      assert.isUndefined(yield* wait(following.next))
    }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)

it.live("a client has as many as it may, and a page that was left makes room", () =>
  Effect.gen(function* () {
    const { events, visitor } = yield* opened({ max: 10, maxPerClient: 1 })
    const first = yield* wait(() => stream(events, visitor))
    yield* wait(first.next)
    const second = yield* wait(() => stream(events, visitor))
    assert.deepStrictEqual([second.status, second.headers.get("retry-after")], [503, "5"])
    yield* wait(async () => first.leave())
    const asked = wait(async () => {
      const again = await stream(events, visitor)
      await again.leave()
      return again.status
    })
    assert.strictEqual(yield* Effect.repeat(asked, { until: (each: number) => each === 200 }), 200)
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)
