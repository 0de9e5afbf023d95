/**
 * Nodes of a Solana chain that leave something out or lag, and strangers who flood it: no payment is lost by it, and none
 * waits for as long as it goes on. On the real virtual machine.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Memory from "../../../adapters/memory/memory.ts"
import * as SolanaChains from "../../../adapters/solana/chains.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import { PaymentRequests } from "../../../core/payments/request-store.ts"
import { type Extent, LookExtent } from "../../../core/payments/round.ts"
import { Transfers } from "../../../core/payments/transfer-store.ts"
import { watchOnce } from "../../../core/payments/watch.ts"
import { Chains } from "../../../core/ports/chains.ts"
import type { Wallet } from "../../../core/wallets/wallet.ts"
import { type Answered, between, type Proxied } from "../../support/json-rpc-proxy.ts"
import { registries } from "../../support/registries.ts"
import { identified } from "../../support/signing-policies.ts"
import * as Solana from "../../support/solana.ts"
import { anOwner, chainId, connectionTo } from "../../support/solana-world.ts"
import * as Stored from "../../support/stored-rows.ts"

const look = Effect.gen(function* () {
  const [connected] = (yield* Chains).connected
  return connected === undefined ? yield* Effect.die("No chain.") : yield* watchOnce(connected)
})

const looks = (count: number) =>
  Effect.forEach(Array.from({ length: count }), () => look, { discard: true })

const vaultsOf = Effect.fnUntraced(function* (count: number) {
  const { id: accountId } = yield* Stored.account()
  const vaults = yield* Effect.forEach(Array.from({ length: count }), () =>
    Stored.vault({ accountId, chainId, address: anOwner() })
  )
  return { accountId, vaults }
})

/** Handed over for the next block; its signature. */
const handOver = Effect.fnUntraced(function* (vault: Wallet | undefined, amountMicro: bigint) {
  const signer = yield* Solana.payer
  const instructions = yield* Solana.payment(signer, { to: vault?.address ?? "", amountMicro })
  return (yield* Solana.handOver(yield* Solana.signed(signer, instructions))) as string
})

const pay = Effect.fnUntraced(function* (vault: Wallet | undefined, amountMicro: bigint) {
  const signature = yield* handOver(vault, amountMicro)
  yield* (yield* Solana.SolanaChain).advance(1)
  return signature
})

const wanted = { amountMicro: Usdc.make(5_000n) }

const statusOf = (id: string, accountId: string) =>
  Effect.map(
    Effect.flatMap(PaymentRequests, ({ find }) => find(accountId, id)),
    (request) => request?.status
  )

const behindProxy = <A, E, R>(extent: Extent, test: (node: Proxied) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const chain = yield* Solana.SolanaChain
    yield* chain.advance(40)
    const node = yield* between(chain.rpcUrl)
    const connection = connectionTo(chain, { rpcUrls: [node.rpcUrl] })
    return yield* test(node).pipe(
      Effect.provideService(LookExtent, extent),
      Effect.provide(
        Layer.mergeAll(Memory.layer(), registries, identified, SolanaChains.layer([connection]))
      )
    )
  }).pipe(Effect.scoped, Effect.provide(Layer.orDie(Solana.layer)))

const ample: Extent = { all: 400, expecting: 3, newest: 2, followed: 1000 }

/** An answer that lists no transaction of this signature. */
const without =
  (signature: string) =>
  (answered: Answered): Answered => ({
    ...answered,
    result: (answered.result as ReadonlyArray<{ readonly signature: string }>).filter(
      (each) => each.signature !== signature
    )
  })

it.live(
  "a payment that stands above one that is in doubt is told again, if both are dropped",
  () =>
    behindProxy(ample, (node) =>
      Effect.gen(function* () {
        const chain = yield* Solana.SolanaChain
        const { vaults } = yield* vaultsOf(2)
        const [doubted, expecting] = vaults
        yield* looks(3)
        yield* chain.advance(1)
        const doomed = yield* pay(doubted, 20_000n)
        yield* chain.advance(2)
        yield* look
        // A fork drops it in an outage that is longer than a node remembers, and another payment is not listed yet.
        yield* chain.fork(4, [doomed])
        yield* chain.advance(700)
        const hidden = without(yield* pay(doubted, 30_000n))
        yield* chain.advance(2)
        yield* node.tamper(async (asked, pass) => {
          const answered = await pass(asked)
          return asked[0]?.method === "getSignaturesForAddress" ? answered.map(hidden) : answered
        })
        yield* looks(6)
        const request = yield* Stored.paymentRequest(expecting as Wallet, wanted)
        const signature = yield* pay(expecting, 5_000n)
        yield* chain.advance(2)
        yield* look
        yield* chain.advance(45)
        yield* looks(2)
        yield* node.tamper()
        for (let time = 0; time < 5; time++) {
          yield* looks(2)
          yield* chain.advance(40)
        }
        const found = yield* (yield* Transfers).ofTransaction(chainId, signature as never)
        assert.deepStrictEqual(
          found.map(({ state }) => state),
          ["final"]
        )
        assert.strictEqual(yield* statusOf(request.id, request.accountId), "paid")
      })
    ),
  90_000
)

interface Accounts {
  readonly value: ReadonlyArray<unknown>
}

/** Answers of the first moment about what is final, in which no vault is asked for. */
const frozen = () => {
  let first: Accounts | undefined
  return (answered: Answered): Answered => {
    const told = answered.result as Accounts
    first ??= told
    const rest = told.value.slice(2).map(() => null)
    return { ...answered, result: { ...first, value: [...first.value.slice(0, 2), ...rest] } }
  }
}

it.live(
  "vaults go round while what is final is further behind than blocks are remembered",
  () =>
    behindProxy({ all: 10, expecting: 3, newest: 2, followed: 100 }, (node) =>
      Effect.gen(function* () {
        const chain = yield* Solana.SolanaChain
        const { accountId, vaults } = yield* vaultsOf(40)
        yield* looks(6)
        const still = frozen()
        yield* node.tamper(async (asked, pass) => {
          const answered = await pass(asked)
          const [, settings] = (asked[0]?.params ?? []) as ReadonlyArray<{ commitment?: string }>
          const isOfFinal =
            asked[0]?.method === "getMultipleAccounts" && settings?.commitment === "finalized"
          return isOfFinal ? answered.map(still) : answered
        })
        yield* look
        for (let time = 0; time < 4; time++) {
          yield* chain.advance(20)
          yield* look
        }
        for (const vault of vaults) yield* pay(vault, 5_000n)
        yield* chain.advance(2)
        for (let time = 0; time < 12; time++) {
          yield* chain.advance(1)
          yield* look
        }
        const seen = yield* (yield* Transfers).deposits(accountId, {}, { limit: 100 })
        assert.lengthOf(seen.rows, 40)
      })
    ),
  90_000
)

it.live(
  "who has paid before waits no longer than those who came first, however many vaults strangers send dust to",
  () =>
    behindProxy(ample, () =>
      Effect.gen(function* () {
        const chain = yield* Solana.SolanaChain
        const { vaults } = yield* vaultsOf(321)
        const [customer, ...dusted] = vaults
        yield* looks(3)
        yield* pay(customer, 1_000n)
        yield* chain.advance(2)
        yield* look
        yield* chain.advance(45)
        yield* looks(2)
        const request = yield* Stored.paymentRequest(customer as Wallet, wanted)
        const dust = (from: number, to: number) =>
          Effect.forEach(dusted.slice(from, to), (vault) => handOver(vault, 1n), { discard: true })
        yield* dust(0, 60)
        yield* chain.advance(1)
        yield* pay(customer, 5_000n)
        for (let time = 0; time < 3; time++) {
          yield* dust(60 + time * 80, 140 + time * 80)
          yield* chain.advance(20)
          yield* look
        }
        assert.notStrictEqual(yield* statusOf(request.id, request.accountId), "open")
      })
    ),
  90_000
)
