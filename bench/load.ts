/** One slice of load on a server: what it answered each second, and the CPU time each answer cost it. */
import { type Child, start } from "./child.ts"
import { sliceSeconds } from "./measure.ts"

export interface Request {
  readonly url: string
  readonly method?: "GET" | "POST"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Headers instead of those, one after the other; each connection begins elsewhere among them. */
  readonly inTurn?: ReadonlyArray<Readonly<Record<string, string>>>
}

export interface Sample {
  readonly perSecond: number
  readonly cpuMicros: number
  readonly p99Ms: number
  /** How much of a core the load itself used: near 1, it and not the server is the limit. */
  readonly loadCores: number
}

interface Answered {
  readonly perSecond: number
  readonly answered: number
  readonly p99Ms: number
}

export const connections = 32

/**
 * Answers before the first slice, so that what is measured is compiled however slow it is: V8 goes on compiling a
 * server of this size for some twenty thousand of them, on threads whose CPU is counted.
 */
const warmingAnswers = 20_000

/** Opens the load; each call of what it gives is one slice. */
export const open = async () => {
  const loader = await start("servers/load.ts")
  /** As much as it can answer, or so many a second. */
  const slice = async (
    server: Child<unknown>,
    request: Request,
    overallRate?: number
  ): Promise<Sample> => {
    const loadBefore = await loader.cpuSeconds()
    const before = await server.cpuSeconds()
    const rate = overallRate === undefined ? {} : { overallRate }
    const asked = { ...request, connections, duration: sliceSeconds, ...rate }
    const { answered, ...answer } = (await loader.ask(asked)) as Answered
    const spent = (await server.cpuSeconds()) - before
    const loadCores = ((await loader.cpuSeconds()) - loadBefore) / sliceSeconds
    return { ...answer, cpuMicros: (spent / answered) * 1e6, loadCores }
  }
  const warm = (request: Request) => loader.ask({ ...request, connections, amount: warmingAnswers })
  return { slice, stop: loader.stop, warm }
}

export const perSecond = (samples: ReadonlyArray<Sample>) => samples.map((each) => each.perSecond)
export const cpuMicros = (samples: ReadonlyArray<Sample>) => samples.map((each) => each.cpuMicros)

/** What a server answers for each second of CPU: the ratio that no shared core can blur. */
export const perCpuSecond = (samples: ReadonlyArray<Sample>) =>
  samples.map((each) => 1e6 / each.cpuMicros)
