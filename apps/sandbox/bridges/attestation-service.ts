/**
 * The attesters of the local chains over HTTP, on loopback: the paths, fields and refusals of the issuer's attestation
 * service, as far as a bridge asks it.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { DateTime, Effect } from "effect"
import { address } from "../../../adapters/evm/contract.ts"
import { type Attesters, fastFeeBps, type Standing } from "./attestation.ts"
import { switched } from "./fault-switch.ts"

interface Reply {
  readonly status: number
  readonly body: unknown
}

const reply = (body: unknown, status = 200): Reply => ({ status, body })

const allowanceUsdc = 124_000_000

const messageView = (standing: Standing) => ({
  eventNonce: standing.nonce,
  cctpVersion: 2,
  decodedMessage: null,
  ...(standing.status === "complete"
    ? {
        message: standing.message,
        attestation: standing.attestation,
        status: "complete",
        delayReason: null
      }
    : {
        message: null,
        attestation: "PENDING",
        status: "pending_confirmations",
        delayReason: standing.delayReason
      })
})

const messages = Effect.fnUntraced(function* (attesters: Attesters, domain: string, url: URL) {
  const txHash = url.searchParams.get("transactionHash")
  if (txHash === null || !/^(?:0x[0-9a-f]{64}|[1-9A-HJ-NP-Za-km-z]{80,90})$/iu.test(txHash)) {
    return reply({ error: "transactionHash is missing or malformed" }, 400)
  }
  const standing = yield* attesters.look(Number(domain), txHash)
  return standing === undefined
    ? reply({ error: "Message not found for provided parameters" }, 404)
    : reply({ messages: [messageView(standing)], sourceTxHash: txHash })
})

const reattest = Effect.fnUntraced(function* (attesters: Attesters, nonce: string) {
  return (yield* attesters.attestAnew(address(nonce)))
    ? reply({ message: "The message is signed anew.", nonce })
    : reply({ error: "No message has this nonce" }, 404)
})

const answer = Effect.fnUntraced(function* (attesters: Attesters, method: string, url: URL) {
  const { status } = attesters.faults
  if (status !== undefined) return reply({ error: "The service has a fault" }, status)
  const [version, what = "", first = ""] = url.pathname.split("/").slice(1)
  if (version !== "v2") return reply({ error: "Not found" }, 404)
  const asked = `${method} ${what}`
  if (asked === "GET messages") return yield* messages(attesters, first, url)
  if (asked === "POST reattest") return yield* reattest(attesters, first)
  if (asked === "GET fastBurn") {
    const lastUpdated = DateTime.formatIso(yield* DateTime.now)
    return reply({ allowance: allowanceUsdc, lastUpdated })
  }
  if (asked === "GET burn") {
    return reply([
      { finalityThreshold: 1000, minimumFee: fastFeeBps },
      { finalityThreshold: 2000, minimumFee: 0 }
    ])
  }
  return reply({ error: "Not found" }, 404)
})

/** Listens until the scope ends; the URL has no trailing slash. */
export const serve = Effect.fnUntraced(function* (attesters: Attesters) {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost")
    const answered = async () =>
      (await switched(request, attesters.faults)) ??
      (await Effect.runPromise(answer(attesters, request.method ?? "GET", url)))
    answered().then(
      ({ body, status }) =>
        response
          .writeHead(status, { "content-type": "application/json" })
          .end(JSON.stringify(body)),
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
