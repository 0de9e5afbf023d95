/** Hands a command to the running service that has the database open, and prints what that says. */
import { connect } from "node:net"
import { Console, Effect, Option, Schema } from "effect"
import * as Exit from "../exit.ts"
import { Shell } from "../shell.ts"
import type { OpenElsewhere } from "./office.ts"
import { Asked, type Ended, socketIn, Told } from "./wire.ts"

const decode = Schema.decodeUnknownOption(Told)

/** Nothing was handed over: whoever has the directory open listens to nobody. */
class Unheard extends Error {}

/** The lines that come back, each as it comes; the last one may be cut off. */
const exchanged = (socketPath: string, asked: string, hear: (line: string) => void) =>
  new Promise<void>((resolve, reject) => {
    let heard = ""
    let isConnected = false
    const socket = connect(socketPath, () => {
      isConnected = true
      socket.end(`${asked}\n`)
    })
    socket.setEncoding("utf8")
    socket.on("data", (text: string) => {
      const lines = (heard + text).split("\n")
      heard = lines.pop() ?? ""
      for (const line of lines) hear(line)
    })
    socket.on("error", (error) => reject(isConnected ? error : new Unheard()))
    socket.on("end", () => resolve())
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
  const console = yield* Console.Console
  let ended: Ended | undefined
  const hear = (line: string) => {
    const told = Option.getOrUndefined(decode(line))
    // Nothing that we do not understand says that it ended.
    if (told === undefined) return
    if ("exitCode" in told) ended = told
    else if (told.to === "stdout") console.log(told.text)
    else console.error(told.text)
  }
  yield* Effect.tryPromise({
    try: () => exchanged(socketIn(directory), asked, hear),
    catch: (error) => (error instanceof Unheard ? stopped : lost())
  })
  return ended === undefined ? yield* lost() : ended.exitCode
})
