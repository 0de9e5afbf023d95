/** `bursar doctor`: looks whether every part of an installation works, and says what to do where one does not. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Console, Effect, Option, Schema } from "effect"
import { Command } from "effect/cli"
import type { Records } from "../../doctor/examine.ts"
import { Finding, ok, problem, warning } from "../../doctor/finding.ts"
import * as Exit from "../exit.ts"
import { Shell } from "../shell.ts"
import { printable } from "../table.ts"
import { elsewhere, settings, surviving } from "./office.ts"
import * as Relayers from "./relayers.ts"
import { sent } from "./send.ts"
import { form, tell } from "./show.ts"
import * as StuckTrades from "./stuck-trades.ts"
import * as UnreadChains from "./unread-chains.ts"

/** What the service that has the database open prints for a command: undefined if it ends badly, `unknown` if it says something else. */
const heard = Effect.fnUntraced(function* <A, I>(
  open: Parameters<typeof sent>[0],
  command: string,
  answer: Schema.Codec<A, I>
) {
  const said: Array<string> = []
  const console = {
    ...globalThis.console,
    log: (text: string) => {
      said.push(text)
    },
    error: () => undefined
  }
  const exitCode = yield* Effect.provideService(
    sent(open, [command, "--json"]),
    Console.Console,
    console
  )
  if (exitCode !== 0) return undefined
  const decode = Schema.decodeUnknownOption(Schema.fromJsonString(answer))
  return Option.getOrElse(decode(said.join("\n")), () => "unknown" as const)
})

/** What the service says that has the database open: who relays, which trades are stuck, and which chains were not read. */
const askService = Effect.fnUntraced(function* (open: Parameters<typeof sent>[0]) {
  const relaying = yield* heard(open, "relayers", Relayers.Answer)
  if (relaying === undefined) {
    const message = "The running service has it open, but cannot read it. See its log."
    const unread: Records = { finding: problem("database", message) }
    return unread
  }
  // One of another version may not know the command, which ends badly too.
  const trades = (yield* heard(open, "stuck-trades", StuckTrades.Answer)) ?? "unknown"
  const late = (yield* heard(open, "unread-chains", UnreadChains.Answer)) ?? "unknown"
  const read: Records = {
    finding: ok("database", "The running service has it open, and answers."),
    relayers: relaying === "unknown" ? relaying : relaying.addresses,
    stuck: trades === "unknown" ? trades : trades.stuck,
    unread: late === "unknown" ? late : late.unread
  }
  return read
})

/** Never made: only what is there is looked at. */
const records = Effect.gen(function* () {
  const configuration = yield* settings
  const { databaseUrl, dataDirectory } = configuration
  if (databaseUrl === undefined && !existsSync(join(dataDirectory, "postgres"))) {
    return { finding: warning("database", "There is no database yet; bursar serve makes it.") }
  }
  const { examine } = yield* Effect.promise(() => import("../../doctor/database.ts"))
  const looked: Records = yield* surviving(
    Effect.mapError(examine(configuration), elsewhere(configuration))
  )
  return looked
}).pipe(
  Effect.catchTag("OpenElsewhere", askService),
  Effect.catch(({ message }) => Effect.succeed({ finding: problem("database", message) }))
)

const widest = Math.max(...Finding.fields.status.literals.map(({ length }) => length))

const toLine = ({ message, part, status }: Finding) =>
  `${status.padEnd(widest)}  ${printable(`${part}: ${message}`)}`

export const doctor = Command.make(
  "doctor",
  { form },
  Effect.fnUntraced(function* ({ form }) {
    const { environment } = yield* Shell
    const { examine } = yield* Effect.promise(() => import("../../doctor/examine.ts"))
    const findings = yield* examine(environment, records)
    const encoded = Schema.encodeSync(Schema.Array(Finding))(findings)
    yield* tell({ findings: encoded }, findings.map(toLine).join("\n"), form)
    const problems = findings.filter(({ status }) => status === "problem").length
    if (problems > 0) {
      return yield* Exit.refused(
        problems === 1 ? "1 problem was found." : `${problems} problems were found.`
      )
    }
  })
).pipe(
  Command.withDescription(
    "Looks at settings, data directory, disk, database, keyring, stuck trades, chains that were not read, chains, clock, relayers, mail, Redis and the public URL, and says of each what is wrong and what to do. It changes nothing. Exits with 1 if there is a problem."
  ),
  Command.withShortDescription("Looks whether every part works, and says what to do."),
  Command.withExamples([{ command: "bursar doctor" }])
)
