/** A service whose files are gone tells an operator that it cannot do a command, and does all that it has loaded before. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { vi } from "vitest"
import * as Operator from "../../../apps/cli/operator/listen.ts"
import { office } from "../../../apps/cli/operator/wiring.ts"
import * as Configuration from "../../../apps/server/configuration.ts"
import { loadAhead } from "../../../apps/server/load-ahead.ts"
import { ran } from "../../support/command-line.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

let isAway = true
vi.mock("../../../apps/cli/operator/answer.ts", async (original) => {
  if (isAway) throw new Error("The file is away.")
  return await original<typeof import("../../../apps/cli/operator/answer.ts")>()
})

const service = Effect.gen(function* () {
  const directory = yield* temporaryFolder("bursar-away-")
  const environment = { BURSAR_DATA_DIR: join(directory, "data") }
  const records = office(Configuration.read(environment))
  yield* Layer.build(Layer.provideMerge(Operator.layer(environment.BURSAR_DATA_DIR), records))
  return (...words: ReadonlyArray<string>) => ran(words, environment, 80)
})

/** What the log says meanwhile. */
const logged = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const said: Array<string> = []
    const logger = Logger.make(({ message }) => void said.push(String(message)))
    return { done: yield* Effect.provide(work, Logger.layer([logger])), said: said.join("\n") }
  })

describe("a service whose parts cannot be loaded", () => {
  it.live("says so to the operator and in its log, and does commands once they can", () =>
    Effect.gen(function* () {
      const { done, said } = yield* logged(
        Effect.flatMap(service, (bursar) =>
          Effect.gen(function* () {
            const refused = yield* bursar("accounts", "list")
            isAway = false
            yield* loadAhead([Operator.load])
            isAway = true
            return { refused, list: yield* bursar("accounts", "list") }
          })
        )
      )
      assert.strictEqual(done.refused.exitCode, 3)
      assert.include(done.refused.stderr, "The service cannot load the part that does commands:")
      assert.include(said, "Start it again from a folder that is whole.")
      assert.strictEqual(done.list.exitCode, 0, done.list.stderr)
    }).pipe(Effect.scoped)
  )

  it.live("loads what it can ahead and tells what it cannot", () =>
    Effect.gen(function* () {
      let isLoaded = false
      const there = async () => {
        isLoaded = true
      }
      const gone = () => Promise.reject(new Error("The file is away."))
      const { said } = yield* logged(loadAhead([gone, there]))
      assert.isTrue(isLoaded)
      assert.match(said, /^A part of this program cannot be loaded: The file is away\./u)
    })
  )
})
