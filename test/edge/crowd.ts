/** A crowd of clients that do not read, from 500 addresses of this machine, watched until it is gone. */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setTimeout } from "node:timers/promises"
import * as SlowClients from "../support/slow-clients.ts"
import type { Kind } from "./kinds.ts"
import type { Scene } from "./scene.ts"

const addresses = 500

/** 127.0.1.1 and on. */
const addressOf = (at: number): string => {
  const host = at % addresses
  return `127.0.${1 + Math.floor(host / 250)}.${1 + (host % 250)}`
}

/** A flood of connections at once would be bounded by the system's queue, not by the service. */
const perSlice = 50
const sliceMs = 25

export interface Crowd {
  readonly clients: ReadonlyArray<SlowClients.SlowClient>
  /** How late this process was itself, at most in 99 of 100 looks, while the crowd came. */
  readonly lateMs: number
  readonly leave: () => void
}

/** So many clients, their kinds in turn. */
export const gather = async (
  { port }: Pick<Scene, "port">,
  kinds: ReadonlyArray<Kind>,
  count: number
): Promise<Crowd> => {
  const clients: Array<SlowClients.SlowClient> = []
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  for (let at = 0; at < count; at++) {
    const text = kinds[at % kinds.length]?.text ?? ""
    clients.push(SlowClients.open({ port, from: addressOf(at) }, text))
    if (at % perSlice === perSlice - 1) await setTimeout(sliceMs)
  }
  delay.disable()
  return {
    clients,
    lateMs: delay.percentile(99) / 1e6,
    leave: () => {
      for (const { close } of clients) close()
    }
  }
}

/** What was seen of a crowd for as long as it was watched. */
export interface Watched {
  readonly grownMib: number
  readonly maxHeld: number
  /** Until the service held none of them any more; undefined if it still did in the end. */
  readonly goneAfterMs: number | undefined
}

/** Looks on until nobody of the crowd is left, or no longer than this. */
export const watch = async (
  scene: Scene,
  beforeMib: number,
  patienceMs: number
): Promise<Watched> => {
  const startedAt = performance.now()
  let maxMib = scene.rssMib()
  let maxHeld = scene.held()
  let goneAfterMs: number | undefined
  while (goneAfterMs === undefined && performance.now() - startedAt < patienceMs) {
    await setTimeout(250)
    if (!scene.isAlive()) throw new Error("The process has ended.")
    const held = scene.held()
    maxMib = Math.max(maxMib, scene.rssMib())
    maxHeld = Math.max(maxHeld, held)
    if (held === 0) goneAfterMs = performance.now() - startedAt
  }
  return { grownMib: maxMib - beforeMib, maxHeld, goneAfterMs }
}
