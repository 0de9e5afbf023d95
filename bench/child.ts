/**
 * Programs of the bench in processes of their own, so that nobody's garbage or waiting is anybody else's:
 * servers, the load, the sink. A child says once what it offers, then tells its CPU time when asked.
 */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"

export interface Child<Facts> {
  readonly facts: Facts
  readonly pid: number
  /** CPU seconds used so far, in user and system mode. */
  readonly cpuSeconds: () => Promise<number>
  readonly ask: (question: unknown) => Promise<unknown>
  readonly stop: () => Promise<void>
}

const stopped = async (child: ChildProcess) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, "exit")
  child.kill("SIGKILL")
  await exit
}

/** Starts `bench/<file>` and waits for its facts. */
export const start = async <Facts>(
  file: string,
  ...args: ReadonlyArray<string>
): Promise<Child<Facts>> => {
  const child = fork(join(import.meta.dirname, file), args, {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    execArgv: []
  })
  const failed = once(child, "exit").then(() => {
    throw new Error(`bench/${file} ended`)
  })
  // It ends when it is stopped, and nobody waits for a message then.
  failed.catch(() => undefined)
  const heard = async () => (await Promise.race([once(child, "message"), failed]))[0]
  const ask = async (question: unknown) => {
    const answer = heard()
    child.send(question as never)
    return answer
  }
  return {
    // What a child sends first is what its caller names as `Facts`; both are files of this folder.
    facts: (await heard()) as Facts,
    // It has said something, so it was started.
    pid: child.pid as number,
    cpuSeconds: async () => Number(await ask("cpu")),
    ask,
    stop: () => stopped(child)
  }
}

const cpuSeconds = () => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1e6
}

/** In a child: tells what it offers, then answers what it is asked. */
export const offer = (
  facts: unknown,
  answer: (question: unknown) => unknown = () => undefined
): void => {
  process.on("message", async (question) => {
    process.send?.(question === "cpu" ? cpuSeconds() : await answer(question))
  })
  process.on("disconnect", () => process.exit())
  process.send?.(facts)
}
