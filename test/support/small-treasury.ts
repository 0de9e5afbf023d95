/**
 * A treasury just large enough to stand behind the network surfaces: keys, budgets and idempotency are
 * kept for real in memory; a book that no test of a surface reaches is a defect to touch.
 */
import { createHash, createHmac, randomBytes, randomUUID } from "node:crypto"
import { Context, DateTime, Effect, Layer } from "effect"
import * as Key from "../../core/accounts/key.ts"
import { Scope } from "../../core/caller.ts"
import { Deployment, defaults } from "../../core/deployment.ts"
import type { Budget } from "../../core/operation.ts"
import { Accounts } from "../../core/ports/accounts.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { Audit } from "../../core/ports/audit.ts"
import { Chains } from "../../core/ports/chains.ts"
import { Courier } from "../../core/ports/courier.ts"
import { Cursors } from "../../core/ports/cursors.ts"
import { Deliveries } from "../../core/ports/deliveries.ts"
import { Events } from "../../core/ports/events.ts"
import { type Answer, Idempotency, type Slot } from "../../core/ports/idempotency.ts"
import { Ids } from "../../core/ports/ids.ts"
import { Keys } from "../../core/ports/keys.ts"
import { PaymentRequests } from "../../core/ports/payment-requests.ts"
import { Provisioning } from "../../core/ports/provisioning.ts"
import { RateLimits } from "../../core/ports/rate-limits.ts"
import { Secrets } from "../../core/ports/secrets.ts"
import { Signer } from "../../core/ports/signer.ts"
import { Tasks } from "../../core/ports/tasks.ts"
import { Transfers } from "../../core/ports/transfers.ts"
import { Wakeups } from "../../core/ports/wakeups.ts"
import { Wallets } from "../../core/ports/wallets.ts"
import { WebhookEndpoints } from "../../core/ports/webhook-endpoints.ts"
import type { Wallet } from "../../core/wallets/wallet.ts"

export const siteUrl = "http://localhost:4000"
const accountId = "0198c7a0-0000-7000-8000-000000000001"
const createdAt = DateTime.makeUnsafe("2030-01-01T12:00:00Z")

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const base62 = (length: number) =>
  Array.from(randomBytes(length), (byte) => alphabet.charAt(byte % 62)).join("")

const digest = (text: string) => createHmac("sha256", "pepper").update(text).digest("hex")
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

export interface Options {
  readonly wallets?: number
  readonly failuresAllowed?: number
  readonly callsAllowed?: number
}

/** Makes keys for the account behind the surfaces. */
export class Issue extends Context.Service<
  Issue,
  (
    scopes: ReadonlyArray<Scope>,
    over?: { readonly revoked?: boolean; readonly expired?: boolean }
  ) => string
>()("test/Issue") {}

export const everyScope: ReadonlyArray<Scope> = Scope.literals

const keys = () => {
  const byDigest = new Map<string, Key.Key>()
  const issue = Issue.of((scopes, { revoked = false, expired = false } = {}) => {
    const text = Key.compose("developer", base62(Key.secretLength))
    byDigest.set(digest(text), {
      id: randomUUID(),
      accountId,
      kind: "developer",
      prefix: "svc_hu_",
      lastFour: text.slice(-4),
      scopes,
      label: null,
      createdAt,
      lastUsedAt: DateTime.makeUnsafe("2100-01-01T00:00:00Z"),
      expiresAt: expired ? DateTime.makeUnsafe(0) : null,
      revokedAt: revoked ? createdAt : null
    })
    return text
  })
  const book = {
    findByDigest: (text: string) => Effect.sync(() => byDigest.get(text)),
    noteUse: () => Effect.void,
    issue: (key: Key.Key, text: string) => Effect.sync(() => void byDigest.set(text, key)),
    find: (_: string, id: string) =>
      Effect.sync(() => [...byDigest.values()].find((key) => key.id === id)),
    list: () => Effect.sync(() => ({ rows: [...byDigest.values()] })),
    revoke: () => Effect.succeed(true)
  }
  return Layer.merge(Layer.succeed(Issue, issue), Layer.succeed(Keys, book))
}

const rateLimits = ({ callsAllowed = 1e9, failuresAllowed = 1e9 }: Options) =>
  Layer.sync(RateLimits, () => {
    const spent = new Map<string, number>()
    const standing = (name: string, limit: number) => {
      const used = spent.get(name) ?? 0
      const remaining = Math.max(0, limit - used)
      return { allowed: used < limit, limit, remaining, resetSeconds: 30 }
    }
    const draw = (name: string, limit: number) =>
      Effect.sync(() => {
        const before = standing(name, limit)
        spent.set(name, (spent.get(name) ?? 0) + 1)
        return { ...before, remaining: Math.max(0, before.remaining - 1) }
      })
    return {
      draw: (keyId: string, budget: Budget) => draw(`${keyId} ${budget}`, callsAllowed),
      drawFailure: (address: string) => draw(address, failuresAllowed),
      mayTry: (address: string) => Effect.sync(() => standing(address, failuresAllowed))
    }
  })

const idempotency = Layer.sync(Idempotency, () => {
  const slots = new Map<string, { fingerprint: string; answer?: Answer }>()
  const nameOf = (slot: Slot) => `${slot.accountId}|${slot.operation}|${slot.key}`
  return {
    reserve: (reservation) =>
      Effect.sync(() => {
        const name = nameOf(reservation)
        const held = slots.get(name)
        if (held === undefined) {
          slots.set(name, { fingerprint: reservation.fingerprint })
          return { _tag: "reserved" as const }
        }
        if (held.fingerprint !== reservation.fingerprint) return { _tag: "mismatched" as const }
        return held.answer === undefined
          ? { _tag: "running" as const, leaseEndsAt: reservation.leaseEndsAt }
          : { _tag: "answered" as const, answer: held.answer }
      }),
    answer: (slot, _, answer) =>
      Effect.sync(() => {
        const held = slots.get(nameOf(slot))
        if (held !== undefined) held.answer = answer
        return held !== undefined
      }),
    release: (slot) => Effect.sync(() => void slots.delete(nameOf(slot))),
    renew: () => Effect.void,
    eraseSecrets: () => Effect.succeed(0),
    forget: () => Effect.succeed(0)
  }
})

const walletsOf = (count: number): ReadonlyArray<Wallet> =>
  Array.from({ length: count }, (_, index) => ({
    id: `0198c7a0-5b7e-7c3a-9d52-${String(index).padStart(12, "0")}`,
    accountId,
    name: `Wallet ${index}`,
    nickname: null,
    address: `0x${sha256(String(index)).slice(0, 40)}`,
    chainId: "base",
    isDefault: index === 0,
    metadata: { till: String(index) },
    kind: "standard",
    customer: null,
    derivationIndex: index,
    createdAt
  }))

export const layer = (options: Options = {}) => {
  const rows = walletsOf(options.wallets ?? 3)
  return Layer.mergeAll(
    keys(),
    rateLimits(options),
    idempotency,
    Layer.succeed(Deployment, { ...defaults, siteUrl, livemode: false }),
    Layer.succeed(Ids, {
      uuid: Effect.sync(() => randomUUID()),
      base62: (length) => Effect.sync(() => base62(length)),
      bytes: (length) => Effect.sync(() => new Uint8Array(randomBytes(length))),
      fraction: Effect.sync(Math.random)
    }),
    Layer.succeed(Secrets, {
      digest,
      sha256,
      sign: (secret, text) => createHmac("sha256", secret).update(text).digest("hex"),
      seal: (_, text) => Effect.succeed(text),
      open: (_, text) => Effect.succeed(text)
    }),
    Layer.succeed(Atomically, { run: (work) => work, afterCommit: (work) => work }),
    Layer.succeed(Accounts, {
      find: () =>
        Effect.succeed({
          id: accountId,
          name: "Corner Shop",
          kind: "developer",
          tier: "startup",
          livemode: false,
          createdAt
        }),
      open: () => Effect.void
    }),
    Layer.mock(Wallets)({
      list: (_, filter, { limit }) =>
        filter.metadataKey === "broken"
          ? Effect.die(new Error("/var/lib/secret.sql: select * from wallets"))
          : Effect.succeed({ rows: rows.slice(0, limit) }),
      find: () => Effect.succeed(undefined)
    }),
    Layer.succeed(Audit, {
      append: () => Effect.void,
      list: () => Effect.succeed({ rows: [] })
    }),
    Layer.mock(Chains)({ connected: [] }),
    Layer.mock(Courier)({ objection: () => undefined }),
    Layer.mock(Cursors)({}),
    Layer.mock(Deliveries)({ find: () => Effect.succeed(undefined) }),
    Layer.mock(Events)({}),
    Layer.mock(PaymentRequests)({ find: () => Effect.succeed(undefined) }),
    Layer.mock(Provisioning)({}),
    Layer.mock(Signer)({}),
    Layer.mock(Tasks)({}),
    Layer.mock(Transfers)({}),
    Layer.mock(Wakeups)({}),
    Layer.mock(WebhookEndpoints)({ find: () => Effect.succeed(undefined) })
  )
}
