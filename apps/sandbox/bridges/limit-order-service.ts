/** The service of limit orders between local chains, on loopback: the paths and fields that a bridge asks for. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import { switched } from "./fault-switch.ts"
import { arrives, type LimitOrders } from "./limit-orders.ts"

interface Reply {
  readonly status: number
  readonly body: unknown
}

/** Below it nobody fills an order. */
const minUnits = 1_000_000n
const nativeFee = "1000000000000000"

const estimate = (query: URLSearchParams): Reply => {
  const units = BigInt(query.get("srcChainTokenInAmount") ?? "0")
  if (units < minUnits) {
    const body = { errorCode: 12, errorId: "ERROR_LOW_GIVE_AMOUNT", errorMessage: "Too little" }
    return { status: 400, body }
  }
  const amount = String(arrives(units))
  return {
    status: 200,
    body: {
      estimation: { dstChainTokenOut: { amount, recommendedAmount: amount } },
      fixFee: nativeFee,
      order: { approximateFulfillmentDelay: 1 }
    }
  }
}

const answer = ({ faults }: LimitOrders, url: URL): Reply => {
  if (faults.status !== undefined) return { status: faults.status, body: { error: "A fault" } }
  const [, , , order, id] = url.pathname.split("/")
  if (order === "order" && id === "create-tx") return estimate(url.searchParams)
  return { status: 404, body: { error: "Not found" } }
}

/** Listens until the scope ends; the URL has no trailing slash. */
export const serve = Effect.fnUntraced(function* (orders: LimitOrders) {
  const server = createServer((request, response) => {
    switched(request, orders.faults).then(
      (change) => {
        const url = new URL(request.url ?? "/", "http://localhost")
        const { body, status } = change ?? answer(orders, url)
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
      },
      () => response.writeHead(500).end()
    )
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume))),
    () => Effect.sync(() => server.close())
  )
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
})
