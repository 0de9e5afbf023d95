/**
 * Starts the service as a process and watches it die. Bundled once, because a bundle starts in a third
 * of the time; nobody else is told where it dies, and only the service itself says that it does.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build } from "esbuild"
import type { Point } from "./points.ts"
import type { Settings } from "./settings.ts"

const root = join(import.meta.dirname, "../..")

/** Some packages are CommonJS inside and call `require`, which an ES module does not have. */
const banner =
  'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);'

export interface Bundle {
  readonly file: string
  readonly remove: () => void
}

/** The service in one file; PGlite stays outside, as it loads files lying next to its own code. */
export const bundle = async (): Promise<Bundle> => {
  const folder = mkdtempSync(join(tmpdir(), "bursar-kill-"))
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  const file = join(folder, "service.mjs")
  await build({
    entryPoints: [join(root, "test/kill/service.ts")],
    outfile: file,
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    external: ["@electric-sql/pglite", "@electric-sql/pglite/*", "pg-native", "redis"],
    banner: { js: banner },
    logLevel: "warning"
  })
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

export interface Death {
  readonly signal: string | null
  /** The last line it said. */
  readonly lastWords: string
}

export interface Child {
  /** The key of the account it opened. */
  readonly key: string | undefined
  /** Resolves once the service knows where to die. */
  readonly arm: (point: Point) => Promise<void>
  readonly died: Promise<Death>
  readonly stop: () => Promise<void>
}

const nextMessage = (child: ChildProcess, died: Promise<Death>) =>
  Promise.race([
    new Promise<{ readonly key?: string }>((resolve) => child.once("message", resolve)),
    died.then(({ signal, lastWords }) => {
      throw new Error(`The service ended (${signal}) before it answered:\n${lastWords}`)
    })
  ])

/** Starts it and waits until it serves. */
export const start = async ({ file }: Bundle, settings: Settings): Promise<Child> => {
  const child = spawn(process.execPath, [file], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { KILL_SETTINGS: JSON.stringify(settings), NODE_COMPILE_CACHE: join(file, "../cache") }
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
  const { key } = await nextMessage(child, died).catch((error) => {
    throw new Error(`The service did not start:\n${said}`, { cause: error })
  })
  return {
    key,
    died,
    arm: async (point) => {
      const known = nextMessage(child, died)
      child.send(point)
      await known
    },
    stop: async () => {
      child.kill("SIGKILL")
      await died
    }
  }
}
