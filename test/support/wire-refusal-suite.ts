/** Every write asked for with wrong values over REST and as a tool: each is refused as the function refuses it. */
import { assert, type Vitest } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { parse, readsQuery } from "../../adapters/http/route.ts"
import { routes } from "../../adapters/http/routes.ts"
import type { Name } from "../../core/treasury/operations.ts"
import { type Owner, owner } from "./full-account.ts"
import type { Fields, Said } from "./surface-calls.ts"
import * as SurfaceCalls from "./surface-calls.ts"
import type * as Surfaces from "./surfaces.ts"
import { type Choice, tryAll, writes } from "./wrong-value-checks.ts"

/** A message whose text is no Unicode is refused whole, before it can name a field. */
const unlessUnread = (said: Said): Said | undefined => {
  if (said.ok || said.error.code !== "INVALID_JSON" || said.error.param !== undefined) return said
  assert.strictEqual(said.status, 400)
  return undefined
}

const overTools = (name: Name, own: Owner) => (_: string, input: Fields) =>
  Effect.map(SurfaceCalls.overTools(name, input, own.apiKey), unlessUnread)

type World = Layer.Success<ReturnType<typeof Surfaces.layer>>

export const overWires = (it: Vitest.MethodsNonLive<World>, choice: Choice): void => {
  // Nothing is written to it, which each of those who ask looks at before and after.
  const unchanged = Effect.runSync(Effect.cached(owner("user_42")))

  for (const { name } of writes) {
    const { method, pathFields } = parse(routes[name])

    it.effect(`is refused by ${name} as a tool`, () =>
      Effect.gen(function* () {
        const own = yield* unchanged
        yield* tryAll(name, own, overTools(name, own), choice)
      })
    )

    if (readsQuery(method)) continue
    it.effect(`is refused by ${name} in the body over REST`, () =>
      Effect.gen(function* () {
        const own = yield* unchanged
        yield* tryAll(
          name,
          own,
          (path, input) =>
            pathFields.includes(path)
              ? Effect.succeed(undefined)
              : SurfaceCalls.overRest(name, input, own.apiKey),
          choice
        )
      })
    )
  }
}
