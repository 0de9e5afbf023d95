/** Books of refunds, swaps, the relayer's outlay and Solana, closed in memory and computed by hledger itself. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import { openTreasury, type TestTreasury } from "../../../apps/testing/treasury.ts"
import { Outlay } from "../../../core/policy/outlay-ledger.ts"
import * as Books from "../../support/bookkeeping.ts"
import { asked, openMarket } from "../swaps/market.ts"

const stranger = `0x${"57".repeat(20)}`

const passes = async (treasury: TestTreasury, chainId?: string) => {
  for (let turn = 0; turn < 2; turn++) {
    await treasury.mine(6, chainId)
    await treasury.advance("1 hour")
  }
}

const now = async (treasury: TestTreasury) => DateTime.makeUnsafe(await treasury.now())

const dollars = (micro: bigint) => `${(Number(micro) / 1e6).toFixed(6)} USDC`

/** hledger takes the books, and computes of each wallet what the chain says. */
const closes = async (
  treasury: TestTreasury,
  text: string,
  wallets: ReadonlyArray<{ readonly id: string; readonly address: string }>,
  chainId: string
) => {
  const verdict = Books.checked(text)
  assert.deepStrictEqual([verdict.status, verdict.stderr], [0, ""], text)
  for (const { address, id } of wallets) {
    const held = await treasury.operate(
      Effect.flatMap(ChainScript, (script) => script.balanceOf(address, chainId))
    )
    const computed = Books.hledgerBalance(text, id.slice(-12))
    assert.include(held === 0n ? `${computed} USDC` : computed, held === 0n ? "" : dollars(held))
  }
}

it("a refund, a swap and the relayer's outlay are in the books under their names", async () => {
  const { fill, placed, treasury } = await openMarket()
  const { accountId, call, vault, wallet } = treasury.agent
  await passes(treasury)
  const from = await now(treasury)
  await passes(treasury)
  await treasury.send(vault.address, "30.00", { from: stranger })
  await passes(treasury)
  const [deposit] = (await call.list_deposits({ vaultId: vault.id })).deposits
  const [recipient] = (await call.list_recipients({})).recipients
  const refund = await call.propose_refund({
    depositId: deposit?.depositId ?? "",
    recipientId: recipient?.id ?? "",
    amountUsdc: "12.345678"
  })
  await call.confirm_proposal({ proposalId: refund.proposalId })
  await passes(treasury)
  assert.strictEqual(
    (await call.get_proposal({ proposalId: refund.proposalId })).status,
    "completed"
  )
  const swap = await call.propose_swap(asked(treasury.agent))
  await call.confirm_proposal({ proposalId: swap.proposalId })
  await treasury.advance("1 seconds")
  await fill((await placed()).at(-1) ?? "")
  assert.strictEqual((await call.get_proposal({ proposalId: swap.proposalId })).status, "completed")
  await passes(treasury)
  await treasury.advance("1 day")
  const at = await now(treasury)
  const day = DateTime.formatIsoDateUtc(at)
  const units = 123_456_789_012_345n
  const limits = { accountUnits: null, installationUnits: 10n ** 18n }
  const laidOut = { key: "one", chainId: "local", day, accountId, units, at }
  await treasury.operate(
    Effect.flatMap(Outlay, (ledger) => ledger.charge([[laidOut, Effect.succeed(limits)]]))
  )
  await passes(treasury)
  const to = await now(treasury)
  await passes(treasury)
  const books = await treasury.operate(Books.booksOf(accountId, { from, to }, "hledger"))
  await closes(treasury, books.text, [vault, wallet], "local")
  const kinds = [...books.text.matchAll(/kind:\s*(\w+)/gu)].map(([, kind]) => kind)
  assert.includeMembers(kinds, ["deposit", "refund", "swap"])
  assert.include(Books.hledgerBalance(books.text, "Expenses:Network"), "0.000123456789012345")
  await treasury.close()
})

it("payments on Solana are in the books as on any chain", async () => {
  const chainId = "local-solana"
  const treasury = await openTreasury({ chains: ["local", chainId] })
  const { accountId, call } = treasury.developer
  const { jobId } = await call.create_provisioning_job({
    chainId,
    customers: [{ externalId: "user_42" }]
  })
  await treasury.advance("1 second")
  const { results } = await call.get_provisioning_job({ jobId })
  const walletMappingId = results[0]?.walletMappingId ?? ""
  await passes(treasury, chainId)
  await passes(treasury)
  const from = await now(treasury)
  await passes(treasury, chainId)
  const { payToAddress, pid } = await call.create_payment_request({
    walletMappingId,
    amountUsd: 49
  })
  await treasury.pay(pid)
  await passes(treasury, chainId)
  assert.strictEqual((await call.get_payment_request({ idOrPid: pid })).status, "paid")
  const to = await now(treasury)
  await passes(treasury, chainId)
  await passes(treasury)
  const { text } = await treasury.operate(Books.booksOf(accountId, { from, to }, "hledger"))
  await closes(treasury, text, [{ id: walletMappingId, address: payToAddress }], chainId)
  assert.match(text, /kind:\s*payment/u)
  assert.include(text, "49.00")
  await treasury.close()
})
