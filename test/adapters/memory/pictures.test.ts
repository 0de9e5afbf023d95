/** Scripted pictures do what all who bring pictures do. */
import { Effect, Layer } from "effect"
import * as MemoryPictures from "../../../adapters/memory/pictures.ts"
import { PictureServer, suite } from "../../contracts/pictures.contract.ts"

const server = Layer.effect(
  PictureServer,
  Effect.map(MemoryPictures.PicturesScript, ({ serve }) => {
    let count = 0
    return {
      serving: (status: number, bytes: Uint8Array) =>
        Effect.suspend(() => {
          const url = `https://shop.example/${++count}.png`
          return Effect.as(serve(url, { status, bytes }), url)
        }),
      deserted: Effect.succeed("https://nobody.example/logo.png")
    }
  })
)

suite("memory", Layer.provideMerge(server, MemoryPictures.layer))
