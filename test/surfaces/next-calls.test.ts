/**
 * Whatever an answer offers as its next call, refusal or not, over REST or as a tool, succeeds over both when it
 * is called as printed, with what it says is missing filled in from a table. Every place in core that offers one
 * is walked, or says why not.
 */
import { afterAll, assert, beforeAll, layer } from "@effect/vitest"
import { Effect } from "effect"
import { authenticate } from "../../core/accounts/authenticate.ts"
import type { Scope } from "../../core/operation/caller.ts"
import { type Next, remembering } from "../../core/operation/refusal.ts"
import { type Name, operations } from "../../core/treasury/operations.ts"
import { callsOf } from "../../core/treasury/treasury.ts"
import type { Asker } from "../support/accounts.ts"
import * as Accounts from "../support/accounts.ts"
import { owner } from "../support/full-account.ts"
import {
  follow,
  inSpecialStates,
  offeredBy,
  refusedAt,
  refusedOnceSigned,
  refusedToHumans,
  refusedToTheOperator
} from "../support/offered-calls.ts"
import { bad } from "../support/refused-calls.ts"
import { everyScope } from "../support/small-treasury.ts"
import { sourcesIn } from "../support/source-tree.ts"
import { type Fields, overRest, overTools } from "../support/surface-calls.ts"
import * as Surfaces from "../support/surfaces.ts"
import { inputs } from "../support/valid-inputs.ts"

/** What is said of an id that the account has nothing of: the field, what it names, and the list of those. */
const unknownIds = /param: "(\w+)",\s+what: "([\w ]+)",\s+operation: "(\w+)"/gu

/** Once for each place in core that offers a next call: its file, or the id it does not know, and the operation. */
const places: ReadonlyArray<string> = sourcesIn("core")
  .filter(({ path }) => path !== "core/operation/own.ts")
  .flatMap(({ path, text }) => {
    const file = path.replace(/^core\//u, "")
    const own = [...text.matchAll(/next: \{\s+operation(?:: "(\w+)")?/gu)].flatMap(
      ([, operation]) =>
        operation === undefined
          ? [`${file} list_wallets`, `${file} list_recipients`]
          : [`${file} ${operation}`]
    )
    const ids = [...text.matchAll(unknownIds)].map(
      ([, param, what, operation]) => `${param} of a ${what} ${operation}`
    )
    return [...own, ...ids]
  })

/** Places that this walk does not reach, and why. */
const leftOut: Readonly<Record<string, string>> = {
  "transfers/send.ts list_recipients":
    "one of the two is for a recipient that is gone since it was found; none ever is"
}

const required: Scope = "payment_requests:read"

beforeAll(() => {
  remembering.callers = 50
})
afterAll(() => {
  remembering.callers = 0
})

layer(Surfaces.layer({ callsAllowed: 100_000 }))("the next call", (it) => {
  it.effect("of every answer succeeds as printed, with what is missing filled in", () =>
    Effect.gen(function* () {
      const own = yield* owner("user_42")
      const reached: Array<string> = []
      for (const { name } of operations) {
        for (const input of bad[name]) reached.push(...(yield* refusedAt(name, input(own), own)))
      }
      const other = yield* owner("user_43")
      reached.push(...(yield* refusedToHumans(other)), ...(yield* refusedOnceSigned(other)))
      reached.push(...(yield* refusedToTheOperator(other)))
      reached.push(...(yield* inSpecialStates(other)))
      const offering = [
        ...(yield* offeredBy(overRest, yield* owner("user_46"))),
        ...(yield* offeredBy(overTools, yield* owner("user_47")))
      ]
      const walked = new Set([...reached, ...offering])
      assert.deepStrictEqual(
        places.filter((place) => !walked.has(place)),
        [],
        "not walked"
      )
      assert.includeMembers([...places], [...walked])
      const left = Object.keys(leftOut).length
      process.stdout.write(
        `${reached.length + offering.length} next calls succeeded over REST and as tools, from ${places.length - left} of ${places.length} places in core; left out ${left}: ${JSON.stringify(leftOut)}\n`
      )
    })
  )

  it.effect("is offered only to a key that may make it", () =>
    Effect.gen(function* () {
      const own = yield* owner("user_44")
      const nextFor = Effect.fnUntraced(function* (
        name: Name,
        input: Fields,
        scopes: ReadonlyArray<Scope>
      ) {
        const { apiKey } = yield* Accounts.keyed(own.caller, { scopes })
        const over = [yield* overRest(name, input, apiKey), yield* overTools(name, input, apiKey)]
        const [rest, tool] = over.map((said) => (said.ok ? said.data : said.error) as Fields)
        assert.deepStrictEqual(tool?.next, rest?.next)
        return rest?.next
      })
      const unknown = { jobId: own.vaultId }
      const offered = { operation: "create_provisioning_job", args: {} }
      assert.deepStrictEqual(
        yield* nextFor("get_provisioning_job", unknown, [required, "payment_requests:write"]),
        { ...offered, missing: ["chainId", "customers"] }
      )
      assert.isUndefined(yield* nextFor("get_provisioning_job", unknown, [required]))
      // Refused for its scope alone, a key is offered nothing either.
      assert.isUndefined(yield* nextFor("get_provisioning_job", unknown, ["account:read"]))
    })
  )

  it.effect(
    "of an allowance that is too small is the approval, for a key that may propose it",
    () =>
      Effect.gen(function* () {
        const own = yield* owner("user_45")
        const check = (input: Fields, { apiKey }: Asker) =>
          Effect.map(overRest("check_allowance", input, apiKey), (said) => {
            if (!said.ok) return assert.fail(JSON.stringify(said))
            return (said.data as { readonly next?: Next }).next
          })
        const input = inputs.check_allowance(own)
        const next = yield* check(input, own)
        if (next === undefined) return assert.fail("nothing is offered")
        yield* follow(next, own, own)
        const reader = yield* Accounts.keyed(own.caller, { scopes: ["account:read"] })
        assert.isUndefined(yield* check(input, reader))
        const beyond = { ...input, requiredAmountSmallest: "100000000001" }
        assert.isUndefined(yield* check(beyond, own), "above the hard cap")
        const { apiKey } = yield* callsOf(own.caller).create_api_key({
          scopes: everyScope,
          dailyCapUsd: "1.00"
        })
        const capped = { apiKey: String(apiKey), caller: yield* authenticate(String(apiKey)) }
        assert.isUndefined(yield* check(input, capped), "above the key's own cap")
      })
  )
})
