/** What whoever brings pictures must do, told from the side of a server that has some. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, type Layer } from "effect"
import { Pictures } from "../../core/ports/pictures.ts"

/** Stands up addresses that answer. */
export class PictureServer extends Context.Service<
  PictureServer,
  {
    readonly serving: (status: number, bytes: Uint8Array) => Effect.Effect<string>
    /** Nobody listens there. */
    readonly deserted: Effect.Effect<string>
  }
>()("bursar/test/PictureServer") {}

const limit = 1000

const fetched = Effect.fnUntraced(function* (url: string) {
  return yield* Effect.result((yield* Pictures).fetch(url, limit))
})

export const suite = (
  name: string,
  pictures: Layer.Layer<Pictures | PictureServer>,
  options: { readonly excludeTestServices?: boolean } = {}
) =>
  layer(pictures, options)(`${name}: pictures`, (it) => {
    it.effect("brings every byte, up to as many as were asked for", () =>
      Effect.gen(function* () {
        const { serving } = yield* PictureServer
        const bytes = Uint8Array.from({ length: limit }, (_, at) => at % 256)
        const read = yield* fetched(yield* serving(200, bytes))
        assert.deepStrictEqual(read._tag === "Success" && read.success, bytes)
      })
    )

    it.effect("brings nothing of what is larger, moved, missing or deserted, and says why", () =>
      Effect.gen(function* () {
        const { deserted, serving } = yield* PictureServer
        const faults = [
          yield* serving(200, new Uint8Array(limit + 1)),
          yield* serving(302, new Uint8Array(9)),
          yield* serving(404, new Uint8Array(9)),
          yield* deserted
        ]
        for (const url of faults) {
          const read = yield* fetched(url)
          assert.strictEqual(read._tag, "Failure", url)
          assert.isAbove(read._tag === "Failure" ? read.failure.message.length : 0, 10)
        }
      })
    )
  })
