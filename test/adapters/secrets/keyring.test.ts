/** The root secrets are made once, kept for their owner only, and refused clearly when they are malformed. */
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspect } from "node:util"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Keyring from "../../../adapters/secrets/keyring.ts"

const directory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "bursar-keyring-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true }))
)

const bytesOf = (keyring: Keyring.Keyring) => [
  Buffer.from(Redacted.value(keyring.keyEncryptionKey)).toString("base64"),
  Buffer.from(Redacted.value(keyring.pepper)).toString("base64")
]

const one = Buffer.alloc(32, 1).toString("base64")
const two = Buffer.alloc(32, 2).toString("base64")

it.live("secrets are made once, in files only their owner may read", () =>
  Effect.gen(function* () {
    const dataDirectory = join(yield* directory, "not", "there", "yet")
    const made = yield* Keyring.load({ dataDirectory })
    assert.deepStrictEqual(bytesOf(yield* Keyring.load({ dataDirectory })), bytesOf(made))
    assert.strictEqual(Redacted.value(made.pepper).length, 32)
    const names = yield* Effect.promise(() => readdir(dataDirectory))
    assert.deepStrictEqual(names.sort(), ["key-encryption-key", "pepper"])
    for (const name of names) {
      const { mode } = yield* Effect.promise(() => stat(join(dataDirectory, name)))
      assert.strictEqual(mode & 0o777, 0o600)
    }
    const { mode } = yield* Effect.promise(() => stat(dataDirectory))
    assert.strictEqual(mode & 0o777, 0o700)
  })
)

it.live("many processes that start at once agree on the same secrets", () =>
  Effect.gen(function* () {
    const dataDirectory = yield* directory
    const all = yield* Effect.forEach(
      Array.from({ length: 16 }),
      () => Effect.map(Keyring.load({ dataDirectory }), (keyring) => bytesOf(keyring).join()),
      { concurrency: "unbounded" }
    )
    assert.strictEqual(new Set(all).size, 1)
    assert.lengthOf(yield* Effect.promise(() => readdir(dataDirectory)), 2)
  })
)

it.live("secrets given as text need no file", () =>
  Effect.gen(function* () {
    const dataDirectory = yield* directory
    const keyring = yield* Keyring.load({
      keyEncryptionKey: `${one}\n`,
      pepper: two,
      dataDirectory
    })
    assert.deepStrictEqual(bytesOf(keyring), [one, two])
    assert.lengthOf(yield* Effect.promise(() => readdir(dataDirectory)), 0)
  })
)

it.live("one secret may be given and the other kept", () =>
  Effect.gen(function* () {
    const dataDirectory = yield* directory
    const keyring = yield* Keyring.load({ keyEncryptionKey: one, dataDirectory })
    assert.strictEqual(bytesOf(keyring)[0], one)
    assert.deepStrictEqual(yield* Effect.promise(() => readdir(dataDirectory)), ["pepper"])
  })
)

it.live("a malformed secret is refused with a sentence that does not repeat it", () =>
  Effect.gen(function* () {
    const dataDirectory = yield* directory
    const short = Buffer.alloc(31, 7).toString("base64")
    const spelledOtherwise = one.replace(/E=$/u, "F=")
    for (const text of ["", "secret", short, `${one}${one}`, one.slice(0, -1), spelledOtherwise]) {
      for (const name of ["keyEncryptionKey", "pepper"] as const) {
        const sources = { keyEncryptionKey: one, pepper: two, dataDirectory, [name]: text }
        const refused = yield* Effect.flip(Keyring.load(sources))
        assert.match(refused.message, /must be 32 bytes in base64/u)
        if (text !== "") assert.notInclude(refused.message, text)
      }
    }
  })
)

it.live("a file that others may read, or that holds something else, is refused", () =>
  Effect.gen(function* () {
    const dataDirectory = yield* directory
    yield* Keyring.load({ dataDirectory })
    const path = join(dataDirectory, "pepper")
    for (const mode of [0o640, 0o604, 0o660]) {
      yield* Effect.promise(() => chmod(path, mode))
      const open = yield* Effect.flip(Keyring.load({ dataDirectory }))
      assert.strictEqual(open.message, `${path} can be read by other users; run: chmod 600 ${path}`)
    }
    yield* Effect.promise(() => chmod(path, 0o600))
    yield* Effect.promise(() => writeFile(path, "changed"))
    const changed = yield* Effect.flip(Keyring.load({ dataDirectory }))
    assert.include(changed.message, `${path} must be 32 bytes in base64`)
    assert.strictEqual(yield* Effect.promise(() => readFile(path, "utf8")), "changed")
  })
)

it.live("one secret may not serve for both, and a data directory that is a file is refused", () =>
  Effect.gen(function* () {
    const dataDirectory = yield* directory
    const same = { keyEncryptionKey: one, pepper: one, dataDirectory }
    assert.match((yield* Effect.flip(Keyring.load(same))).message, /must differ/u)
    const file = join(dataDirectory, "file")
    yield* Effect.promise(() => writeFile(file, ""))
    const refused = yield* Effect.flip(Keyring.load({ dataDirectory: file }))
    assert.match(refused.message, /can be neither read nor created/u)
  })
)

it.live("a keyring that is printed shows none of its bytes", () =>
  Effect.gen(function* () {
    const dataDirectory = yield* directory
    const keyring = yield* Keyring.load({ keyEncryptionKey: one, pepper: two, dataDirectory })
    const shown = [inspect(keyring, { depth: 9 }), JSON.stringify(keyring), String(keyring.pepper)]
    for (const text of shown) {
      assert.notInclude(text, one)
      assert.notMatch(text, /(?:1, 1, 1|01 01 01|2, 2, 2|02 02 02)/u)
    }
  })
)

it.live("a previous key is given as text, or stands in a file, and is never made", () =>
  Effect.gen(function* () {
    const dataDirectory = yield* directory
    const previousOf = Effect.fnUntraced(function* (text?: string) {
      const keyring = yield* Keyring.load({ dataDirectory, previousKeyEncryptionKey: text })
      const { previousKeyEncryptionKey: before } = keyring
      return before && Buffer.from(Redacted.value(before)).toString("base64")
    })
    assert.isUndefined(yield* previousOf())
    assert.strictEqual(yield* previousOf(one), one)
    const path = join(dataDirectory, "key-encryption-key.previous")
    yield* Effect.promise(() => writeFile(path, `${two}\n`, { mode: 0o600 }))
    assert.strictEqual(yield* previousOf(), two)
    assert.strictEqual(yield* previousOf(one), one)
    yield* Effect.promise(() => chmod(path, 0o644))
    const { message } = yield* Effect.flip(previousOf())
    assert.include(message, `chmod 600 ${path}`)
    const malformed = yield* Effect.flip(previousOf("c2hvcnQ="))
    assert.include(malformed.message, "previous key-encryption key")
  })
)
