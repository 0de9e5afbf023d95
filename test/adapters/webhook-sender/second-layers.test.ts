/** What the connector refuses by itself, without the URL policy before it and without believing its own dial. */
import { createServer, type Socket } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as PinnedConnector from "../../../adapters/webhook-sender/pinned-connector.ts"

/** A server on loopback that counts who came, and sees them go. */
const loopback = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<{ port: number; came: Array<Promise<void>>; close: () => Promise<void> }>(
        (resume) => {
          const came: Array<Promise<void>> = []
          const open = new Set<Socket>()
          const server = createServer((socket) => {
            open.add(socket)
            socket.on("error", () => undefined)
            came.push(new Promise((gone) => socket.once("close", () => gone())))
            socket.resume()
          })
          const close = () =>
            new Promise<void>((closed) => {
              for (const socket of open) socket.destroy()
              server.close(() => closed())
            })
          server.listen(0, "0.0.0.0", () => {
            resume({ port: (server.address() as { readonly port: number }).port, came, close })
          })
        }
      )
  ),
  ({ close }) => Effect.promise(close)
)

type Over = Partial<PinnedConnector.Options>

/** What came of connecting: `connected`, or the name of the failure. */
const connected = (
  target: { readonly hostname: string; readonly protocol: string; readonly port: number },
  over: Over = {}
) =>
  Effect.promise(
    () =>
      new Promise<string>((resume) => {
        const connect = PinnedConnector.make({
          mode: "public",
          lookup: async () => ["127.0.0.1"],
          connectTimeoutMs: 2_000,
          ...over
        })
        const { hostname, port, protocol } = target
        connect({ hostname, protocol, port: String(port), host: hostname }, (failure, socket) => {
          socket?.destroy()
          resume(failure === null ? "connected" : failure.constructor.name)
        })
      })
  )

const local = { mode: "local" } as const

it.live(
  "loopback is dialled by its address, over HTTP, where everything is local, and never else",
  () =>
    Effect.gen(function* () {
      const { came, port } = yield* loopback
      const http = { hostname: "127.0.0.1", protocol: "http:", port }
      assert.strictEqual(yield* connected(http, local), "connected")
      assert.lengthOf(came, 1)
      const refused: ReadonlyArray<readonly [typeof http, Over]> = [
        [http, { mode: "public" }],
        [{ ...http, protocol: "https:" }, local],
        [{ ...http, hostname: "merchant.test" }, local],
        [{ ...http, hostname: "localhost" }, local],
        [{ ...http, hostname: "127.0.0.2" }, local],
        [{ ...http, hostname: "0.0.0.0" }, local],
        [{ ...http, hostname: "merchant.test" }, { mode: "public" }]
      ]
      for (const [target, over] of refused) {
        const said = yield* connected(target, over)
        assert.deepStrictEqual([target.hostname, said], [target.hostname, "AddressRefused"])
      }
      assert.lengthOf(came, 1)
    })
)

it.live("a connection that turns out to lead elsewhere is destroyed and not handed on", () =>
  Effect.gen(function* () {
    const { came, port } = yield* loopback
    let asked = 0
    const target = { hostname: "merchant.test", protocol: "http:", port }
    // Public when it is judged, and not any more once the socket says where it leads.
    const alsoPublic = (address: string) => address === "127.0.0.1" && asked++ === 0
    assert.strictEqual(yield* connected(target, { alsoPublic }), "AddressRefused")
    assert.strictEqual(asked, 2)
    assert.lengthOf(came, 1)
    yield* Effect.promise(() => came[0] as Promise<void>)
    const always = { alsoPublic: (address: string) => address === "127.0.0.1" }
    assert.strictEqual(yield* connected(target, always), "connected")
  })
)

it.live(
  "one address that is not public spoils the name, and a name without any is unresolved",
  () =>
    Effect.gen(function* () {
      const { came, port } = yield* loopback
      const target = { hostname: "merchant.test", protocol: "http:", port }
      const alsoPublic = (address: string) => address === "127.0.0.1"
      const mixed = { alsoPublic, lookup: async () => ["127.0.0.1", "127.0.0.2"] }
      assert.strictEqual(yield* connected(target, mixed), "AddressRefused")
      const none = { alsoPublic, lookup: async () => [] }
      assert.strictEqual(yield* connected(target, none), "NameUnresolved")
      const away = { alsoPublic, lookup: () => Promise.reject(new Error("no answer")) }
      assert.strictEqual(yield* connected(target, away), "NameUnresolved")
      assert.lengthOf(came, 0)
    })
)
