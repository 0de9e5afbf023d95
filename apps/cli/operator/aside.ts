/** Keeps text aside in files of a directory of its own, which is gone when the scope ends. */
import { createReadStream, existsSync, mkdtempSync, rmSync } from "node:fs"
import { appendFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Stream } from "effect"
import type { Aside } from "../../../core/books/write.ts"
import * as Exit from "../exit.ts"

const said = (cause: unknown) =>
  Exit.refused(
    `The file cannot be put together in ${tmpdir()}: ${cause instanceof Error ? cause.message : String(cause)}. Set TMPDIR to a directory with room.`
  )

export const aside = Effect.gen(function* () {
  const directory = yield* Effect.acquireRelease(
    Effect.try({ try: () => mkdtempSync(join(tmpdir(), "bursar-export-")), catch: said }),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const names = new Map<string, string>()
  const pathOf = (key: string): string => {
    const name = names.get(key) ?? join(directory, String(names.size))
    names.set(key, name)
    return name
  }
  const kept: Aside<Exit.Stopped> = {
    put: (key, text) =>
      Effect.tryPromise({ try: () => appendFile(pathOf(key), text), catch: said }),
    take: (key) =>
      existsSync(pathOf(key))
        ? Stream.fromAsyncIterable<string, Exit.Stopped>(
            createReadStream(pathOf(key), { encoding: "utf8" }) as AsyncIterable<string>,
            said
          )
        : Stream.empty
  }
  return kept
})
