/**
 * Each line of what an order, and its cancellation, must not pass is tried alone: everything else is as it was approved
 * and written down, and that line's own violation comes. Then: what is read of the records, and handed to the key.
 */
import { DateTime, Effect, type Schema } from "effect"
import { assert, describe, it } from "vitest"
import { Address } from "../../../core/chains/address.ts"
import { termsOf } from "../../../core/evm/call.ts"
import { type SwapOrder, SwapVenues } from "../../../core/ports/swap-venue.ts"
import type { SigningRequest } from "../../../core/proposals/kind.ts"
import type { Proposal } from "../../../core/proposals/proposal.ts"
import { Sales } from "../../../core/sales/sale-store.ts"
import { WalletKeys } from "../../../core/submissions/wallet-keys.ts"
import * as CancelOrder from "../../../core/swaps/cancel-order.ts"
import * as SignOrder from "../../../core/swaps/sign-order.ts"
import type { Terms } from "../../../core/swaps/terms.ts"
import { Identity } from "../../../core/timeline/identity.ts"
import type { Wait } from "../../../core/waits/wait.ts"
import { WaitStore } from "../../../core/waits/wait-store.ts"
import { Wallets } from "../../../core/wallets/wallet-store.ts"
import * as Approved from "../../support/approved-orders.ts"

const { address, callOf, chainId, openedAt, openedSeconds, order, sale, terms, waitWith } = Approved
const elsewhere = address("9")
const inFull = Address.make(elsewhere)

interface Altered {
  readonly terms?: Partial<Terms>
  /** In what is asked for and written down alike. */
  readonly order?: Partial<SwapOrder>
  /** In what it is asked for as, beside the order. */
  readonly request?: Partial<SigningRequest>
  readonly records?: Partial<SignOrder.Records>
  readonly wait?: Partial<Wait>
}

const told = (altered: Altered) => {
  const said = { ...order, ...altered.order }
  const request = { ...Approved.requestOf(order), call: callOf(said), ...altered.request }
  const waits = [waitWith(said, altered.wait)]
  const records = { sale, waits, ...altered.records }
  return Approved.violation(request, { ...terms, ...altered.terms }, records)
}

const { amount } = Approved.requestOf(order)
const otherSell = { ...terms.sell, tokenAddress: inFull }
const written = (journal: Schema.JsonObject): Altered => ({ wait: { journal } })
const ended = { isDone: false, evidence: null, at: openedAt }

const lines: ReadonlyArray<readonly [violation: string, altered: Altered]> = [
  ["the order carries another identity", { order: { identity: "another" } }],
  ["the order carries another identity", { request: { identity: "another" } }],
  ["the terms name another wallet", { request: { walletId: "another" } }],
  ["the terms name another chain", { terms: { chainId: "base" } }],
  ["the terms name another chain", { order: { chainId: "base" } }],
  ["the terms name another address to sell from", { terms: { fromAddress: inFull } }],
  ["the order names another owner", { order: { owner: elsewhere } }],
  ["the terms name another receiver", { terms: { receiver: inFull } }],
  ["the order names another receiver", { order: { receiver: elsewhere } }],
  ["the terms sell another token", { terms: { sell: otherSell } }],
  [
    "the order sells another token",
    { request: { amount: { ...amount, token: { chainId, address: elsewhere } } } }
  ],
  ["the terms buy another token", { order: { buy: elsewhere } }],
  ["the terms sell another amount", { terms: { sellAmount: amount.units + 1n } }],
  ["the terms sell another amount", { terms: { sellAmount: amount.units - 1n } }],
  ["the order sells another amount", { order: { sellAmount: amount.units + 1n } }],
  ["the order gives less than the floor", { order: { minBuyAmount: terms.minBuyAmount - 1n } }],
  ["no such order is written down", { records: { waits: [] } }],
  ["no such order is written down", { wait: { ended } }],
  ["no such order is written down", written({})],
  ["no such order is written down", written({ order: null })],
  ["no such order is written down", written({ order: "order" })],
  ...Object.keys(callOf(order)).map(
    (field) =>
      [
        "no such order is written down",
        written({ order: { ...callOf(order), [field]: "another" } })
      ] as const
  ),
  ["the order was signed before", written({ order: callOf(order), signed: {} })],
  ["the order outlives the time for orders", { order: { validTo: openedSeconds + 1201 } }],
  ["nothing is held for it", { records: { sale: undefined } }],
  ["nothing is held for it", { records: { sale: { ...sale, state: "released" } } }],
  ["nothing is held for it", { records: { sale: { ...sale, state: "left" } } }],
  ["its day is closed", { records: { isClosed: true } }],
  ["a swap signs nothing but an order", { request: { act: "call" } }],
  ["a swap signs nothing but an order", { request: { act: "transfer" } }],
  ["a swap signs nothing but an order", { request: { call: null } }],
  ["a swap signs nothing but an order", { request: { call: { owner: order.owner } } }]
]

describe("an order", () => {
  it("is signed at its floor, and until the last second that it may live", () => {
    assert.isUndefined(told({}))
    assert.isUndefined(told({ order: { minBuyAmount: terms.minBuyAmount } }))
    assert.isUndefined(told({ order: { validTo: openedSeconds + 1200 } }))
  })

  it.each(lines.map((line, at) => [at, ...line] as const))(
    "by line %i is not signed, because %s",
    (_, violation, altered) => {
      assert.strictEqual(told(altered), violation)
    }
  )

  it("is judged by the first of its tries, however late the last one was opened", () => {
    const first = waitWith(order, { ended, openedAt: DateTime.subtract(openedAt, { minutes: 16 }) })
    const waits = [first, waitWith(order, { n: 2 })]
    assert.strictEqual(told({ records: { waits } }), "the order outlives the time for orders")
    const sooner = { validTo: openedSeconds + 240 }
    const again = [first, waitWith({ ...order, ...sooner }, { n: 2 })]
    assert.isUndefined(told({ order: sooner, records: { waits: again } }))
  })
})

const settlement = address("7")
const invalidation = { to: settlement, call: termsOf({ to: settlement, data: "0x15", value: 0n }) }
const cancelling: SigningRequest = {
  ...Approved.requestOf(order),
  ...{ act: "call", to: settlement, call: invalidation.call, part: CancelOrder.cancelPart }
}

const cancelled = ({ records, request, terms: over }: Altered) =>
  Approved.violation(
    { ...cancelling, ...request },
    { ...terms, ...over },
    { sale, waits: [], isStopAsked: true, invalidation, ...records }
  )

const cancellations: ReadonlyArray<readonly [violation: string, altered: Altered]> = [
  ["a cancellation is nothing but a call", { request: { act: "order" } }],
  ["a cancellation is nothing but a call", { request: { call: null } }],
  ["nobody asked the swap to stop", { records: { isStopAsked: false } }],
  ["the terms name another wallet", { request: { walletId: "another" } }],
  ["the terms name another chain", { request: { chainId: "base" } }],
  ["the terms name another address to sell from", { request: { from: elsewhere } }],
  [
    "it is of another sale",
    { request: { amount: { ...amount, token: { chainId, address: elsewhere } } } }
  ],
  [
    "it is of another sale",
    { request: { amount: { ...amount, token: { chainId, address: null } } } }
  ],
  ["the terms sell another amount", { request: { amount: { ...amount, units: 1n } } }],
  ["no signed order waits", { records: { invalidation: undefined } }],
  ["the order is ended by another contract", { request: { to: elsewhere } }],
  ["the call does something else", { request: { call: { ...invalidation.call, data: "0x16" } } }],
  ["the call does something else", { request: { call: { ...invalidation.call, more: 1 } } }]
]

describe("a cancellation", () => {
  it("is signed as it ends the order", () => {
    assert.isUndefined(cancelled({}))
  })

  it.each(cancellations.map((line, at) => [at, ...line] as const))(
    "by line %i is not signed, because %s",
    (_, violation, altered) => {
      assert.strictEqual(cancelled(altered), violation)
    }
  )

  it("is asked for with what its swap says and the order's own call", () => {
    assert.deepStrictEqual(CancelOrder.cancellation(terms, invalidation), {
      _tag: "submit",
      kind: "cancel",
      purpose: "swap_cancellation",
      chainId,
      walletId: "wallet",
      act: "call",
      part: "cancel",
      from: order.owner,
      to: settlement,
      amount,
      call: invalidation.call
    })
    assert.deepStrictEqual(SignOrder.signing.parts, ["cancel"])
  })

  it("goes on while an order of its proposal waits, and for no other", async () => {
    const admitted = (waits: ReadonlyArray<Wait>, proposalId: string | null = "proposal") => {
      const ofProposals = (ids: ReadonlyArray<string>) =>
        Effect.succeed(waits.filter((each) => ids.includes(each.proposalId)))
      const submission = { purpose: { name: "swap_cancellation", proposalId } }
      return Effect.runPromise(
        CancelOrder.swapCancellation
          .admit(submission as never)
          .pipe(Effect.provideService(WaitStore, { ofProposals } as never))
      )
    }
    const open = waitWith(order)
    assert.deepStrictEqual(await admitted([open]), { _tag: "go" })
    assert.deepStrictEqual(await admitted([waitWith(order, { ended }), open]), { _tag: "go" })
    for (const each of [
      admitted([waitWith(order, { ended })]),
      admitted([]),
      admitted([waitWith(order, { proposalId: "another" })]),
      admitted([open], null)
    ]) {
      assert.strictEqual((await each)._tag, "fail")
    }
  })
})

const proposal = {
  id: "proposal",
  accountId: "account",
  call: { operation: "propose_swap", idempotencyKey: "key" },
  terms: { fromWalletId: "wallet" },
  stopAskedAt: null
} as unknown as Proposal

/** Its venue, by what it makes of an order. */
const venue = {
  execution: "order",
  chainIds: [chainId],
  form: (each: SwapOrder) =>
    Effect.succeed({ orderId: `id of ${each.minBuyAmount}`, bytes: Uint8Array.of(1, 2) }),
  invalidation: ({ orderId }: { readonly orderId: string }) => ({
    to: settlement,
    call: { orderId }
  })
}

describe("what is read before an order is signed", () => {
  const signedOrder = { ...callOf(order), orderId: "id", signature: "0x01" }

  const read = (
    waits: ReadonlyArray<Wait>,
    venues: ReadonlyArray<object> = [venue],
    over: { readonly stopAskedAt?: DateTime.Utc; readonly isClosed?: boolean } = {}
  ) =>
    Effect.runPromise(
      SignOrder.read({ ...proposal, stopAskedAt: over.stopAskedAt ?? null }).pipe(
        Effect.provideService(WaitStore, {
          ofProposals: (ids: ReadonlyArray<string>) =>
            Effect.succeed(ids.join() === "proposal" ? waits : [])
        } as never),
        Effect.provideService(Sales, {
          find: (id: string) => Effect.succeed(id === "proposal" ? sale : undefined),
          isClosed: () => Effect.succeed(over.isClosed === true)
        } as never),
        Effect.provideService(SwapVenues, { venues } as never)
      )
    )

  it("is its waits, its sale, whether it is to stop or its day is closed, and what ends the order that waits", async () => {
    const open = waitWith(order, { journal: { signed: signedOrder } })
    assert.deepStrictEqual(await read([open]), {
      waits: [open],
      sale,
      isClosed: false,
      isStopAsked: false,
      invalidation: { to: settlement, call: { orderId: "id" } }
    })
    assert.isTrue((await read([open], [venue], { stopAskedAt: openedAt })).isStopAsked)
    assert.isTrue((await read([open], [venue], { isClosed: true })).isClosed)
  })

  it("ends nothing where no signed order waits, or where orders are not what a venue takes", async () => {
    const open = waitWith(order, { journal: { signed: signedOrder } })
    const over = { ...open, ended }
    const { invalidation: ofLater } = await read([over, waitWith(order, { n: 2 })])
    assert.isUndefined(ofLater)
    assert.isUndefined((await read([])).invalidation)
    assert.isUndefined((await read([over])).invalidation)
    assert.isUndefined((await read([waitWith(order)])).invalidation)
    assert.isUndefined((await read([open], [])).invalidation)
    const other = { ...venue, execution: "transaction" }
    assert.isUndefined((await read([open], [other])).invalidation)
  })
})

describe("an order that is handed to the key", () => {
  const wallet = { id: "wallet", key: { backend: "memory", ref: "key" } }

  const signed = (own: object | undefined) => {
    const asked: Array<unknown> = []
    const exit = Effect.runPromiseExit(
      SignOrder.sign(proposal, venue as never, order).pipe(
        Effect.provideService(Wallets, {
          find: (accountId: string, id: string) =>
            Effect.succeed(accountId === "account" && id === "wallet" ? own : undefined)
        } as never),
        Effect.provideService(WalletKeys, {
          sign: (...request: ReadonlyArray<unknown>) => {
            asked.push(...request)
            return Effect.succeed(Uint8Array.of(0xab))
          }
        } as never),
        Effect.provideService(Identity, { derive: (facts) => facts.join() })
      )
    )
    return exit.then((each) => ({ exit: each, asked }))
  }

  it("is told field by field with the venue's bytes, so that the records can be held against it", async () => {
    const { asked, exit } = await signed(wallet)
    assert.deepStrictEqual(asked, [
      wallet.key,
      "secp256k1",
      {
        order: {
          act: "order",
          from: order.owner,
          to: order.receiver,
          amount,
          identity: "1,account,propose_swap,key",
          call: callOf(order),
          proposalId: "proposal",
          accountId: "account",
          walletId: "wallet",
          chainId,
          key: wallet.key,
          validBefore: order.validTo
        },
        token: order.sell,
        bytes: Uint8Array.of(1, 2)
      }
    ])
    assert(exit._tag === "Success")
    const orderId = `id of ${order.minBuyAmount}`
    assert.deepStrictEqual(exit.value, { ...order, orderId, signature: "0xab" })
  })

  it("is signed by no wallet that the account has not", async () => {
    const { asked, exit } = await signed(undefined)
    assert.deepStrictEqual(asked, [])
    assert(exit._tag === "Failure")
    assert.match(String(exit.cause), /SigningDenied|no such wallet/u)
  })
})
