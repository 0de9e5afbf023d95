/** Questions and answers over the channel between a test and the process it started. */
import type { ChildProcess } from "node:child_process"

interface Asked {
  readonly id: number
  readonly question: unknown
}

interface Answered {
  readonly id: number
  readonly answer?: unknown
  readonly fault?: string
}

/** In the parent: asks, and rejects when the process ends before it answers. */
export const asking = (child: ChildProcess, ended: Promise<string>) => {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  child.on("message", ({ id, answer, fault }: Answered) => {
    const waits = waiting.get(id)
    waiting.delete(id)
    if (fault === undefined) waits?.resolve(answer)
    else waits?.reject(new Error(fault))
  })
  ended.then((how) => {
    for (const { reject } of waiting.values()) reject(new Error(how))
    waiting.clear()
  })
  let asked = 0
  return (question: unknown): Promise<unknown> => {
    const id = ++asked
    const waits = Promise.withResolvers<unknown>()
    waiting.set(id, waits)
    // One that died since is told of by how it ended, as one that dies while it is asked.
    child.send({ id, question } as never, (error) => {
      if (error !== null) ended.then((how) => waits.reject(new Error(how)))
    })
    return waits.promise
  }
}

/** In the process: answers whatever is asked, several at once, and ends with the parent. */
export const answering = (answer: (question: unknown) => unknown): void => {
  process.on("message", async ({ id, question }: Asked) => {
    try {
      process.send?.({ id, answer: await answer(question) } satisfies Answered)
    } catch (error) {
      process.send?.({ id, fault: String(error) } satisfies Answered)
    }
  })
  process.on("disconnect", () => process.exit(1))
}
