/** A running service copies its embedded database; the copy opens elsewhere with its audit log whole, and sends nothing yet. */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { exportLines } from "../../../adapters/secrets/audit-export.ts"
import * as KeyStore from "../../../adapters/secrets/timeline.ts"
import * as Operator from "../../../apps/cli/operator/listen.ts"
import { office } from "../../../apps/cli/operator/wiring.ts"
import * as Configuration from "../../../apps/server/configuration.ts"
import * as Lines from "../../../apps/server/timeline.ts"
import { checkpointSigner } from "../../../apps/server/wiring.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import { checkpointOf } from "../../../core/audit/checkpoint.ts"
import { entriesUpTo } from "../../../core/audit/log.ts"
import { requireSending } from "../../../core/timeline/sending.ts"
import { Timeline } from "../../../core/timeline/timeline.ts"
import { ran } from "../../support/command-line.ts"
import * as Rows from "../../support/rows.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const directory = temporaryFolder("bursar-backup-command-")

const lines = (path: string) => Lines.layer(KeyStore.at({ directory: path, isShared: false }))

const appended = (accountId: string, label: string) =>
  Effect.flatMap(DateTime.now, (createdAt) =>
    Audit.use(({ append }) => append([Rows.anEntry(accountId, { facts: { label }, createdAt })]))
  )

/** What workers do where the records were replaced, but for what asks the chains. */
const lineBegun = Effect.gen(function* () {
  const { keep, look, write } = yield* Timeline
  for (let turn = 0; turn < 4; turn++) {
    const seen = yield* look
    if (seen._tag === "moved" || seen._tag === "unnamed") yield* write(seen.line, seen.next)
    if (seen._tag === "unkept") yield* keep(seen.line)
  }
})

const exported = Effect.fnUntraced(function* (accountId: string) {
  const checkpoint = yield* checkpointOf(accountId)
  const log = yield* entriesUpTo(accountId, checkpoint.treeSize)
  return { ...checkpoint, text: exportLines(log, checkpoint) }
})

it.live(
  "a backup beside a running service, restored in another directory",
  () =>
    Effect.gen(function* () {
      const [home, folder] = [join(yield* directory, "data"), join(yield* directory, "backups")]
      const environment = { BURSAR_DATA_DIR: home }
      const bursar = (...words: ReadonlyArray<string>) => ran(words, environment)
      const records = office(Configuration.read(environment))
      const listening = Layer.mergeAll(Operator.layer(home), lines(home), checkpointSigner)
      const running = yield* Layer.build(Layer.provideMerge(listening, records))
      yield* Effect.provide(requireSending(), running)
      const opened = yield* bursar(
        ...["accounts", "open", "--name", "Shop", "--kind", "developer", "--json"]
      )
      const accountId: string = JSON.parse(opened.stdout).id
      yield* Effect.provide(appended(accountId, "before"), running)
      const before = yield* Effect.provide(checkpointOf(accountId), running)

      assert.strictEqual((yield* bursar("backup", "--folder", "here")).exitCode, 2)
      mkdirSync(folder)
      for (const name of ["bursar-20250101T000000Z.tar", "bursar-20250102T000000Z.tar", "note"]) {
        writeFileSync(join(folder, name), "")
      }
      const made = yield* bursar("backup", "--folder", folder, "--keep", "2", "--json")
      assert.strictEqual(made.exitCode, 0, made.stderr)
      const { file, removed } = JSON.parse(made.stdout)
      assert.deepStrictEqual(removed, ["bursar-20250101T000000Z.tar"])
      assert.deepStrictEqual(
        readdirSync(folder).map((name) => join(folder, name)),
        [join(folder, "bursar-20250102T000000Z.tar"), file, join(folder, "note")]
      )
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      yield* Effect.provide(appended(accountId, "after"), running)
      const after = yield* Effect.provide(checkpointOf(accountId), running)

      const restored = join(yield* directory, "data")
      const files = join(restored, "postgres")
      mkdirSync(files, { recursive: true, mode: 0o700 })
      execFileSync("tar", ["-xf", file, "-C", files])
      for (const name of ["key-encryption-key", "pepper"]) {
        cpSync(join(home, name), join(restored, name))
      }
      yield* Effect.gen(function* () {
        const { rows } = yield* (yield* Audit).list(accountId, { limit: 9 })
        assert.deepStrictEqual(
          rows.map(({ facts }) => facts.label).filter((label) => label !== undefined),
          ["before"]
        )
        assert.strictEqual((yield* Effect.flip(requireSending()))._tag, "SENDING_HELD")
        yield* lineBegun
        assert.strictEqual((yield* Effect.flip(requireSending()))._tag, "SENDING_HELD")
        const log = yield* exported(accountId)
        assert.strictEqual(log.verifierKey, before.verifierKey)
        writeFileSync(join(restored, "log"), log.text)
        writeFileSync(join(restored, "kept"), after.checkpoint)
        const verified = yield* ran([
          ...["audit", "verify", join(restored, "log"), "--key", before.verifierKey],
          ...["--checkpoint", join(restored, "kept")]
        ])
        assert.deepStrictEqual([verified.exitCode, verified.stderr], [0, ""])
        assert.match(verified.stdout, /line 2 goes on .* line 1.*at least 1 of them/u)
      }).pipe(
        Effect.provide(
          Layer.provideMerge(
            Layer.merge(lines(restored), checkpointSigner),
            office(Configuration.read({ BURSAR_DATA_DIR: restored }))
          ),
          { local: true }
        )
      )
    }).pipe(Effect.scoped),
  120_000
)
