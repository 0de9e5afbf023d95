/**
 * A fresh client in a process of its own: it asks again and again, each time on a connection of its own, and
 * times its answers. Beside the crowd, in the crowd's process, it would wait for the crowd's own client.
 */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import type { Call } from "./fresh-client.ts"
import type { Scene } from "./scene.ts"

export type { Call }

export interface Fresh {
  /** Stops asking, and tells what each of its calls took. */
  readonly end: () => Promise<ReadonlyArray<Call>>
}

const program = new URL("fresh-client.ts", import.meta.url)

/** Reads its own account, and a payment link, every quarter of a second. */
export const begin = async ({
  facts,
  pid,
  port
}: Pick<Scene, "facts" | "pid" | "port">): Promise<Fresh> => {
  const settings = { origin: `http://127.0.0.1:${port}`, key: facts.agentKey, pid }
  const child: ChildProcess = fork(program, [JSON.stringify(settings)], { execArgv: [] })
  await once(child, "message")
  return {
    end: async () => {
      const told = once(child, "message")
      child.send("end")
      const [calls] = (await told) as [ReadonlyArray<Call>]
      return calls
    }
  }
}
