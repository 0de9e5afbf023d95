/** One crowd before one process, and what a fresh client sees of it: what the parts of the verification share. */
import { loadavg } from "node:os"
import { setTimeout } from "node:timers/promises"
import type * as Guards from "../../adapters/http/guards/guards.ts"
import type { Figure, Run } from "../money/part.ts"
import * as SlowClients from "../support/slow-clients.ts"
import * as Crowd from "./crowd.ts"
import * as Fresh from "./fresh.ts"
import type { Kind } from "./kinds.ts"
import * as Scene from "./scene.ts"

export const off = {
  connections: "off",
  door: "off",
  inOrder: "off",
  slowReaders: "off",
  unsentBytes: "off",
  keepAliveMs: 5_000
} as const

const maxGrownMib = 400
export const maxFreshMs = 1_000
const maxGoneMs = 40_000

/** The service's own bounds, but streams that end as soon as the rest. */
const usual: Guards.Options = { slowReaders: { streamMs: 20_000 } }

/** The same, small enough for a test. */
const small: Guards.Options = {
  slowReaders: { stalledMs: 3_000, streamMs: 4_000 },
  keepAliveMs: 5_000
}

export const guardsOf = ({ quick }: Run) => (quick ? small : usual)

const quantile = (times: ReadonlyArray<number>, share: number): number => {
  const sorted = times.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

const ms = (value: number) => `${Math.round(value)} ms`

export const within = async <A>(
  run: Run,
  guards: Guards.Options,
  body: (scene: Scene.Scene) => Promise<A>
): Promise<A> => {
  const scene = await Scene.start(run.bundle, guards, { isApart: !run.quick, requests: 60 })
  try {
    return await body(scene)
  } finally {
    await scene.close()
  }
}

/** What a fresh client saw while the crowd came and after, in words, and whether all came in time. */
export const judged = (
  calls: ReadonlyArray<Fresh.Call>,
  what: Fresh.Call["what"],
  completeMs: number
) => {
  const own = calls.filter((call) => call.what === what)
  const longest = (some: ReadonlyArray<Fresh.Call>) =>
    Math.max(0, ...some.map(({ tookMs }) => tookMs))
  const coming = longest(own.filter(({ atMs }) => atMs < completeMs))
  const settled = longest(own.filter(({ atMs }) => atMs >= completeMs))
  const others = own.filter(({ seen }) => seen !== 200).map(({ seen }) => String(seen))
  const refused =
    others.length === 0
      ? "none refused"
      : `${others.length} refused (${[...new Set(others)].join(", ")})`
  const p50 = quantile(
    own.map(({ tookMs }) => tookMs),
    0.5
  )
  return {
    longestMs: Math.max(coming, settled),
    refused: others.length,
    seen: `p50 ${ms(p50)}, max ${ms(coming)} while they came and ${ms(settled)} after, of ${own.length} ${refused}`,
    holds: own.length > 0 && Math.max(coming, settled) <= maxFreshMs && others.length === 0
  }
}

/**
 * The same is asked before by clients that read all of it: what a process compiles at its first answers, on a busy
 * machine for longer than a second, is nothing that a crowd does to others.
 */
const answeredBefore = async ({ port }: Scene.Scene, kinds: ReadonlyArray<Kind>) => {
  for (const { text } of kinds) {
    const readers = Array.from({ length: 10 }, () => SlowClients.open({ port }, text))
    for (const { readOn } of readers) readOn()
    let before = -1
    let now = 0
    while (now > before) {
      before = now
      await setTimeout(100)
      now = readers.reduce((sum, { read }) => sum + read().length, 0)
    }
    for (const { close } of readers) close()
  }
}

/** A crowd comes, is watched until it is gone, and a fresh client asks all the while. */
export const held = async (
  scene: Scene.Scene,
  what: string,
  kinds: ReadonlyArray<Kind>,
  count: number,
  {
    isFreshJudged = true,
    tick
  }: {
    readonly isFreshJudged?: boolean
    readonly tick?: (client: SlowClients.SlowClient) => void
  } = {}
): Promise<Figure> => {
  await answeredBefore(scene, kinds)
  const beforeMib = scene.rssMib()
  const [load = 0] = loadavg()
  const client = await Fresh.begin(scene)
  const crowd = await Crowd.gather(scene, kinds, count)
  const completeMs = Date.now()
  const timer = setInterval(() => {
    if (tick !== undefined) for (const each of crowd.clients) tick(each)
  }, 10_000)
  const seen = await Crowd.watch(scene, beforeMib, maxGoneMs + 20_000)
  clearInterval(timer)
  const calls = await client.end()
  crowd.leave()
  const account = judged(calls, "account", completeMs)
  const pay = judged(calls, "pay", completeMs)
  const { goneAfterMs, grownMib, maxHeld } = seen
  return {
    invariant: "edge",
    what: `${count} of ${what}`,
    seen: `memory +${Math.round(grownMib)} MiB; ${maxHeld} held at most, ${
      goneAfterMs === undefined
        ? "still some in the end"
        : `none ${ms(goneAfterMs)} after the last had come`
    }; a fresh client's reads ${account.seen}; a payer's pages ${pay.seen}; load ${load.toFixed(1)}, the crowd itself ${ms(crowd.lateMs)} late (p99)`,
    holds:
      grownMib < maxGrownMib &&
      goneAfterMs !== undefined &&
      goneAfterMs <= maxGoneMs &&
      (!isFreshJudged || (account.holds && pay.holds))
  }
}
