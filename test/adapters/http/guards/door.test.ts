/** Connections are let in one client after the other, and what waits before the door is not read. */
import { once } from "node:events"
import { createServer, type IncomingMessage } from "node:http"
import { type AddressInfo, createServer as createListener, type Socket } from "node:net"
import { assert, it } from "vitest"
import * as Door from "../../../../adapters/http/guards/door.ts"
import * as SlowClients from "../../../support/slow-clients.ts"

/** Real connections from these addresses, accepted and not read. */
const accepted = async (addresses: ReadonlyArray<string>) => {
  const listener = createListener({ pauseOnConnect: true })
  listener.listen(0, "127.0.0.1")
  await once(listener, "listening")
  const { port } = listener.address() as AddressInfo
  const sockets: Array<Socket> = []
  const clients: Array<SlowClients.SlowClient> = []
  for (const from of addresses) {
    const coming = once(listener, "connection")
    clients.push(SlowClients.open({ port, from }, SlowClients.request("/")))
    sockets.push((await coming)[0] as Socket)
  }
  const close = () => {
    for (const client of clients) client.close()
    for (const socket of sockets) socket.destroy()
    listener.close()
  }
  return { sockets, clients, close }
}

const crowd = Array.from({ length: 30 }, () => "127.0.1.1")

const bounds: Door.Bounds = { ...Door.defaults, maxAtOnce: 1, minAtOnce: 1 }

it("a client that comes behind thirty connections of another waits for one of them", async () => {
  const server = createServer()
  const asked: Array<string> = []
  server.on("request", ({ socket }: IncomingMessage) => {
    asked.push(socket.remoteAddress ?? "")
  })
  Door.bound(server, bounds, () => performance.now())
  const { close, sockets } = await accepted([...crowd, "127.0.1.2"])
  try {
    for (const socket of sockets) server.emit("connection", socket)
    assert.isTrue(await SlowClients.eventually(() => asked.length === sockets.length, 5_000))
    assert.isBelow(asked.indexOf("127.0.1.2"), 2)
  } finally {
    close()
    server.closeAllConnections()
  }
})

it("nothing of a connection is read before it is let in, and one that has gone is not let in", async () => {
  const server = createServer()
  const letIn: Array<Socket> = []
  server.removeAllListeners("connection")
  server.on("connection", (socket: Socket) => void letIn.push(socket))
  Door.bound(server, bounds, () => performance.now())
  const { close, sockets } = await accepted(crowd)
  try {
    for (const socket of sockets) server.emit("connection", socket)
    const [, second, ...rest] = sockets
    assert.isTrue(sockets.every(({ bytesRead }) => bytesRead === 0))
    second?.destroy()
    assert.isTrue(await SlowClients.eventually(() => letIn.length === rest.length + 1, 5_000))
    assert.notInclude(letIn, second)
    assert.deepStrictEqual(letIn, [sockets[0], ...rest])
  } finally {
    close()
  }
})

it("an event loop that is late lets in fewer, down to its least", async () => {
  const server = createServer()
  let nowMs = 0
  const perTurn: Array<number> = []
  server.removeAllListeners("connection")
  server.on("connection", () => {
    const last = perTurn.length - 1
    perTurn[last] = (perTurn[last] ?? 0) + 1
  })
  Door.bound(server, { ...bounds, maxAtOnce: 8, minAtOnce: 2, maxTurnMs: 10 }, () => {
    nowMs += 11
    return nowMs
  })
  const { close, sockets } = await accepted(crowd.slice(0, 12))
  try {
    perTurn.push(0)
    for (const socket of sockets) server.emit("connection", socket)
    const isOver = () => perTurn.reduce((sum, count) => sum + count, 0) === sockets.length
    while (!isOver())
      await new Promise<void>((resume) => setImmediate(() => resume(void perTurn.push(0))))
    assert.deepStrictEqual(
      perTurn.filter((count) => count > 0),
      [4, 2, 2, 2, 2]
    )
  } finally {
    close()
  }
})

/** A turn of the event loop. */
const turn = () => new Promise<void>((resume) => setImmediate(resume))

it("while every turn brings somebody nobody is let in, for so long and then not for as long again", async () => {
  const server = createServer()
  let nowMs = 0
  let letIn = 0
  server.removeAllListeners("connection")
  server.on("connection", () => {
    letIn += 1
  })
  const door = Door.bound(server, { ...Door.defaults, maxAcceptMs: 10, minWorkMs: 1 }, () => nowMs)
  const { close, sockets } = await accepted(crowd)
  try {
    const seen: Array<string> = []
    for (const socket of sockets) {
      server.emit("connection", socket)
      await turn()
      nowMs += 2
      seen.push(door.isBusy() ? "busy" : `${letIn}`)
    }
    // One alone is let in at once; the second in a row begins a time of nothing but accepting.
    const accepting = Array.from({ length: 5 }, () => "busy")
    assert.deepStrictEqual(seen.slice(0, 12), [
      "1",
      ...accepting,
      "7",
      "8",
      "9",
      "10",
      "11",
      "busy"
    ])
    await turn()
    await turn()
    assert.isFalse(door.isBusy())
    assert.strictEqual(letIn, sockets.length)
  } finally {
    close()
  }
})

it("a connection that is not let in in time is reset, unread", async () => {
  const server = createServer()
  const nobody = { ...Door.defaults, maxAtOnce: 0, minAtOnce: 0 }
  Door.bound(server, { ...nobody, maxWaitMs: 20 }, () => performance.now())
  const { close, sockets } = await accepted(crowd.slice(0, 3))
  try {
    const gone = sockets.map((socket) => once(socket, "close"))
    for (const socket of sockets) server.emit("connection", socket)
    await Promise.all(gone)
    assert.isTrue(sockets.every(({ bytesRead }) => bytesRead === 0))
  } finally {
    close()
  }
})

it("in a turn that brings nobody newcomers are let in, and no other work is begun yet", async () => {
  const server = createServer()
  const letIn: Array<string> = []
  server.removeAllListeners("connection")
  server.on("connection", ({ remoteAddress }: Socket) => void letIn.push(remoteAddress ?? ""))
  const one = { ...Door.defaults, maxAtOnce: 1, minAtOnce: 1 }
  const door = Door.bound(server, { ...one, maxAcceptMs: 60_000 }, () => 0)
  const { close, sockets } = await accepted(["127.0.1.1", "127.0.1.2", "127.0.1.3", "127.0.1.4"])
  try {
    for (const socket of sockets) {
      server.emit("connection", socket)
      await turn()
    }
    assert.lengthOf(letIn, 1)
    while (letIn.length < sockets.length) {
      assert.isTrue(door.isBusy())
      await turn()
    }
    await turn()
    assert.isFalse(door.isBusy())
  } finally {
    close()
  }
})
