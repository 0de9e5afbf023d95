/** Every port that a trade touches, with something around each of its calls; venues and bridges one by one. */
import { Effect, Layer } from "effect"
import { Audit } from "../../../core/audit/audit-store.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import { Idempotency } from "../../../core/operation/idempotency-store.ts"
import { Refunds } from "../../../core/payments/refund-ledger.ts"
import { PaymentRequests } from "../../../core/payments/request-store.ts"
import { Cursors, Transfers } from "../../../core/payments/transfer-store.ts"
import { Spending } from "../../../core/policy/spending-ledger.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { Bridges } from "../../../core/ports/bridge.ts"
import { Chains } from "../../../core/ports/chains.ts"
import { Allowances, Holdings } from "../../../core/ports/holdings.ts"
import { Ids } from "../../../core/ports/ids.ts"
import { Secrets } from "../../../core/ports/secrets.ts"
import { SwapVenues } from "../../../core/ports/swap-venue.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { Quotes } from "../../../core/quotes/quote-store.ts"
import { Sales } from "../../../core/sales/sale-store.ts"
import { SubmissionStore } from "../../../core/submissions/submission-store.ts"
import { WalletKeys } from "../../../core/submissions/wallet-keys.ts"
import { WaitStore } from "../../../core/waits/wait-store.ts"
import { Wallets } from "../../../core/wallets/wallet-store.ts"
import { around, wrapped as members, type Wrap } from "../../support/port-wrapper.ts"
import type { Wired } from "../ports.ts"

/** These ask nobody: to write a note for after the commit, and to make an order's bytes. */
const asking: ReadonlySet<string> = new Set(["Atomically.afterCommit", "OrderVenue.form"])

const venues = (below: Wired, wrap: Wrap) =>
  Layer.effect(
    SwapVenues,
    Effect.map(SwapVenues, (all) => ({
      ...all,
      venues: all.venues.map((venue) =>
        venue.execution === "order" ? members("OrderVenue", venue, wrap) : venue
      )
    }))
  ).pipe(Layer.provide(below))

const bridges = (below: Wired, wrap: Wrap) =>
  Layer.effect(
    Bridges,
    Effect.map(Bridges, (all) => all.map((bridge) => members("Bridge", bridge, wrap)))
  ).pipe(Layer.provide(below))

export const wrapped = (below: Wired, wrap: Wrap): Wired => {
  const calls: Wrap = (name, call) => (asking.has(name) ? call : wrap(name, call))
  return Layer.mergeAll(
    below,
    around(Allowances, below, calls),
    around(Atomically, below, calls),
    around(Audit, below, calls),
    around(Chains, below, calls),
    around(Cursors, below, calls),
    around(EvmRelay, below, calls),
    around(Holdings, below, calls),
    around(Idempotency, below, calls),
    around(Ids, below, calls),
    around(PaymentRequests, below, calls),
    around(Proposals, below, calls),
    around(Quotes, below, calls),
    around(Refunds, below, calls),
    around(Sales, below, calls),
    around(Secrets, below, calls),
    around(Spending, below, calls),
    around(SubmissionStore, below, calls),
    around(Transfers, below, calls),
    around(WaitStore, below, calls),
    around(WalletKeys, below, calls),
    around(Wallets, below, calls),
    venues(below, calls),
    bridges(below, calls)
  )
}
