/** The page of a trade names the wallet that receives, as it names the one that sells, and tells its end as a time. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Visit } from "../../../adapters/pages/console/parts/guard.ts"
import { proposalShown } from "../../../adapters/pages/console/proposal-shown.ts"
import { tradeFacts } from "../../../adapters/pages/console/trade-shown.ts"
import { humanAccount } from "../../support/human-account.ts"
import * as Treasury from "../../support/small-treasury.ts"

it.effect("the wallet that receives stands by its name, with a link to it", () =>
  Effect.gen(function* () {
    const { call, propose, wallet } = yield* humanAccount
    const proposalId = yield* propose("5")
    const calls = {
      ...call,
      get_proposal_history: (input: { readonly proposalId: string }) =>
        Effect.map(call.get_proposal_history(input), (read) => ({
          ...read,
          terms: { ...read.terms, toWalletId: wallet.id }
        }))
    }
    const visit = { calls, signedIn: { human: { id: "nobody" } } } as unknown as Visit
    const { facts } = yield* proposalShown(visit, proposalId)
    const to = facts.find(({ name }) => name === "To wallet")
    assert.strictEqual(to?.href, `/console/wallets/${wallet.id}`)
    assert.include(to?.text, wallet.name)
  }).pipe(Effect.provide(Treasury.layer()))
)

it("the last moment of a trade is told in the reader's zone", () => {
  const token = {
    chainId: "local",
    tokenAddress: `0x${"4".repeat(40)}`,
    symbol: "USDC",
    decimals: 6
  }
  const terms = { sell: token, buy: token, notAfter: "2030-01-09T00:00:00.000Z" }
  const last = tradeFacts(terms).find(({ name }) => name === "Not signed after")
  assert.deepInclude(last, { text: terms.notAfter, isTime: true })
})
