/** `bursar doctor`: looks whether every part of an installation works, and says what to do where one does not. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Console, Effect, Option, Schema } from "effect"
import { Command } from "effect/cli"
import { Accounts } from "../../../core/accounts/account-store.ts"
import { WaitStore } from "../../../core/waits/wait-store.ts"
import type { Records } from "../../doctor/examine.ts"
import { Finding, ok, problem, warning } from "../../doctor/finding.ts"
import { most } from "../../doctor/trades.ts"
import * as Exit from "../exit.ts"
import { Shell } from "../shell.ts"
import { printable } from "../table.ts"
import { inOffice, settings } from "./office.ts"
import { Answer } from "./relayers.ts"
import { sent } from "./send.ts"
import { json } from "./show.ts"

const opened = inOffice(
  Effect.gen(function* () {
    yield* (yield* Accounts).list({ limit: 1 })
    const { relayerAddresses } = yield* Effect.promise(() => import("../../server/wiring.ts"))
    const relayers = yield* relayerAddresses
    return { relayers, stuck: yield* (yield* WaitStore).stuck(most) }
  })
)

const decodeAnswer = Schema.decodeUnknownOption(Schema.fromJsonString(Answer))

/** What the service says that has the database open: who relays. */
const askService = (
  open: Parameters<typeof sent>[0]
): Effect.Effect<Records, Exit.Stopped, Shell> => {
  const said: Array<string> = []
  const asking = Effect.provideService(sent(open, ["relayers", "--json"]), Console.Console, {
    ...globalThis.console,
    log: (text: string) => {
      said.push(text)
    },
    error: () => undefined
  })
  return Effect.map(asking, (exitCode) => {
    const answer = Option.getOrUndefined(decodeAnswer(said.join("\n")))
    return exitCode === 0 && answer !== undefined
      ? {
          finding: ok("database", "The running service has it open, and answers."),
          relayers: answer.addresses
        }
      : {
          finding: problem(
            "database",
            "The running service has it open, but cannot read it. See its log."
          )
        }
  })
}

/** Opened as the service opens it, with the keys of the keyring; never made. */
const records = Effect.gen(function* () {
  const { databaseUrl, dataDirectory } = yield* settings
  if (databaseUrl === undefined && !existsSync(join(dataDirectory, "postgres"))) {
    return { finding: warning("database", "There is no database yet; bursar serve makes it.") }
  }
  return {
    ...(yield* opened),
    finding: ok("database", "It opens, its schema is current, and the keyring is its own.")
  }
}).pipe(
  Effect.catchTag("OpenElsewhere", askService),
  Effect.catch(({ message }) => Effect.succeed({ finding: problem("database", message) }))
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
    const findings = yield* examine(environment, records)
    const encoded = Schema.encodeSync(Schema.Array(Finding))(findings)
    yield* Console.log(
      json ? JSON.stringify({ findings: encoded }) : findings.map(toLine).join("\n")
    )
    const problems = findings.filter(({ status }) => status === "problem").length
    if (problems > 0) {
      return yield* Exit.refused(
        problems === 1 ? "1 problem was found." : `${problems} problems were found.`
      )
    }
  })
).pipe(
  Command.withDescription(
    "Looks at settings, data directory, disk, database, keyring, stuck trades, chains, clock, relayers, mail, Redis and the public URL, and says of each what is wrong and what to do. It changes nothing. Exits with 1 if there is a problem."
  ),
  Command.withShortDescription("Looks whether every part works, and says what to do."),
  Command.withExamples([{ command: "bursar doctor" }])
)
