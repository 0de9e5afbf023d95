/**
 * The service as it is served, in a process of its own that can be told where to die. What differs from
 * the real one is a wrap around its ports, and a clock that may stand a little ahead.
 */
import "effect/schema/SchemaJITCompiler/enable"
// Before whatever reads the names of kinds.
import "./three-steps.ts"
import { flushCompileCache } from "node:module"
import { Context, Effect, Layer, Redacted } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type * as DataDirectoryLock from "../../adapters/postgres/data-directory-lock.ts"
import * as Embedded from "../../adapters/postgres/embedded.ts"
import type { Connection } from "../../adapters/postgres/engine.ts"
import * as Server from "../../adapters/postgres/server.ts"
import * as Keyring from "../../adapters/secrets/keyring.ts"
import { seedAccounts } from "../../apps/sandbox/seed.ts"
import { surfaces, treasury, workers } from "../../apps/server/wiring.ts"
import { Audit } from "../../core/audit/audit-store.ts"
import * as Chain from "../../core/chains/chain.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import { Idempotency } from "../../core/operation/idempotency-store.ts"
import { PaymentRequests } from "../../core/payments/request-store.ts"
import { Cursors, Transfers } from "../../core/payments/transfer-store.ts"
import { Spending } from "../../core/policy/spending-ledger.ts"
import { Chains } from "../../core/ports/chains.ts"
import { WebhookSender } from "../../core/ports/webhook-sender.ts"
import { Proposals } from "../../core/proposals/proposal-store.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import * as TreasurySettings from "../../core/treasury/settings.ts"
import { WaitStore } from "../../core/waits/wait-store.ts"
import { Deliveries, Events } from "../../core/webhooks/delivery-store.ts"
import { around } from "../support/port-wrapper.ts"
import * as ShiftedClock from "../support/shifted-clock.ts"
import * as ShiftedLeases from "../support/shifted-leases.ts"
import { Attester } from "../support/stepped-kind.ts"
import * as Channel from "./channel.ts"
import * as Crash from "./crash.ts"
import type { Point } from "./points.ts"
import type { Settings } from "./settings.ts"
import * as ThreeSteps from "./three-steps.ts"

ThreeSteps.register()

const settings = JSON.parse(process.env.KILL_SETTINGS ?? "") as Settings

const plenty = 1_000_000_000

const database: Layer.Layer<
  Connection,
  | SqlError
  | DataDirectoryLock.Refused
  | Embedded.EmbeddedDatabaseUnreadable
  | Server.RoleWithoutLimits
> =
  settings.databaseUrl === undefined
    ? Embedded.layer({ directory: settings.directory })
    : Server.layer({ url: Redacted.make(settings.databaseUrl), maxConnections: 5 })

const ports = (keyring: Keyring.Keyring) =>
  treasury({
    database,
    chains: [
      {
        chain: Chain.find("local") as Chain.Chain,
        usdc: settings.usdc,
        rpcUrl: settings.rpcUrl,
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
    settings: {
      ...TreasurySettings.defaults,
      siteUrl: `http://127.0.0.1:${settings.port}`,
      livemode: false,
      idempotencyLeaseMs: settings.idempotencyLeaseMs
    }
  })

/** The same ports, each able to be the last thing this process calls. */
const mortal = (of: ReturnType<typeof ports>) => {
  const all = Layer.merge(of, ThreeSteps.attester(settings.directory))
  return Layer.mergeAll(
    Crash.atCommit(all),
    around(Attester, all, Crash.wrap),
    around(Audit, all, Crash.wrap),
    around(Chains, all, Crash.wrap),
    around(WebhookSender, all, Crash.wrap),
    around(Cursors, all, Crash.wrap),
    around(Deliveries, all, Crash.wrap),
    around(Events, all, Crash.wrap),
    around(Idempotency, all, Crash.wrap),
    around(PaymentRequests, all, Crash.wrap),
    around(EvmRelay, all, Crash.wrap),
    around(SubmissionStore, all, Crash.wrap),
    around(Proposals, all, Crash.wrap),
    around(Spending, all, Crash.wrap),
    around(Transfers, all, Crash.wrap),
    around(WaitStore, all, Crash.wrap)
  ).pipe(Layer.provideMerge(all))
}

type Question = Point | ThreeSteps.Proposing | ThreeSteps.Reading

/** Whom the account may pay; nothing is sent here. */
const nobody = `0x${"70".repeat(20)}`

// The process started so much later: a lease it left behind before has ended meanwhile.
const late = ShiftedClock.provide((realMs) => realMs + settings.aheadMs)
const laterLeases = ShiftedLeases.provide(() => settings.aheadMs)

const program = Effect.gen(function* () {
  const keyring = yield* Keyring.load({ dataDirectory: settings.directory })
  const context = yield* Layer.build(mortal(ports(keyring)))
  const seeded = settings.furnishes
    ? yield* Effect.provide(seedAccounts(undefined, nobody), context)
    : undefined
  const surface = { port: settings.port, host: "127.0.0.1", corsOrigins: [] }
  const service = Layer.merge(surfaces(surface), workers)
  yield* Layer.build(service.pipe(Layer.provide(Layer.succeedContext(context))))
  const run = Effect.runPromiseWith(context)
  Channel.answering((asked) => {
    const question = asked as Question
    if (!("ask" in question)) return Crash.arm(question)
    // What is asked for happens at the service's time: a proposal made hours before would have expired.
    return question.ask === "propose"
      ? run(late(ThreeSteps.propose(question)))
      : run(late(ThreeSteps.read(question)))
  })
  const agentWallet = seeded?.wallets.find(
    ({ account, kind }) => account === "agent" && kind === "standard"
  )
  // One that is killed never writes down what was compiled, so that each start would compile it anew.
  flushCompileCache()
  process.send?.({
    key: seeded?.developerKey,
    agentKey: seeded?.agentKey,
    agentWallet,
    relayer: yield* Context.get(context, EvmRelay).relayerAddress("local")
  })
  return yield* Effect.never
})

Effect.runPromise(late(laterLeases(Effect.scoped(program)))).catch((error) => {
  console.error(error)
  process.exit(1)
})
