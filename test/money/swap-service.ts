/**
 * What carries swaps, in a process of its own that can be told where to die: the ports as they are served, each able
 * to be the last thing it calls, and all workers over them.
 */
import "effect/schema/SchemaJITCompiler/enable"
import { Effect, Layer, Redacted } from "effect"
import * as Server from "../../adapters/postgres/server.ts"
import type * as Keyring from "../../adapters/secrets/keyring.ts"
import * as Lines from "../../adapters/secrets/timeline.ts"
import * as Prices from "../../apps/sandbox/prices.ts"
import { treasury } from "../../apps/server/wiring.ts"
import * as Address from "../../core/chains/address.ts"
import * as Chain from "../../core/chains/chain.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import { Spending } from "../../core/policy/spending-ledger.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { type SwapVenue, SwapVenues } from "../../core/ports/swap-venue.ts"
import { Proposals } from "../../core/proposals/proposal-store.ts"
import { Sales } from "../../core/sales/sale-store.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import { plain } from "../../core/tokens/token.ts"
import * as TreasurySettings from "../../core/treasury/settings.ts"
import { work } from "../../core/treasury/workers.ts"
import { WaitStore } from "../../core/waits/wait-store.ts"
import * as Crash from "../kill/crash.ts"
import { around } from "../support/port-wrapper.ts"
import { openAccount } from "./agent.ts"
import { boundless, said, serve } from "./process.ts"
import type { Question, Settings } from "./swap-settings.ts"

const settings = JSON.parse(process.env.KILL_SETTINGS ?? "") as Settings

let { offsetMs } = settings
let priceMicro = BigInt(settings.priceMicro)

const chainId = "local"

const ports = (keyring: Keyring.Keyring) =>
  treasury({
    database: Server.layer({ url: Redacted.make(settings.databaseUrl), maxConnections: 8 }),
    chains: [
      {
        chain: Chain.find(chainId) as Chain.Chain,
        usdc: settings.usdc,
        rpcUrl: settings.rpcUrl,
        orderBookUrl: settings.orderBookUrl,
        confirmations: 1,
        pollMs: 50
      }
    ],
    keyring,
    ...(settings.hasLines
      ? { lines: Lines.at({ directory: settings.directory, isShared: true }) }
      : {}),
    webhookSender: { mode: "local" },
    limits: boundless,
    ownPrices: Prices.layer(() => Effect.sync(() => priceMicro)),
    settings: {
      ...TreasurySettings.defaults,
      siteUrl: "http://treasury.test",
      livemode: false,
      tokens: [
        {
          ...plain,
          ...{ chainId, symbol: "WETH", name: "Wrapped Ether", decimals: 18 },
          address: Address.shown(chainId, settings.weth)
        }
      ]
    }
  })

/** The calls of a venue, each able to be the last. */
const mortalVenue = (venue: SwapVenue): SwapVenue =>
  venue.execution === "order"
    ? {
        ...venue,
        quote: (request) => Crash.wrap("SwapVenue.quote", venue.quote(request)),
        form: (order) => Crash.wrap("SwapVenue.form", venue.form(order)),
        place: (order) => Crash.wrap("SwapVenue.place", venue.place(order)),
        find: (sought) => Crash.wrap("SwapVenue.find", venue.find(sought)),
        status: (order) => Crash.wrap("SwapVenue.status", venue.status(order))
      }
    : venue

const mortalVenues = <E, R>(all: Layer.Layer<SwapVenues, E, R>) =>
  Layer.effect(
    SwapVenues,
    Effect.map(SwapVenues, ({ venues }) => ({ venues: venues.map(mortalVenue) }))
  ).pipe(Layer.provide(all))

/** The same ports, each able to be the last thing this process calls. */
const mortal = (all: ReturnType<typeof ports>) =>
  Layer.mergeAll(
    Crash.atCommit(all),
    mortalVenues(all),
    around(WaitStore, all, Crash.wrap),
    around(WalletKeys, all, Crash.wrap),
    around(Proposals, all, Crash.wrap),
    around(Sales, all, Crash.wrap),
    around(Spending, all, Crash.wrap),
    around(SubmissionStore, all, Crash.wrap),
    around(EvmRelay, all, Crash.wrap)
  ).pipe(Layer.provideMerge(all))

const answer = (question: Question) => {
  switch (question.ask) {
    case "arm":
      return Effect.sync(() => Crash.arm(question.point))
    case "clock":
      return Effect.sync(() => {
        offsetMs = question.offsetMs
      })
    case "price":
      return Effect.sync(() => {
        priceMicro = BigInt(question.micro)
      })
    case "account":
      return Effect.flatMap(Atomically, ({ run }) => run(openAccount(chainId)))
    case "relayer":
      return Effect.flatMap(EvmRelay, ({ relayerAddress }) => relayerAddress(chainId))
    case "call":
      return said(question)
  }
}

serve({
  directory: settings.directory,
  aheadMs: () => offsetMs,
  parts: (keyring) => mortal(ports(keyring)),
  start: settings.works ? Effect.forkScoped(work()) : Effect.void,
  answer
})
