/**
 * The installation's two root secrets. Each is given as text, or kept in a file of the data directory
 * that only its owner may read; it is made once, and lost means that what it protects is lost.
 */
import { randomBytes } from "node:crypto"
import { type FileHandle, link, open, readFile, stat, unlink } from "node:fs/promises"
import { join } from "node:path"
import { Data, Effect, Predicate, Redacted } from "effect"
import * as PrivateDirectory from "../disk/private-directory.ts"
import { keyBytes } from "./envelope.ts"

export interface Keyring {
  /** Wraps the data key. */
  readonly keyEncryptionKey: Redacted.Redacted<Uint8Array>
  /** Wrapped it before, while that is being changed. */
  readonly previousKeyEncryptionKey?: Redacted.Redacted<Uint8Array>
  /** Under which API keys are digested. */
  readonly pepper: Redacted.Redacted<Uint8Array>
}

/** One sentence that says what to do; it never holds the secret. */
export class KeyringRefused extends Data.TaggedError("KeyringRefused")<{
  readonly message: string
}> {}

export interface Sources {
  /** Base64 of 32 bytes; the file `key-encryption-key` of the data directory when left out. */
  readonly keyEncryptionKey?: string | undefined
  /** The same of the previous one; the file `key-encryption-key.previous`, if there is one. */
  readonly previousKeyEncryptionKey?: string | undefined
  /** Base64 of 32 bytes; the file `pepper` of the data directory when left out. */
  readonly pepper?: string | undefined
  readonly dataDirectory: string
}

const parse = (text: string, where: string): Effect.Effect<Uint8Array, KeyringRefused> => {
  const trimmed = text.trim()
  const bytes = Buffer.from(trimmed, "base64")
  return bytes.length === keyBytes && bytes.toString("base64") === trimmed
    ? Effect.succeed(bytes)
    : Effect.fail(
        new KeyringRefused({
          message: `${where} must be ${keyBytes} bytes in base64; create them with: openssl rand -base64 ${keyBytes}`
        })
      )
}

const hasCode = (cause: unknown, code: string) =>
  Predicate.hasProperty(cause, "code") && cause.code === code

const flushed = async (file: FileHandle, text?: string) => {
  try {
    if (text !== undefined) await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Complete or not there: linked into place once its bytes are on the disk. The first of two makers wins. */
const create = async (directory: string, path: string): Promise<void> => {
  const draft = `${path}.${randomBytes(8).toString("hex")}`
  await flushed(await open(draft, "wx", 0o600), `${randomBytes(keyBytes).toString("base64")}\n`)
  try {
    await link(draft, path)
  } catch (cause) {
    if (!hasCode(cause, "EEXIST")) throw cause
  } finally {
    await unlink(draft)
  }
  await flushed(await open(directory, "r"))
}

/** Undefined when there is no such file. */
const read = async (path: string) => {
  try {
    const { mode } = await stat(path)
    return { text: await readFile(path, "utf8"), ownerOnly: (mode & 0o077) === 0 }
  } catch (cause) {
    if (!hasCode(cause, "ENOENT")) throw cause
    return undefined
  }
}

const readOrMade = async (directory: string, path: string) => {
  const found = await read(path)
  if (found !== undefined) return found
  await create(directory, path)
  return { text: await readFile(path, "utf8"), ownerOnly: true }
}

const parsed = Effect.fnUntraced(function* (path: string, ask: () => ReturnType<typeof read>) {
  const found = yield* Effect.tryPromise({
    try: ask,
    catch: () => new KeyringRefused({ message: `${path} can be neither read nor created.` })
  })
  if (found?.ownerOnly === false) {
    return yield* new KeyringRefused({
      message: `${path} can be read by other users; run: chmod 600 ${path}`
    })
  }
  return found === undefined ? undefined : yield* parse(found.text, path)
})

type FromFile = (directory: string, name: string) => Effect.Effect<Uint8Array, Refused>
type Refused = KeyringRefused | PrivateDirectory.DataDirectoryRefused

const readOrMake: FromFile = Effect.fnUntraced(function* (directory, name) {
  yield* PrivateDirectory.secure(directory)
  const path = join(directory, name)
  const bytes = yield* parsed(path, () => readOrMade(directory, path))
  return bytes ?? (yield* Effect.die(new Error(`${path} was not created.`)))
})

const onlyRead: FromFile = Effect.fnUntraced(function* (directory, name) {
  const path = join(directory, name)
  const bytes = yield* parsed(path, () => read(path))
  if (bytes !== undefined) return bytes
  return yield* new KeyringRefused({
    message: `${path} is missing, and the database was made with one. Restore it from your backup, or correct BURSAR_DATA_DIR.`
  })
})

const previous = (text: string | undefined, directory: string) => {
  if (text !== undefined) return parse(text, "The previous key-encryption key")
  const path = join(directory, "key-encryption-key.previous")
  return parsed(path, () => read(path))
}

/** Both secrets, and the previous key if there is one. */
const from = Effect.fnUntraced(function* (sources: Sources, fromFile: FromFile) {
  const { keyEncryptionKey, previousKeyEncryptionKey, pepper, dataDirectory } = sources
  const before = yield* previous(previousKeyEncryptionKey, dataDirectory)
  const bytes = {
    keyEncryptionKey: yield* keyEncryptionKey === undefined
      ? fromFile(dataDirectory, "key-encryption-key")
      : parse(keyEncryptionKey, "The key-encryption key"),
    pepper: yield* pepper === undefined
      ? fromFile(dataDirectory, "pepper")
      : parse(pepper, "The pepper")
  }
  if (Buffer.compare(bytes.keyEncryptionKey, bytes.pepper) === 0) {
    return yield* new KeyringRefused({
      message: "The key-encryption key and the pepper must differ; create a new one."
    })
  }
  return {
    keyEncryptionKey: Redacted.make(bytes.keyEncryptionKey, { label: "key-encryption key" }),
    ...(before === undefined
      ? {}
      : {
          previousKeyEncryptionKey: Redacted.make(before, { label: "previous key-encryption key" })
        }),
    pepper: Redacted.make(bytes.pepper, { label: "pepper" })
  } satisfies Keyring
})

/** Loads the secrets, and makes those that were never made. */
export const load = (sources: Sources) => from(sources, readOrMake)

/** Loads the secrets and makes none: a missing one is refused, and says where it should be. */
export const existing = (sources: Sources) => from(sources, onlyRead)
