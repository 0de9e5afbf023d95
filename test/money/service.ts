/**
 * The service as it is served, in a process of its own on a shared database, that can be told where to
 * die and what time it is. What differs from the real one is a wrap around its ports and its clock.
 */
import * as Usd from "../../core/money/usd.ts"
import * as Value from "../support/chain-values.ts"
import "effect/schema/SchemaJITCompiler/enable"
import { DateTime, Effect, Layer, Redacted } from "effect"
import * as Server from "../../adapters/postgres/server.ts"
import * as Keyring from "../../adapters/secrets/keyring.ts"
import { surfaces, treasury, workers } from "../../apps/server/wiring.ts"
import { authenticate } from "../../core/accounts/authenticate.ts"
import * as Chain from "../../core/chains/chain.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import { issue } from "../../core/keys/create-key.ts"
import { Scope } from "../../core/operation/caller.ts"
import { Idempotency } from "../../core/operation/idempotency-store.ts"
import type { Limits as PolicyLimits } from "../../core/policy/limits.ts"
import { Spending } from "../../core/policy/spending-ledger.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { Ids } from "../../core/ports/ids.ts"
import { Proposals } from "../../core/proposals/proposal-store.ts"
import { Recipients } from "../../core/recipients/recipient-store.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import { seedAccounts } from "../../core/treasury/seed.ts"
import * as TreasurySettings from "../../core/treasury/settings.ts"
import { type Call, callsOf } from "../../core/treasury/treasury.ts"
import * as Channel from "../kill/channel.ts"
import * as Crash from "../kill/crash.ts"
import { around } from "../support/port-wrapper.ts"
import * as ShiftedClock from "../support/shifted-clock.ts"
import * as ShiftedLeases from "../support/shifted-leases.ts"
import * as Bugs from "./bugs.ts"
import type { Account, Limits, Question, Said, Settings } from "./settings.ts"

const settings = JSON.parse(process.env.KILL_SETTINGS ?? "") as Settings

let { offsetMs, limits } = settings

const policy = (text: Limits): PolicyLimits => ({
  perTransferMicro: Usd.make(BigInt(text.perTransferMicro)),
  dailyMicro: Usd.make(BigInt(text.dailyMicro)),
  monthlyMicro: Usd.make(BigInt(text.monthlyMicro)),
  hardCapMicro: Usd.make(BigInt(text.hardCapMicro))
})

const treasurySettings: TreasurySettings.Settings = {
  ...TreasurySettings.defaults,
  siteUrl: `http://127.0.0.1:${settings.port}`,
  livemode: false,
  idempotencyLeaseMs: 2000,
  get tiers() {
    const both = policy(limits)
    return { personal: both, startup: both }
  }
}

const plenty = 1_000_000_000

const ports = (keyring: Keyring.Keyring) =>
  treasury({
    database: Server.layer({ url: Redacted.make(settings.databaseUrl), maxConnections: 12 }),
    chains: [
      {
        chain: Chain.find("local") as Chain.Chain,
        usdc: settings.usdc,
        rpcUrl: settings.rpcUrl,
        timeoutMs: settings.rpcTimeoutMs,
        confirmations: settings.confirmations,
        pollMs: 50
      }
    ],
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
    settings: treasurySettings
  })

/** The same ports, each able to be the last thing this process calls. */
const mortal = (all: ReturnType<typeof ports>) =>
  Layer.mergeAll(
    Crash.atCommit(all),
    around(SubmissionStore, all, Crash.wrap),
    around(Idempotency, all, Crash.wrap),
    around(EvmRelay, all, Crash.wrap),
    around(Proposals, all, Crash.wrap),
    around(Spending, Bugs.plant(settings.bug, all), Crash.wrap)
  ).pipe(Layer.provideMerge(all))

const addRecipient = Effect.fnUntraced(function* (accountId: string, given: string) {
  const now = yield* DateTime.now
  const id = yield* (yield* Ids).uuid
  yield* (yield* Recipients).add({
    id,
    accountId,
    label: given,
    address: Value.address(given),
    chainId: "local",
    status: "approved",
    cooldownEndsAt: now,
    isOwn: false,
    createdAt: now
  })
  return id
})

/** A human's account that two agents have a key of. */
const openAccount = Effect.fnUntraced(function* ([payee, ...others]: readonly [
  string,
  ...ReadonlyArray<string>
]) {
  const { account, apiKey, wallet } = yield* seedAccounts({
    kind: "developer",
    name: "Treasury under test",
    tier: "startup",
    chainId: "local",
    customer: { externalId: "customer", namespace: "default" },
    payee: { label: "Payee", address: Value.address(payee) }
  })
  const wanted = { accountId: account.id, kind: "agent", scopes: Scope.literals } as const
  const issued = (label: string) => issue({ ...wanted, label, expiresAt: null })
  const agentKeys = [(yield* issued("One")).text, (yield* issued("Another")).text] as const
  const { recipients } = yield* Effect.flatMap(authenticate(apiKey), (caller) =>
    callsOf(caller).list_recipients({})
  )
  const recipientIds = [
    recipients[0]?.id as string,
    ...(yield* Effect.forEach(others, (other) => addRecipient(account.id, other)))
  ] as const
  return {
    accountId: account.id,
    walletId: wallet.id,
    address: wallet.address,
    recipientIds,
    developerKey: apiKey,
    agentKeys
  } satisfies Account
})

const call = Effect.fnUntraced(
  function* ({ apiKey, idempotencyKey, input, name }: Extract<Question, { ask: "call" }>) {
    const calls = callsOf(yield* authenticate(apiKey))
    // A function is asked for by its name here, as a tool is.
    const operation = calls[name as keyof typeof calls] as unknown as Call<never>
    const options = idempotencyKey === undefined ? {} : { idempotencyKey }
    return { ok: true, data: yield* operation(input as never, options) } as Said
  },
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
    case "limits":
      return Effect.sync(() => {
        limits = question.limits
      })
    case "account":
      return Effect.flatMap(Atomically, ({ run }) => run(openAccount(question.payees)))
    case "relayer":
      return Effect.flatMap(EvmRelay, ({ relayerAddress }) => relayerAddress("local"))
    case "call":
      return call(question)
  }
}

const clocked = ShiftedClock.provide((realMs) => realMs + offsetMs)
const laterLeases = ShiftedLeases.provide(() => offsetMs)

const program = Effect.gen(function* () {
  const keyring = yield* Keyring.load({ dataDirectory: settings.directory })
  const context = yield* Layer.build(mortal(ports(keyring)))
  const served = surfaces({ port: settings.port, host: "127.0.0.1", corsOrigins: [] })
  const service = settings.works ? Layer.merge(served, workers) : served
  yield* Layer.build(service.pipe(Layer.provide(Layer.succeedContext(context))))
  const run = Effect.runPromiseWith(context)
  Channel.answering((question) =>
    // The context holds all that an answer needs; the union of questions hides it.
    run(clocked(answer(question as Question) as Effect.Effect<unknown>))
  )
  process.send?.({})
  return yield* Effect.never
})

Effect.runPromise(clocked(laterLeases(Effect.scoped(program)))).catch((error) => {
  console.error(error)
  process.exit(1)
})
