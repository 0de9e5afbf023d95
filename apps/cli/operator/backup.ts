/**
 * `bursar backup`: copies the embedded database to a file while the service goes on. Whoever has the database open does it.
 * A file has its name only once it is whole and on the disk.
 */
import { statfsSync } from "node:fs"
import { readdir, rm } from "node:fs/promises"
import { isAbsolute, join, resolve } from "node:path"
import { DateTime, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { bytesOf, copy, copyable } from "../../../adapters/postgres/backup.ts"
import * as Exit from "../exit.ts"
import { Office, settings } from "./office.ts"
import { form, say } from "./show.ts"
import * as WholeFile from "./whole-file.ts"

const { makeFolder, tried, writing } = WholeFile.files("No backup was made.")
const afterwards = WholeFile.files("The backup was made; what is older was not removed.")

const mib = 1024 * 1024

/** What the log may grow by meanwhile, and what is to be free afterwards: without room nothing is written any more. */
const spareMib = 512

const requireRoom = Effect.fnUntraced(function* (folder: string, bytes: number) {
  const { bavail, bsize } = yield* tried(folder, async () => statfsSync(folder))
  const neededMib = Math.ceil(bytes / mib) + spareMib
  const freeMib = Math.floor((bavail * bsize) / mib)
  if (freeMib >= neededMib) return
  return yield* Exit.refused(
    `${folder} has ${freeMib} MiB free, and a backup needs ${neededMib}. Free some space, or choose a folder on another disk with --folder. No backup was made.`
  )
})

const nameAt = (now: DateTime.Utc) =>
  `bursar-${DateTime.formatIso(now).replaceAll(/[-:]|\.\d+/gu, "")}.tar`

const isBackup = (name: string) => /^bursar-\d{8}T\d{6}Z\.tar$/u.test(name)

/** The names sort by time. */
const removeOlder = Effect.fnUntraced(function* (folder: string, keep: number) {
  return yield* afterwards.tried(folder, async () => {
    const old = (await readdir(folder)).filter(isBackup).toSorted().toReversed().slice(keep)
    for (const name of old) await rm(join(folder, name), { force: true })
    return old
  })
})

const folderFlag = Flag.String("folder").pipe(
  Flag.withDescription(
    "The folder for the file, as an absolute path on the machine of the service, which writes it. Default: backups in BURSAR_DATA_DIR."
  ),
  Flag.withMetavar("<path>"),
  Flag.optional
)

const keepFlag = Flag.Int("keep").pipe(
  Flag.withDescription(
    "How many backups the folder keeps, this one included; older ones are removed once it is made. Default: all."
  ),
  Flag.withMetavar("<number>"),
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))),
  Flag.optional
)

export const backup = Command.make(
  "backup",
  { folder: folderFlag, keep: keepFlag, form },
  Effect.fnUntraced(function* ({ folder: named, form, keep }) {
    const { dataDirectory } = yield* settings
    const folder = Option.getOrElse(named, () => resolve(dataDirectory, "backups"))
    if (!isAbsolute(folder)) return yield* Exit.misused("--folder must be an absolute path.")
    const { run } = yield* Office
    const file = yield* run(
      Effect.gen(function* () {
        const engine = yield* copyable
        yield* makeFolder(folder)
        yield* requireRoom(folder, yield* tried(engine.files, async () => bytesOf(engine.files)))
        const name = nameAt(yield* DateTime.now)
        yield* writing(
          folder,
          "bursar",
          (write) => copy(engine, write),
          () => name
        )
        return join(folder, name)
      }),
      { onlyReads: true }
    )
    const removed = Option.isSome(keep) ? yield* removeOlder(folder, keep.value) : []
    yield* say(
      `${file} has all that was committed before it was begun. It is encrypted in part only: keep it to yourself, and apart from the key-encryption key.`,
      { file, removed },
      form
    )
  })
).pipe(
  Command.withDescription(
    "Copies the embedded database to a new tar file, bursar-<time>.tar, while the service goes on. The file is on the disk when the command ends, and only its owner can read it. It holds neither the key-encryption key nor the pepper. The manual says how to restore it; records that come from it send nothing until the chains have been read."
  ),
  Command.withShortDescription("Backs the embedded database up while it runs."),
  Command.withExamples([
    { command: "bursar backup" },
    { command: "bursar backup --folder /mnt/backup/bursar --keep 48" }
  ])
)
