/**
 * What carries bridges, in a process of its own that can be told where to die: the ports as they are served, each able
 * to be the last thing it calls, and all workers over them.
 */
import "effect/schema/SchemaJITCompiler/enable"
import { Effect, Layer, Redacted } from "effect"
import * as Server from "../../adapters/postgres/server.ts"
import * as Keyring from "../../adapters/secrets/keyring.ts"
import { treasury } from "../../apps/server/wiring.ts"
import { authenticate } from "../../core/accounts/authenticate.ts"
import * as Chain from "../../core/chains/chain.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import { issue } from "../../core/keys/create-key.ts"
import { Scope } from "../../core/operation/caller.ts"
import { Spending } from "../../core/policy/spending-ledger.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { type Bridge, Bridges } from "../../core/ports/bridge.ts"
import { Proposals } from "../../core/proposals/proposal-store.ts"
import { Sales } from "../../core/sales/sale-store.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import { seedAccounts } from "../../core/treasury/seed.ts"
import * as TreasurySettings from "../../core/treasury/settings.ts"
import { type Call, callsOf } from "../../core/treasury/treasury.ts"
import { work } from "../../core/treasury/workers.ts"
import { WaitStore } from "../../core/waits/wait-store.ts"
import * as Channel from "../kill/channel.ts"
import * as Crash from "../kill/crash.ts"
import * as Value from "../support/chain-values.ts"
import { around } from "../support/port-wrapper.ts"
import * as ShiftedClock from "../support/shifted-clock.ts"
import * as ShiftedLeases from "../support/shifted-leases.ts"
import type { Account, Question, Said, Settings } from "./bridge-settings.ts"

const settings = JSON.parse(process.env.KILL_SETTINGS ?? "") as Settings

let { offsetMs } = settings

const plenty = 1_000_000_000

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
    webhookSender: { mode: "local" },
    limits: {
      reads: plenty,
      writes: plenty,
      quotes: plenty,
      confirms: plenty,
      failures: plenty,
      anonymous: plenty
    },
    settings: { ...TreasurySettings.defaults, siteUrl: "http://treasury.test", livemode: false }
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

const callAs = Effect.fnUntraced(function* (
  apiKey: string,
  name: string,
  input: Readonly<Record<string, unknown>>,
  idempotencyKey?: string
) {
  const calls = callsOf(yield* authenticate(apiKey))
  // A function is asked for by its name here, as a tool is.
  const operation = calls[name as keyof typeof calls] as unknown as Call<never>
  const options = idempotencyKey === undefined ? {} : { idempotencyKey }
  return yield* operation(input as never, options)
})

/** An account whose agent has a key that may do everything. */
const openAgent = Effect.gen(function* () {
  const { account } = yield* seedAccounts({
    kind: "developer",
    name: "Treasury under test",
    tier: "startup",
    chainId: "local",
    customer: { externalId: "customer", namespace: "default" },
    payee: { label: "Payee", address: Value.address(`0x${"12".repeat(20)}`) }
  })
  const wanted = { accountId: account.id, kind: "agent", scopes: Scope.literals } as const
  return (yield* issue({ ...wanted, label: "Agent", expiresAt: null })).text
})

interface Listed {
  readonly wallets: ReadonlyArray<Account["from"] & { readonly chainId: string }>
}

/** The account, with a wallet on each chain. */
const openAccount = Effect.gen(function* () {
  const agentKey = yield* (yield* Atomically).run(openAgent)
  const wanted = { chainId: "local-2", walletName: "Second" }
  const { proposalId } = (yield* callAs(agentKey, "propose_create_account", wanted)) as {
    readonly proposalId: string
  }
  yield* callAs(agentKey, "confirm_proposal", { proposalId })
  const { wallets } = (yield* callAs(agentKey, "list_wallets", { kind: "standard" })) as Listed
  const on = (chainId: string) => {
    const wallet = wallets.find((each) => each.chainId === chainId)
    if (wallet === undefined) throw new Error(`There is no wallet on ${chainId}.`)
    return { id: wallet.id, address: wallet.address }
  }
  return { agentKey, from: on("local"), to: on("local-2") } satisfies Account
})

const call = ({ apiKey, idempotencyKey, input, name }: Extract<Question, { ask: "call" }>) =>
  callAs(apiKey, name, input, idempotencyKey).pipe(
    Effect.map((data) => ({ ok: true, data }) as Said),
    Effect.catch((refusal) =>
      Effect.succeed<Said>({ ok: false, code: refusal._tag, message: refusal.message })
    )
  )

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
      return call(question)
  }
}

const clocked = ShiftedClock.provide((realMs) => realMs + offsetMs)
const laterLeases = ShiftedLeases.provide(() => offsetMs)

const program = Effect.gen(function* () {
  const keyring = yield* Keyring.load({ dataDirectory: settings.directory })
  const context = yield* Layer.build(mortal(ports(keyring)))
  const run = Effect.runPromiseWith(context)
  Channel.answering((question) =>
    // The context holds all that an answer needs; the union of questions hides it.
    run(clocked(answer(question as Question) as Effect.Effect<unknown>))
  )
  if (settings.works) yield* Effect.forkScoped(Effect.provideContext(work(), context))
  process.send?.({})
  return yield* Effect.never
})

Effect.runPromise(clocked(laterLeases(Effect.scoped(program)))).catch((error) => {
  console.error(error)
  process.exit(1)
})
