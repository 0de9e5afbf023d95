/**
 * The file of an exported audit log, written and read piece by piece: what is kept in memory of it does not grow with
 * the log.
 */
import { createReadStream } from "node:fs"
import { open } from "node:fs/promises"
import { StringDecoder } from "node:string_decoder"
import { Effect } from "effect"
import { beginVerifying, readSigned } from "../../adapters/secrets/audit-export.ts"
import type { Found } from "../../core/audit/verify.ts"
import { misused } from "./exit.ts"

const trouble = (path: string) => (error: unknown) =>
  misused(`${path}: ${error instanceof Error ? error.message : "it cannot be used"}.`)

const tried = <A>(path: string, act: () => Promise<A>) =>
  Effect.tryPromise({ try: act, catch: trouble(path) })

/** Writes a file for its owner alone; one that was cut short has no checkpoint, and does not verify. */
export const writing = <A, E, R>(
  path: string,
  work: (
    write: (text: string) => Effect.Effect<void, ReturnType<typeof misused>>
  ) => Effect.Effect<A, E, R>
) =>
  Effect.acquireUseRelease(
    tried(path, () => open(path, "w", 0o600)),
    (file) => work((text) => Effect.asVoid(tried(path, () => file.appendFile(text)))),
    (file) => Effect.promise(() => file.close())
  )

/** The longest line that is read; one of a log is far shorter, and a longer one is none. */
export const maxLine = 1_048_576

/** The last line of a file that ends with a line break; undefined for any other. */
const lastLine = async (path: string): Promise<string | undefined> => {
  const file = await open(path, "r")
  try {
    const { size } = await file.stat()
    const length = Math.min(size, maxLine)
    const tail = Buffer.alloc(length)
    await file.read(tail, 0, length, size - length)
    const lines = tail.toString("utf8").split("\n")
    const isEnded = lines.pop() === ""
    const last = lines.pop()
    return isEnded && (lines.length > 0 || length === size) ? last : undefined
  } finally {
    await file.close()
  }
}

/** Hands over every line but the last, until there is none or nobody wants more. */
const eachLine = async (path: string, take: (line: string) => boolean): Promise<void> => {
  const decoder = new StringDecoder("utf8")
  // A line is handed over when the next one begins: the last one is the checkpoint.
  let held: string | undefined
  let rest = ""
  for await (const chunk of createReadStream(path)) {
    const lines = (rest + decoder.write(chunk as Buffer)).split("\n")
    // Of a line that is too long enough is kept to see that it is no entry.
    rest = (lines.pop() ?? "").slice(0, maxLine)
    for (const line of lines) {
      if (held !== undefined && !take(held)) return
      held = line
    }
  }
}

/** A checkpoint that was kept as it was signed. A whole log in its place is told from one before it is read. */
export const noteIn = (path: string) =>
  tried(path, async () => {
    const file = await open(path, "r")
    try {
      const { size } = await file.stat()
      if (size > maxLine) throw new Error("it is longer than any checkpoint")
      return await file.readFile("utf8")
    } finally {
      await file.close()
    }
  })

/** The checkpoint at the end of a file, if there is one: other files are checked against it too. */
export const checkpointIn = (path: string) =>
  tried(path, async () => {
    const last = await lastLine(path)
    return last === undefined ? undefined : readSigned(last)?.checkpoint
  })

/** Checks a file against the key, and against the checkpoints that were kept from before. */
export const verifyFile = (path: string, verifierKey: string, earlier: ReadonlyArray<string>) =>
  tried(path, async (): Promise<Found> => {
    const checking = beginVerifying(await lastLine(path), verifierKey, earlier)
    if (!("line" in checking)) return checking
    await eachLine(path, checking.line)
    return checking.end()
  })
