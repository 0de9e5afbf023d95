/**
 * How long a key's read takes while others without a key do what they can, against the same reads without
 * them: fifty strangers in loops over pages, from one address and from many, and guessers of keys.
 */
import { type Child, start } from "./child.ts"
import * as Database from "./database.ts"
import {
  atMost,
  type Figure,
  interleaved,
  type Measurement,
  quantile,
  quoted,
  ratio,
  rounds,
  runAlone,
  sliceSeconds
} from "./measure.ts"
import type { Asked } from "./servers/crowd.ts"
import type { Facts } from "./servers/seeding.ts"

/** A tail needs more samples than a mean, and swings more from round to round. */
const seconds = sliceSeconds * 3
const tailRounds = rounds + 2

const requested = async ({ apiKey, origin, vaultId }: Facts) => {
  const response = await fetch(`${origin}/api/v1/payment-requests`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ walletMappingId: vaultId, amountUsd: "12.50" })
  })
  const body = (await response.json()) as { readonly data?: { readonly pid?: string } }
  if (body.data?.pid === undefined) throw new Error(`No payment request: ${JSON.stringify(body)}`)
  return body.data.pid
}

type Crowd = Pick<Asked, "as" | "addresses"> | undefined

const p99 = (tookMs: ReadonlyArray<number>) => quantile(tookMs, 0.99)

interface Callers {
  readonly reader: Child<unknown>
  readonly crowd: Child<unknown>
}

const measuredOn = async (
  engine: string,
  server: Child<Facts>,
  { crowd, reader }: Callers
): Promise<ReadonlyArray<Figure>> => {
  const { facts } = server
  const pid = await requested(facts)
  const answered = new Map<string, unknown>()
  const slice = (others: Crowd) => async () => {
    const asked = { ...facts, pid, addresses: "one", as: "reader", seconds } satisfies Asked
    const busy =
      others === undefined ? undefined : crowd.ask({ ...asked, ...others, seconds: seconds + 0.5 })
    const tookMs = (await reader.ask(asked)) as ReadonlyArray<number>
    if (others !== undefined) answered.set(`${others.as} ${others.addresses}`, await busy)
    return tookMs
  }
  const taken = await interleaved(
    {
      alone: slice(undefined),
      "50 strangers, one address": slice({ as: "strangers", addresses: "one" }),
      "50 strangers, many addresses": slice({ as: "strangers", addresses: "many" }),
      "10,000 guessed keys a second, one address": slice({ as: "guessers", addresses: "one" })
    },
    tailRounds
  )
  if (process.env.BENCH_SAY !== undefined) console.log(engine, Object.fromEntries(answered))
  const { alone, ...crowded } = taken
  return Object.entries(crowded).map(([what, slices]) => {
    const tail = ratio(slices.map(p99), alone.map(p99))
    return {
      what: `a key's read, p99, ${engine}, under ${what}`,
      against: "the same reads with nobody else there",
      ours: quoted(slices.map(p99), "ms"),
      theirs: quoted(alone.map(p99), "ms"),
      ratio: tail,
      target: atMost(2, tail)
    }
  })
}

export const measure = async (): Promise<Measurement> => {
  process.env.BENCH_PROXIES = "1"
  const database = await Database.open()
  const embedded = await start<Facts>("servers/bursar.ts", "embedded")
  const postgres = await start<Facts>("servers/bursar.ts", "postgres", database.url)
  const reader = await start("servers/crowd.ts")
  const crowd = await start("servers/crowd.ts")
  try {
    const figures = [
      ...(await measuredOn("embedded database", embedded, { reader, crowd })),
      ...(await measuredOn("PostgreSQL", postgres, { reader, crowd }))
    ]
    return { file: "strangers.ts", figures }
  } finally {
    await Promise.all([embedded, postgres, reader, crowd].map((each) => each.stop()))
    await database.stop()
  }
}

await runAlone(import.meta.main, measure)
