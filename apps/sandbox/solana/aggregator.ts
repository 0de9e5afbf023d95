/**
 * The local aggregator's door: it quotes a sale by whichever local router gives most, and gives the instruction for it,
 * in the shapes of Jupiter's swap API. It signs nothing and sends nothing. A test may make it lie, hang up or fail.
 */
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { type Address, getBase58Encoder, isAddress } from "@solana/kit"
import { Effect, type Scope } from "effect"
import { ChainNotStarted } from "../chain-not-started.ts"
import { hashLife, type Ledger } from "./ledger.ts"
import type { Market } from "./market.ts"
import * as Routes from "./routes.ts"

export interface Build {
  readonly inputMint: string
  readonly outputMint: string
  readonly inAmount: string
  readonly outAmount: string
  readonly otherAmountThreshold: string
  readonly swapMode: "ExactIn"
  readonly slippageBps: number
  readonly priceImpactPct: string
  readonly routePlan: ReadonlyArray<unknown>
  readonly setupInstructions: ReadonlyArray<unknown>
  readonly swapInstruction: Routes.Instruction | null
  readonly cleanupInstruction: null
  readonly otherInstructions: ReadonlyArray<unknown>
  readonly addressesByLookupTableAddress: Readonly<Record<string, ReadonlyArray<string>>>
  readonly [other: string]: unknown
}

/** What becomes of an answer; it is given as it is when nothing is said. */
export type Twist = (build: Build) => Build | "hang up" | { readonly status: number }

export interface Serving {
  readonly ledger: Ledger
  /** Opened when somebody first asks. */
  readonly market: () => Promise<Market>
  readonly twist: () => Twist | undefined
  /** Called for each question that is asked. */
  readonly asked: () => void
}

class BadRequest extends Error {}

const addressOf = (query: URLSearchParams, name: string): Address => {
  const text = query.get(name) ?? ""
  if (isAddress(text)) return text
  throw new BadRequest(`Query parameter ${name} is missing or not an address`)
}

const wholeOf = (query: URLSearchParams, name: string, otherwise?: string): bigint => {
  const text = query.get(name) ?? otherwise ?? ""
  if (/^\d{1,20}$/u.test(text)) return BigInt(text)
  throw new BadRequest(`Query parameter ${name} is missing or not a whole number`)
}

const askedIn = (query: URLSearchParams): Routes.Asked => {
  const slippageBps = Number(wholeOf(query, "slippageBps", "50"))
  if (slippageBps > 10_000) throw new BadRequest("slippageBps is above 10000")
  if (wholeOf(query, "platformFeeBps", "0") > 0n) throw new BadRequest("feeAccount is missing")
  return {
    inputMint: addressOf(query, "inputMint"),
    outputMint: addressOf(query, "outputMint"),
    amount: wholeOf(query, "amount"),
    taker: addressOf(query, "taker"),
    slippageBps,
    ...(query.has("destinationTokenAccount")
      ? { destination: addressOf(query, "destinationTokenAccount") }
      : {})
  }
}

const build = async (ledger: Ledger, market: Market, query: URLSearchParams): Promise<Build> => {
  const asked = askedIn(query)
  const route = Routes.find(ledger, market, asked)
  if (route === undefined) throw new BadRequest("No routes found")
  const { out, router } = route
  const [hash = "", height = 0n] = ledger.hashes.at(-2) ?? []
  return {
    inputMint: asked.inputMint,
    outputMint: asked.outputMint,
    inAmount: String(asked.amount),
    outAmount: String(out),
    otherAmountThreshold: String(Routes.thresholdOf(out, asked.slippageBps)),
    swapMode: "ExactIn",
    slippageBps: asked.slippageBps,
    priceImpactPct: "0",
    router,
    routePlan: Routes.planOf(route, asked),
    computeBudgetInstructions: [],
    setupInstructions: [],
    swapInstruction: await Routes.instructionOf(market, route, asked),
    cleanupInstruction: null,
    otherInstructions: [],
    tipInstruction: null,
    addressesByLookupTableAddress: { [market.table]: market.tableAddresses },
    blockhashWithMetadata: {
      blockhash: [...getBase58Encoder().encode(hash)],
      lastValidBlockHeight: Number(height + hashLife)
    }
  }
}

const answering =
  ({ asked, ledger, market, twist }: Serving) =>
  async (request: IncomingMessage) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost")
    if (pathname !== "/swap/v2/build") return { status: 404, body: { error: "Not found" } }
    asked()
    try {
      const honest = await build(ledger, await market(), searchParams)
      const told = twist()?.(honest) ?? honest
      if (told === "hang up") return told
      const isError = typeof told.status === "number"
      return isError
        ? { status: told.status, body: { error: "Internal error" } }
        : { status: 200, body: told }
    } catch (error) {
      if (error instanceof BadRequest) return { status: 400, body: { error: error.message } }
      throw error
    }
  }

const serverOf = (serving: Serving): Server => {
  const answer = answering(serving)
  return createServer((request, response) => {
    answer(request)
      .then((told) => {
        if (told === "hang up") return response.destroy()
        response.writeHead(told.status, { "content-type": "application/json" })
        return response.end(JSON.stringify(told.body))
      })
      .catch((error: unknown) =>
        response.writeHead(500).end(String(error instanceof Error ? error.stack : error))
      )
  })
}

/** Serves until the scope ends; its address. */
export const serve = Effect.fnUntraced(function* (
  serving: Serving
): Effect.fn.Return<string, ChainNotStarted, Scope.Scope> {
  const server = serverOf(serving)
  const listening = Effect.callback<void, ChainNotStarted>((resume) => {
    server.once("error", ({ message: detail }: Error) =>
      resume(Effect.fail(new ChainNotStarted({ reason: "failed", detail })))
    )
    server.listen(0, "127.0.0.1", () => resume(Effect.void))
  })
  yield* Effect.acquireRelease(listening, () =>
    Effect.callback<void>((resume) => {
      server.close(() => resume(Effect.void))
      server.closeAllConnections()
    })
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
