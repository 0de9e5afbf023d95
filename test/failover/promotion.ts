/** The moment at which a standby takes the place of its server, while processes and agents go on. */
import { until } from "../kill/scene.ts"
import type { Load } from "./load.ts"
import type { Route } from "./route.ts"
import type { Pair } from "./servers.ts"

export interface Promotion<Process> {
  readonly pair: Pair
  readonly route: Route
  readonly load: Pick<Load<Process, unknown>, "count" | "lead">
  /** On the first server, until that one or the process is lost. */
  readonly old: Process
  /** Lives on, and finds the promoted server where the first one was. */
  readonly lasting: Process
  /** Whether the old server and its process stay, and think that they are the one. */
  readonly isSplit: boolean
  readonly start: (url: string) => Promise<Process>
  readonly stop: (process: Process) => Promise<void>
  /** The highest line in the key store; undefined where there is none. */
  readonly kept: (() => Promise<number>) | undefined
}

/** The process that begins on the promoted server, once the key store has its line. */
export const promote = async <Process>({
  isSplit,
  kept,
  lasting,
  load,
  old,
  pair,
  route,
  start,
  stop
}: Promotion<Process>): Promise<Process> => {
  const before = await kept?.()
  if (!isSplit) {
    load.count("crash")
    await Promise.all([stop(old), pair.crash()])
  }
  load.count("promotion")
  await pair.promote()
  route.lead(pair.standbyUrl)
  const next = await start(pair.standbyUrl)
  load.lead(isSplit ? [old, lasting, next] : [lasting, next])
  if (kept !== undefined && before !== undefined) {
    await until("the new line is in the key store", async () =>
      (await kept()) > before ? true : undefined
    )
  }
  return next
}
