/**
 * From spawning the built service to its first 200 that says it is ready, and the memory it rests at: on an
 * existing PostgreSQL and on an existing embedded database, against a node process that only listens.
 */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { promisify } from "node:util"
import { freePort } from "../apps/sandbox/free-port.ts"
import * as Database from "./database.ts"
import {
  atMost,
  type Figure,
  interleaved,
  type Measurement,
  number,
  quoted,
  ratio,
  runAlone,
  spreadOf
} from "./measure.ts"

const root = join(import.meta.dirname, "..")
/** As `npm run serve` starts it. */
const program = ["dist/server.js"]
const bareProgram =
  'require("node:http").createServer((_, response) => response.end("ok")).listen(process.env.PORT, "127.0.0.1")'

const startWithinMs = 60_000
const restMs = 1500
const startCounts = 6

interface Started {
  readonly readyMs: number
  /** Resident, once it has had nothing to do for a while; undefined where /proc is not. */
  readonly restingMb: number | undefined
}

const residentMb = (pid: number | undefined) =>
  readFile(`/proc/${pid}/status`, "utf8").then(
    (status) => Number(/VmRSS:\s+(\d+)/u.exec(status)?.[1]) / 1024,
    () => undefined
  )

const isReady = (url: string) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false
  )

const started = async (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  path: string
): Promise<Started> => {
  const port = await freePort()
  const startedAt = performance.now()
  const child = spawn(process.execPath, args, {
    cwd: root,
    // The compile cache is what `npm run serve` starts it with.
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: "dist/cache",
      ...environment,
      PORT: String(port)
    },
    stdio: ["ignore", "ignore", "inherit"]
  })
  const exit = once(child, "exit")
  try {
    while (!(await isReady(`http://127.0.0.1:${port}${path}`))) {
      if (child.exitCode !== null) throw new Error(`${args.join(" ")} ended before it was ready`)
      if (performance.now() - startedAt > startWithinMs) throw new Error("It never became ready.")
      await setTimeout(5)
    }
    const readyMs = performance.now() - startedAt
    await setTimeout(restMs)
    return { readyMs, restingMb: await residentMb(child.pid) }
  } finally {
    // Stopped in good order: an embedded database that was killed has more to do at its next start.
    child.kill("SIGTERM")
    await exit
  }
}

const readyMs = (starts: ReadonlyArray<Started>) => starts.map((each) => each.readyMs)
const restingMb = (starts: ReadonlyArray<Started>) =>
  starts.map((each) => each.restingMb ?? Number.NaN)

export const measure = async (): Promise<Measurement> => {
  await promisify(execFile)(process.execPath, ["apps/build/main.ts", "server"], { cwd: root })
  const folder = await mkdtemp(join(tmpdir(), "bursar-bench-"))
  const database = await Database.open()
  const directories = { server: join(folder, "server"), embedded: join(folder, "embedded") }
  const onServer = { DATABASE_URL: database.url, BURSAR_DATA_DIR: directories.server }
  const embedded = { BURSAR_DATA_DIR: directories.embedded }
  const ready = "/health/ready"
  try {
    // The first round, which is dropped, makes both databases; the others find them.
    const taken = await interleaved(
      {
        bare: () => started(["-e", bareProgram], {}, "/"),
        server: () => started(program, onServer, ready),
        embedded: () => started(program, embedded, ready)
      },
      startCounts
    )
    const against = "node that only listens"
    const starts = (what: string, most: number, ours: ReadonlyArray<Started>): Figure => ({
      what: `cold start, ${what}`,
      against,
      ours: quoted(readyMs(ours), "ms"),
      theirs: quoted(readyMs(taken.bare), "ms"),
      ratio: ratio(readyMs(ours), readyMs(taken.bare)),
      target: {
        ...atMost(most, spreadOf(readyMs(ours))),
        said: `≤ ${number(most)} ms`
      }
    })
    const memory = (what: string, most: number, ours: ReadonlyArray<Started>): Figure => ({
      what: `memory at rest, ${what}`,
      against,
      ours: quoted(restingMb(ours), "MB"),
      theirs: quoted(restingMb(taken.bare), "MB"),
      ratio: ratio(restingMb(ours), restingMb(taken.bare)),
      target: {
        ...atMost(most, spreadOf(restingMb(ours))),
        said: `≤ ${number(most)} MB`
      }
    })
    return {
      file: "cold-start.ts",
      figures: [
        starts("existing PostgreSQL", 400, taken.server),
        starts("existing embedded database", 700, taken.embedded),
        memory("PostgreSQL", 120, taken.server),
        memory("embedded database", 220, taken.embedded)
      ]
    }
  } finally {
    await database.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

await runAlone(import.meta.main, measure)
