/**
 * One of several processes over one database: a replica that carries deliveries by the service's own
 * workers, or the process that writes events, each in a transaction as payments write them.
 */
import * as Accounts from "../support/accounts.ts"
import "effect/schema/SchemaJITCompiler/enable"
import { flushCompileCache } from "node:module"
import { Cause, DateTime, Effect, Exit, Layer, Redacted } from "effect"
import * as Server from "../../adapters/postgres/server.ts"
import * as Keyring from "../../adapters/secrets/keyring.ts"
import { treasury, workers } from "../../apps/server/wiring.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { Ids } from "../../core/ports/ids.ts"
import * as TreasurySettings from "../../core/treasury/settings.ts"
import { Deliveries } from "../../core/webhooks/delivery-store.ts"
import { emit } from "../../core/webhooks/emit.ts"
import { WebhookEndpoints } from "../../core/webhooks/endpoint-store.ts"
import * as Channel from "../kill/channel.ts"
import * as ShiftedClock from "../support/shifted-clock.ts"
import * as ShiftedLeases from "../support/shifted-leases.ts"
import { plant } from "./bugs.ts"
import type { Committed, Place, Question, Settings } from "./settings.ts"

const settings = JSON.parse(process.env.KILL_SETTINGS ?? "") as Settings

const plenty = 1_000_000_000

const ports = (keyring: Keyring.Keyring) =>
  treasury({
    database: Server.layer({ url: Redacted.make(settings.databaseUrl), maxConnections: 8 }),
    chains: [],
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
    settings: { ...TreasurySettings.defaults, siteUrl: "http://127.0.0.1", livemode: false }
  })

type Ports = Layer.Success<ReturnType<typeof ports>>

const openPlace = Effect.fnUntraced(function* (url: string) {
  const { accountId, call } = yield* Accounts.opened()
  const { id, secret } = yield* call.create_merchant_webhook({ url, standardHeaders: true })
  return { accountId, endpointId: id, url, secret: secret as string } satisfies Place
})

/** As long as the body of a paid request. */
const padding = "x".repeat(900)

const written = Effect.fnUntraced(function* (accountId: string) {
  const pid = `pr_${yield* (yield* Ids).base62(22)}`
  const subject = { accountId, pid, vaultId: null, madeAt: yield* DateTime.now, about: [] }
  const work = emit("payment_request.paid", subject, { paymentRequestPid: pid, padding })
  const { id: eventId } = yield* (yield* Atomically).run(work)
  return { eventId, atMs: Date.now() } satisfies Committed
})

const answer = Effect.fnUntraced(function* (question: Question) {
  switch (question.ask) {
    case "open":
      return yield* Effect.forEach(question.urls, openPlace)
    case "emit": {
      const exit = yield* Effect.exit(written(question.accountId))
      return Exit.isSuccess(exit) ? exit.value : null
    }
    case "delete": {
      const { accountId, endpointId } = question.place
      return yield* (yield* WebhookEndpoints).remove(accountId, endpointId, yield* DateTime.now)
    }
  }
})

const program = Effect.gen(function* () {
  const keyring = yield* Keyring.load({ dataDirectory: settings.directory })
  const all = ports(keyring)
  const planted = Layer.merge(
    all,
    plant(settings.bug, Layer.effect(Deliveries, Deliveries).pipe(Layer.provide(all)))
  )
  const context = yield* Layer.build(planted)
  if (settings.works) yield* Layer.build(workers.pipe(Layer.provide(Layer.succeedContext(context))))
  Channel.answering((question) =>
    Effect.runPromiseWith(context)(
      answer(question as Question) as Effect.Effect<unknown, unknown, Ports>
    )
  )
  // One that is killed never writes down what was compiled, so that each start would compile it anew.
  flushCompileCache()
  process.send?.({})
  return yield* Effect.never
})

// The process started so much later: a lease that was left behind has ended meanwhile.
const late = ShiftedClock.provide((realMs) => realMs + settings.aheadMs)
const laterLeases = ShiftedLeases.provide(() => settings.aheadMs)

Effect.runPromise(late(laterLeases(Effect.scoped(program)))).catch((error) => {
  console.error(Cause.isCause(error) ? Cause.pretty(error) : error)
  process.exit(1)
})
