/**
 * A market of coins on loopback that answers in the shape of DefiLlama's coins API, of quotes a test makes:
 * what it has not is absent, and it can be away in every way a provider is.
 */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

export interface Coin {
  /** As it stands in JSON, so that `1e-7` can be written. */
  readonly price: string
  readonly timestampSeconds: number
  /** Default 0.99. */
  readonly confidence?: number
  /** Percent; absent from the answer when left out. */
  readonly change?: string
}

/** How the market answers, by kind of question; undefined answers as it should. */
export type Trouble = (
  kind: "prices" | "percentage",
  response: ServerResponse
) => "answered" | undefined

const entries = (coins: ReadonlyMap<string, Coin>, names: ReadonlyArray<string>) =>
  names.flatMap((name) => {
    const coin = coins.get(name.toLowerCase())
    return coin === undefined ? [] : [[name, coin] as const]
  })

/** JSON by hand: a number's text is the test's own. */
const pricesOf = (found: ReturnType<typeof entries>): string =>
  found
    .map(
      ([name, { price, timestampSeconds, confidence = 0.99 }]) =>
        `${JSON.stringify(name)}:{"price":${price},"symbol":"X","timestamp":${timestampSeconds},"confidence":${confidence}}`
    )
    .join(",")

const changesOf = (found: ReturnType<typeof entries>): string =>
  found
    .flatMap(([name, { change }]) =>
      change === undefined ? [] : `${JSON.stringify(name)}:${change}`
    )
    .join(",")

/** Listens until the scope closes. */
export const open = Effect.gen(function* () {
  const coins = new Map<string, Coin>()
  const asked: Array<string> = []
  let trouble: Trouble = () => undefined
  let inFlight = 0
  let maxInFlight = 0
  const server = createServer((request, response) => {
    const url = request.url ?? ""
    asked.push(url)
    inFlight += 1
    maxInFlight = Math.max(maxInFlight, inFlight)
    response.on("close", () => {
      inFlight -= 1
    })
    const kind = url.startsWith("/prices/current/") ? "prices" : "percentage"
    if (trouble(kind, response) === "answered") return
    const found = entries(coins, decodeURIComponent(url.split("/").at(-1) ?? "").split(","))
    const body = kind === "prices" ? pricesOf(found) : changesOf(found)
    response.writeHead(200, { "content-type": "application/json" }).end(`{"coins":{${body}}}`)
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  // Listening on TCP, its address is an object.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    coins,
    /** The addresses asked for so far. */
    asked,
    maxInFlight: () => maxInFlight,
    trouble: (next: Trouble = () => undefined) =>
      Effect.sync(() => {
        trouble = next
      })
  }
})

export type CoinMarket = Effect.Success<typeof open>

export const troubles: Readonly<Record<string, Trouble>> = {
  "502": (_, response) => {
    response.writeHead(502).end("<html>Bad gateway</html>")
    return "answered"
  },
  "a closed connection": (_, response) => {
    response.destroy()
    return "answered"
  },
  silence: () => "answered",
  "a drip without end": (_, response) => {
    response.writeHead(200)
    response.write("{")
    const drip = setInterval(() => response.write(" "), 20)
    response.on("close", () => clearInterval(drip))
    return "answered"
  },
  "an answer too large": (_, response) => {
    response.writeHead(200).end(`{"coins":{"x":"${"x".repeat(1024 * 1024)}"}}`)
    return "answered"
  },
  "a redirect": (_, response) => {
    response.writeHead(302, { location: "/elsewhere" }).end()
    return "answered"
  },
  "no JSON": (_, response) => {
    response.writeHead(200).end("coins")
    return "answered"
  },
  "JSON of another shape": (_, response) => {
    response.writeHead(200).end('[{"coins":[]}]')
    return "answered"
  },
  "null for coins": (_, response) => {
    response.writeHead(200).end('{"coins":null}')
    return "answered"
  }
}
