/**
 * Starts the service as a process and watches it die. Bundled once a run, as apps are, because a bundle starts in a
 * third of the time; nobody else is told where it dies, and only the service itself says that it does.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { build } from "esbuild"
import { inParts } from "../../apps/build/bundling.ts"
import { built } from "../support/shared-builds.ts"
import * as Channel from "./channel.ts"

const root = join(import.meta.dirname, "../..")

export interface Bundle {
  readonly file: string
  readonly remove: () => void
}

/** A program in parts, as an app is built: what comes late in a test comes late in the product too. */
export const bundle = async (program = "test/kill/service.ts"): Promise<Bundle> => {
  const fileIn = (folder: string) => join(folder, "service.mjs")
  const { folder, remove } = await built(program.replaceAll("/", "-"), (making) => {
    symlinkSync(join(root, "node_modules"), join(making, "node_modules"))
    const entryPoints = { service: join(root, program) }
    return build({ ...inParts, entryPoints, outdir: making, outExtension: { ".js": ".mjs" } })
  })
  return { file: fileIn(folder), remove }
}

export interface Death {
  readonly signal: string | null
  /** The last line it said. */
  readonly lastWords: string
}

export interface Child<Facts> {
  /** What it told once it served. */
  readonly facts: Facts
  readonly ask: (question: unknown) => Promise<unknown>
  readonly died: Promise<Death>
  /** Whether it has said this among its last words. */
  readonly hasSaid: (words: string) => boolean
  /** Goes on after it stood still. */
  readonly resume: () => void
  readonly stop: () => Promise<void>
}

/** Where Node keeps what it compiled of a bundle, for those who start it again. */
export const cacheOf = ({ file }: Bundle) => ({ NODE_COMPILE_CACHE: join(file, "../cache") })

/** Starts it and waits until it serves. */
export const start = async <Facts>(program: Bundle, settings: object): Promise<Child<Facts>> => {
  const child: ChildProcess = spawn(process.execPath, [program.file], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { KILL_SETTINGS: JSON.stringify(settings), ...cacheOf(program) }
  })
  let said = ""
  const hear = (chunk: Buffer) => {
    said = (said + chunk.toString("utf8")).slice(-8192)
  }
  child.stdout?.on("data", hear)
  child.stderr?.on("data", hear)
  const died = new Promise<Death>((resolve) => {
    child.once("close", (_, signal) =>
      resolve({ signal, lastWords: said.trimEnd().split("\n").at(-1) ?? "" })
    )
  })
  const ended = died.then(
    ({ signal, lastWords }) => `The service ended (${signal}) before it answered:\n${lastWords}`
  )
  const facts = await Promise.race([
    new Promise<unknown>((resolve) => child.once("message", resolve)),
    ended.then(() => {
      throw new Error(`The service did not start:\n${said}`)
    })
  ])
  return {
    // What a program sends first is what its caller names as `Facts`.
    facts: facts as Facts,
    ask: Channel.asking(child, ended),
    died,
    hasSaid: (words) => said.includes(words),
    resume: () => child.kill("SIGCONT"),
    stop: async () => {
      child.kill("SIGKILL")
      await died
    }
  }
}
