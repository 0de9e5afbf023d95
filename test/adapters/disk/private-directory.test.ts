/** A data directory is its owner's alone, whoever made it and however, or nothing is opened in it. */
import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { DataDirectoryRefused, secure } from "../../../adapters/disk/private-directory.ts"
import { hold } from "../../../adapters/postgres/data-directory-lock.ts"
import * as Keyring from "../../../adapters/secrets/keyring.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const aPlace = temporaryFolder("bursar-private-")

const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8)

const isRoot = process.geteuid?.() === 0

/** A directory of another user: to root none is one but by chown, to others the root of all is. */
const othersDirectory = (place: string) => {
  if (!isRoot) return "/"
  const directory = join(place, "others")
  mkdirSync(directory, { mode: 0o700 })
  chownSync(directory, 65_534, 65_534)
  return directory
}

it.effect.each([0o755, 0o777, 0o770, 0o711, 0o600, 0o1777])(
  "one that was there with the mode %o is 0700 afterwards",
  (mode) =>
    Effect.gen(function* () {
      const directory = join(yield* aPlace, "data")
      mkdirSync(directory)
      chmodSync(directory, mode)
      yield* secure(directory)
      assert.strictEqual(modeOf(directory), "700")
    })
)

it.effect("one that is missing is made 0700, with whatever is missing above it", () =>
  Effect.gen(function* () {
    const place = yield* aPlace
    const before = process.umask(0o000)
    const path = yield* Effect.ensuring(
      secure(join(place, "above", "data")),
      Effect.sync(() => process.umask(before))
    )
    assert.strictEqual(modeOf(path), "700")
    assert.strictEqual(modeOf(join(place, "above")), "700")
  })
)

it.effect("what is made after it is opened is nobody else's, whatever the umask was", () =>
  Effect.gen(function* () {
    const directory = join(yield* aPlace, "data")
    const before = process.umask(0o000)
    yield* Effect.ensuring(
      Effect.gen(function* () {
        yield* secure(directory)
        writeFileSync(join(directory, "file"), "")
        mkdirSync(join(directory, "folder"))
      }),
      Effect.sync(() => process.umask(before))
    )
    assert.strictEqual(modeOf(join(directory, "file")), "600")
    assert.strictEqual(modeOf(join(directory, "folder")), "700")
  })
)

it.effect("one behind a link is what the link names", () =>
  Effect.gen(function* () {
    const place = yield* aPlace
    mkdirSync(join(place, "data"), { mode: 0o755 })
    symlinkSync(join(place, "data"), join(place, "link"))
    assert.match(yield* secure(join(place, "link")), /\/data$/u)
    assert.strictEqual(modeOf(join(place, "data")), "700")
  })
)

it.effect("one of another user is refused by name, and left as it was", () =>
  Effect.gen(function* () {
    const directory = othersDirectory(yield* aPlace)
    const before = modeOf(directory)
    const sources = { dataDirectory: directory }
    for (const open of [secure(directory), Effect.scoped(hold(directory)), Keyring.load(sources)]) {
      const refused: unknown = yield* Effect.flip(Effect.asVoid<unknown, unknown, never>(open))
      assert.instanceOf(refused, DataDirectoryRefused)
      assert.include(refused.message, `The data directory ${directory} belongs to the user`)
      assert.match(refused.message, /run this as that user.*chown.*BURSAR_DATA_DIR/u)
    }
    assert.strictEqual(modeOf(directory), before)
  })
)

it.effect("one whose mode cannot be changed is refused with what to do", () =>
  Effect.gen(function* () {
    // The process's own, open to all, and no file system of modes.
    const directory = `/proc/${process.pid}/task`
    const refused = yield* Effect.flip(secure(directory))
    assert.instanceOf(refused, DataDirectoryRefused)
    assert.match(
      refused.message,
      /can be opened by other users.*chmod 700 fails \(EPERM\).*BURSAR_DATA_DIR/u
    )
  })
)

it.effect("a file is no data directory", () =>
  Effect.gen(function* () {
    const file = join(yield* aPlace, "file")
    writeFileSync(file, "")
    const refused = yield* Effect.flip(secure(file))
    assert.match(refused.message, /can be neither read nor created \(EEXIST\).*BURSAR_DATA_DIR/u)
  })
)
