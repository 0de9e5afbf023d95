/** A port that nobody listens on at this moment, for who must know it before anybody does. */
import { once } from "node:events"
import { createServer } from "node:net"

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  if (typeof address === "object" && address !== null) return address.port
  throw new Error("No port was given.")
}
