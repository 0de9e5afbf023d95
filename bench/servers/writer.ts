/**
 * A process that writes events at an even pace, to endpoints in turn, as a program does that calls the service; it
 * tells when each was begun, by its id. Nobody who delivers waits for its garbage.
 */
import { Effect, Fiber, ManagedRuntime } from "effect"
import { offer } from "../child.ts"
import * as Ports from "../ports.ts"
import * as Queue from "../queue.ts"

export interface Pace {
  readonly to: ReadonlyArray<Queue.Receiver>
  readonly perSecond: number
  readonly seconds: number
}

export type Begun = ReadonlyArray<readonly [id: string, at: number]>

const now = () => performance.timeOrigin + performance.now()

const paced = Effect.fnUntraced(function* ({ to, perSecond, seconds }: Pace) {
  const begun: Array<readonly [string, number]> = []
  const send = Effect.fnUntraced(function* (receiver: Queue.Receiver) {
    const at = now()
    begun.push([yield* Queue.enqueue(receiver), at])
  })
  const startedAt = now()
  const total = perSecond * seconds
  const sending: Array<Fiber.Fiber<void>> = []
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.ceil(((now() - startedAt) / 1000) * perSecond))
    for (; sent < due; sent++) {
      const receiver = to[sent % to.length]
      if (receiver !== undefined) sending.push(yield* Effect.forkChild(send(receiver)))
    }
    yield* Effect.sleep(2)
  }
  yield* Fiber.joinAll(sending)
  return begun
})

const [url = ""] = process.argv.slice(2)
const runtime = ManagedRuntime.make(Ports.onPostgres(url))
// It connects before its first slice.
await runtime.context()

offer("ready", (pace) => runtime.runPromise(paced(pace as Pace)))
