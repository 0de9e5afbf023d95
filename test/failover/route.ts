/** The name that leads to the server that takes writes: a line to one server, which a promotion leads to another. */
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

export interface Route {
  readonly url: string
  /** Breaks what is open, as what led to the other server is of no use. */
  readonly lead: (url: string) => void
  readonly close: () => void
}

export const open = async (first: string): Promise<Route> => {
  let to = new URL(first)
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(to.port), to.hostname)
    for (const [one, other] of [
      [near, far],
      [far, near]
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one.on("error", () => other.destroy())
      one.on("close", () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const url = new URL(first)
  url.hostname = "127.0.0.1"
  url.port = String(typeof address === "object" ? address?.port : 0)
  const breakAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: url.href,
    lead: (other) => {
      to = new URL(other)
      breakAll()
    },
    close: () => {
      breakAll()
      server.close()
    }
  }
}
