/** A log that is taken out of the treasury can be checked without it, and no change to it goes unsaid. */
import { readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { ran } from "../../support/command-line.ts"
import { owner } from "../../support/full-account.ts"
import * as Surfaces from "../../support/surfaces.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const tick = TestClock.adjust("1 second")

const directory = temporaryFolder("bursar-audit-")

/** An account with more entries than a page has, its environment, and a place for files. */
const busy = Effect.gen(function* () {
  const own = yield* owner("user_42", tick)
  const call = callsOf(own.caller)
  for (let made = 0; made < 100; made++) {
    yield* call.set_wallet_metadata({ accountId: own.walletId, metadata: { made: String(made) } })
  }
  const folder = yield* directory
  const environment = { BURSAR_URL: yield* Surfaces.Origin, BURSAR_API_KEY: own.apiKey }
  return { call, environment, file: (name: string) => join(folder, name) }
})

layer(Surfaces.layer())("the audit log", (it) => {
  it.effect(
    "is exported whole, more than a page of it, and holds against the key and earlier checkpoints",
    () =>
      Effect.gen(function* () {
        const { call, environment, file } = yield* busy
        const before = yield* call.get_audit_checkpoint({})
        writeFileSync(file("before"), before.checkpoint)
        yield* call.create_api_key({ scopes: ["account:read"] })
        const taken = yield* ran(["audit", "export", "--out", file("log")], environment)
        assert.strictEqual(taken.exitCode, 0, taken.stderr)
        assert.strictEqual(statSync(file("log")).mode & 0o777, 0o600)
        const { treeSize, verifierKey } = yield* call.get_audit_checkpoint({})
        assert.isAbove(treeSize, 100)
        const lines = readFileSync(file("log"), "utf8").trimEnd().split("\n")
        assert.lengthOf(lines, treeSize + 1)
        assert.deepStrictEqual(
          lines.slice(0, -1).map((line) => JSON.parse(line).sequence),
          Array.from({ length: treeSize }, (_, at) => at)
        )
        const checked = yield* ran(
          ["audit", "verify", file("log"), "--key", verifierKey, "--checkpoint", file("before")],
          {}
        )
        assert.deepStrictEqual([checked.exitCode, checked.stderr], [0, ""])
        assert.include(checked.stdout, `All ${treeSize} entries`)
        assert.match(checked.stdout, /; breaks: 0\.\n$/u)
        assert.include(taken.stderr, verifierKey)
      })
  )

  it.effect("goes to standard output byte for byte as it goes to a file", () =>
    Effect.gen(function* () {
      const { environment, file } = yield* busy
      yield* ran(["audit", "export", "--out", file("log")], environment)
      const { stdout } = yield* ran(["audit", "export"], environment)
      assert.strictEqual(stdout, readFileSync(file("log"), "utf8"))
    })
  )

  it.effect(
    "that was changed, shortened or signed by another is refused, and it is said where",
    () =>
      Effect.gen(function* () {
        const { call, environment, file } = yield* busy
        yield* ran(["audit", "export", "--out", file("log")], environment)
        const { verifierKey } = yield* call.get_audit_checkpoint({})
        const stranger = yield* busy
        const other = yield* stranger.call.get_audit_checkpoint({})
        const text = readFileSync(file("log"), "utf8")
        const lines = text.split("\n")
        const verified = (content: string, key = verifierKey) => {
          writeFileSync(file("changed"), content)
          return ran(["audit", "verify", file("changed"), "--key", key], {})
        }
        assert.strictEqual((yield* verified(text)).exitCode, 0)
        const wrong: ReadonlyArray<readonly [string, RegExp]> = [
          [
            text.replace('"account.opened"', '"account.closed"'),
            /^altered_entry: .*\(line \d+\)$/mu
          ],
          [lines.toSpliced(3, 1).join("\n"), /^missing_entries: Entry 3 is missing/mu],
          [lines.slice(0, -2).join("\n"), /^no_checkpoint: /mu],
          ["", /^no_checkpoint: /mu]
        ]
        for (const [content, said] of wrong) {
          assert.notStrictEqual(content, text)
          const { exitCode, stderr, stdout } = yield* verified(content)
          assert.deepStrictEqual([exitCode, stdout], [1, ""])
          assert.match(stderr, said)
        }
        const another = yield* verified(text, other.verifierKey)
        assert.strictEqual(another.exitCode, 1)
        assert.match(another.stderr, /^wrong_key: /u)
        assert.strictEqual((yield* verified(text, "no key")).exitCode, 2)
        assert.strictEqual(
          (yield* ran(["audit", "verify", file("none"), "--key", "k"], {})).exitCode,
          2
        )
      })
  )

  it.effect("is not read whole where it is named in place of an earlier checkpoint", () =>
    Effect.gen(function* () {
      const { call, environment, file } = yield* busy
      yield* ran(["audit", "export", "--out", file("log")], environment)
      const { verifierKey } = yield* call.get_audit_checkpoint({})
      writeFileSync(file("long"), "")
      truncateSync(file("long"), 200_000_000)
      const { exitCode, stderr } = yield* ran(
        ["audit", "verify", file("log"), "--key", verifierKey, "--checkpoint", file("long")],
        {}
      )
      assert.strictEqual(exitCode, 2)
      assert.include(stderr, "it is longer than any checkpoint")
    })
  )

  it.effect("is not exported with a key that may not read it", () =>
    Effect.gen(function* () {
      const { call, environment, file } = yield* busy
      const { apiKey = "" } = yield* call.create_api_key({ scopes: ["balances:read"] })
      const { exitCode, stderr } = yield* ran(["audit", "export", "--out", file("log")], {
        ...environment,
        BURSAR_API_KEY: apiKey
      })
      assert.strictEqual(exitCode, 1)
      assert.match(stderr, /^INSUFFICIENT_SCOPE: /u)
    })
  )
})
