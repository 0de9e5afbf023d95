/** Mail into a directory: the contract, and who may read what lies there. */
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Outbox from "../../../adapters/mail/outbox.ts"
import { Mail } from "../../../core/ports/mail.ts"
import { suite } from "../../contracts/mail.contract.ts"
import { MailWorld, read } from "../../support/mail-receiver.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => join(mkdtempSync(join(tmpdir(), "bursar-outbox-")), "outbox")),
  (directory) => Effect.sync(() => rmSync(join(directory, ".."), { recursive: true }))
)

const from = "bursar@treasury.example"

/** The directory is out of reach while a file lies in its place. */
const closing = (directory: string, isClosed: boolean) => {
  if (isClosed) {
    renameSync(directory, `${directory}.away`)
    writeFileSync(directory, "in the way")
  } else {
    rmSync(directory)
    renameSync(`${directory}.away`, directory)
  }
}

const groundOf = (directory: string) =>
  Layer.succeed(MailWorld, {
    arrived: Effect.sync(() =>
      readdirSync(directory, { withFileTypes: true })
        .map(({ name }) => join(directory, name))
        .toSorted((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs)
        .map((path) => read(readFileSync(path, "utf8")))
    ),
    close: (isClosed) => Effect.sync(() => closing(directory, isClosed))
  })

suite(
  "outbox",
  Layer.unwrap(
    Effect.map(temporary, (directory) =>
      Layer.merge(Outbox.layer({ directory, from }), groundOf(directory))
    )
  )
)

it.effect("only its owner may read an email, and one that is sent again is one file", () =>
  Effect.gen(function* () {
    const directory = yield* temporary
    const message = { id: "one", to: "ada@example.com", subject: "Hello", text: "Hi." }
    const twice = Effect.flatMap(Mail, ({ send }) => Effect.andThen(send(message), send(message)))
    yield* Effect.provide(twice, Outbox.layer({ directory, from }))
    assert.deepStrictEqual(readdirSync(directory), ["one.eml"])
    const text = readFileSync(join(directory, "one.eml"), "utf8")
    // The clock of tests stands at the beginning of 1970, which was a Thursday.
    assert.include(text, "\nDate: Thu, 01 Jan 1970 00:00:00 +0000\n")
    assert.strictEqual(statSync(join(directory, "one.eml")).mode & 0o777, 0o600)
    assert.strictEqual(statSync(directory).mode & 0o777, 0o700)
  })
)
