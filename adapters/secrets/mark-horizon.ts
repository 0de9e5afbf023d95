/**
 * The horizon of marks as it stands in the key store: beside the key-encryption key, in the data directory or in the
 * settings, where no backup of the records brings an older one back. It only ever moves on.
 */
import { randomBytes } from "node:crypto"
import { open, readFile, rename } from "node:fs/promises"
import { join } from "node:path"
import { DateTime, Effect, Option, Schema } from "effect"
import * as Timestamp from "../../core/time/timestamp.ts"
import * as PrivateDirectory from "../disk/private-directory.ts"
import { KeyringRefused } from "./keyring.ts"

const fileName = "solana-mark-horizon"

export interface Sources {
  /** The time as text; the file `solana-mark-horizon` of the data directory as well, whichever is later. */
  readonly markHorizon?: string | undefined
  readonly dataDirectory: string
}

const decode = Schema.decodeUnknownOption(Timestamp.Input)

const parse = (text: string, where: string) =>
  Option.match(decode(text.trim()), {
    onNone: () =>
      Effect.fail(
        new KeyringRefused({
          message: `${where} must be an ISO 8601 time with its zone, such as 2030-01-31T12:00:00Z.`
        })
      ),
    onSome: (at) => Effect.succeed(at)
  })

const pathIn = ({ dataDirectory }: Pick<Sources, "dataDirectory">) => join(dataDirectory, fileName)

const fromFile = Effect.fnUntraced(function* (sources: Pick<Sources, "dataDirectory">) {
  const path = pathIn(sources)
  const text = yield* Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (cause) => cause as NodeJS.ErrnoException
  }).pipe(
    Effect.catch(({ code }) =>
      code === "ENOENT"
        ? Effect.succeed(undefined)
        : Effect.fail(new KeyringRefused({ message: `${path} cannot be read.` }))
    )
  )
  return text === undefined ? undefined : yield* parse(text, path)
})

const later = (one: DateTime.Utc | undefined, other: DateTime.Utc | undefined) =>
  one === undefined || (other !== undefined && DateTime.isLessThan(one, other)) ? other : one

/** Undefined where no mark was ever taken back. */
export const read = Effect.fnUntraced(function* (sources: Sources) {
  const { markHorizon } = sources
  const given =
    markHorizon === undefined ? undefined : yield* parse(markHorizon, "BURSAR_SOLANA_MARK_HORIZON")
  return later(given, yield* fromFile(sources))
})

/** Complete or not there, and on the disk when it returns; an earlier time changes nothing. */
export const raise = Effect.fnUntraced(function* (
  sources: Pick<Sources, "dataDirectory">,
  to: DateTime.Utc
) {
  const before = yield* fromFile(sources)
  if (before !== undefined && !DateTime.isLessThan(before, to)) return
  yield* PrivateDirectory.secure(sources.dataDirectory)
  const path = pathIn(sources)
  const draft = `${path}.${randomBytes(8).toString("hex")}`
  yield* Effect.tryPromise({
    try: async () => {
      const file = await open(draft, "wx", 0o600)
      try {
        await file.writeFile(`${Timestamp.format(to)}\n`)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(draft, path)
      const directory = await open(sources.dataDirectory, "r")
      try {
        await directory.sync()
      } finally {
        await directory.close()
      }
    },
    catch: () =>
      new KeyringRefused({ message: `${path} cannot be written; nothing was taken back.` })
  })
})
