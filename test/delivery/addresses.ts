/** URLs an attacker would register, names that change their answers, and redirects: none reaches a private address. */
import { Effect } from "effect"
import { furtherUrls } from "../adapters/webhook-sender/further-urls.ts"
import { knownUrls } from "../adapters/webhook-sender/hostile-urls.ts"
import * as Outside from "../adapters/webhook-sender/outside.ts"
import type { Figure, Part } from "../money/part.ts"

const vectors = [...knownUrls, ...furtherUrls]

/** Whether a vector ended as it must, with what was looked up and what was dialled. */
const tried = Effect.fnUntraced(function* (vector: (typeof vectors)[number]) {
  let lookups = 0
  const carry = yield* Outside.courierWith({
    deadlineMs: 300,
    lookup: async () => {
      lookups += 1
      return vector.resolves ?? [Outside.publicAddress]
    }
  })
  const outcome = Outside.outcome(yield* carry(vector.url))
  return outcome === "blocked" && lookups === (vector.verdict === "deny" ? 0 : 1)
})

const hostile = Effect.gen(function* () {
  const { canary } = yield* Outside.open()
  const wanted = vectors.filter(({ verdict }) => verdict !== "allow")
  const ended = yield* Effect.forEach(wanted, (vector) => Effect.scoped(tried(vector)), {
    concurrency: 8
  })
  return {
    invariant: "SSRF",
    what: `hostile URLs, of ${vectors.length} with ${vectors.length - wanted.length} ordinary ones`,
    seen: `${ended.filter(Boolean).length} of ${wanted.length} refused before a connection, ${canary.connections()} reached the canary`,
    holds: wanted.length > 0 && ended.every(Boolean) && canary.connections() === 0
  }
})

/** Every other answer points inside, or an answer has one private address among public ones. */
const rebinding = (times: number) =>
  Effect.gen(function* () {
    const { canary, sink, url } = yield* Outside.open()
    let turn = 0
    const carry = yield* Outside.courierWith({
      lookup: async () => {
        const inside = turn++ % 2 === 1
        return inside ? [Outside.publicAddress, Outside.privateAddress] : [Outside.publicAddress]
      }
    })
    const outcomes = yield* Effect.forEach(Array.from({ length: times }), (_, n) =>
      Effect.map(carry(url(`/${n}`)), Outside.outcome)
    )
    const blocked = outcomes.filter((outcome) => outcome === "blocked").length
    return {
      invariant: "SSRF",
      what: `${times} connections to a name whose every other answer has a private address in it`,
      seen: `${blocked} refused, ${sink.received.length} at the merchant, ${canary.connections()} reached the canary`,
      holds:
        blocked === times / 2 && sink.received.length === times / 2 && canary.connections() === 0
    }
  })

/** The canary would have told. */
const control = Effect.gen(function* () {
  const { canary, url } = yield* Outside.open()
  const carry = yield* Outside.courierWith({
    lookup: Outside.resolvesTo(Outside.privateAddress),
    alsoPublic: () => true
  })
  yield* carry(url("/"))
  return {
    invariant: "SSRF",
    what: "the same webhook sender without its judgement of addresses",
    seen: `${canary.connections()} reached the canary`,
    holds: canary.connections() === 1
  }
})

export const part: Part = {
  name: "addresses",
  promise: "no hostile address is ever dialled",
  run: (run): Promise<ReadonlyArray<Figure>> =>
    Effect.runPromise(
      Effect.all([
        Effect.scoped(hostile),
        Effect.scoped(rebinding(run.times(200, 20))),
        Effect.scoped(control)
      ])
    )
}
