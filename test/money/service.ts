/**
 * The service as it is served, in a process of its own on a shared database, that can be told where to
 * die and what time it is. What differs from the real one is a wrap around its ports and its clock.
 */
import * as Usd from "../../core/money/usd.ts"
import * as Value from "../support/chain-values.ts"
import "effect/schema/SchemaJITCompiler/enable"
import { DateTime, Effect, Layer, Redacted } from "effect"
import * as Server from "../../adapters/postgres/server.ts"
import type * as Keyring from "../../adapters/secrets/keyring.ts"
import * as Lines from "../../adapters/secrets/timeline.ts"
import { surfaces, treasury, workers } from "../../apps/server/wiring.ts"
import { authenticate } from "../../core/accounts/authenticate.ts"
import * as Chain from "../../core/chains/chain.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import { Idempotency } from "../../core/operation/idempotency-store.ts"
import type { Limits as PolicyLimits } from "../../core/policy/limits.ts"
import { Spending } from "../../core/policy/spending-ledger.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { Ids } from "../../core/ports/ids.ts"
import { Proposals } from "../../core/proposals/proposal-store.ts"
import { Recipients } from "../../core/recipients/recipient-store.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import * as TreasurySettings from "../../core/treasury/settings.ts"
import { callsOf } from "../../core/treasury/treasury.ts"
import * as Authority from "../failover/authority.ts"
import * as Crash from "../kill/crash.ts"
import { around } from "../support/port-wrapper.ts"
import * as Bugs from "./bugs.ts"
import { agentKey, boundless, developerAccount, said, serve } from "./process.ts"
import type { Account, Limits, Question, Settings } from "./settings.ts"

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
    lines:
      settings.bug === "signs at once"
        ? undefined
        : Lines.at({ directory: settings.directory, isShared: true }),
    webhookSender: { mode: "local" },
    limits: boundless,
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
    around(Spending, Bugs.plant(settings.bug, all), Crash.wrap),
    Authority.boasting(settings.bug)
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
    requiredMemo: null,
    createdAt: now
  })
  return id
})

/** A human's account that two agents have a key of. */
const openAccount = Effect.fnUntraced(function* ([payee, ...others]: readonly [
  string,
  ...ReadonlyArray<string>
]) {
  const { account, apiKey, wallet } = yield* developerAccount(payee)
  const agentKeys = [
    yield* agentKey(account.id, "One"),
    yield* agentKey(account.id, "Another")
  ] as const
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
    case "give":
      return Authority.give(question.wanted, question.payee)
    case "command":
      return Authority.command(question.words)
    case "call":
      return said(question)
  }
}

const started = Effect.gen(function* () {
  const context = yield* Effect.context<Layer.Success<ReturnType<typeof mortal>>>()
  const served = surfaces({ port: settings.port, host: "127.0.0.1", corsOrigins: [] })
  const service = settings.works ? Layer.merge(served, workers) : served
  yield* Layer.build(service.pipe(Layer.provide(Layer.succeedContext(context))))
})

serve({
  directory: settings.directory,
  aheadMs: () => offsetMs,
  parts: (keyring) => mortal(ports(keyring)),
  start: started,
  answer
})
