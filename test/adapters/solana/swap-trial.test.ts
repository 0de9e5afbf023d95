/**
 * What stands around the check of a swap: the trial on the chain, the order that a signature follows from, and lookup
 * tables, which are what every node says they are.
 */
import { assert, layer } from "@effect/vitest"
import { address } from "@solana/kit"
import {
  AuthorityType,
  getCreateAssociatedTokenIdempotentInstructionAsync,
  getSetAuthorityInstruction
} from "@solana-program/token"
import { Cause, Effect, Exit } from "effect"
import * as LookupTable from "../../../adapters/solana/lookup-table.ts"
import * as Node from "../../../adapters/solana/node.ts"
import { trial } from "../../../adapters/solana/swap.ts"
import type { Build } from "../../../apps/sandbox/solana/aggregator.ts"
import { LocalSolana } from "../../../apps/sandbox/solana/local-solana.ts"
import type { Address } from "../../../core/chains/address.ts"
import { orderOf } from "../../../core/solana/prepare.ts"
import { SolanaRelay } from "../../../core/solana/relay.ts"
import { callOf } from "../../../core/solana/swap.ts"
import { type Order, SigningDenied } from "../../../core/submissions/order.ts"
import { apart, honest, stranger } from "../../support/honest-swaps.ts"
import { connectionTo, solana } from "../../support/real-send-worlds.ts"
import * as Solana from "../../support/solana.ts"
import * as Swaps from "../../support/solana-swaps.ts"

const bytesOf = (text: string) => Buffer.from(text, "base64")

/** An honest swap as it is tried. */
const tried = Effect.fnUntraced(function* (over: Partial<Swaps.Meant> = {}, receiver?: string) {
  const given = yield* honest(over, receiver)
  const { trySwap } = yield* SolanaRelay
  const { conditions } = given
  const { route, swap } = given.draft
  return { ...given, swap, route, conditions, trial: trySwap(swap, route, conditions) }
})

interface Simulated {
  readonly value: { readonly accounts: ReadonlyArray<{ readonly data: readonly [string, string] }> }
}

/** The answer to a trial with another amount in one of the accounts it shows. */
const shifted = (answer: unknown, place: number, more: bigint): unknown => {
  const { value } = answer as Simulated
  const accounts = value.accounts.map((account, at) => {
    if (at !== place) return account
    const data = bytesOf(account.data[0])
    data.writeBigUInt64LE(data.readBigUInt64LE(64) + more, 64)
    return { ...account, data: [data.toString("base64"), "base64"] }
  })
  return { ...(answer as object), value: { ...value, accounts } }
}

layer(solana)("around the check of a swap", (it) => {
  it.effect("an honest one would swap, with room for what it uses", () =>
    Effect.gen(function* () {
      const would = yield* (yield* tried()).trial
      assert.deepInclude(would, { _tag: "would_swap", opensAccount: true })
      assert.isTrue(would._tag === "would_swap" && would.units > 10_000 && would.units < 200_000)
    }).pipe(apart)
  )

  it.effect("a trial after which other balances are there than the swap's is refused", () =>
    Effect.gen(function* () {
      const { conditions, draft, route, swap } = yield* tried()
      const one = Node.make(connectionTo(yield* LocalSolana))
      const asked = { swap, route, relayer: draft.relayer as Address, conditions }
      /** A node that shows so much more in one of the two accounts. */
      const showing = (place: number, more: bigint): Node.Node => ({
        ...one,
        callEach: (method, params) =>
          Effect.map(one.callEach(method, params), (answers) =>
            method === "simulateTransaction"
              ? answers.map((each) => shifted(each, place, more))
              : answers
          )
      })
      const after = (place: number, more: bigint) => trial(showing(place, more), asked)
      assert.deepInclude(yield* after(0, 0n), { _tag: "would_swap" })
      assert.deepStrictEqual(yield* after(0, -1n), {
        _tag: "refused",
        violation: "more was sold when it was tried"
      })
      assert.deepStrictEqual(yield* after(1, -60_000_000n), {
        _tag: "refused",
        violation: "less was bought when it was tried"
      })
    }).pipe(apart)
  )

  it.effect("an account of the receiver's that belongs to somebody else is not paid into", () =>
    Effect.gen(function* () {
      const { advance } = yield* LocalSolana
      const receiver = yield* Solana.payer
      const buy = yield* Swaps.mintOf("JUP")
      const given = yield* tried({}, receiver.address)
      const opening = yield* Effect.promise(() =>
        getCreateAssociatedTokenIdempotentInstructionAsync({
          payer: receiver,
          owner: receiver.address,
          mint: address(buy)
        })
      )
      const giving = getSetAuthorityInstruction({
        owned: given.draft.places.destination,
        owner: receiver,
        authorityType: AuthorityType.AccountOwner,
        newAuthority: yield* stranger
      })
      yield* Solana.handOver(yield* Solana.signed(receiver, [opening, giving]))
      yield* advance(1)
      assert.deepStrictEqual(yield* given.trial, {
        _tag: "would_fail",
        reason: "The receiver's token account belongs to somebody else.",
        isPassing: false
      })
    }).pipe(apart)
  )

  it.effect("the wallet signs only what its order says, and never below its floor", () =>
    Effect.gen(function* () {
      const { begun, conditions, draft, route, swap } = yield* tried()
      const { signSwap } = yield* SolanaRelay
      const order = yield* orderOf(yield* Swaps.submissionOf(begun))
      const { buy, minBuyAmount, notAfter, slippageBps } = swap as typeof swap & {
        readonly slippageBps: number
        readonly notAfter: number
      }
      const denial = (other: Order, least = minBuyAmount, way = route) =>
        Effect.map(
          Effect.exit(
            signSwap(other, { ...swap, minBuyAmount: least }, way, draft.bid, conditions)
          ),
          (exit) => {
            const defect = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
            return defect instanceof SigningDenied ? defect.violation : undefined
          }
        )
      assert.isUndefined(yield* denial(order))
      assert.strictEqual(yield* denial({ ...order, act: "transfer" }), "it is no swap")
      assert.strictEqual(yield* denial({ ...order, call: { to: "somebody" } }), "it is no swap")
      assert.strictEqual(
        yield* denial(order, minBuyAmount - 1n),
        "it would give less than the floor"
      )
      // Another order than the route was found for is another swap.
      const terms = { buy, minBuyAmount, notAfter, slippageBps }
      const { usdc } = yield* LocalSolana
      const others: ReadonlyArray<Order> = [
        { ...order, call: callOf({ ...terms, buy: usdc as typeof buy }) },
        { ...order, to: (yield* stranger) as unknown as Order["to"] },
        { ...order, from: (yield* stranger) as unknown as Order["from"] }
      ]
      for (const other of others) assert.isDefined(yield* denial(other))
      const elsewhere = { ...route, program: usdc }
      assert.strictEqual(
        yield* denial(order, minBuyAmount, elsewhere),
        "another program would be called"
      )
    }).pipe(apart)
  )

  it.effect("a route that would change another account of the wallet is refused", () =>
    Effect.gen(function* () {
      const { advance, market } = yield* LocalSolana
      const { begun, conditions, route, swap } = yield* tried()
      const { trySwap } = yield* SolanaRelay
      const mint = yield* Swaps.mintOf("JitoSOL")
      yield* market.issue(mint, begun.wallet, 1n)
      yield* advance(1)
      const account = yield* Solana.tokenAccount(begun.wallet, mint)
      const used = { address: account, isSigner: false, isWritable: true }
      const greedy = { ...route, accounts: [...route.accounts, used] }
      assert.deepStrictEqual(yield* trySwap(swap, greedy, conditions), {
        _tag: "refused",
        violation: "another account of the wallet could be changed"
      })
    }).pipe(apart)
  )

  it.effect("a route that does not fit into one transaction is not tried", () =>
    Effect.gen(function* () {
      const { conditions, route, swap } = yield* tried()
      const { trySwap } = yield* SolanaRelay
      const strangers = yield* Effect.all(Array.from({ length: 20 }, () => stranger))
      const long = {
        ...route,
        accounts: [
          ...route.accounts,
          ...strangers.map((address) => ({ address, isSigner: false, isWritable: false }))
        ]
      }
      const after = yield* trySwap(swap, long, conditions)
      assert.deepStrictEqual(after, {
        _tag: "would_fail",
        reason: "The venue's route does not fit into one transaction.",
        isPassing: true
      })
    }).pipe(apart)
  )

  it.effect(
    "a lookup table is one that every node tells alike, in use and of the table program",
    () =>
      Effect.gen(function* () {
        const chain = yield* LocalSolana
        const { tables } = yield* tried()
        const [[table, held] = assert.fail("there is no table")] = [...tables]
        const one = Node.make(connectionTo(chain))
        const read = (node: Node.Node, address: string) =>
          Effect.map(LookupTable.read(node, [address]), (found) => found.get(address)?.length)
        assert.strictEqual(yield* read(one, table), held.length)
        assert.isUndefined(yield* read(one, chain.usdc))
        /** One that tells it otherwise, alone or beside an honest one. */
        const saying = (
          change: (data: Buffer) => Buffer,
          { isAlone = true, owner }: { readonly isAlone?: boolean; readonly owner?: string } = {}
        ): Node.Node => ({
          ...one,
          callEach: (method, params) =>
            Effect.map(one.callEach(method, params), (answers) => [
              ...(isAlone ? [] : answers),
              ...answers.map((answer) => {
                const { context, value } = answer as {
                  readonly context: unknown
                  readonly value: ReadonlyArray<{
                    readonly owner: string
                    readonly data: readonly [string, string]
                  }>
                }
                return {
                  context,
                  value: value.map((account) => ({
                    ...account,
                    owner: owner ?? account.owner,
                    data: [change(bytesOf(account.data[0])).toString("base64"), "base64"]
                  }))
                }
              })
            ])
        })
        const same = saying((data) => data, { isAlone: false })
        assert.strictEqual(yield* read(same, table), held.length)
        const lying: ReadonlyArray<Node.Node> = [
          saying(
            (data) => {
              data[60] = (data[60] ?? 0) ^ 1
              return data
            },
            { isAlone: false }
          ),
          saying((data) => data.subarray(0, -1)),
          saying((data) => {
            data.writeUInt32LE(2)
            return data
          }),
          saying((data) => {
            data.writeBigUInt64LE(5n, 4)
            return data
          }),
          saying((data) => data, { owner: chain.usdc })
        ]
        for (const node of lying) assert.isUndefined(yield* read(node, table))
      }).pipe(apart)
  )

  it.effect("what the venue adds beside its route is dropped", () =>
    Effect.gen(function* () {
      const { market } = yield* LocalSolana
      const begun = yield* Swaps.begun()
      const other = yield* stranger
      const taking = {
        programId: "11111111111111111111111111111111",
        accounts: [
          { pubkey: begun.wallet, isSigner: true, isWritable: true },
          { pubkey: other, isSigner: false, isWritable: true }
        ],
        data: Buffer.from([2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]).toString("base64")
      }
      yield* market.twist(
        (build): Build => ({
          ...build,
          setupInstructions: [taking],
          otherInstructions: [taking],
          tipInstruction: taking
        })
      )
      const after = yield* Swaps.ended(begun)
      assert.deepInclude(after, { status: "final" })
      const client = yield* Solana.rpc
      const { value } = yield* Effect.promise(() => client.getBalance(other).send())
      assert.strictEqual(value, 0n)
    }).pipe(apart)
  )
})
