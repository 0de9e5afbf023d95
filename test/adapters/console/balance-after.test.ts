/** The page of a proposal that waits says what its wallet holds now and after it, and stands when no chain answers. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import { balanceFacts } from "../../../adapters/pages/console/proposal-balance.ts"
import { issueEnrolment } from "../../../core/humans/issue-enrolment.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { Visitor } from "../../support/console-visitor.ts"
import { humanAccount } from "../../support/human-account.ts"
import { served } from "../../support/page-server.ts"
import * as Treasury from "../../support/small-treasury.ts"

/** What the page says of a balance. */
const balanceOn = (text: string) =>
  /<dt>Balance of ([^<]*)<\/dt><dd>(.*?)<\/dd>/u
    .exec(text)
    ?.slice(1)
    .map((part) => part.replaceAll(/<[^>]*>/gu, ""))

it.live(
  "a waiting send tells the balance before and after it, in words while no chain answers",
  () =>
    Effect.gen(function* () {
      const origin = yield* served()
      const { accountId, call, propose, wallet } = yield* humanAccount
      const visitor = new Visitor(origin, Treasury.siteUrl)
      const wanted = { accountId, purpose: "operator", name: "Grace", hours: 24 } as const
      const { url } = yield* (yield* Atomically).run(issueEnrolment(wanted, "operator"))
      yield* visitor.enrol(url)
      const [proposalId, other] = [yield* propose("5"), yield* propose("7")]
      const page = Effect.fnUntraced(function* (id: string) {
        const answer = yield* Effect.promise(() =>
          fetch(`${origin}/console/proposals/${id}`, { headers: visitor.cookie })
        )
        assert.strictEqual(answer.status, 200)
        return balanceOn(yield* Effect.promise(() => answer.text()))
      })
      const before = "100,000.00 USDC now, 99,995.00 USDC after"
      assert.deepStrictEqual(yield* page(proposalId), [wallet.name, before])
      yield* call.cancel_proposal({ proposalId: other })
      assert.isUndefined(yield* page(other), "What has ended changes no balance.")
      yield* (yield* ChainScript).outage(true)
      const unknown = "not known now, as its chain has not answered"
      assert.deepStrictEqual(yield* page(proposalId), [wallet.name, unknown])
    }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)

const gold = {
  chainId: "base",
  tokenAddress: "0xAbcdef0000000000000000000000000000000001",
  symbol: "GOLD",
  decimals: 18
}

it.effect("a sale counts the token that is sold, and says plainly when there is too little", () =>
  Effect.gen(function* () {
    const { call, wallet } = yield* humanAccount
    const view = yield* call.get_holdings({ walletId: wallet.id })
    const [usdc] = view.holdings.filter(({ symbol }) => symbol === "USDC")
    assert.isDefined(usdc)
    const ofGold = { ...usdc, ...gold, tokenAddress: gold.tokenAddress.toLowerCase() }
    const worthless = { ...ofGold, tokenAddress: `0x${"9".repeat(40)}`, verified: false }
    const told = Effect.fnUntraced(function* (balance: string, stale = false) {
      const holdings = [usdc, worthless, ...(balance === "0" ? [] : [{ ...ofGold, balance }])]
      const calls = { get_holdings: () => Effect.succeed({ ...view, holdings, stale }) }
      const terms = { sell: gold, sellAmount: `2${"0".repeat(18)}`, buy: gold }
      const waiting = { kind: "swap", status: "pending_confirm" } as const
      const facts = yield* balanceFacts(waiting, terms, { id: wallet.id, name: "Desk" }, calls)
      return facts.map(({ name, text }) => `${name}: ${text}`)
    })
    const ofDesk = (text: string) => [`Balance of Desk: ${text}`]
    const three = `35${"0".repeat(17)}`
    assert.deepStrictEqual(yield* told(three), ofDesk("3.50 GOLD now, 1.50 GOLD after"))
    const short = "0.50 GOLD now: 1.50 GOLD too little for this"
    assert.deepStrictEqual(yield* told(`5${"0".repeat(17)}`), ofDesk(short))
    assert.deepStrictEqual(yield* told("0"), ofDesk("0.00 GOLD now: 2.00 GOLD too little for this"))
    const unread = yield* told("0", true)
    assert.deepStrictEqual(unread, ofDesk("not known now, as its chain has not answered"))
    const approval = { kind: "token_approve", status: "pending_confirm" } as const
    const allowed = { amountSmallestUnit: "1", symbol: "GOLD", decimals: 18 }
    const none = yield* balanceFacts(approval, allowed, { id: wallet.id, name: "Desk" }, call)
    assert.deepStrictEqual(none, [], "An allowance takes nothing yet.")
  }).pipe(Effect.provide(Treasury.layer()))
)

it.effect("a chain that never answers holds no page up", () =>
  Effect.gen(function* () {
    const { wallet } = yield* humanAccount
    const waiting = { kind: "swap", status: "requires_action" } as const
    const terms = { sell: gold, sellAmount: "1", buy: gold }
    const calls = { get_holdings: () => Effect.never }
    const asked = balanceFacts(waiting, terms, { id: wallet.id, name: "Desk" }, calls)
    const page = yield* Effect.forkChild(asked)
    yield* TestClock.adjust("1 second")
    const text = "not known now, as its chain has not answered"
    assert.deepStrictEqual(yield* Fiber.join(page), [{ name: "Balance of Desk", text }])
  }).pipe(Effect.provide(Treasury.layer()))
)
