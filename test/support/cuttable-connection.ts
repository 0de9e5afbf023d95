/** A line to a server that can be cut, as networks are: what was open breaks, and nothing new gets through until it is mended. */
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

export interface Line {
  readonly origin: string
  /** All that was said to the server. */
  readonly heard: () => string
  readonly cut: () => void
  readonly mend: () => void
  readonly close: () => void
}

export const lineTo = async (serverOrigin: string): Promise<Line> => {
  const { hostname, port } = new URL(serverOrigin)
  const open = new Set<Socket>()
  let isCut = false
  let heard = ""
  const server = createServer((near) => {
    if (isCut) {
      near.destroy()
      return
    }
    const far = connect(Number(port), hostname)
    near.on("data", (chunk) => {
      heard += chunk.toString("utf8")
    })
    for (const [one, other] of [
      [near, far],
      [far, near]
    ] as const) {
      open.add(one)
      one.pipe(other)
      one.on("error", () => other.destroy())
      one.on("close", () => {
        open.delete(one)
        other.destroy()
      })
    }
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const cut = () => {
    isCut = true
    for (const socket of open) socket.destroy()
  }
  return {
    origin: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    heard: () => heard,
    cut,
    mend: () => {
      isCut = false
    },
    close: () => {
      cut()
      server.close()
    }
  }
}
