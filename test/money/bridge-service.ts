/**
 * What carries bridges, in a process of its own that can be told where to die: the ports as they are served, each able
 * to be the last thing it calls, and all workers over them.
 */
import "effect/schema/SchemaJITCompiler/enable"
import { Effect, Layer, Redacted } from "effect"
import * as Server from "../../adapters/postgres/server.ts"
import type * as Keyring from "../../adapters/secrets/keyring.ts"
import * as Lines from "../../adapters/secrets/timeline.ts"
import { treasury } from "../../apps/server/wiring.ts"
import * as Chain from "../../core/chains/chain.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import * as Usd from "../../core/money/usd.ts"
import { Spending } from "../../core/policy/spending-ledger.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { type Bridge, Bridges } from "../../core/ports/bridge.ts"
import { Proposals } from "../../core/proposals/proposal-store.ts"
import { Sales } from "../../core/sales/sale-store.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import * as TreasurySettings from "../../core/treasury/settings.ts"
import { work } from "../../core/treasury/workers.ts"
import { WaitStore } from "../../core/waits/wait-store.ts"
import * as Crash from "../kill/crash.ts"
import { around } from "../support/port-wrapper.ts"
import type { Account, Question, Settings } from "./bridge-settings.ts"
import { agentKey, boundless, callAs, developerAccount, said, serve } from "./process.ts"

const settings = JSON.parse(process.env.KILL_SETTINGS ?? "") as Settings

let { offsetMs } = settings

const ports = (keyring: Keyring.Keyring) =>
  treasury({
    database: Server.layer({ url: Redacted.make(settings.databaseUrl), maxConnections: 8 }),
    chains: settings.places.map(({ chainId, rpcUrl, usdc }) => ({
      ...{ chain: Chain.find(chainId) as Chain.Chain, rpcUrl, usdc },
      ...{ confirmations: 1, pollMs: 50 }
    })),
    bridging: {
      attestations: { local: settings.attestationUrl },
      limitOrdersUrl: settings.limitOrdersUrl
    },
    keyring,
    ...(settings.hasLines
      ? { lines: Lines.at({ directory: settings.directory, isShared: true }) }
      : {}),
    webhookSender: { mode: "local" },
    limits: boundless,
    settings: {
      ...TreasurySettings.defaults,
      dailyTradeMicro:
        settings.dailyTradeMicro === undefined ? null : Usd.make(BigInt(settings.dailyTradeMicro)),
      ...{ siteUrl: "http://treasury.test", livemode: false }
    }
  })

/** The calls of a bridge, each able to be the last. */
const mortalBridge = (bridge: Bridge): Bridge => ({
  ...bridge,
  quote: (asked) => Crash.wrap("Bridge.quote", bridge.quote(asked)),
  start: (journey) => Crash.wrap("Bridge.start", bridge.start(journey)),
  status: (journey, departed) => Crash.wrap("Bridge.status", bridge.status(journey, departed)),
  refund: (journey, departed) => Crash.wrap("Bridge.refund", bridge.refund(journey, departed))
})

const mortalBridges = <A, E, R>(all: Layer.Layer<A, E, R>) =>
  Layer.effect(
    Bridges,
    Effect.map(Bridges, (bridges) => bridges.map(mortalBridge))
  ).pipe(Layer.provide(all))

/** The same ports, each able to be the last thing this process calls. */
const mortal = (all: ReturnType<typeof ports>) =>
  Layer.mergeAll(
    Crash.atCommit(all),
    mortalBridges(all),
    around(WaitStore, all, Crash.wrap),
    around(SubmissionStore, all, Crash.wrap),
    around(EvmRelay, all, Crash.wrap),
    around(Proposals, all, Crash.wrap),
    around(Sales, all, Crash.wrap),
    around(Spending, all, Crash.wrap)
  ).pipe(Layer.provideMerge(all))

/** An account whose agent has a key that may do everything. */
const openAgent = Effect.gen(function* () {
  const { account } = yield* developerAccount(`0x${"12".repeat(20)}`)
  return yield* agentKey(account.id, "Agent")
})

interface Listed {
  readonly wallets: ReadonlyArray<Account["from"] & { readonly chainId: string }>
}

/** The account, with a wallet on each chain. */
const openAccount = Effect.gen(function* () {
  const apiKey = yield* (yield* Atomically).run(openAgent)
  const wanted = { chainId: "local-2", walletName: "Second" }
  const { proposalId } = (yield* callAs({
    ...{ apiKey, name: "propose_create_account", input: wanted }
  })) as {
    readonly proposalId: string
  }
  yield* callAs({ apiKey, name: "confirm_proposal", input: { proposalId } })
  const { wallets } = (yield* callAs({
    ...{ apiKey, name: "list_wallets", input: { kind: "standard" } }
  })) as Listed
  const on = (chainId: string) => {
    const wallet = wallets.find((each) => each.chainId === chainId)
    if (wallet === undefined) throw new Error(`There is no wallet on ${chainId}.`)
    return { id: wallet.id, address: wallet.address }
  }
  return { agentKey: apiKey, from: on("local"), to: on("local-2") } satisfies Account
})

const answer = (question: Question) => {
  switch (question.ask) {
    case "arm":
      return Effect.sync(() => Crash.arm(question.point))
    case "clock":
      return Effect.sync(() => {
        offsetMs = question.offsetMs
      })
    case "account":
      return openAccount
    case "relayer":
      return Effect.flatMap(EvmRelay, ({ relayerAddress }) => relayerAddress(question.chainId))
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
