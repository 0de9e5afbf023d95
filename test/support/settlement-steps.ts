/** Payments by signature on a scripted chain, pushed forward by hand: workers look when a test lets them. */
import { assert } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { signedByPayer } from "../../adapters/memory/authorization.ts"
import { ChainScript } from "../../adapters/memory/chains.ts"
import type { Authorization } from "../../core/evm/journal.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import { pay } from "../../core/payments/pay.ts"
import type { PaymentRequest } from "../../core/payments/request.ts"
import { PaymentRequests } from "../../core/payments/request-store.ts"
import { Transfers } from "../../core/payments/transfer-store.ts"
import { watchOnce } from "../../core/payments/watch.ts"
import { Chains, type Connected } from "../../core/ports/chains.ts"
import type { Wallet } from "../../core/wallets/wallet.ts"
import type { Accepted } from "../../core/x402/offer.ts"
import type { Payment } from "../../core/x402/verify.ts"
import * as Value from "./chain-values.ts"
import type { Plain } from "./plain.ts"
import * as Rows from "./rows.ts"
import * as Stored from "./stored-rows.ts"
import * as SubmissionQueue from "./submission-queue.ts"

export const amountMicro = 10_000_000n

/** An open request on a vault of the scripted chain; the clock of tests starts in 1970. */
export const aRequest = Effect.fnUntraced(function* (
  over: Plain<Partial<PaymentRequest>> = {},
  onVault?: Wallet
) {
  const vault = onVault ?? (yield* Stored.vault({ chainId: "local", address: Rows.anAddress() }))
  const request = yield* Stored.paymentRequest(vault, { amountMicro, ...over })
  return { vault, request }
})

/** What a payer who holds enough signs for a request. */
export const signed = Effect.fnUntraced(function* (
  request: PaymentRequest,
  over: Plain<Partial<Authorization>> = {}
) {
  const [connected] = (yield* Chains).connected
  const authorization = signedByPayer({
    act: "transfer",
    chainId: "local",
    token: (connected as Connected).usdc,
    from: Rows.anAddressKey(),
    to: Value.key(request.payToAddress),
    amountMicro: request.amountMicro,
    nonce: Rows.aTxHash(),
    validBefore: (yield* (yield* EvmRelay).conditions("local")).chainTime + 180,
    ...(over as Partial<Authorization>)
  })
  const accepted: Accepted = {
    chainId: "local",
    token: (connected as Connected).usdc,
    payTo: Value.key(request.payToAddress),
    amountMicro: request.amountMicro,
    maxTimeoutSeconds: 180,
    name: "USD Coin",
    version: "2"
  }
  const payload = { x402Version: 2, nonce: authorization.nonce }
  return { authorization, payload, accepted } satisfies Payment
})

export const funded = Effect.fnUntraced(function* (
  request: PaymentRequest,
  over: Plain<Partial<Authorization>> = {}
) {
  const payment = yield* signed(request, over)
  const { from, amountMicro: held } = payment.authorization
  yield* (yield* ChainScript).fund(from, held)
  return payment
})

let looks = 0

/** One worker's look at what is due; leases that were left behind have run out each time. */
export const look = Effect.gen(function* () {
  looks++
  yield* SubmissionQueue.allAdvanced(yield* SubmissionQueue.claimAt(looks * 120))
})

/** One turn of the watcher. */
export const watch = Effect.gen(function* () {
  for (const connected of (yield* Chains).connected) yield* watchOnce(connected)
})

/** Worker, watcher, a block and a moment, as often as it takes until the work is done. */
export const pushed = Effect.fnUntraced(function* <A, E, R>(
  work: Effect.Effect<A, E, R>,
  turns = 12
) {
  const fiber = yield* Effect.forkChild(work)
  for (let turn = 0; turn < turns; turn++) {
    yield* TestClock.adjust("100 millis")
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) break
    yield* look
    yield* (yield* ChainScript).mine(1)
    yield* watch
  }
  // Whoever still waits has no block to wait for.
  yield* TestClock.adjust("1 minute")
  return yield* Fiber.join(fiber)
})

/** Pays and pushes until the answer. */
export const paid = (request: PaymentRequest, payment: Payment) => pushed(pay(request, payment))

/** Lets whatever is under way come to its end. */
export const ended = Effect.gen(function* () {
  for (let turn = 0; turn < 8; turn++) {
    yield* look
    yield* (yield* ChainScript).mine(1)
    yield* watch
  }
})

export const now = ({ accountId, id }: PaymentRequest) =>
  Effect.gen(function* () {
    const request = yield* (yield* PaymentRequests).find(accountId, id)
    return request ?? assert.fail("the request is gone")
  })

export const transfersOf = ({ id }: PaymentRequest) =>
  Effect.flatMap(Transfers, (transfers) => transfers.ofRequest(id))

export const held = (address: string) =>
  Effect.flatMap(ChainScript, (script) => script.balanceOf(address))

/** The reason for which a payment was not taken. */
export const reasonOf = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(work), (exit) => {
    if (Exit.isSuccess(exit)) return undefined
    const [failure] = exit.cause.reasons
    const error = failure?._tag === "Fail" ? failure.error : failure
    return (error as { readonly reason?: string; readonly _tag?: string }).reason ?? error
  })

/** Somebody else has the token take what the payer signed. */
export const settledElsewhere = Effect.fnUntraced(function* (authorization: Authorization) {
  const payouts = yield* EvmRelay
  const { relayerCount, ...conditions } = yield* payouts.conditions("local")
  const fees = { ...conditions, gas: 150_000n }
  const { raw, txHash } = yield* payouts.wrap(authorization, relayerCount, fees)
  yield* payouts.broadcast("local", raw)
  yield* (yield* ChainScript).mine(1)
  return txHash
})
