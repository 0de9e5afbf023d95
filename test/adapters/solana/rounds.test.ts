/**
 * More vaults than one look is at: they go round, those that money is expected on come first, and nothing is missed,
 * counted twice or expired meanwhile. On the real virtual machine, with looks of a few vaults.
 */
import { assert, it } from "@effect/vitest"
import { generateKeyPairSigner } from "@solana/kit"
import { DateTime, Effect, Layer } from "effect"
import * as Memory from "../../../adapters/memory/memory.ts"
import * as SolanaChains from "../../../adapters/solana/chains.ts"
import { keyOf } from "../../../core/chains/address.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import { expectMoney } from "../../../core/payments/expect.ts"
import { expireDue } from "../../../core/payments/expire.ts"
import { PaymentRequests } from "../../../core/payments/request-store.ts"
import { LookExtent } from "../../../core/payments/round.ts"
import { SettledBalances } from "../../../core/payments/settled-balance-store.ts"
import { Cursors, Transfers } from "../../../core/payments/transfer-store.ts"
import { watchOnce } from "../../../core/payments/watch.ts"
import { Chains } from "../../../core/ports/chains.ts"
import type { Wallet } from "../../../core/wallets/wallet.ts"
import { alternating } from "../../support/alternating-node.ts"
import { registries } from "../../support/registries.ts"
import { identified } from "../../support/signing-policies.ts"
import * as Solana from "../../support/solana.ts"
import { anOwner, chainId, connectionTo } from "../../support/solana-world.ts"
import * as Stored from "../../support/stored-rows.ts"

const extent = { all: 10, expecting: 3, newest: 2, followed: 100 }
const vaultCount = 40
const pages = vaultCount / extent.all

const onSolana = Layer.orDie(Solana.layer)

const look = Effect.gen(function* () {
  const [connected] = (yield* Chains).connected
  return connected === undefined ? yield* Effect.die("No chain.") : yield* watchOnce(connected)
})

const looks = (count: number) =>
  Effect.forEach(Array.from({ length: count }), () => look, { discard: true })

/** Vaults in the order in which they are looked at, on a chain whose watcher stands at the start of a round. */
const begun = Effect.fnUntraced(function* (count = vaultCount) {
  const { id: accountId } = yield* Stored.account()
  const vaults = yield* Effect.forEach(Array.from({ length: count }), () =>
    Stored.vault({ accountId, chainId, address: anOwner() })
  )
  yield* look
  yield* looks(Math.ceil(count / extent.all))
  const cursor = yield* (yield* Cursors).find(chainId)
  assert.isNull(cursor?.round)
  return { accountId, vaults: vaults.toSorted((one, other) => (one.id < other.id ? -1 : 1)) }
})

/** Signed over the newest block of the moment, and not handed over yet. */
const signedFor = Effect.fnUntraced(function* (vault: Wallet | undefined, amountMicro: bigint) {
  const signer = yield* Solana.payer
  const instructions = yield* Solana.payment(signer, { to: vault?.address ?? "", amountMicro })
  return yield* Solana.signed(signer, instructions)
})

/** Pays it in a slot of its own; the signature and its slot. */
const pay = Effect.fnUntraced(function* (vault: Wallet | undefined, amountMicro: bigint) {
  const chain = yield* Solana.SolanaChain
  const signature = yield* Solana.handOver(yield* signedFor(vault, amountMicro))
  yield* chain.advance(1)
  const client = yield* Solana.rpc
  const { value } = yield* Effect.promise(() =>
    client.getSignatureStatuses([signature as never]).send()
  )
  return { signature: signature as string, slot: Number(value[0]?.slot) }
})

/** With what every test has, and what the node was asked since the last time. */
const onRounds = <A, E, R>(test: (calls: () => ReadonlyArray<string>) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const chain = yield* Solana.SolanaChain
    yield* chain.advance(40)
    const node = yield* alternating([chain.rpcUrl])
    const connection = connectionTo(chain, { rpcUrls: [node.rpcUrl] })
    return yield* test(node.asked).pipe(
      Effect.provideService(LookExtent, extent),
      Effect.provide(
        Layer.mergeAll(Memory.layer(), registries, identified, SolanaChains.layer([connection]))
      )
    )
  }).pipe(Effect.scoped, Effect.provide(onSolana))

it.live(
  "a payment to every vault is found within one round, once, at its slot, by looks of a few calls",
  () =>
    onRounds((asked) =>
      Effect.gen(function* () {
        const chain = yield* Solana.SolanaChain
        const { accountId, vaults } = yield* begun()
        const paid = yield* Effect.forEach(vaults, (vault, at) => pay(vault, 10_000n + BigInt(at)))
        yield* chain.advance(2)
        for (let count = 0; count < pages; count++) {
          asked()
          const { atHead } = yield* look
          const reads = asked().filter((method) => method === "getMultipleAccounts")
          assert.lengthOf(reads, 2)
          // The next look follows at once until the round is at its end.
          assert.strictEqual(atHead, count === pages - 1)
        }
        const seen = (yield* (yield* Transfers).deposits(accountId, {}, { limit: 100 })).rows
        assert.lengthOf(seen, vaultCount)
        yield* chain.advance(40)
        yield* looks(3)
        const rows = (yield* (yield* Transfers).deposits(accountId, {}, { limit: 100 })).rows
        assert.lengthOf(rows, vaultCount)
        for (const [at, { signature, slot }] of paid.entries()) {
          const [row, ...more] = rows.filter(({ txHash }) => txHash === signature)
          assert.lengthOf(more, 0)
          assert.strictEqual(row?.vaultId, vaults[at]?.id)
          assert.strictEqual(row?.blockNumber, slot)
          assert.strictEqual<bigint | undefined>(row?.amountMicro, 10_000n + BigInt(at))
          assert.strictEqual(row?.state, "final")
        }
        const { page } = yield* SettledBalances
        const held = yield* page(chainId, null, vaultCount)
        assert.deepStrictEqual<ReadonlyArray<bigint>>(
          held.map(({ heldMicro }) => heldMicro),
          paid.map((_, at) => 10_000n + BigInt(at))
        )
      })
    ),
  60_000
)

it.live("a vault that money is expected on is looked at next, wherever the round is", () =>
  onRounds(() =>
    Effect.gen(function* () {
      const chain = yield* Solana.SolanaChain
      const { vaults } = yield* begun()
      const [last] = vaults.slice(-1)
      if (last === undefined) return
      const request = yield* Stored.paymentRequest(last, { amountMicro: 5_000n as never })
      yield* expectMoney(request)
      yield* pay(last, 5_000n)
      yield* chain.advance(2)
      yield* look
      const found = yield* (yield* PaymentRequests).find(request.accountId, request.id)
      assert.strictEqual(found?.status, "processing")
      // It is followed to its end in every look, and its round is not waited for.
      yield* chain.advance(40)
      yield* look
      const paid = yield* (yield* PaymentRequests).find(request.accountId, request.id)
      assert.strictEqual(paid?.status, "paid")
    })
  )
)

it.live(
  "no request expires before its vault was looked at, however slow its round is",
  () =>
    onRounds(() =>
      Effect.gen(function* () {
        const chain = yield* Solana.SolanaChain
        const { vaults } = yield* begun()
        const ofLast = vaults.slice(-2)
        const expiresAt = DateTime.add(yield* DateTime.now, { seconds: 3 })
        // Nobody said that money is expected there: only the round finds it.
        const [paid, unpaid] = yield* Effect.forEach(ofLast, (vault) =>
          Stored.paymentRequest(vault, { amountMicro: 5_000n as never, expiresAt })
        )
        if (paid === undefined || unpaid === undefined) return
        yield* look
        yield* pay(ofLast[0], 5_000n)
        yield* Effect.sleep("4 seconds")
        const statusOf = ({ accountId, id }: typeof paid) =>
          Effect.map(
            Effect.flatMap(PaymentRequests, ({ find }) => find(accountId, id)),
            (request) => request?.status
          )
        // Blocks after the expiry are final before the round has come to it.
        for (let count = 0; count < 4 * pages; count++) {
          yield* chain.advance(40)
          yield* look
          yield* expireDue
          assert.notStrictEqual(yield* statusOf(paid), "expired")
        }
        assert.strictEqual(yield* statusOf(paid), "paid")
        // And where no money came, a round that saw nothing until then is enough.
        assert.strictEqual(yield* statusOf(unpaid), "expired")
      })
    ),
  60_000
)

it.live(
  "what a fork drops is looked at again at once, far from its turn, and what lands again counts once",
  () =>
    onRounds(() =>
      Effect.gen(function* () {
        const chain = yield* Solana.SolanaChain
        const { accountId, vaults } = yield* begun(100)
        const transfers = yield* Transfers
        const found = Effect.map(
          transfers.deposits(accountId, {}, { limit: 100 }),
          ({ rows }) => rows
        )
        // More than one look can list the transactions of.
        const signed = yield* Effect.forEach(vaults.slice(0, 70), (vault) =>
          signedFor(vault, 20_000n)
        )
        // A fork that goes back to here leaves the block standing that they name.
        yield* chain.advance(1)
        const paid = yield* Effect.forEach(signed, Solana.handOver)
        yield* chain.advance(4)
        yield* looks(10)
        assert.lengthOf(yield* found, 70)
        const [doomed] = paid
        yield* chain.fork(5, [doomed ?? ""])
        yield* chain.advance(8)
        yield* looks(2)
        assert.lengthOf(yield* found, 69)
        const [dropped] = yield* transfers.ofTransaction(chainId, doomed as never)
        assert.strictEqual(dropped?.state, "reorged")
        yield* chain.advance(40)
        yield* looks(20)
        const all = yield* found
        assert.lengthOf(all, 69)
        assert.isTrue(all.every(({ state }) => state === "final"))
      })
    ),
  60_000
)

it.live(
  "after an outage longer than the chain tells of blocks, a payment to a slow vault is found at its slot",
  () =>
    onRounds(() =>
      Effect.gen(function* () {
        const chain = yield* Solana.SolanaChain
        const { accountId, vaults } = yield* begun()
        yield* looks(1)
        const found = yield* pay(vaults[0], 30_000n)
        yield* chain.advance(700)
        yield* looks(3 * pages)
        const rows = (yield* (yield* Transfers).deposits(accountId, {}, { limit: 100 })).rows
        assert.lengthOf(rows, 1)
        assert.strictEqual(rows[0]?.blockNumber, found.slot)
        assert.strictEqual(rows[0]?.state, "final")
      })
    ),
  60_000
)

it.live("what came to a slow vault and was sent on before its turn is found all the same", () =>
  onRounds(() =>
    Effect.gen(function* () {
      const chain = yield* Solana.SolanaChain
      const { accountId } = yield* begun()
      const owner = yield* Effect.promise(() => generateKeyPairSigner())
      const vault = yield* Stored.vault({ accountId, chainId, address: owner.address as never })
      yield* looks(2 * pages)
      yield* chain.giveGas(owner.address)
      const { signature } = yield* pay(vault, 40_000n)
      const onward = yield* Solana.payment(owner, { to: anOwner(), amountMicro: 40_000n })
      yield* Solana.handOver(yield* Solana.signed(owner, onward))
      yield* chain.advance(40)
      yield* (yield* SettledBalances).hasPaid(vault)
      const found = Effect.map(
        (yield* Transfers).deposits(accountId, {}, { limit: 100 }),
        ({ rows }) => rows.map(({ state, txHash }) => [String(txHash), state])
      )
      yield* looks(2 * pages)
      assert.deepStrictEqual(yield* found, [[signature, "final"]])
      // And it is looked for until a final block surely has it, and no longer.
      yield* chain.advance(100)
      yield* looks(2 * pages)
      const all = yield* (yield* SettledBalances).page(chainId, null, 2 * vaultCount)
      assert.isTrue(all.every((each) => each.hasPaid === undefined))
      assert.lengthOf(yield* found, 1)
    })
  )
)

it.live(
  "what a node that is behind tells of some vaults is known of none through a later slot",
  () =>
    Effect.gen(function* () {
      const chain = yield* Solana.SolanaChain
      yield* chain.advance(40)
      const node = yield* alternating([chain.rpcUrl, yield* chain.nodeBehind(40)])
      const connection = connectionTo(chain, { rpcUrls: [node.rpcUrl] })
      yield* Effect.gen(function* () {
        const { look: lookFrom } = yield* Chains
        const own = yield* Effect.provide(
          Chains.use(({ tip }) => tip(chainId)),
          SolanaChains.layer([connectionTo(chain)])
        )
        // Two calls tell of so many.
        const addresses = Array.from({ length: 120 }, () => ({
          address: keyOf(chainId, anOwner()),
          number: 0,
          heldMicro: Usdc.zero
        }))
        yield* chain.advance(60)
        const place = { blocks: [own], watched: { addresses, recorded: [], recordedAbove: 0 } }
        // Of three calls each, so that either node is asked first once.
        for (let count = 0; count < 2; count++) {
          const { known } = yield* lookFrom(chainId, place)
          assert.isAtMost(known?.through ?? 0, own.number + 21)
        }
      }).pipe(Effect.provide(SolanaChains.layer([connection])))
    }).pipe(Effect.scoped, Effect.provide(onSolana))
)
