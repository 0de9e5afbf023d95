/** Pictures that never leave the process: a test says which URL answers with what, and any other has nobody. */
import { Context, Effect, Layer } from "effect"
import { Pictures, PictureUnavailable } from "../../core/ports/pictures.ts"

interface Served {
  readonly status: number
  readonly bytes: Uint8Array
}

export class PicturesScript extends Context.Service<
  PicturesScript,
  { readonly serve: (url: string, served: Served) => Effect.Effect<void> }
>()("bursar/memory/PicturesScript") {}

const unavailable = (message: string) => new PictureUnavailable({ message })

export const layer: Layer.Layer<Pictures | PicturesScript> = Layer.effectContext(
  Effect.sync(() => {
    const servedByUrl = new Map<string, Served>()
    const fetch = Effect.fnUntraced(function* (url: string, maxBytes: number) {
      const served = servedByUrl.get(url)
      if (served === undefined) return yield* unavailable("nobody answers there")
      if (served.status !== 200) return yield* unavailable(`it answered ${served.status}`)
      if (served.bytes.length > maxBytes) return yield* unavailable(`it is over ${maxBytes} bytes`)
      return served.bytes
    })
    return Context.make(Pictures, { fetch }).pipe(
      Context.add(PicturesScript, {
        serve: (url, served) =>
          Effect.sync(() => {
            servedByUrl.set(url, served)
          })
      })
    )
  })
)
