/** Every operation has a command, and a command is the call it stands for, to the byte. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { parse, readsQuery } from "../../../adapters/http/route.ts"
import { routes } from "../../../adapters/http/routes.ts"
import { argumentsOf } from "../../../apps/cli/command-line.ts"
import { fieldsOf } from "../../../apps/cli/field.ts"
import { inputOf } from "../../../apps/manual/example.ts"
import type * as Operation from "../../../core/operation/operation.ts"
import { operations } from "../../../core/treasury/operations.ts"
import { ran } from "../../support/command-line.ts"
import { askerOf, owner } from "../../support/full-account.ts"
import { type Fields, placeOf } from "../../support/surface-calls.ts"
import * as Surfaces from "../../support/surfaces.ts"
import { inputs } from "../../support/valid-inputs.ts"

const tick = TestClock.adjust("1 second")

/** Where either is taken, a number goes over as text, which no reader rounds. */
const asWritten = (operation: Operation.Any, input: Fields): Fields =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      const isText = fieldsOf(operation).some(
        (field) => field.name === name && field.sort === "text"
      )
      return [name, isText && typeof value === "number" ? String(value) : value]
    })
  )

const overRest = (
  name: (typeof operations)[number]["name"],
  input: Fields,
  key: string,
  once: string
) => {
  const { action, path, rest } = placeOf(name, input)
  const { method } = parse(routes[name])
  const inQuery = readsQuery(method)
  const query = new URLSearchParams({
    ...(action === undefined ? {} : { action }),
    ...(inQuery ? (rest as Record<string, string>) : {})
  }).toString()
  return Surfaces.fetched(`${path}?${query}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(once === "" ? {} : { "idempotency-key": once }),
      ...(inQuery ? {} : { "content-type": "application/json" })
    },
    ...(inQuery ? {} : { body: JSON.stringify(rest) })
  })
}

layer(Surfaces.layer())("the command line", (it) => {
  for (const operation of operations) {
    const { name } = operation
    it.effect(
      `${name} reaches the service with the very input, and prints its data to the byte`,
      () =>
        Effect.gen(function* () {
          const own = yield* owner("user_42", tick)
          const input = inputs[name](own)
          const once = operation.sideEffect === "read" ? "" : `once-${name}`
          const words = argumentsOf(operation, input)
          const { apiKey } = askerOf(name, own)
          const environment = { BURSAR_URL: yield* Surfaces.Origin, BURSAR_API_KEY: apiKey }
          const keyed = once === "" ? [] : ["--idempotency-key", once]
          const { exitCode, stderr, stdout } = yield* ran(
            [...words, ...keyed, "--json"],
            environment
          )
          assert.deepStrictEqual([exitCode, stderr], [0, ""])
          // A write under the same key answers again only if the input is the same; any other is refused.
          const again = yield* overRest(name, asWritten(operation, input), apiKey, once)
          assert.strictEqual(again.status, 200, again.text)
          assert.strictEqual(again.headers.get("idempotent-replayed"), once === "" ? null : "true")
          assert.strictEqual(`{"ok":true,"data":${stdout.trimEnd()}}`, again.text)
          assert.notInclude(stdout + stderr, apiKey)
        })
    )
  }

  it.effect("every example of the catalogue is a command line that is understood", () =>
    Effect.gen(function* () {
      for (const operation of operations) {
        const words = argumentsOf(operation, inputOf(operation))
        const { exitCode, stderr } = yield* ran(words, { BURSAR_DATA_DIR: "nowhere" })
        assert.deepStrictEqual(
          [exitCode, stderr.split(" with")[0]],
          [2, "Set the service's address"]
        )
      }
    })
  )
})
