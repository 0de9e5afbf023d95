/**
 * `bursar audit`: takes an account's whole audit log out of the treasury as one file, and checks such a
 * file against a key that was kept elsewhere, without the treasury, a database or a network.
 */
import { readFile } from "node:fs/promises"
import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { entryLines, signedLine } from "../../adapters/secrets/audit-export.ts"
import { getAuditCheckpoint } from "../../core/audit/checkpoint.ts"
import type { Placed } from "../../core/audit/entry.ts"
import { listAuditLog } from "../../core/audit/log.ts"
import * as TreeHead from "../../core/audit/tree-head.ts"
import type * as Operation from "../../core/operation/operation.ts"
import * as AuditFile from "./audit-file.ts"
import { type Connection, connect } from "./connection.ts"
import { misused, refused, unavailable } from "./exit.ts"
import { connectionFlags } from "./operation-flags.ts"
import { form, say } from "./operator/show.ts"
import { readData } from "./read-data.ts"

/** A service of another version may answer in a form this program does not know. */
const decoded = <Op extends Operation.Any>(operation: Op, data: unknown) =>
  (
    Schema.decodeUnknownEffect(Schema.toCodecJson(operation.output))(data) as Effect.Effect<
      Op["output"]["Type"],
      Schema.SchemaError
    >
  ).pipe(
    Effect.mapError(() =>
      unavailable(`The service's response to ${operation.name} has an unknown form.`)
    )
  )

/** What has been taken of a log. */
interface Taken {
  readonly accountId: string
  readonly entries: number
  readonly verifierKey: string
}

/**
 * Hands over the text of the file piece by piece: the entries that have their place, in its order, and the checkpoint,
 * which is asked for first, so that none is lacking.
 */
const wholeLog = Effect.fnUntraced(function* <E, R>(
  connection: Connection,
  write: (text: string) => Effect.Effect<void, E, R>
) {
  const signed = yield* decoded(
    getAuditCheckpoint,
    yield* readData(connection, "get_audit_checkpoint")
  )
  const head = TreeHead.read(signed.checkpoint)
  const accountId = head === undefined ? undefined : TreeHead.accountOf(head.origin)
  if (accountId === undefined) return yield* unavailable("The service's checkpoint cannot be read.")
  let cursor: string | undefined
  let entries = 0
  while (entries < signed.treeSize) {
    const input: Record<string, string> = { limit: "100", order: "oldest" }
    if (cursor !== undefined) input.cursor = cursor
    const page = yield* decoded(listAuditLog, yield* readData(connection, "list_audit_log", input))
    const covered = page.entries.flatMap(
      ({ sequence, ...entry }): ReadonlyArray<Placed> =>
        sequence !== null && sequence < signed.treeSize ? [{ ...entry, accountId, sequence }] : []
    )
    if (covered.length > 0) yield* write(entryLines(covered))
    entries += covered.length
    cursor = page.nextCursor ?? undefined
    if (cursor === undefined) break
  }
  yield* write(signedLine(signed))
  return { accountId, entries, verifierKey: signed.verifierKey } satisfies Taken
})

const fileTrouble = (path: string, error: unknown) =>
  misused(`${path}: ${error instanceof Error ? error.message : "it cannot be used"}.`)

const take = Command.make(
  "export",
  {
    out: Flag.String("out").pipe(
      Flag.withDescription("The file to write. Default: standard output."),
      Flag.withMetavar("<file>"),
      Flag.optional
    ),
    own: connectionFlags()
  },
  Effect.fnUntraced(function* ({ out, own }) {
    const connection = yield* connect(own)
    const path = Option.getOrUndefined(out)
    const { accountId, entries, verifierKey } = yield* path === undefined
      ? wholeLog(connection, (text) => Console.log(text.trimEnd()))
      : AuditFile.writing(path, (write) => wholeLog(connection, write))
    yield* Console.error(
      `${entries} entries of account ${accountId}. Verify them with: bursar audit verify ${path ?? "<file>"} --key ${verifierKey}`
    )
  })
).pipe(
  Command.withDescription(
    "Exports the account's whole audit log, oldest entry first, followed by the signed checkpoint."
  ),
  Command.withExamples([{ command: "bursar audit export --out audit.jsonl" }])
)

const textOf = (path: string) =>
  Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (error) => fileTrouble(path, error)
  })

const verify = Command.make(
  "verify",
  {
    file: Argument.String("file").pipe(Argument.withDescription("An exported log.")),
    key: Flag.String("key").pipe(
      Flag.withDescription("The account's verifier key, from your own records."),
      Flag.withMetavar("<verifier key>")
    ),
    checkpoints: Flag.String("checkpoint").pipe(
      Flag.withDescription("A file with an earlier checkpoint; repeatable."),
      Flag.withMetavar("<file>"),
      Flag.atLeast(0)
    ),
    form
  },
  Effect.fnUntraced(function* ({ checkpoints, file, form, key }) {
    const earlier = yield* Effect.forEach(checkpoints, textOf)
    const { breaks, head, ok, problems } = yield* AuditFile.verifyFile(file, key, earlier)
    if (problems.some(({ code }) => code === "unreadable_key")) {
      return yield* misused(...problems.map(({ message }) => message))
    }
    if (!ok) {
      const told = problems.map(
        ({ code, line, message }) =>
          `${code}: ${message}${line === undefined ? "" : ` (line ${line})`}`
      )
      return yield* refused(...told)
    }
    const told = breaks.map(({ message }) => message)
    const whole = `All ${head?.treeSize} entries of account ${head?.accountId} are unchanged; root ${head?.rootHash}; breaks: ${breaks.length}.`
    yield* say(
      [...told, whole].join("\n"),
      { ok, ...head, breaks: breaks.map((each) => ({ ...each })) },
      form
    )
  })
).pipe(
  Command.withDescription(
    "Verifies an exported audit log offline, against the account's verifier key and earlier checkpoints, and names each place where the records were replaced by those of a standby or a backup. Exits with 1 and lists the problems if it does not verify."
  ),
  Command.withShortDescription("Verifies an exported audit log offline."),
  Command.withExamples([{ command: "bursar audit verify audit.jsonl --key <verifier key>" }])
)

export const audit = Command.make("audit").pipe(
  Command.withDescription("Exports the audit log, and verifies an export offline."),
  Command.withSubcommands([take, verify])
)
