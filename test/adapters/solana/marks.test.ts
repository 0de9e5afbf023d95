/**
 * What a mark is for on the real programs: bytes are made anew only when dead, a second payment never lands, and
 * neither strangers, forks nor nodes that are behind change that.
 */
import { readFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import {
  address,
  type MessagePartialSigner,
  type SignatureBytes,
  type TransactionPartialSigner
} from "@solana/kit"
import { getWithdrawNonceAccountInstruction } from "@solana-program/system"
import { Effect } from "effect"
import * as Seed from "../../../adapters/keys/seed.ts"
import * as Mark from "../../../adapters/solana/mark.ts"
import { LocalSolana } from "../../../apps/sandbox/solana/local-solana.ts"
import type { Proposal } from "../../../core/proposals/proposal.ts"
import * as Journal from "../../../core/solana/journal.ts"
import { SolanaRelay } from "../../../core/solana/relay.ts"
import type { Terms } from "../../../core/submissions/submission.ts"
import { seed } from "../../support/anvil-sending-chain.ts"
import { connectionTo, solana, solanaRelay, solanaRelayer } from "../../support/real-send-worlds.ts"
import { look, submissionOf } from "../../support/send-steps.ts"
import { called, ended, freshRecords, kept, SendWorld, standing } from "../../support/send-world.ts"
import { amountMicro } from "../../support/signable-orders.ts"
import * as Solana from "../../support/solana.ts"

const chainId = "local-solana"

/** Committed, because changing a mark pays twice what is under way. */
const vectors = JSON.parse(
  readFileSync(new URL("../../vectors/solana-marks.json", import.meta.url), "utf8")
) as ReadonlyArray<Record<"from" | "identity" | "mark" | "seed", string>>

const onFreshRecords = Effect.provide(freshRecords())

/** The blocks for which a hash is good, and what is final after that. */
const hashLife = 151
const finality = 33

const journalOf = (proposal: Proposal) => Effect.map(submissionOf(proposal), Journal.read)

const markOf = Effect.fnUntraced(function* (proposal: Proposal) {
  const { terms } = yield* submissionOf(proposal)
  return yield* Mark.addressOf(terms)
})

/** Its wallet takes the rent of a mark back, by a transaction that the treasury itself never makes. */
const reclaimed = Effect.fnUntraced(function* ({ from, wallet }: Terms, mark: string) {
  const payer = yield* Solana.payer
  const authority: MessagePartialSigner & TransactionPartialSigner = {
    address: address(from),
    signMessages: () => Promise.reject(new Error("It signs transactions.")),
    signTransactions: (transactions) =>
      Promise.all(
        transactions.map(async ({ messageBytes }) => {
          const bytes = Uint8Array.from(messageBytes)
          const signing = Seed.backend(seed).sign("ed25519", wallet?.key.ref ?? "", bytes)
          return { [address(from)]: (await Effect.runPromise(signing)) as SignatureBytes }
        })
      )
  }
  const rent = 1_447_680n
  yield* Solana.handOver(
    yield* Solana.signed(payer, [
      getWithdrawNonceAccountInstruction({
        nonceAccount: address(mark),
        recipientAccount: payer.address,
        nonceAuthority: authority,
        withdrawAmount: rent
      })
    ])
  )
})

layer(solana)("sends on Solana, by their marks", (it) => {
  it.effect("a mark's address follows from the wallet and the identity as the vectors say", () =>
    Effect.gen(function* () {
      assert.isAtLeast(vectors.length, 3)
      for (const { from, identity, mark, seed } of vectors) {
        assert.strictEqual(Mark.seedOf(identity), seed)
        assert.strictEqual(yield* Mark.addressOf({ from, identity }), mark)
      }
    })
  )

  it.effect("bytes are made anew only when a final block is past them, and bid more", () =>
    Effect.gen(function* () {
      const { advance } = yield* LocalSolana
      const { held, lose } = yield* SendWorld
      const meant = yield* kept()
      const proposal = yield* called(meant)
      yield* lose(true)
      yield* look
      const first = yield* journalOf(proposal)
      assert.lengthOf(first.attempts, 1)
      yield* advance(hashLife)
      yield* look
      // No block takes them any more, but none that does so is final.
      assert.deepStrictEqual(yield* journalOf(proposal), first)
      yield* advance(finality)
      yield* look
      const second = yield* journalOf(proposal)
      assert.lengthOf(second.attempts, 1)
      assert.notStrictEqual(second.attempts[0]?.txId, first.attempts[0]?.txId)
      assert.strictEqual(second.bid, (first.bid ?? 0n) * 2n)
      yield* lose(false)
      assert.deepInclude(yield* ended(proposal), { status: "completed" })
      assert.strictEqual(yield* held(meant.address), amountMicro)
    }).pipe(onFreshRecords)
  )

  it.effect(
    "what a fork drops is handed over again; if its block is gone it is made anew once dead",
    () =>
      Effect.gen(function* () {
        const { advance, fork } = yield* LocalSolana
        const { held } = yield* SendWorld
        const meant = yield* kept()
        const proposal = yield* called(meant)
        yield* advance(10)
        yield* look
        const first = yield* journalOf(proposal)
        yield* advance(2)
        // Deep enough to take the block that the transaction names.
        yield* fork(6, "all")
        assert.strictEqual(yield* held(meant.address), 0n)
        yield* look
        yield* advance(1)
        yield* look
        assert.strictEqual(yield* held(meant.address), 0n)
        assert.deepStrictEqual((yield* journalOf(proposal)).attempts, first.attempts)
        yield* advance(hashLife + finality)
        yield* look
        assert.notDeepEqual((yield* journalOf(proposal)).attempts, first.attempts)
        assert.deepInclude(yield* ended(proposal), { status: "completed" })
        assert.strictEqual(yield* held(meant.address), amountMicro)
      }).pipe(onFreshRecords)
  )

  it.effect(
    "a stranger's coins at the mark's address neither stop the payment nor look like it",
    () =>
      Effect.gen(function* () {
        const { advance, give } = yield* LocalSolana
        const { findPayment } = yield* SolanaRelay
        const { held } = yield* SendWorld
        const meant = yield* kept()
        const proposal = yield* called(meant)
        const { terms } = yield* submissionOf(proposal)
        yield* give(yield* markOf(proposal), 5_000_000n)
        yield* advance(1)
        assert.isUndefined(yield* findPayment({ ...terms, chainId }))
        assert.deepInclude(yield* ended(proposal), { status: "completed", recovered: false })
        assert.strictEqual(yield* held(meant.address), amountMicro)
      }).pipe(onFreshRecords)
  )

  it.effect("a payment whose mark was reclaimed is still found by records that never knew it", () =>
    Effect.gen(function* () {
      const { advance } = yield* LocalSolana
      const { held } = yield* SendWorld
      const meant = yield* kept()
      const proposal = yield* called(meant)
      assert.deepInclude(yield* ended(proposal), { status: "completed" })
      const { terms } = yield* submissionOf(proposal)
      const mark = yield* markOf(proposal)
      yield* reclaimed(terms, mark)
      yield* advance(finality)
      const client = yield* Solana.rpc
      const info = client.getAccountInfo(address(mark), { encoding: "base64" })
      assert.isNull((yield* Effect.promise(() => info.send())).value)
      const again = yield* Effect.provide(
        Effect.flatMap(called(meant), (later) => ended(later)),
        freshRecords()
      )
      assert.deepInclude(again, { status: "completed", recovered: true })
      assert.strictEqual(yield* held(meant.address), amountMicro)
      assert.lengthOf(yield* SolanaRelay.use(({ madeBy }) => madeBy(chainId, [terms.from])), 1)
    }).pipe(onFreshRecords)
  )

  it.effect("while the network asks more than the operator's limit it waits and says so", () =>
    Effect.gen(function* () {
      const { setPriority } = yield* LocalSolana
      const meant = yield* kept()
      const proposal = yield* called(meant)
      yield* setPriority(100_001n)
      yield* look
      const waiting = yield* standing(proposal)
      assert.match(waiting.statusReason ?? "", /more than the operator's limit of 100000/u)
      assert.deepInclude(yield* submissionOf(proposal), { status: "prepared", journal: {} })
      yield* setPriority(100_000n)
      yield* look
      assert.strictEqual((yield* journalOf(proposal)).bid, 100_000n)
      yield* setPriority(0n)
      assert.deepInclude(yield* ended(proposal), { status: "completed" })
    }).pipe(onFreshRecords)
  )

  it.effect("a bid is raised up to the limit and never above it, and that is said", () =>
    Effect.gen(function* () {
      const { advance, setPriority } = yield* LocalSolana
      const { held, lose } = yield* SendWorld
      const meant = yield* kept()
      const proposal = yield* called(meant)
      yield* lose(true)
      yield* setPriority(60_000n)
      const bids: Array<bigint | null> = []
      for (let turn = 0; turn < 3; turn++) {
        yield* look
        bids.push((yield* journalOf(proposal)).bid)
        yield* advance(hashLife + finality)
      }
      assert.deepStrictEqual(bids, [60_000n, 100_000n, 100_000n])
      assert.match((yield* standing(proposal)).statusReason ?? "", /limit of 100000/u)
      yield* setPriority(0n)
      yield* lose(false)
      assert.deepInclude(yield* ended(proposal), { status: "completed" })
      assert.strictEqual(yield* held(meant.address), amountMicro)
    }).pipe(onFreshRecords)
  )

  it.effect("a frozen account fails the send before anything is signed, and once", () =>
    Effect.gen(function* () {
      const { mint, setFrozen } = yield* LocalSolana
      const meant = yield* kept()
      yield* mint(meant.address, 1n)
      yield* setFrozen(meant.address, true)
      const proposal = yield* called(meant)
      const after = yield* ended(proposal)
      assert.deepInclude(after, { status: "failed", txHashes: [] })
      assert.match(after.statusReason ?? "", /frozen/u)
      assert.deepStrictEqual((yield* submissionOf(proposal)).journal, {})
    }).pipe(onFreshRecords)
  )

  it.effect(
    "an account frozen after the signature fails once that is final, and is not tried again",
    () =>
      Effect.gen(function* () {
        const { advance, mint, setFrozen, setWeather } = yield* LocalSolana
        const { held } = yield* SendWorld
        const meant = yield* kept()
        yield* mint(meant.address, 1n)
        const proposal = yield* called(meant)
        yield* setWeather({ lateSlots: 3n })
        yield* look
        const { attempts } = yield* journalOf(proposal)
        yield* setWeather("clear")
        yield* setFrozen(meant.address, true)
        yield* advance(4)
        yield* look
        assert.deepInclude(yield* standing(proposal), { status: "executing" })
        const after = yield* ended(proposal)
        assert.deepInclude(after, { status: "failed" })
        assert.deepStrictEqual(
          after.txHashes as ReadonlyArray<string>,
          attempts.map(({ txId }) => txId)
        )
        assert.match(after.statusReason ?? "", /frozen/u)
        assert.strictEqual(yield* held(meant.address), 1n)
      }).pipe(onFreshRecords)
  )

  it.effect("a token account is opened for a send of ten times its rent, and for no less", () =>
    Effect.gen(function* () {
      const { mint } = yield* LocalSolana
      const { terms } = yield* submissionOf(yield* called(yield* kept()))
      assert.strictEqual(terms.amount.units, amountMicro)
      const small = yield* kept()
      const tiny = { amount: { ...terms.amount, units: 5_000_000n } }
      const proposal = yield* called(small, tiny)
      const after = yield* ended(proposal)
      assert.deepInclude(after, { status: "failed", txHashes: [] })
      assert.match(after.statusReason ?? "", /only for sends of 5\.0982 USDC or more/u)
      // Who has an account is paid any amount.
      const other = yield* kept()
      yield* mint(other.address, 1n)
      assert.deepInclude(yield* ended(yield* called(other, tiny)), { status: "completed" })
    }).pipe(onFreshRecords)
  )

  it.effect("a relayer without coins waits, and goes on once it is funded", () =>
    Effect.gen(function* () {
      const chain = yield* LocalSolana
      const poor = solanaRelay(solanaRelayer(7))
      const meant = yield* kept()
      const proposal = yield* called(meant)
      const relay = yield* SolanaRelay.use(Effect.succeed).pipe(Effect.provide(poor))
      const asPoor = Effect.provideService(SolanaRelay, relay)
      yield* asPoor(look)
      assert.match((yield* standing(proposal)).statusReason ?? "", /too little SOL/u)
      assert.deepInclude(yield* submissionOf(proposal), { status: "prepared", journal: {} })
      yield* chain.giveGas(yield* relay.relayerAddress(chainId))
      yield* chain.advance(1)
      assert.deepInclude(yield* asPoor(ended(proposal)), { status: "completed" })
    }).pipe(onFreshRecords)
  )

  it.effect("a node that is behind makes nothing dead, and the other node's word counts too", () =>
    Effect.gen(function* () {
      const chain = yield* LocalSolana
      const behind = yield* chain.nodeBehind(60)
      const meant = yield* kept()
      const proposal = yield* called(meant)
      yield* chain.setWeather({ lateSlots: 140n })
      yield* look
      const { attempts } = yield* journalOf(proposal)
      yield* chain.setWeather("clear")
      const connection = { ...connectionTo(chain), rpcUrls: [behind, chain.rpcUrl] as const }
      const relay = yield* SolanaRelay.use(Effect.succeed).pipe(
        Effect.provide(solanaRelay(undefined, connection))
      )
      const { terms } = yield* submissionOf(proposal)
      const transfer = { ...terms, chainId }
      yield* chain.advance(155)
      // It has landed by now, and the first node has not heard of it.
      assert.deepInclude(yield* relay.trace(transfer, attempts), { _tag: "pending" })
      yield* chain.advance(60)
      assert.deepInclude(yield* relay.trace(transfer, attempts), { _tag: "marked" })
      assert.deepInclude(yield* ended(proposal), { status: "completed" })
      assert.strictEqual(yield* (yield* SendWorld).held(meant.address), amountMicro)
    }).pipe(onFreshRecords)
  )

  it.effect("two transactions for one payment, both handed over, pay once", () =>
    Effect.gen(function* () {
      const { advance } = yield* LocalSolana
      const { held } = yield* SendWorld
      const { broadcast, conditions, findPayment, sign } = yield* SolanaRelay
      const meant = yield* kept()
      const proposal = yield* called(meant)
      const { terms, purpose } = yield* submissionOf(proposal)
      const order = {
        ...terms,
        chainId,
        proposalId: purpose.proposalId ?? "",
        accountId: purpose.accountId ?? "",
        walletId: terms.wallet?.id ?? "",
        key: terms.wallet?.key ?? { backend: "", ref: "" },
        validBefore: 0
      }
      const now = yield* conditions(chainId)
      for (const priority of [1n, 2n, 3n]) {
        const bid = { units: 60_000, priority, opensAccount: true }
        yield* broadcast(chainId, (yield* sign(order, bid, now)).wire)
        yield* advance(1)
      }
      yield* advance(finality)
      assert.strictEqual(yield* held(meant.address), amountMicro)
      assert.deepInclude(yield* findPayment({ ...terms, chainId }), { isFinal: true })
      assert.deepInclude(yield* ended(proposal), { status: "completed", recovered: true })
    }).pipe(onFreshRecords)
  )
})
