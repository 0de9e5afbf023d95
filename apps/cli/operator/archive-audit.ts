/**
 * `bursar archive-audit`: moves the texts of audit entries of closed years to files, each of which is proven by the
 * log's tree and recorded before any text leaves the database. It goes on where it was stopped.
 */
import { isAbsolute, join, resolve } from "node:path"
import { Console, DateTime, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { Accounts } from "../../../core/accounts/account-store.ts"
import { isClosed, openDays, yearEnd } from "../../../core/audit/archive.ts"
import type * as Page from "../../../core/operation/page.ts"
import * as Exit from "../exit.ts"
import { archiveAccount } from "./archive-account.ts"
import * as ArchiveFile from "./archive-file.ts"
import { Office, settings } from "./office.ts"
import { form, say } from "./show.ts"

const accountIds = Effect.gen(function* () {
  const accounts = yield* Accounts
  const found: Array<string> = []
  let request: Page.Request | undefined = { limit: 100 }
  while (request !== undefined) {
    const page: Page.Page<{ readonly id: string }> = yield* accounts.list(request)
    found.push(...page.rows.map(({ id }) => id))
    request = page.next === undefined ? undefined : { limit: 100, after: page.next }
  }
  return found
})

const year = Flag.Int("until").pipe(
  Flag.withDescription(
    `The last year (UTC) whose entries are moved, such as 2025. It has been over for ${openDays} days.`
  ),
  Flag.withMetavar("<year>"),
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 2000, maximum: 9999 })))
)

const folderFlag = Flag.String("folder").pipe(
  Flag.withDescription(
    "The folder for the files, as an absolute path on the machine of the service. Default: audit-archive in BURSAR_DATA_DIR."
  ),
  Flag.withMetavar("<path>"),
  Flag.optional
)

export const archiveAudit = Command.make(
  "archive-audit",
  { until: year, folder: folderFlag, form },
  Effect.fnUntraced(function* ({ folder: named, form, until }) {
    if (!isClosed(until, yield* DateTime.now)) {
      return yield* Exit.misused(
        `--until must be a year that has been over for ${openDays} days; ${until} is not.`
      )
    }
    const { dataDirectory } = yield* settings
    const folder = Option.getOrElse(named, () => resolve(dataDirectory, "audit-archive"))
    if (!isAbsolute(folder)) return yield* Exit.misused("--folder must be an absolute path.")
    const { checkpointSigner } = yield* Effect.promise(() => import("../../server/wiring.ts"))
    const { run } = yield* Office
    const [done, refusals] = yield* run(
      Effect.gen(function* () {
        const ids = yield* accountIds
        yield* ArchiveFile.makeFolder(folder)
        // What stands in the way of one account keeps no other from it.
        return yield* Effect.partition(ids, (id) => archiveAccount(id, folder, yearEnd(until)))
      }).pipe(Effect.provide(checkpointSigner)),
      {}
    )
    const files = done.flatMap(({ file }) => file ?? [])
    const wrong = done.flatMap(({ unsound }) => unsound)
    const moved = done.reduce((sum, each) => sum + each.moved, 0)
    yield* say(
      moved === 0
        ? `No entries until the end of ${until} are left in the database.`
        : `Moved the texts of ${moved} entries to ${files.map((file) => join(folder, file)).join(", ")}. Copy the files to where the backups are: they are the only place that has them.`,
      { moved, folder, files },
      form
    )
    for (const { isChanged, said } of wrong) if (!isChanged) yield* Console.error(said)
    const changed = wrong.filter(({ isChanged }) => isChanged)
    const lines = [...changed.map(({ said }) => said), ...refusals.map(({ message }) => message)]
    if (lines.length > 0) return yield* Exit.refused(...lines)
  })
).pipe(
  Command.withDescription(
    "Moves the texts of audit entries until the end of a closed year from the database to a file for each account, and keeps their hashes, so that proofs go on. A file is synced to disk, read back and proven against the log's tree, then recorded, and only then are its texts dropped. Run it again if it was stopped: it goes on. It also says which files of earlier runs are missing or were changed."
  ),
  Command.withShortDescription("Moves the audit texts of closed years to files."),
  Command.withExamples([
    { command: "bursar archive-audit --until 2025" },
    { command: "bursar archive-audit --until 2025 --folder /srv/bursar/audit" }
  ])
)
