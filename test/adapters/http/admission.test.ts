/** Nothing is begun for a request of a stranger before its turn, and a key in force waits for no stranger. */
import { EventEmitter } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { assert, it } from "@effect/vitest"
import * as Admission from "../../../adapters/http/edge/admission.ts"
import * as Turns from "../../../adapters/http/edge/turns.ts"

const inForce = "a key that was in force"

const opened = (bounds: Partial<Turns.Bounds> = {}) => {
  const turns = Turns.make({ ...Turns.defaults, maxAtOnce: 1, maxHeldMs: 60_000, ...bounds })
  const wasInForce = (key: string) => key === inForce
  const { doorkeeper, entryOf } = Admission.make({ turns, proxies: 1, wasInForce })
  const begun: Array<string> = []
  /** A request as far as the door looks at it. */
  const come = (url: string, { key = "", from = "192.0.2.7", method = "GET" } = {}) => {
    const headers = { "x-forwarded-for": from, authorization: key === "" ? "" : `Bearer ${key}` }
    const request = { method, url, headers, socket: {} } as unknown as IncomingMessage
    const answer = new EventEmitter() as unknown as ServerResponse
    doorkeeper(request, answer, () => begun.push(url))
    return { leave: () => answer.emit("close"), entry: () => entryOf(request) }
  }
  return { begun, come }
}

const aWhile = () =>
  new Promise<void>((resume) => {
    let turns = 50
    const turn = () => (turns-- > 0 ? setImmediate(turn) : resume())
    turn()
  })

it("strangers wait for one another, and a key in force and a supervisor for nobody", async () => {
  const { begun, come } = opened()
  const first = come("/console/login")
  come("/console/login?second")
  come("/api/v1/account?guess", { key: "a guess" })
  come("/api/v1/account", { key: inForce })
  come("/health/live")
  await aWhile()
  assert.deepStrictEqual(begun, ["/console/login", "/api/v1/account", "/health/live"])
  first.entry().leave()
  while (begun.length < 4) await aWhile()
})

it("whoever has left before its turn is never begun", async () => {
  const { begun, come } = opened()
  const first = come("/console/login")
  const second = come("/console/login?second")
  second.leave()
  first.entry().leave()
  await aWhile()
  assert.deepStrictEqual(begun, ["/console/login"])
})

it("whoever comes while too many wait is let in at once, to hear so", () => {
  const { begun, come } = opened({ maxWaiting: 1, maxWaitingPerClient: 1 })
  come("/console/login")
  come("/console/login?second")
  const third = come("/console/login?third")
  assert.strictEqual(third.entry().refusal?._tag, "OVERLOADED")
  assert.deepStrictEqual(begun, ["/console/login", "/console/login?third"])
})

it("an address that is written whole is the address of its path", () => {
  const { begun, come } = opened()
  come("/console/login")
  const whole = "http://example.com/api/v1/account"
  come(whole, { key: inForce })
  assert.deepStrictEqual(begun, ["/console/login", whole])
})

it("a request without a key is not taken for one whose key was in force", async () => {
  const { begun, come } = opened()
  come("/console/login")
  come("/api/v1/account")
  await aWhile()
  assert.deepStrictEqual(begun, ["/console/login"])
})
