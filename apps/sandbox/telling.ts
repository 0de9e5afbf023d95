/** What the demo tells its story with: calls over REST, patience, and an end with an error when a step did not hold. */
import { format } from "../../core/money/decimal.ts"
import type { SandboxFacts } from "./facts.ts"

export type Fields = Readonly<Record<string, unknown>>

export type Say = (line: string) => void

/** The service said no. */
export class DemoRefused extends Error {
  readonly code: unknown
  readonly sentence: unknown

  constructor(place: string, error: Fields) {
    super(`${place}: ${error.code}, ${error.message}`)
    this.code = error.code
    this.sentence = error.message
  }
}

/** Calls the service over REST with a key. */
export const callerOf =
  (facts: SandboxFacts, key: string) =>
  async (method: string, path: string, body?: unknown): Promise<Fields> => {
    const url = path.startsWith("/api") ? `${facts.siteUrl}${path}` : `${facts.baseUrl}${path}`
    const response = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const answer = (await response.json()) as { ok: boolean; data: Fields; error: Fields }
    if (!answer.ok) throw new DemoRefused(`${method} ${path}`, answer.error)
    return answer.data
  }

/** Ends the story unless it holds. */
export const must = (holds: boolean, sentence: string) => {
  if (!holds) throw new Error(`Check failed: ${sentence}`)
}

const patienceMs = 60_000

/** An amount in smallest units, as people write it. */
export const whole = (units: unknown, decimals: number): string =>
  format({ units: BigInt(String(units)), places: decimals })

/** Asks again until there is an answer. */
export const until = async <A>(sentence: string, ask: () => Promise<A | undefined>): Promise<A> => {
  const endsAt = Date.now() + patienceMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (Date.now() > endsAt) throw new Error(`Not within ${patienceMs / 1000} s: ${sentence}`)
    await new Promise((resume) => setTimeout(resume, 100))
  }
}

/** The account's own wallet on a chain. */
export const walletOn = async (
  call: ReturnType<typeof callerOf>,
  chainId: string
): Promise<string> => {
  const { wallets } = await call("GET", "/wallets?limit=100")
  const own = (wallets as ReadonlyArray<Fields>).find(
    (wallet) => wallet.kind === "standard" && wallet.chainId === chainId
  )
  if (own === undefined) throw new Error(`Check failed: there is a wallet on ${chainId}`)
  return String(own.id)
}
