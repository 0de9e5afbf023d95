/**
 * Lets the operator's commands reach a service that has the embedded database open: over a Unix socket in the data
 * directory, which only the user who runs the service can open.
 */
import { chmodSync, rmSync } from "node:fs"
import { createServer, type Server, type Socket } from "node:net"
import { Effect, Layer, Schema } from "effect"
import { loadOnce } from "../../../adapters/loading/load-once.ts"
import type { Records } from "./office.ts"
import { Asked, type Ended, maxAskedBytes, type Printed, socketIn, Told } from "./wire.ts"

/** Loaded when an operator first comes or the service stands, so that a start does not wait for the command line. */
const commands = loadOnce(() => import("./answer.ts"))

/** Loads what answers the commands, as they may stop the service when its files are gone. */
export const load = commands.get

/** Who has not said a whole line by then is cut off. */
const maxAskingMs = 10_000

/** The first line of a connection; undefined when it is too long, too late or none. */
const lineOf = (socket: Socket) =>
  new Promise<string | undefined>((resolve) => {
    let heard = ""
    const patience = setTimeout(() => resolve(undefined), maxAskingMs)
    const end = (line: string | undefined) => {
      clearTimeout(patience)
      resolve(line)
    }
    socket.setEncoding("utf8")
    socket.on("data", (text: string) => {
      heard += text
      const at = heard.indexOf("\n")
      if (at >= 0) end(heard.slice(0, at))
      else if (heard.length > maxAskedBytes) end(undefined)
    })
    socket.on("end", () => end(undefined))
    socket.on("error", () => end(undefined))
  })

/** Until whoever asked has read what was written so far, or is gone. */
const drained = (socket: Socket) =>
  Effect.callback<void>((resume) => {
    if (socket.destroyed || !socket.writableNeedDrain) return resume(Effect.void)
    const end = () => resume(Effect.void)
    socket.once("drain", end)
    socket.once("close", end)
  })

/** Nothing was done, which whoever asked is told as well. */
const notLoaded = Effect.fnUntraced(function* (
  { cause }: { readonly cause?: unknown },
  print: (printed: Printed) => void
) {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const text = `The service cannot load the part that does commands: ${reason}. Start it again from a folder that is whole.`
  yield* Effect.logError(text)
  print({ to: "stderr", text })
  const ended: Ended = { exitCode: 3 }
  return ended
})

const served = Effect.fnUntraced(function* (socket: Socket, heard: () => void) {
  const words = yield* Effect.promise(() => lineOf(socket))
  heard()
  if (words === undefined) return socket.destroy()
  const asked = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(Asked))(words)
  const line = (told: typeof Told.Type) => `${Schema.encodeSync(Told)(told)}\n`
  // Whoever asked may be gone; what was begun is done all the same.
  socket.on("error", () => undefined)
  const print = (printed: Printed) => void socket.write(line(printed))
  const records = yield* Effect.context<Records>()
  const ended = yield* Effect.tryPromise(commands.get).pipe(
    Effect.flatMap(({ answer }) => answer(records, asked, print, drained(socket))),
    Effect.catchTag("UnknownError", (error) => notLoaded(error, print))
  )
  socket.end(line(ended))
})

const listening = (server: Server, path: string) =>
  Effect.callback<void, Error>((resume) => {
    // The data directory is locked, so a socket that is there has nobody behind it.
    rmSync(path, { force: true })
    server.once("error", (error) => resume(Effect.fail(error)))
    server.listen(path, () => {
      chmodSync(path, 0o600)
      resume(Effect.void)
    })
  })

/** Hears commands for as long as the layer lives. Without a socket the service serves all the same, and says so. */
export const layer = (directory: string) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const run = Effect.runPromiseWith(yield* Effect.context<Records>())
      const path = socketIn(directory)
      const asking = new Set<Socket>()
      const server = createServer({ allowHalfOpen: true }, (socket) => {
        asking.add(socket)
        const heard = () => asking.delete(socket)
        // What is no command of ours gets no answer.
        run(served(socket, heard)).catch(() => socket.destroy())
      })
      // A command that was heard is done before the records close.
      const close = Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        for (const socket of asking) socket.destroy()
      })
      yield* Effect.acquireRelease(listening(server, path), () => close)
    }).pipe(
      Effect.catch((error) =>
        Effect.logWarning(
          `The operator's commands cannot reach this service while it runs: ${error.message}. A shorter BURSAR_DATA_DIR helps if its path is longer than about 90 characters.`
        )
      )
    )
  )
