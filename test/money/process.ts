/**
 * What every process of a scene does alike: it builds its parts under a clock that may run ahead, answers what it is
 * asked, and says when it is ready. It goes on until it is killed.
 */
import { flushCompileCache } from "node:module"
import { Effect, Layer, type Scope } from "effect"
import * as Keyring from "../../adapters/secrets/keyring.ts"
import { authenticate } from "../../core/accounts/authenticate.ts"
import { issue } from "../../core/keys/create-key.ts"
import * as Caller from "../../core/operation/caller.ts"
import { seedAccounts } from "../../core/treasury/seed.ts"
import { type Call, callsOf } from "../../core/treasury/treasury.ts"
import * as Channel from "../kill/channel.ts"
import * as Value from "../support/chain-values.ts"
import * as ShiftedClock from "../support/shifted-clock.ts"
import * as ShiftedLeases from "../support/shifted-leases.ts"
import type { Said } from "./settings.ts"

const plenty = 1_000_000_000

/** Rate limits that no run reaches. */
export const boundless = {
  reads: plenty,
  writes: plenty,
  quotes: plenty,
  confirms: plenty,
  failures: plenty,
  anonymous: plenty
}

export interface NamedCall {
  readonly apiKey: string
  readonly name: string
  readonly input: unknown
  readonly idempotencyKey?: string
}

/** A function by its name, as a tool is asked for. */
export const callAs = Effect.fnUntraced(function* ({
  apiKey,
  idempotencyKey,
  input,
  name
}: NamedCall) {
  const calls = callsOf(yield* authenticate(apiKey))
  const operation = calls[name as keyof typeof calls] as unknown as Call<never>
  return yield* operation(input as never, idempotencyKey === undefined ? {} : { idempotencyKey })
})

export const said = (call: NamedCall) =>
  callAs(call).pipe(
    Effect.map((data): Said => ({ ok: true, data })),
    Effect.catch((refusal) =>
      Effect.succeed<Said>({ ok: false, code: refusal._tag, message: refusal.message })
    )
  )

/** Keys of agents that may do everything. */
export const agentKey = (accountId: string, label: string) =>
  Effect.map(
    issue({ accountId, kind: "agent", scopes: Caller.Scope.literals, label, expiresAt: null }),
    ({ text }) => text
  )

/** A human's account with one wallet, which may pay one payee. */
export const developerAccount = (payee: string, chainId = "local") =>
  seedAccounts({
    kind: "developer",
    name: "Treasury under test",
    tier: "startup",
    chainId,
    customer: { externalId: "customer", namespace: "default" },
    payee: { label: "Payee", address: Value.address(payee) }
  })

export interface Served<Parts, Question> {
  readonly directory: string
  /** How far the clock is ahead of the real one at this moment. */
  readonly aheadMs: () => number
  readonly parts: (keyring: Keyring.Keyring) => Layer.Layer<Parts, unknown>
  /** What it does by itself; ready once this has ended. */
  readonly start: Effect.Effect<unknown, unknown, NoInfer<Parts> | Scope.Scope>
  readonly answer: (question: Question) => Effect.Effect<unknown, unknown, NoInfer<Parts>>
}

export const serve = <Parts, Question>({
  aheadMs,
  answer,
  directory,
  parts,
  start
}: Served<Parts, Question>): void => {
  const clocked = ShiftedClock.provide((realMs) => realMs + aheadMs())
  const laterLeases = ShiftedLeases.provide(aheadMs)
  const program = Effect.gen(function* () {
    const keyring = yield* Keyring.load({ dataDirectory: directory })
    const context = yield* Layer.build(parts(keyring))
    yield* Effect.provideContext(start, context)
    const run = Effect.runPromiseWith(context)
    Channel.answering((question) => run(clocked(answer(question as Question))))
    // One that is killed never writes down what was compiled, so that each start would compile it anew.
    flushCompileCache()
    process.send?.({})
    return yield* Effect.never
  })
  Effect.runPromise(clocked(laterLeases(Effect.scoped(program)))).catch((error) => {
    console.error(error)
    process.exit(1)
  })
}
