/**
 * `bursar audit`: takes an account's whole audit log out of the treasury as one file, and checks such a
 * file against a key that was kept elsewhere, without the treasury, a database or a network.
 */
import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { entryLines, signedLine, sizeIn } from "../../adapters/secrets/audit-export.ts"
import { getAuditCheckpoint } from "../../core/audit/checkpoint.ts"
import type { Placed } from "../../core/audit/entry.ts"
import type { Before } from "../../core/audit/export.ts"
import { listAuditLog } from "../../core/audit/log.ts"
import * as TreeHead from "../../core/audit/tree-head.ts"
import { type FileProblem, type FilesReport, together } from "../../core/audit/verify-files.ts"
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
  /** Where the entries before them are. */
  readonly files: ReadonlyArray<string>
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
  let before: Before | undefined
  let files: ReadonlyArray<string> = []
  while ((before?.entries ?? 0) + entries < signed.treeSize) {
    const input: Record<string, string> = { limit: "100", order: "oldest" }
    if (cursor !== undefined) input.cursor = cursor
    const page = yield* decoded(listAuditLog, yield* readData(connection, "list_audit_log", input))
    const last = page.archives?.at(-1)
    if (last !== undefined) {
      before = { entries: last.end, hashes: last.hashes }
      files = page.archives?.map(({ file }) => file) ?? []
    }
    const covered = page.entries.flatMap(
      ({ sequence, ...entry }): ReadonlyArray<Placed> =>
        sequence !== null && sequence < signed.treeSize ? [{ ...entry, accountId, sequence }] : []
    )
    if (covered.length > 0) yield* write(entryLines(covered))
    entries += covered.length
    cursor = page.nextCursor ?? undefined
    if (cursor === undefined) break
  }
  if ((before?.entries ?? 0) + entries !== signed.treeSize) {
    return yield* unavailable("Entries were moved to a file while the log was read. Run it again.")
  }
  yield* write(signedLine({ ...signed, before }))
  return { accountId, entries, files, verifierKey: signed.verifierKey } satisfies Taken
})

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
    const { accountId, entries, files, verifierKey } = yield* path === undefined
      ? wholeLog(connection, (text) => Console.log(text.trimEnd()))
      : AuditFile.writing(path, (write) => wholeLog(connection, write))
    yield* Console.error(
      `${entries} entries of account ${accountId}${files.length === 0 ? "" : `, after those in ${files.join(", ")}`}. Verify them with: bursar audit verify ${[...files, path ?? "<file>"].join(" ")} --key ${verifierKey}`
    )
  })
).pipe(
  Command.withDescription(
    "Exports the account's whole audit log, oldest entry first, followed by the signed checkpoint. Entries of closed years that the operator moved to files with bursar archive-audit are left out, and the files are named."
  ),
  Command.withExamples([{ command: "bursar audit export --out audit.jsonl" }])
)

/** Each file against the key, the checkpoints that were kept, and those of all the files. */
const verified = Effect.fnUntraced(function* (
  files: ReadonlyArray<string>,
  key: string,
  kept: ReadonlyArray<string>
) {
  const ends = yield* Effect.forEach(files, AuditFile.checkpointIn)
  // What has no checkpoint is said of the file; nothing else is held against it.
  const notes = [...kept, ...ends.map((end) => end ?? "")]
  const checked = yield* Effect.forEach(files, (file) =>
    Effect.map(AuditFile.verifyFile(file, key, notes), (found) => ({ ...found, file }))
  )
  return together(checked, kept.map(sizeIn))
})

const linesOf = (problems: ReadonlyArray<FileProblem>, isOfSeveral: boolean) =>
  problems.map(({ code, file, line, message }) => {
    const place = [
      ...(isOfSeveral && file !== undefined ? [file] : []),
      ...(line === undefined ? [] : [`line ${line}`])
    ].join(", ")
    return `${code}: ${message}${place === "" ? "" : ` (${place})`}`
  })

/** What each of several files proved. */
const provedIn = (files: ReadonlyArray<string>, proved: FilesReport["proved"]) =>
  files.length === 1
    ? []
    : proved.map(({ file, first, treeSize }) =>
        first === treeSize
          ? `${file}: no entries after the first ${first}, whole and unchanged.`
          : `${file}: entries ${first} to ${treeSize - 1}, whole and unchanged.`
      )

const verify = Command.make(
  "verify",
  {
    files: Argument.String("file").pipe(
      Argument.withDescription("An exported log, or the files that it is in."),
      Argument.atLeast(1)
    ),
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
  Effect.fnUntraced(function* ({ checkpoints, files, form, key }) {
    const kept = yield* Effect.forEach(checkpoints, AuditFile.noteIn)
    const { breaks, head, ok, problems, proved } = yield* verified(files, key, kept)
    const unreadable = problems.filter(({ code }) => code === "unreadable_key")
    if (unreadable.length > 0) {
      return yield* misused(...new Set(unreadable.map(({ message }) => message)))
    }
    if (!ok)
      return yield* refused(...linesOf(problems, files.length > 1), ...provedIn(files, proved))
    const whole = `All ${head?.treeSize} entries of account ${head?.accountId} are unchanged; root ${head?.rootHash}; breaks: ${breaks.length}.`
    yield* say(
      [...breaks.map(({ message }) => message), ...provedIn(files, proved), whole].join("\n"),
      {
        ok,
        ...head,
        breaks: breaks.map((each) => ({ ...each })),
        files: proved.map((each) => ({ ...each }))
      },
      form
    )
  })
).pipe(
  Command.withDescription(
    "Verifies an exported audit log offline, against the account's verifier key and earlier checkpoints, and names each place where the records were replaced by those of a standby or a backup. Where texts of closed years were moved to files, name those files and the export together: each must go on from the tree in which the one before ends. Exits with 1 and lists the problems if it does not verify."
  ),
  Command.withShortDescription("Verifies an exported audit log offline."),
  Command.withExamples([
    { command: "bursar audit verify audit.jsonl --key <verifier key>" },
    { command: "bursar audit verify audit-*.jsonl audit.jsonl --key <verifier key>" }
  ])
)

export const audit = Command.make("audit").pipe(
  Command.withDescription("Exports the audit log, and verifies an export offline."),
  Command.withSubcommands([take, verify])
)
