/** The operator's commands while the service runs: it does them on the records that it has open. */
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { assert, describe, it, vi } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import * as DataDirectoryLock from "../../../adapters/postgres/data-directory-lock.ts"
import * as Operator from "../../../apps/cli/operator/listen.ts"
import { maxAskedBytes, socketIn } from "../../../apps/cli/operator/wire.ts"
import { office } from "../../../apps/cli/operator/wiring.ts"
import * as Configuration from "../../../apps/server/configuration.ts"
import { UsdcImplementations } from "../../../core/tokens/usdc-implementation-store.ts"
import { whyStopped } from "../../../core/tokens/usdc-stop.ts"
import { ran } from "../../support/command-line.ts"
import * as Rows from "../../support/rows.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const directory = temporaryFolder("bursar-socket-")

/** The records open in this process, as a running service has them, and commands as from another. */
const service = Effect.gen(function* () {
  const BURSAR_DATA_DIR = join(yield* directory, "data")
  const environment = { BURSAR_DATA_DIR }
  const records = office(Configuration.read(environment))
  const opened = yield* Layer.build(Layer.provideMerge(Operator.layer(BURSAR_DATA_DIR), records))
  return {
    directory: BURSAR_DATA_DIR,
    records: opened,
    bursar: (...words: ReadonlyArray<string>) => ran(words, environment, 80)
  }
})

/** What comes back for bytes that no command of ours would send. */
const answerTo = (path: string, bytes: string) =>
  Effect.promise(
    () =>
      new Promise<string>((resolve) => {
        let heard = ""
        const socket = connect(path, () => socket.end(bytes))
        socket.on("data", (chunk: Buffer) => {
          heard += chunk.toString()
        })
        socket.on("error", () => undefined)
        socket.on("close", () => resolve(heard))
      })
  )

describe("the operator's commands beside a running service", () => {
  it.live("do what they do on a database that nobody has open", () =>
    Effect.gen(function* () {
      const { bursar } = yield* service
      const opened = yield* bursar(
        ...["accounts", "open", "--name", "Shop", "--kind", "developer", "--json"]
      )
      assert.strictEqual(opened.exitCode, 0)
      const account = JSON.parse(opened.stdout)
      const made = yield* bursar(...["keys", "create", account.id, "--scopes", "account:read"])
      assert.match(made.stdout, /^svc_hu_[0-9A-Za-z]{49}\n$/u)
      assert.match(made.stderr, /^API key .*, shown only once:\n$/u)
      yield* bursar("tier", "set", account.id, "--tier", "personal")
      yield* bursar("pause", account.id)
      const listed = JSON.parse((yield* bursar("accounts", "list", "--json")).stdout).accounts
      assert.deepStrictEqual([listed[0].id, listed[0].tier], [account.id, "personal"])
      assert.isString(listed[0].pausedAt)
      const humans = yield* bursar("humans", "enrol", account.id, "--name", "Ada")
      assert.match(humans.stdout, /^http:\/\/localhost:4000\/console\//u)
      assert.strictEqual((yield* bursar("mail", "list")).exitCode, 0)
    }).pipe(Effect.scoped)
  )

  it.live(
    "accept another contract behind the USDC of a chain, which stops signing until then",
    () =>
      Effect.gen(function* () {
        const { bursar, records } = yield* service
        const stopped = Effect.provide(whyStopped("base"), records)
        const { see } = yield* Effect.provide(UsdcImplementations, records)
        yield* see("base", "0xa1", Rows.at(1))
        yield* see("base", "0xb2", Rows.at(2))
        assert.include(yield* stopped, "on base was 0xa1 and is 0xb2")
        const accepted = yield* bursar("usdc", "acknowledge", "base")
        assert.strictEqual(
          accepted.stdout,
          "The contract 0xb2 behind USDC on base is accepted, after 0xa1. Wallets sign there again.\n"
        )
        assert.isUndefined(yield* stopped)
        const again = yield* bursar("usdc", "acknowledge", "base")
        assert.include(again.stdout, "nothing was stopped")
      }).pipe(Effect.scoped)
  )

  it.live("are refused in the same words and with the same exit code", () =>
    Effect.gen(function* () {
      const { bursar } = yield* service
      const unknown = yield* bursar("pause", "00000000-0000-4000-8000-000000000000")
      assert.strictEqual(unknown.exitCode, 1)
      assert.match(unknown.stderr, /account/u)
      const unseen = yield* bursar("usdc", "acknowledge", "base")
      assert.strictEqual(unseen.exitCode, 1)
      assert.include(unseen.stderr, "No contract behind USDC was seen on base yet")
      const rotated = yield* bursar("keys", "rotate-encryption")
      assert.strictEqual(rotated.exitCode, 1)
      assert.include(rotated.stderr, "is in use by process")
    }).pipe(Effect.scoped)
  )

  it.live("are root's as well, who opens nothing of another user's", () =>
    Effect.gen(function* () {
      const { bursar, directory } = yield* service
      const mocked = vi.spyOn(process, "geteuid").mockReturnValue(statSync(directory).uid + 1)
      yield* Effect.addFinalizer(() => Effect.sync(() => mocked.mockRestore()))
      assert.strictEqual((yield* bursar("accounts", "list")).exitCode, 0)
      assert.strictEqual((yield* bursar("mail", "list")).exitCode, 0)
      const alone = join(directory, "..", "alone")
      mkdirSync(alone)
      const refused = yield* ran(["accounts", "list"], { BURSAR_DATA_DIR: alone }, 80)
      assert.strictEqual(refused.exitCode, 1)
      assert.include(refused.stderr, "belongs to the user with id")
    }).pipe(Effect.scoped)
  )

  it.live("are heard from the owner of the data directory alone, and only as commands", () =>
    Effect.gen(function* () {
      const { directory } = yield* service
      const path = socketIn(directory)
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      for (const bytes of [
        "\n",
        "GET / HTTP/1.1\r\n\r\n",
        '{"words":"accounts list","columns":null}\n',
        "x".repeat(maxAskedBytes + 1),
        ""
      ]) {
        assert.strictEqual(yield* answerTo(path, bytes), "")
      }
      // A service does not start another, and does not call itself.
      for (const word of ["serve", "migrate", "list-wallets"]) {
        const text = yield* answerTo(path, `${JSON.stringify({ words: [word], columns: null })}\n`)
        const last = text.trimEnd().split("\n").at(-1) ?? ""
        assert.strictEqual(JSON.parse(last).exitCode, 2)
      }
    }).pipe(Effect.scoped)
  )

  it.live("say who has the directory open when that listens to nobody", () =>
    Effect.gen(function* () {
      const path = join(yield* directory, "data")
      yield* DataDirectoryLock.hold(path)
      mkdirSync(join(path, "postgres"))
      for (const leaveASocket of [false, true]) {
        if (leaveASocket) writeFileSync(socketIn(path), "")
        const refused = yield* ran(["accounts", "list"], { BURSAR_DATA_DIR: path })
        assert.strictEqual(refused.exitCode, 1)
        assert.include(refused.stderr, `is in use by process ${process.pid}`)
      }
    }).pipe(Effect.scoped)
  )

  it.live("leave no socket behind, and a path that is too long for one stops no service", () =>
    Effect.gen(function* () {
      const short = yield* Effect.scoped(Effect.map(service, ({ directory }) => directory))
      assert.isFalse(existsSync(socketIn(short)))
      const long = join(yield* directory, "d".repeat(120))
      mkdirSync(long)
      chmodSync(long, 0o700)
      const said: Array<string> = []
      const logger = Logger.make(({ message }) => void said.push(String(message)))
      const records = office(Configuration.read({ BURSAR_DATA_DIR: long }))
      yield* Layer.build(Layer.provide(Operator.layer(long), records)).pipe(
        Effect.provide(Logger.layer([logger]))
      )
      assert.lengthOf(
        said.filter((line) => line.includes("A shorter BURSAR_DATA_DIR")),
        1
      )
    }).pipe(Effect.scoped)
  )
})
