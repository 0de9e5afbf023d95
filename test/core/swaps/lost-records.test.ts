/** Swaps whose records were lost after their order was signed: the call is repeated, and what was sold is sold once. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Schema } from "effect"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import { keyOf } from "../../../core/chains/address.ts"
import { type SwapOrder, SwapVenues, venueOn } from "../../../core/ports/swap-venue.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { ofProposal } from "../../../core/submissions/identity.ts"
import { written } from "../../../core/swaps/order-journal.ts"
import { orderWatch } from "../../../core/swaps/order-watch.ts"
import { SeenFills } from "../../../core/swaps/seen-fills-store.ts"
import { Terms } from "../../../core/swaps/terms.ts"
import { Identity } from "../../../core/timeline/identity.ts"
import { type Line, Timeline } from "../../../core/timeline/timeline.ts"
import type { Wait } from "../../../core/waits/wait.ts"
import { WaitStore } from "../../../core/waits/wait-store.ts"
import { asked, gold, type Market, openMarket, refused, usdc } from "./market.ts"

const readTerms = Schema.decodeUnknownSync(Schema.toCodecJson(Terms))

/** The order that the same call had signed before the records were lost, as it lies at the venue. */
const forgotten = (
  { script, treasury }: Market,
  proposalId: string,
  over: Partial<SwapOrder> = {}
) =>
  treasury
    .operate(
      Effect.gen(function* () {
        const { accountId } = treasury.agent
        const proposal = yield* (yield* Proposals).find(accountId, proposalId)
        if (proposal === undefined) return assert.fail("there is no such proposal")
        const { chainId, fromAddress, minBuyAmount, sell, sellAmount } = readTerms(proposal.terms)
        const owner = keyOf(chainId, fromAddress)
        const order: SwapOrder = {
          ...{ chainId, owner, receiver: owner, sellAmount, minBuyAmount },
          identity: (yield* Identity).derive(ofProposal(proposal)),
          sell: keyOf(chainId, sell.tokenAddress),
          buy: gold,
          validTo: Math.floor(Number((yield* DateTime.now).epochMilliseconds) / 1000) + 300,
          ...over
        }
        const venue = venueOn(yield* SwapVenues, chainId)
        if (venue?.execution !== "order") return assert.fail("there is no venue of orders")
        const { bytes, orderId } = yield* venue.form(order)
        const signature = `0x${Buffer.from(bytes).toString("hex")}`
        yield* Effect.orDie(venue.place({ ...order, orderId, signature }))
        return { order, orderId }
      })
    )
    .then(async ({ order, orderId }) => {
      assert.isTrue(await script((venue) => venue.fill(orderId)))
      return order
    })

/** A swap that waits for a quote, and has signed nothing. */
const waiting = async (over = {}) => {
  const market = await openMarket()
  const { treasury } = market
  const { call } = treasury.agent
  const { proposalId } = await call.propose_swap(asked(treasury.agent, over))
  await market.script((venue) => venue.limit(true))
  await call.confirm_proposal({ proposalId })
  await treasury.advance("1 seconds")
  const { statusReason } = await call.get_proposal({ proposalId })
  assert.include(statusReason ?? "", "does not respond")
  return { ...market, proposalId, market }
}

/** Looks again, the venue answering. */
const again = async ({ script, treasury }: Market, proposalId: string, turns = 6) => {
  await script((venue) => venue.limit(false))
  for (let turn = 0; turn < turns; turn++) {
    await treasury.mine(3)
    await treasury.advance("15 seconds")
  }
  return treasury.agent.call.get_proposal({ proposalId })
}

const outage = ({ treasury }: Market, isAway: boolean) =>
  treasury.operate(Effect.flatMap(ChainScript, (chain) => chain.outage(isAway)))

describe("A swap that records have lost", () => {
  it("is found on the chain with what it sold and bought, and nothing is signed again", async () => {
    const { market, placed, proposalId, treasury } = await waiting()
    await forgotten(market, proposalId)
    const done = await again(market, proposalId)
    assert.deepInclude(done, {
      status: "completed",
      outcome: "executed",
      recovered: true,
      soldAmount: "100000000",
      boughtAmount: "50000000000000000000"
    })
    assert.lengthOf(done.txHashes, 1)
    assert.lengthOf(await placed(), 1)
    assert.strictEqual(await treasury.balanceOf(treasury.agent.wallet.address), "4900.00")
    // The wallet may trade again.
    const next = await treasury.agent.call.propose_swap(asked(treasury.agent))
    await treasury.agent.call.confirm_proposal({ proposalId: next.proposalId })
    await treasury.advance("1 seconds")
    assert.lengthOf(await placed(), 2)
    await treasury.close()
  })

  it("is followed until its block is final", async () => {
    const { market, placed, proposalId, treasury } = await waiting()
    await treasury.operate(Effect.flatMap(ChainScript, ({ holdFinality }) => holdFinality(true)))
    await forgotten(market, proposalId)
    assert.deepInclude(await again(market, proposalId), { status: "executing" })
    assert.lengthOf(await placed(), 1)
    await treasury.operate(Effect.flatMap(ChainScript, ({ holdFinality }) => holdFinality(false)))
    assert.deepInclude(await again(market, proposalId), { status: "completed", recovered: true })
    assert.lengthOf(await placed(), 1)
    await treasury.close()
  })

  it("was the same swap though another amount was sold, and its result says how much", async () => {
    const { market, placed, proposalId, treasury } = await waiting()
    await forgotten(market, proposalId, { sellAmount: 90_000_000n, minBuyAmount: 1n })
    assert.deepInclude(await again(market, proposalId), {
      status: "completed",
      soldAmount: "90000000"
    })
    assert.lengthOf(await placed(), 1)
    await treasury.close()
  })

  it("is found too when it is asked to stop before anything is signed here", async () => {
    const { market, proposalId, treasury } = await waiting()
    await forgotten(market, proposalId)
    await treasury.agent.call.cancel_proposal({ proposalId })
    assert.deepInclude(await again(market, proposalId), {
      status: "completed",
      outcome: "executed",
      recovered: true
    })
    await treasury.close()
  })

  it("and was another one under the same key ends with nothing signed, and shows it", async () => {
    const { market, placed, proposalId, treasury } = await waiting()
    await forgotten(market, proposalId, {
      receiver: keyOf("local", treasury.developer.wallet.address)
    })
    const ended = await again(market, proposalId)
    assert.deepInclude(ended, { status: "failed", outcome: "not_executed" })
    assert.match(ended.statusReason ?? "", /Another swap was made under this idempotency key/u)
    assert.lengthOf(ended.steps[0]?.txIds ?? [], 1)
    assert.lengthOf(await placed(), 1)
    await treasury.close()
  })

  it("and cannot be told apart is not made again; it waits and says which transaction", async () => {
    const { market, placed, proposalId, script, treasury } = await waiting()
    await forgotten(market, proposalId, { identity: "ef".repeat(32) })
    await script((venue) => venue.veil(true))
    const unsure = await again(market, proposalId)
    assert.deepInclude(unsure, { status: "executing", subStatus: "filling" })
    assert.match(unsure.statusReason ?? "", /neither these records nor the chain tell of/u)
    assert.lengthOf(await placed(), 1)
    const late = await again(market, proposalId, 100)
    assert.strictEqual(late.subStatus, "stuck")
    await script((venue) => venue.veil(false))
    await script((venue) => venue.fillsAtOnce(true))
    // It was another call's: by now the time for orders of this one is over.
    assert.deepInclude(await again(market, proposalId), { status: "failed" })
    await treasury.close()
  })

  it("and cannot be told apart can be given up, and that says what nobody knows", async () => {
    const { market, placed, proposalId, script, treasury } = await waiting()
    await forgotten(market, proposalId)
    await script((venue) => venue.veil(true))
    await again(market, proposalId)
    await treasury.agent.call.cancel_proposal({ proposalId })
    const ended = await again(market, proposalId)
    assert.deepInclude(ended, { status: "failed", outcome: "not_executed" })
    assert.match(ended.statusReason ?? "", /Whether it was made before, in .*, nobody can tell/u)
    assert.lengthOf(await placed(), 1)
    await treasury.close()
  })

  it("is looked for again by records that had decided an order long ago, and signed none", async () => {
    const { market, proposalId, treasury } = await waiting()
    const order = await forgotten(market, proposalId)
    await treasury.mine(3)
    const look = await treasury.operate(
      Effect.gen(function* () {
        const [wait] = yield* (yield* WaitStore).ofProposals([proposalId])
        if (wait === undefined) return assert.fail("there is no such wait")
        const quotedAt = DateTime.subtract(yield* DateTime.now, { minutes: 25 })
        const journal = written({ order: { ...order, minBuyAmount: 1n }, quotedAt })
        return yield* (yield* orderWatch.batch("local")).look({ ...wait, journal })
      })
    )
    assert.isTrue(look.ended?.isDone)
    await treasury.close()
  })

  it("is not looked past: while its chain does not answer nothing is signed", async () => {
    const { market, placed, proposalId, treasury } = await waiting()
    await forgotten(market, proposalId)
    await outage(market, true)
    await market.script((venue) => venue.limit(false))
    await treasury.advance("30 seconds")
    await outage(market, false)
    assert.lengthOf(await placed(), 1)
    assert.deepInclude(await again(market, proposalId), { status: "completed", recovered: true })
    assert.lengthOf(await placed(), 1)
    await treasury.close()
  })

  it("is not looked past on a chain whose past of the lost moments was not read yet", async () => {
    const { market, placed, proposalId, treasury } = await waiting()
    const line: Line = {
      ...{ number: 2, server: "one", begunAt: await treasury.now(), keyStore: null },
      ...{ through: {}, held: null }
    }
    await treasury.mine(3)
    const lookOf = (over: Partial<Wait> = {}) =>
      treasury.operate(
        Effect.gen(function* () {
          const [wait] = yield* (yield* WaitStore).ofProposals([proposalId])
          if (wait === undefined) return assert.fail("there is no such wait")
          const { look } = yield* orderWatch.batch("local")
          return yield* Effect.provideService(look({ ...wait, ...over }), Timeline, {
            look: Effect.succeed({ _tag: "open", waited: { line, through: {} } } as const),
            write: () => Effect.succeed(false),
            keep: () => Effect.void
          })
        })
      )
    const look = await lookOf()
    assert.match(look.reason ?? "", /was not connected when the records were replaced/u)
    assert.isUndefined(look.journal)
    // Once the time for orders is over the operator is told, and whoever cancels gives it up.
    const deadline = DateTime.makeUnsafe(0)
    assert.isTrue((await lookOf({ deadline })).isStuck)
    const given = await lookOf({ deadline, isStopAsked: true })
    assert.deepStrictEqual(given.ended, { isDone: false, evidence: null })
    assert.match(given.reason ?? "", /It was cancelled and nothing was signed/u)
    assert.isEmpty(await placed())
    assert.deepInclude(await again(market, proposalId), { status: "executing" })
    await treasury.close()
  })

  it("is looked for above the final block that the look before it has read", async () => {
    const { market, placed, proposalId, treasury } = await waiting()
    const seenBy = () =>
      treasury.operate(
        Effect.flatMap(SeenFills, ({ find }) =>
          find("local", keyOf("local", treasury.agent.wallet.address))
        )
      )
    const before = await seenBy()
    assert.isDefined(before, "it was looked for before a quote was asked for")
    await market.script((venue) => venue.fillsAtOnce(true))
    assert.deepInclude(await again(market, proposalId), { status: "completed" })
    assert.lengthOf(await placed(), 1)
    const { call } = treasury.agent
    const next = await call.propose_swap(asked(treasury.agent))
    await call.confirm_proposal({ proposalId: next.proposalId })
    await treasury.advance("1 seconds")
    const after = await seenBy()
    assert.isAbove(after?.through.number ?? 0, before?.through.number ?? 0)
    assert.isEmpty(after?.unrecorded ?? [null], "these records have signed what was filled")
    await treasury.close()
  })

  it("is looked for at length, and the quote is taken after that, so it is signed in time", async () => {
    const { market, placed, proposalId, script, treasury } = await waiting()
    await script((venue) => venue.slow(90_000))
    await script((venue) => venue.fillsAtOnce(true))
    assert.deepInclude(await again(market, proposalId, 20), { status: "completed" })
    assert.lengthOf(await placed(), 1)
    await treasury.close()
  })

  it("at a chain that never answers is told to the operator, and can be given up", async () => {
    const { market, placed, proposalId, treasury } = await waiting()
    await forgotten(market, proposalId)
    await outage(market, true)
    await market.script((venue) => venue.limit(false))
    await treasury.advance("10 minutes")
    await treasury.agent.call.cancel_proposal({ proposalId })
    await treasury.advance("1 minutes")
    const early = await treasury.agent.call.get_proposal({ proposalId })
    assert.deepInclude(early, { status: "executing" })
    await treasury.advance("15 minutes")
    const ended = await treasury.agent.call.get_proposal({ proposalId })
    assert.deepInclude(ended, { status: "failed", outcome: "not_executed" })
    assert.match(ended.statusReason ?? "", /Whether it was made before, the chain did not tell/u)
    assert.lengthOf(await placed(), 1)
    await treasury.close()
  })

  it("is found though the wallet has no longer what it sold, and its call is not refused", async () => {
    const market = await openMarket()
    const { placed, script, treasury } = market
    const { accountId, call, wallet } = treasury.agent
    const order = await treasury.operate(
      Effect.gen(function* () {
        const owner = keyOf("local", wallet.address)
        const proposing = { operation: "propose_swap", idempotencyKey: "first" }
        const order: SwapOrder = {
          identity: (yield* Identity).derive(ofProposal({ id: "", accountId, call: proposing })),
          ...{ chainId: "local", owner, receiver: owner, sell: usdc, buy: gold },
          ...{ sellAmount: 4_950_000_000n, minBuyAmount: 1n },
          validTo: Math.floor(Number((yield* DateTime.now).epochMilliseconds) / 1000) + 300
        }
        const venue = venueOn(yield* SwapVenues, "local")
        if (venue?.execution !== "order") return assert.fail("there is no venue of orders")
        const { bytes, orderId } = yield* venue.form(order)
        const signature = `0x${Buffer.from(bytes).toString("hex")}`
        yield* Effect.orDie(venue.place({ ...order, orderId, signature }))
        return orderId
      })
    )
    assert.isTrue(await script((venue) => venue.fill(order)))
    await treasury.mine(3)
    const other = await refused(
      call.propose_swap(asked(treasury.agent), { idempotencyKey: "other" })
    )
    assert.strictEqual(other._tag, "INSUFFICIENT_BALANCE")
    const again = { idempotencyKey: "first" }
    const { proposalId } = await call.propose_swap(asked(treasury.agent), again)
    await call.confirm_proposal({ proposalId })
    await treasury.advance("10 seconds")
    assert.deepInclude(await call.get_proposal({ proposalId }), {
      ...{ status: "completed", outcome: "executed", recovered: true, soldAmount: "4950000000" }
    })
    assert.lengthOf(await placed(), 1)
    await treasury.close()
  })
})
