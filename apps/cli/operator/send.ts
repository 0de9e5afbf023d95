/** Hands a command to the running service that has the database open, and prints what that says. */
import { connect } from "node:net"
import { Console, Effect, Schema } from "effect"
import * as Exit from "../exit.ts"
import { Shell } from "../shell.ts"
import type { OpenElsewhere } from "./office.ts"
import { Answered, Asked, socketIn } from "./wire.ts"

/** Nothing was handed over: whoever has the directory open listens to nobody. */
class Unheard extends Error {}

const exchanged = (socketPath: string, asked: string) =>
  new Promise<string>((resolve, reject) => {
    let heard = ""
    let isConnected = false
    const socket = connect(socketPath, () => {
      isConnected = true
      socket.end(`${asked}\n`)
    })
    socket.setEncoding("utf8")
    socket.on("data", (text: string) => {
      heard += text
    })
    socket.on("error", (error) => reject(isConnected ? error : new Unheard()))
    socket.on("end", () => resolve(heard))
  })

const lost = () =>
  Exit.unknown(
    "The service ended before it answered, so the command may have been executed. Look with a list command before you run it again."
  )

export const sent = Effect.fnUntraced(function* (
  { directory, stopped }: OpenElsewhere,
  words: ReadonlyArray<string>
) {
  const { columns } = yield* Shell
  const asked = Schema.encodeSync(Schema.fromJsonString(Asked))({ words, columns: columns ?? null })
  const heard = yield* Effect.tryPromise({
    try: () => exchanged(socketIn(directory), asked),
    catch: (error) => (error instanceof Unheard ? stopped : lost())
  })
  const answered = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(Answered))(heard).pipe(
    Effect.mapError(lost)
  )
  for (const { text, to } of answered.lines) {
    yield* to === "stdout" ? Console.log(text) : Console.error(text)
  }
  return answered.exitCode
})
