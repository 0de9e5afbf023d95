/** A provider of yields on loopback that answers in the shape of DefiLlama's list of pools, in every trouble. */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import * as Decimal from "../../core/money/decimal.ts"
import type { YieldRate } from "../../core/ports/yield-markets.ts"

const names: Readonly<Record<string, string>> = { base: "Base", optimism: "OP Mainnet" }

const number = (value: Decimal.Decimal | undefined): number | null =>
  value === undefined ? null : Number(Decimal.format(value))

/** One row, with what nobody asks for beside it. */
export const rowOf = (rate: YieldRate): string =>
  JSON.stringify({
    chain: names[rate.chainId] ?? rate.chainId,
    project: rate.project,
    symbol: "USDC",
    tvlUsd: number(rate.tvlUsd),
    apyBase: number(rate.apyBasePct),
    apyReward: number(rate.apyRewardPct),
    apy: number(rate.apyPct),
    rewardTokens: null,
    pool: rate.poolId,
    exposure: "single",
    predictions: { predictedClass: 'Stable/"Up"', predictedProbability: 74 },
    poolMeta: "a [bracket], a } brace and a \\ slash",
    outlier: rate.isOutlier,
    underlyingTokens: [rate.asset]
  })

export const listOf = (rows: ReadonlyArray<string>): string =>
  `{"status":"success","data":[${rows.join(",")}]}`

/** Listens until the scope closes. */
export const open = Effect.gen(function* () {
  const state = { rows: [] as ReadonlyArray<string>, answer: undefined as Answer | undefined }
  let asked = 0
  const server = createServer((_, response) => {
    asked += 1
    if (state.answer !== undefined) return state.answer(response)
    response.writeHead(200, { "content-type": "application/json" }).end(listOf(state.rows))
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
    asked: () => asked,
    rows: (rows: ReadonlyArray<string>) =>
      Effect.sync(() => {
        state.rows = rows
      }),
    answer: (answer?: Answer) =>
      Effect.sync(() => {
        state.answer = answer
      })
  }
})

type Answer = (response: ServerResponse) => void

export type PoolMarket = Effect.Success<typeof open>

const answering =
  (status: number, body: string): Answer =>
  (response) => {
    response.writeHead(status).end(body)
  }

export const troubles: Readonly<Record<string, Answer>> = {
  "429": answering(429, "slow down"),
  "500": answering(500, "oops"),
  silence: () => undefined,
  "a closed connection": (response) => {
    response.destroy()
  },
  "no JSON": answering(200, "pools"),
  "JSON of another shape": answering(200, '{"status":"success"}'),
  "a list cut short": answering(200, '{"status":"success","data":[{"chain":"Base"}'),
  "more than can be meant": (response) => {
    response.writeHead(200)
    const chunk = Buffer.alloc(1024 * 1024, 0x20)
    response.write('{"data":[')
    const pour = (left: number): void => {
      if (left === 0 || response.destroyed) response.end("]}")
      else if (response.write(chunk)) setImmediate(() => pour(left - 1))
      else response.once("drain", () => pour(left - 1))
    }
    pour(80)
  }
}
