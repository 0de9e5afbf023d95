/** A chain to send on and to push about, with wallets that hold USDC; and the steps of a send. */
import { createHash } from "node:crypto"
import { assert } from "@effect/vitest"
import { Context, DateTime, Effect } from "effect"
import type { AddressKey } from "../../core/chains/address.ts"
import type { KeyRef } from "../../core/chains/key.ts"
import type { Act, Attempt, Authorization } from "../../core/evm/journal.ts"
import { EvmRelay, type TransactionStatus } from "../../core/evm/relay.ts"
import { Chains, type Connected } from "../../core/ports/chains.ts"
import type { Order } from "../../core/submissions/order.ts"
import * as Value from "./chain-values.ts"

export class PayingWorld extends Context.Service<
  PayingWorld,
  {
    readonly chainId: string
    readonly confirmations: number
    /** The key of one of the wallets, which a test tells apart by numbers. */
    readonly keyAt: (keyNumber: number) => Effect.Effect<KeyRef>
    readonly walletAt: (keyNumber: number) => Effect.Effect<AddressKey>
    /** Another relayer, for the same wallets. */
    readonly rival: EvmRelay["Service"]
    /** Makes USDC out of nothing, in a block of its own. */
    readonly fund: (to: string, amountMicro: bigint) => Effect.Effect<void>
    readonly mine: (blocks: number) => Effect.Effect<void>
    /** Drops the newest blocks for as many new ones, transactions kept in the first. */
    readonly reorg: (depth: number, keep: ReadonlyArray<string>) => Effect.Effect<void>
    /** Moves the chain's time on and mines a block there. */
    readonly timePasses: (seconds: number) => Effect.Effect<void>
    readonly outage: (isAway: boolean) => Effect.Effect<void>
    /** While finality is held back, the chain calls no further block final. */
    readonly holdFinality: (isHeld: boolean) => Effect.Effect<void>
    /** The next broadcast is taken by the node, but its answer does not arrive. */
    readonly loseNextReply: Effect.Effect<void>
  }
>()("bursar/test/PayingWorld") {}

/** The derived id that stands for a number. */
export const idOf = (keyNumber: number) => keyNumber.toString(16).padStart(62, "0")

/** The identity that stands for a proposal whose row no test has. */
export const identityFor = (proposalId: string) =>
  createHash("sha256").update(proposalId).digest("hex")

export interface Sending {
  readonly keyNumber: number
  readonly to: AddressKey
  readonly amountMicro: bigint
  readonly act?: Act
  readonly proposalId?: string
  readonly lastsSeconds?: number
}

/** What a wallet is asked to sign; a proposal of its own, unless one is named. */
export const orderOf = Effect.fnUntraced(function* ({
  amountMicro,
  keyNumber,
  ...sending
}: Sending) {
  const { proposalId = `proposal-${keyNumber}` } = sending
  const { chainId, keyAt, walletAt } = yield* PayingWorld
  const { chainTime } = yield* (yield* EvmRelay).conditions(chainId)
  const connected = (yield* Chains).connected.find(({ chain }) => chain.id === chainId)
  const order: Order = {
    act: "transfer",
    call: null,
    proposalId,
    identity: identityFor(proposalId),
    accountId: "account",
    walletId: `wallet-${keyNumber}`,
    key: yield* keyAt(keyNumber),
    chainId,
    from: yield* walletAt(keyNumber),
    amount: { token: { chainId, address: (connected as Connected).usdc }, units: amountMicro },
    validBefore: chainTime + (sending.lastsSeconds ?? 1200),
    ...sending
  }
  return order
})

/** Signs a send. */
export const authorized = Effect.fnUntraced(function* (sending: Sending) {
  return yield* (yield* EvmRelay).authorize(yield* orderOf(sending))
})

/** Signs a send from a wallet that holds just enough, a proposal of its own. */
export const fundedAndAuthorized = Effect.fnUntraced(function* (sending: Sending) {
  const { fund } = yield* PayingWorld
  const authorization = yield* authorized(sending)
  yield* fund(authorization.from, sending.amountMicro)
  return authorization
})

/** Wraps at the relayer's next nonce, or so many after it. */
export const attemptOf = Effect.fnUntraced(function* (
  authorization: Authorization,
  { by, ahead = 0 }: { readonly by?: EvmRelay["Service"]; readonly ahead?: number } = {}
) {
  const payouts = by ?? (yield* EvmRelay)
  const conditions = yield* payouts.conditions(authorization.chainId)
  const { maxFeePerGas, maxPriorityFeePerGas, relayerCount } = conditions
  const fees = { maxFeePerGas, maxPriorityFeePerGas, gas: 150_000n }
  const wrapped = yield* payouts.wrap(authorization, relayerCount + ahead, fees)
  const attempt: Attempt = { ...wrapped, ...fees, at: yield* DateTime.now }
  return attempt
})

export const broadcast = Effect.fnUntraced(function* ({ raw }: Attempt) {
  const { chainId } = yield* PayingWorld
  yield* (yield* EvmRelay).broadcast(chainId, raw)
})

export const trace = (authorization: Authorization, ...attempts: ReadonlyArray<Attempt>) =>
  Effect.flatMap(EvmRelay, (payouts) => payouts.trace(authorization, attempts))

export const held = Effect.fnUntraced(function* (address: string) {
  const { chainId } = yield* PayingWorld
  const [amountMicro] = yield* (yield* Chains).balances(chainId, [Value.address(address)])
  return amountMicro
})

export const assertPaidBy = (traced: TransactionStatus, { txHash }: Attempt) => {
  assert.propertyVal(traced, "_tag", "paid")
  assert.propertyVal(traced, "txHash", txHash)
}
