/** Embedded databases that carry the whole schema: copies of one that was made once for the run, in a tenth of the time. */
import { PGlite } from "@electric-sql/pglite"
import { Effect, Layer } from "effect"
import { inject } from "vitest"
import * as Embedded from "../../adapters/postgres/embedded.ts"
import "./global-setup.ts"

/** Whoever opens it closes it. */
export const open = async (): Promise<PGlite> => {
  const answer = await fetch(`${inject("databaseServer")}/embedded`)
  if (!answer.ok) throw new Error(await answer.text())
  return PGlite.create({ loadDataDir: await answer.blob() })
}

export const database = Effect.acquireRelease(Effect.promise(open), (opened) =>
  Effect.promise(() => opened.close())
)

/** An engine that forgets everything when its scope closes. */
export const engine = Layer.unwrap(Effect.map(database, Embedded.on))
