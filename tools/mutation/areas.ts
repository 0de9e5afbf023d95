/** What is mutated, area by area, and the tests in memory that must notice. Every area has a bar to pass. */

export interface Area {
  readonly modules: ReadonlyArray<string>
  /** Files or patterns of vitest, the nearest first: a mutant dies by the first test that sees it. */
  readonly tests: ReadonlyArray<string>
  /** Its own bar, where it is another one: of what judges a venue's word not one mutant may live. */
  readonly barPercent?: number
}

/** The least share of the judged mutants that tests notice, equivalent ones left out. */
export const barPercent = 90

export const areas: Readonly<Record<string, Area>> = {
  money: {
    modules: [
      "core/money/decimal.ts",
      "core/money/usd.ts",
      "core/money/usdc.ts",
      "core/sales/worth.ts",
      "core/sales/sale.ts"
    ],
    tests: [
      "test/core/money/*.test.ts",
      "test/core/sales/*.test.ts",
      "test/core/swaps/swap.test.ts"
    ]
  },
  policy: {
    modules: [
      "core/policy/amount.ts",
      "core/policy/limits.ts",
      "core/policy/outlay.ts",
      "core/policy/revision.ts",
      "core/accounts/caveats.ts",
      "core/accounts/address-range.ts",
      "core/cosigners/rules.ts",
      "core/cosigners/approval.ts",
      "core/proposals/key-bounds.ts"
    ],
    tests: [
      "test/core/policy/*.test.ts",
      "test/core/accounts/*.test.ts",
      "test/core/cosigners/*.test.ts",
      "test/core/proposals/{key-bounds,bounded,key-race,early-refusals}.test.ts"
    ]
  },
  matching: {
    modules: [
      "core/payments/assign.ts",
      "core/payments/reconcile.ts",
      "core/payments/recompute.ts",
      "core/payments/refund-ledger.ts",
      "core/payments/refundable.ts"
    ],
    tests: [
      "test/core/payments/*.test.ts",
      "test/odd-payments.test.ts",
      "test/core/x402/*.test.ts",
      "test/stories/memory.test.ts"
    ]
  },
  signatures: {
    modules: [
      "adapters/receiver/verify.ts",
      "adapters/receiver/delivery.ts",
      "core/webhooks/sign.ts",
      "core/treasury/signing-policy.ts",
      "core/submissions/identity.ts"
    ],
    tests: [
      "test/adapters/receiver/*.test.ts",
      "test/core/webhooks/sign.test.ts",
      "test/core/submissions/identity.test.ts",
      "test/core/proposals/lost-records.test.ts",
      "test/adapters/memory/*signing-policy.test.ts",
      "test/core/proposals/{signing-policy,signing}.test.ts"
    ]
  },
  routes: {
    barPercent: 100,
    modules: [
      "adapters/solana/swap-check.ts",
      "adapters/solana/swap-message.ts",
      "adapters/solana/route-data.ts",
      "adapters/solana/cctp/burn-check.ts"
    ],
    tests: [
      "test/adapters/solana/route-{forms,message}.test.ts",
      "test/adapters/solana/cctp/burn-check.test.ts"
    ]
  },
  orders: {
    barPercent: 100,
    modules: [
      "core/swaps/sign-order.ts",
      "core/swaps/cancel-order.ts",
      "core/swaps/order-form.ts",
      "adapters/evm/cow/order.ts"
    ],
    tests: [
      "test/core/swaps/{order-lines,order-rule}.test.ts",
      "test/adapters/evm/cow/{order,order-form}.test.ts"
    ]
  },
  bridges: {
    barPercent: 100,
    modules: ["core/bridges/signing.ts", "adapters/evm/dln/order.ts", "adapters/evm/cctp/burn.ts"],
    tests: [
      "test/core/bridges/signing-rule.test.ts",
      "test/adapters/evm/dln/order.test.ts",
      "test/adapters/evm/cctp/burn-log.test.ts"
    ]
  },
  states: {
    modules: [
      "core/payments/status.ts",
      "core/proposals/move.ts",
      "core/proposals/proposal.ts",
      "core/proposals/step.ts",
      "core/webhooks/delivery.ts",
      "core/recipients/recipient.ts",
      "core/waits/wait.ts"
    ],
    tests: [
      "test/core/published-states.test.ts",
      "test/core/payments/status.test.ts",
      "test/core/proposals/{move,outcomes,proposal,steps}.test.ts",
      "test/core/webhooks/delivery.test.ts",
      "test/core/recipients/*.test.ts"
    ]
  },
  network: {
    modules: [
      "adapters/webhook-sender/address-policy.ts",
      "adapters/webhook-sender/url-policy.ts",
      "adapters/webhook-sender/name-lookup.ts",
      "adapters/webhook-sender/pinned-connector.ts",
      "adapters/webhook-sender/retry-after.ts"
    ],
    tests: [
      "test/adapters/webhook-sender/{address-policy,url-policy,retry-after,second-layers,name-lookup,pinning,connections,hostile-endpoints}.test.ts"
    ]
  },
  idempotency: {
    modules: ["core/operation/idempotency.ts"],
    tests: ["test/core/{once,idempotency}.test.ts"]
  }
}
