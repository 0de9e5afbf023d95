/**
 * A port for who must know it before anybody listens there. It lies below those that systems give to outgoing
 * connections, so that none of them takes it before its owner does.
 */
import { randomInt } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:net"

const lowest = 10_000
const highest = 32_767
const tries = 100

/** Of this process; their owners may not listen yet. */
const givenPorts = new Set<number>()

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer()
  try {
    await once(server.listen(port, "127.0.0.1"), "listening")
  } catch {
    return false
  }
  server.close()
  await once(server, "close")
  return true
}

export const freePort = async (): Promise<number> => {
  for (let tried = 0; tried < tries; tried++) {
    const port = randomInt(lowest, highest + 1)
    if (givenPorts.has(port)) continue
    givenPorts.add(port)
    if (await isFree(port)) return port
  }
  throw new Error(`None of ${tries} ports between ${lowest} and ${highest} is free.`)
}
