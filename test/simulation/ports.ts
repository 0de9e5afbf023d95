/**
 * Every port of one process with something around each of its calls. What only computes, identifiers,
 * digests and budgets, stands in the same list: nothing is out of the seed's reach but plain values.
 */
import { Effect, Layer } from "effect"
import type * as Wiring from "../../apps/testing/wiring.ts"
import { Accounts, Keys } from "../../core/accounts/account-store.ts"
import { Audit } from "../../core/audit/audit-store.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import { Idempotency } from "../../core/operation/idempotency-store.ts"
import { RateLimits } from "../../core/operation/rate-limits.ts"
import { Provisioning } from "../../core/payments/provisioning-store.ts"
import { PaymentRequests } from "../../core/payments/request-store.ts"
import { Cursors, Transfers } from "../../core/payments/transfer-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { Chains } from "../../core/ports/chains.ts"
import { CheckpointSigner } from "../../core/ports/checkpoint-signer.ts"
import { Ids } from "../../core/ports/ids.ts"
import { Notifier } from "../../core/ports/notifier.ts"
import { Secrets } from "../../core/ports/secrets.ts"
import { Tasks } from "../../core/ports/tasks.ts"
import { WebhookSender } from "../../core/ports/webhook-sender.ts"
import { SolanaRelay } from "../../core/solana/relay.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import { Wallets } from "../../core/wallets/wallet-store.ts"
import { Deliveries, Events } from "../../core/webhooks/delivery-store.ts"
import { WebhookEndpoints } from "../../core/webhooks/endpoint-store.ts"
import { around, type Wrap } from "../support/port-wrapper.ts"

/** Everything a process is made of. */
export type Ports = Layer.Success<ReturnType<typeof Wiring.layer>>

export type Wired = Layer.Layer<Ports>

/** `wrap` around each call of each port, but for hints, which are lost and never fail. */
export const wrapped = (below: Wired, wrap: Wrap): Wired => {
  /** To say what to do after the commit is to write a note, not to ask anybody. */
  const calls: Wrap = (name, call) => (name === "Atomically.afterCommit" ? call : wrap(name, call))
  return Layer.mergeAll(
    below,
    around(Accounts, below, calls),
    around(Atomically, below, calls),
    around(Audit, below, calls),
    around(Chains, below, calls),
    around(WebhookSender, below, calls),
    around(Cursors, below, calls),
    around(Deliveries, below, calls),
    around(Events, below, calls),
    around(Idempotency, below, calls),
    around(Ids, below, calls),
    around(Keys, below, calls),
    around(CheckpointSigner, below, calls),
    around(PaymentRequests, below, calls),
    around(EvmRelay, below, calls),
    around(SolanaRelay, below, calls),
    around(Provisioning, below, calls),
    around(RateLimits, below, calls),
    around(Secrets, below, calls),
    around(SubmissionStore, below, calls),
    around(WalletKeys, below, calls),
    around(Tasks, below, calls),
    around(Transfers, below, calls),
    around(Wallets, below, calls),
    around(WebhookEndpoints, below, calls)
  )
}

/** Hints that get lost when `isLost` says so. */
export const losingHints = (below: Wired, isLost: () => boolean): Wired =>
  Layer.merge(
    below,
    Layer.effect(
      Notifier,
      Effect.map(Notifier, (notifier) => ({
        ...notifier,
        signal: (topic, subject) =>
          Effect.suspend(() => (isLost() ? Effect.void : notifier.signal(topic, subject)))
      }))
    ).pipe(Layer.provide(below))
  )
