/** The settings of the providers of tokens: each is asked only if there is a key for it. */
import type { Options } from "../../adapters/providers/catalogues.ts"
import * as Coingecko from "../../adapters/providers/coingecko.ts"
import * as Jupiter from "../../adapters/providers/jupiter-tokens.ts"
import * as Zerion from "../../adapters/providers/zerion.ts"
import * as Setting from "./setting.ts"

const form = /^[!-~]{8,200}$/u

const key = (variable: string, meaning: string) =>
  Setting.optional(variable, meaning, {
    secret: true,
    form,
    expected: "be 8 to 200 printable characters without spaces"
  })

const url = (variable: string, whose: string, usual: string) =>
  Setting.text(
    variable,
    `Where ${whose} API is, without a trailing slash.`,
    usual,
    /^https?:\/\/[^\s?#]+[^/\s?#]$/u,
    "be an http(s) URL without a trailing slash"
  )

export const settings = {
  zerionKey: key(
    "BURSAR_ZERION_KEY",
    "A key of Zerion's API, which finds tokens and ranks them by market value and by gains. Without any provider's key, `discover_tokens` answers from the treasury's own list."
  ),
  zerionUrl: url("BURSAR_ZERION_URL", "Zerion's", Zerion.publicUrl),
  coingeckoKey: key(
    "BURSAR_COINGECKO_KEY",
    "A key of CoinGecko's API, which finds tokens and ranks them by market value, volume and gains. It is also the second source of prices: without it only USDC can be sold, and whatever is bought counts as worth nothing."
  ),
  coingeckoUrl: url(
    "BURSAR_COINGECKO_URL",
    "CoinGecko's (its paid plans are at `https://pro-api.coingecko.com`)",
    Coingecko.publicUrl
  ),
  jupiterKey: key(
    "BURSAR_JUPITER_KEY",
    "A key of Jupiter's API, which finds and ranks tokens of Solana."
  ),
  jupiterUrl: url("BURSAR_JUPITER_URL", "Jupiter's", Jupiter.publicUrl),
  providerCallsPerMinute: Setting.integer(
    "BURSAR_PROVIDER_CALLS_PER_MINUTE",
    "Requests to one provider of tokens per minute, from all accounts together; one account has a third of them.",
    30,
    { least: 3, most: 100_000 }
  )
} as const

type Read = {
  readonly [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]["read"]>
}

const keyed = (key: string | undefined, url: string) =>
  key === undefined ? undefined : { key, url }

/** The providers that there are keys for. */
export const options = (read: Read): Options => ({
  zerion: keyed(read.zerionKey, read.zerionUrl),
  coingecko: keyed(read.coingeckoKey, read.coingeckoUrl),
  jupiter: keyed(read.jupiterKey, read.jupiterUrl)
})

/** What may be asked of one provider in a minute. */
export const limits = ({ providerCallsPerMinute: providers }: Read) => ({
  providers,
  providerShares: Math.floor(providers / 3)
})
