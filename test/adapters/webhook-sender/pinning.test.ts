/** Live proofs that only the judged address is dialled, whatever names, redirects or proxies say. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as PinnedConnector from "../../../adapters/webhook-sender/pinned-connector.ts"
import { furtherUrls } from "./further-urls.ts"
import { knownUrls } from "./hostile-urls.ts"
import * as Outside from "./outside.ts"
import * as Sink from "./sink.ts"

it.live("a delivery dials the judged address and speaks TLS with the name, after one lookup", () =>
  Effect.gen(function* () {
    const { sink, url } = yield* Outside.open()
    const asked: Array<string> = []
    const carry = yield* Outside.courierWith({
      lookup: async (name) => {
        asked.push(name)
        return [Outside.publicAddress]
      }
    })
    const body = '{"memo":"café €"}'
    assert.strictEqual(Outside.outcome(yield* carry(url("/hook?shop=1"), body)), 200)
    assert.deepStrictEqual(asked, [Outside.merchant])
    const [received] = sink.received
    assert.strictEqual(received?.servername, Outside.merchant)
    assert.strictEqual(received?.headers.host, `${Outside.merchant}:${sink.port}`)
    assert.strictEqual(received?.path, "/hook?shop=1")
    assert.strictEqual(received?.body.toString("utf8"), body)
    assert.isUndefined(received?.headers["accept-encoding"])
  })
)

it.live("a certificate for another name, or of an unknown authority, is refused", () =>
  Effect.gen(function* () {
    const { sink } = yield* Outside.open()
    const carry = yield* Outside.courierWith()
    const other = yield* carry(`https://hooks.merchant-b.com:${sink.port}/`)
    assert.strictEqual(Outside.outcome(other), "tls")
    const stranger = yield* Outside.courierWith({ authority: "" })
    const unknown = yield* stranger(`https://${Outside.merchant}:${sink.port}/`)
    assert.strictEqual(Outside.outcome(unknown), "tls")
    assert.lengthOf(sink.received, 0)
  })
)

it.live("a name that answers differently each time never reaches the private address", () =>
  Effect.gen(function* () {
    const { sink, canary, url } = yield* Outside.open()
    let turn = 0
    const carry = yield* Outside.courierWith({
      lookup: async () => [turn++ % 2 === 0 ? Outside.publicAddress : Outside.privateAddress]
    })
    const outcomes = yield* Effect.forEach(Array.from({ length: 40 }), (_, n) =>
      Effect.map(carry(url(`/${n}`)), Outside.outcome)
    )
    assert.deepStrictEqual(
      outcomes,
      Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? 200 : "blocked"))
    )
    assert.lengthOf(sink.received, 20)
    assert.strictEqual(canary.connections(), 0)
  })
)

it.live("the canary would have told: allowed to, the same webhook sender reaches it", () =>
  Effect.gen(function* () {
    const { canary, url } = yield* Outside.open()
    const carry = yield* Outside.courierWith({
      lookup: Outside.resolvesTo(Outside.privateAddress),
      alsoPublic: () => true
    })
    assert.strictEqual(Outside.outcome(yield* carry(url("/"))), 200)
    assert.strictEqual(canary.connections(), 1)
  })
)

it.live("one private address among public ones refuses the name whole", () =>
  Effect.gen(function* () {
    const { sink, canary, url } = yield* Outside.open()
    const carry = yield* Outside.courierWith({
      lookup: Outside.resolvesTo(Outside.publicAddress, Outside.privateAddress)
    })
    const reply = yield* carry(url("/"))
    assert.strictEqual(Outside.outcome(reply), "blocked")
    assert.notInclude(JSON.stringify(reply), "127.0.0")
    assert.strictEqual(sink.connections() + canary.connections(), 0)
  })
)

it.live("a dead address is passed over for the next one of the same name", () =>
  Effect.gen(function* () {
    const { url } = yield* Outside.open()
    const carry = yield* Outside.courierWith({
      lookup: Outside.resolvesTo("127.0.0.3", Outside.publicAddress),
      alsoPublic: (address) => address === "127.0.0.3" || address === Outside.publicAddress
    })
    assert.strictEqual(Outside.outcome(yield* carry(url("/"))), 200)
  })
)

it.live("of a name with many dead addresses three are dialled", () =>
  Effect.gen(function* () {
    const { url } = yield* Outside.open()
    const dead = ["127.0.0.3", "127.0.0.4", "127.0.0.5"]
    const carried = (...addresses: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const carry = yield* Outside.courierWith({
          lookup: Outside.resolvesTo(...addresses),
          alsoPublic: (address) => addresses.includes(address)
        })
        return Outside.outcome(yield* carry(url("/")))
      })
    assert.strictEqual(yield* carried(...dead.slice(1), Outside.publicAddress), 200)
    assert.strictEqual(yield* carried(...dead, Outside.publicAddress), "refused")
  })
)

it.live("no hostile URL is ever dialled, and no denied one even looked up", () =>
  Effect.gen(function* () {
    let lookups = 0
    for (const vector of [...knownUrls, ...furtherUrls].filter(
      ({ verdict }) => verdict !== "allow"
    )) {
      const carry = yield* Outside.courierWith({
        lookup: async () => {
          lookups++
          return vector.resolves ?? [Outside.publicAddress]
        }
      })
      assert.strictEqual(Outside.outcome(yield* carry(vector.url)), "blocked", vector.url)
      assert.strictEqual(lookups, vector.verdict === "deny" ? 0 : 1, vector.url)
      lookups = 0
    }
  })
)

it.live("the connector refuses an address literal that no lookup is ever asked about", () =>
  Effect.gen(function* () {
    const { sink, canary } = yield* Outside.open()
    for (const mode of ["public", "local"] as const) {
      const connect = PinnedConnector.make({
        mode,
        lookup: Outside.resolvesTo(Outside.publicAddress),
        alsoPublic: (address) => address === Outside.publicAddress,
        connectTimeoutMs: 1000
      })
      for (const hostname of ["127.0.0.1", "::1", "::ffff:127.0.0.1", "169.254.169.254"]) {
        const failure = yield* Effect.callback<unknown>((resume) => {
          connect({ hostname, protocol: "https:", port: String(canary.port) }, (...[error]) =>
            resume(Effect.succeed(error))
          )
        })
        assert.instanceOf(failure, PinnedConnector.AddressRefused)
      }
    }
    assert.strictEqual(sink.connections() + canary.connections(), 0)
  })
)

it.live("redirects are answers, and never followed", () =>
  Effect.gen(function* () {
    let location = ""
    const { canary, url } = yield* Outside.open((response, path) => {
      response.writeHead(Number(path.slice(1)), { location }).end()
    })
    const carry = yield* Outside.courierWith()
    for (const target of [`https://127.0.0.1:${canary.port}/`, url("/200")]) {
      location = target
      for (const status of [301, 302, 303, 307, 308]) {
        assert.strictEqual(Outside.outcome(yield* carry(url(`/${status}`))), status)
      }
    }
    assert.strictEqual(canary.connections(), 0)
  })
)

/** Other test files run in the same process afterwards. */
const variable = (name: string, value: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = process.env[name]
      process.env[name] = value
      return before
    }),
    (before) =>
      Effect.sync(() => {
        if (before === undefined) delete process.env[name]
        else process.env[name] = before
      })
  )

it.live("proxies named in the environment are ignored", () =>
  Effect.gen(function* () {
    const { url } = yield* Outside.open()
    const proxy = yield* Sink.open({ host: Outside.privateAddress })
    const address = `http://127.0.0.1:${proxy.port}`
    const names = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"]
    yield* variable("NODE_USE_ENV_PROXY", "1")
    for (const name of names) yield* variable(name, address)
    const carry = yield* Outside.courierWith()
    assert.strictEqual(Outside.outcome(yield* carry(url("/"))), 200)
    assert.strictEqual(proxy.connections(), 0)
  })
)

it.live("local mode reaches http://127.0.0.1 and nothing else inside", () =>
  Effect.gen(function* () {
    const inside = yield* Sink.open({ host: Outside.privateAddress })
    const lookup = Outside.resolvesTo(Outside.privateAddress)
    const local = yield* Outside.courierWith({ mode: "local", lookup })
    const production = yield* Outside.courierWith({ mode: "public", lookup })
    const port = inside.port
    assert.strictEqual(Outside.outcome(yield* local(`http://127.0.0.1:${port}/`)), 200)
    for (const host of ["localhost", "127.0.0.2", "[::1]", "127.1", Outside.merchant]) {
      assert.strictEqual(Outside.outcome(yield* local(`http://${host}:${port}/`)), "blocked")
      assert.strictEqual(Outside.outcome(yield* local(`https://${host}:${port}/`)), "blocked")
    }
    assert.strictEqual(Outside.outcome(yield* production(`http://127.0.0.1:${port}/`)), "blocked")
    assert.lengthOf(inside.received, 1)
  })
)
