/** `bursar doctor`: looks whether every part of an installation works, and says what to do where one does not. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Console, Effect, Schema } from "effect"
import { Command } from "effect/cli"
import { Accounts } from "../../../core/accounts/account-store.ts"
import { Finding, ok, problem, warning } from "../../doctor/finding.ts"
import { refused } from "../exit.ts"
import { Shell } from "../shell.ts"
import { printable } from "../table.ts"
import { inOffice, settings } from "./office.ts"
import { sent } from "./send.ts"
import { json } from "./show.ts"

const opened = inOffice(Effect.flatMap(Accounts, (accounts) => accounts.list({ limit: 1 })))

/** What the service says that has the database open; it is asked for something small. */
const askService = (open: Parameters<typeof sent>[0]) =>
  Effect.gen(function* () {
    const exitCode = yield* sent(open, ["accounts", "list", "--json"])
    return exitCode === 0
      ? ok("database", "The running service has it open, and answers.")
      : problem("database", "The running service has it open, but cannot read it. See its log.")
  }).pipe(
    Effect.provideService(Console.Console, {
      ...globalThis.console,
      log: () => undefined,
      error: () => undefined
    })
  )

/** Opened as the service opens it, with the keys of the keyring; never made. */
const database = Effect.gen(function* () {
  const { databaseUrl, dataDirectory } = yield* settings
  if (databaseUrl === undefined && !existsSync(join(dataDirectory, "postgres"))) {
    return warning("database", "There is no database yet; bursar serve makes it.")
  }
  yield* opened
  return ok("database", "It opens, its schema is current, and the keyring is its own.")
}).pipe(
  Effect.catchTag("OpenElsewhere", askService),
  Effect.catch(({ message }) => Effect.succeed(problem("database", message))),
  Effect.map((finding) => [finding])
)

const widest = Math.max(...Finding.fields.status.literals.map(({ length }) => length))

const toLine = ({ message, part, status }: Finding) =>
  `${status.padEnd(widest)}  ${printable(`${part}: ${message}`)}`

export const doctor = Command.make(
  "doctor",
  { json },
  Effect.fnUntraced(function* ({ json }) {
    const { environment } = yield* Shell
    const { examine } = yield* Effect.promise(() => import("../../doctor/examine.ts"))
    const findings = yield* examine(environment, database)
    const encoded = Schema.encodeSync(Schema.Array(Finding))(findings)
    yield* Console.log(
      json ? JSON.stringify({ findings: encoded }) : findings.map(toLine).join("\n")
    )
    const problems = findings.filter(({ status }) => status === "problem").length
    if (problems > 0) {
      return yield* refused(
        problems === 1 ? "1 problem was found." : `${problems} problems were found.`
      )
    }
  })
).pipe(
  Command.withDescription(
    "Looks at settings, data directory, disk, database, keyring, chains, clock, mail, Redis and the public URL, and says of each what is wrong and what to do. It changes nothing. Exits with 1 if there is a problem."
  ),
  Command.withShortDescription("Looks whether every part works, and says what to do."),
  Command.withExamples([{ command: "bursar doctor" }])
)
