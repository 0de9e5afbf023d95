/** Nobody but the owner reaches the records on the disk: of the service and of every operator's command. */
import { spawn, spawnSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { freePort } from "../../apps/sandbox/free-port.ts"
import * as Child from "../kill/child.ts"
import { ran } from "../support/command-line.ts"

const aPlace = Effect.acquireRelease(
  Effect.sync(() => {
    const place = mkdtempSync(join(tmpdir(), "bursar-rest-"))
    chmodSync(place, 0o755)
    return place
  }),
  (place) => Effect.sync(() => rmSync(place, { recursive: true, force: true }))
)

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** PGlite takes its time where others work too. */
const patience = 180_000

const given = {
  BURSAR_KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
  BURSAR_PEPPER: Buffer.alloc(32, 8).toString("base64")
}

let bundle: Child.Bundle
beforeAll(async () => {
  bundle = await Child.bundle("apps/server/main.ts")
  return bundle.remove
}, patience)

/** `npm run serve` under the umask of most machines, until it is stopped. */
const service = Effect.fnUntraced(function* (
  directory: string,
  over: Readonly<Record<string, string>> = {}
) {
  const port = yield* Effect.promise(freePort)
  const env = {
    PATH: process.env.PATH,
    PORT: String(port),
    BURSAR_DATA_DIR: directory,
    ...Child.cacheOf(bundle),
    ...over
  }
  const child = spawn("/bin/sh", ["-c", `umask 022; exec "${process.execPath}" "${bundle.file}"`], {
    env
  })
  let said = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      said += String(chunk)
    })
  }
  const ended = new Promise<number | null>((resume) => child.on("exit", resume))
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      child.kill("SIGTERM")
      await ended
    })
  )
  const isUp = async (): Promise<boolean> => {
    for (;;) {
      const answered = await fetch(`http://127.0.0.1:${port}/openapi.json`).catch(() => undefined)
      await answered?.body?.cancel()
      if (answered?.status === 200) return true
      const isOver = await Promise.race([
        ended.then(() => true),
        new Promise<boolean>((resume) => setTimeout(() => resume(false), 100))
      ])
      if (isOver) return false
    }
  }
  return { isUp: yield* Effect.promise(isUp), said: () => said, ended }
})

/** Every file below, from the directory's own on. */
const filesBelow = (directory: string) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

const assertPrivate = (directory: string) => {
  assert.strictEqual(modeOf(directory), "700")
  const own = filesBelow(directory).filter((path) => !path.includes("/postgres/"))
  for (const path of own) assert.strictEqual(modeOf(path), "600", path)
  // Root alone can be somebody else here.
  if (process.geteuid?.() !== 0) return
  const version = join(directory, "postgres", "PG_VERSION")
  assert.isTrue(existsSync(version))
  assert.notStrictEqual(spawnSync("/bin/cat", [version], { uid: 65_534 }).status, 0)
}

describe("the service", () => {
  const started = Effect.fnUntraced(function* (directory: string, over?: typeof given) {
    const running = yield* service(directory, over)
    assert.isTrue(running.isUp, running.said())
    assert.isTrue(existsSync(join(directory, "lock")))
    assertPrivate(directory)
  }, Effect.scoped)

  it.live(
    "keeps a data directory that it makes to itself, and one that stands open with all its files",
    () =>
      Effect.gen(function* () {
        const directory = join(yield* aPlace, "data")
        yield* started(directory, given)
        for (const path of filesBelow(directory)) chmodSync(path, 0o666)
        chmodSync(directory, 0o755)
        yield* started(directory, given)
      }),
    patience
  )

  it.live(
    "keeps a data directory that its keyring makes to itself, and one that was made for it",
    () =>
      Effect.gen(function* () {
        const place = yield* aPlace
        yield* started(join(place, "data"))
        const made = join(place, "made")
        mkdirSync(made)
        chmodSync(made, 0o777)
        yield* started(made)
      }),
    patience
  )

  it.live("does not start in a directory it cannot keep to itself", () =>
    Effect.gen(function* () {
      const file = join(yield* aPlace, "file")
      writeFileSync(file, "")
      const refused = yield* service(file, given)
      assert.isFalse(refused.isUp)
      assert.strictEqual(yield* Effect.promise(() => refused.ended), 1)
      assert.match(refused.said(), /^The data directory .* can be neither read nor created/u)
    })
  )
})

describe("every command of the operator", () => {
  // The last two make a database.
  const commands = [
    ["accounts", "list"],
    ["humans", "list", "x"],
    ["humans", "enrol", "x", "--name", "Ada"],
    ["keys", "create", "x", "--scopes", "all"],
    ["keys", "list", "x"],
    ["keys", "revoke", "x", "--key-id", "y"],
    ["keys", "rotate-encryption"],
    ["keys", "adopt-pepper"],
    ["keys", "export-root"],
    ["keys", "restore-root", "/dev/null"],
    ["mail", "list"],
    ["pause", "x"],
    ["resume", "x"],
    ["usdc", "acknowledge", "x"],
    ["plan", "set", "x", "--plan", "personal"],
    ["tier", "set", "x", "--tier", "personal"],
    ["migrate"],
    ["accounts", "open", "--name", "Shop", "--kind", "agent"]
  ]

  it.live(
    "closes a directory that stands open before it opens the database",
    () =>
      Effect.gen(function* () {
        const directory = join(yield* aPlace, "data")
        const environment = { BURSAR_DATA_DIR: directory, ...given }
        mkdirSync(directory)
        for (const words of commands) {
          chmodSync(directory, 0o755)
          const { exitCode, stderr } = yield* ran(words, environment)
          // A command that was misread never came as far as the directory.
          assert.notStrictEqual(exitCode, 2, `${words.join(" ")}: ${stderr}`)
          assert.strictEqual(modeOf(directory), "700", words.join(" "))
        }
        assertPrivate(directory)
      }),
    patience
  )

  it.live("is refused in a directory of another user, and says whose it is", () =>
    Effect.gen(function* () {
      const isRoot = process.geteuid?.() === 0
      const directory = isRoot ? join(yield* aPlace, "data") : "/"
      if (isRoot) {
        mkdirSync(directory)
        chownSync(directory, 65_534, 65_534)
      }
      for (const words of commands) {
        const refused = yield* ran(words, { BURSAR_DATA_DIR: directory, ...given })
        assert.strictEqual(refused.exitCode, 1, words.join(" "))
        assert.match(refused.stderr, /belongs to the user with id/u)
      }
      if (isRoot) assert.lengthOf(readdirSync(directory), 0)
    })
  )
})
