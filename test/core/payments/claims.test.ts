/** What a payer's claim can do, and what an untrue one cannot: money follows the signature of who sent it. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import { openTreasury, type TestTreasury } from "../../../apps/testing/treasury.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import { maxPerRequest, messageOf } from "../../../core/payments/claim.ts"
import { claimTransfer, type StatementInput } from "../../../core/payments/claim-transfer.ts"
import { publicRow } from "../../../core/payments/public.ts"
import { Refunds } from "../../../core/payments/refund-ledger.ts"
import { PaymentClaims } from "../../../core/payments/transfer-store.ts"
import { Notifier } from "../../../core/ports/notifier.ts"
import * as Value from "../../support/chain-values.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

const amountMicro = 5_000_000n

const siteUrl = "http://treasury.test"

const textFor = (pid: string, txHash: string) =>
  messageOf({ siteUrl, chainName: "Local sandbox", pid, txHash: Value.transaction(txHash) })

/** Two requests that nothing but a word of the payer tells apart, and somebody who pays one. */
const scene = async (treasury: TestTreasury) => {
  const { call, vault } = treasury.developer
  const open = () => call.create_payment_request({ walletMappingId: vault.id, amountUsd: 5 })
  const [mine, other] = [await open(), await open()]
  const payer = privateKeyToAccount(generatePrivateKey())
  const txHash = await treasury.operate(
    Effect.gen(function* () {
      const { pay } = yield* ChainScript
      return yield* pay({ to: vault.address, amountMicro, from: payer.address })
    })
  )
  const claims = (pid: string, claimed: StatementInput) =>
    treasury.operate(
      Effect.gen(function* () {
        const row = yield* publicRow(pid)
        return row === undefined ? assert.fail("It is gone.") : yield* claimTransfer(row, claimed)
      })
    )
  const signedBy = async (account: typeof payer, pid: string) => ({
    txHash,
    signed: {
      payerAddress: account.address,
      signature: await account.signMessage({ message: textFor(pid, txHash) })
    }
  })
  const statuses = () =>
    Promise.all(
      [mine, other].map(
        async ({ pid }) => (await call.get_payment_request({ idOrPid: pid })).status
      )
    )
  const seen = () =>
    treasury.operate(Effect.flatMap(Notifier, (notifier) => notifier.signal("chains")))
  return { mine, other, payer, txHash, claims, signedBy, statuses, seen }
}

const told = (tell: (treasury: TestTreasury) => Promise<void>) => () =>
  Effect.promise(async () => {
    const treasury = await openTreasury()
    await tell(treasury)
    await treasury.close()
  })

it.live(
  "who paid says which of two equal requests it was for, and a reorganisation changes nothing about it",
  told(async (treasury) => {
    const { claims, mine, payer, seen, signedBy, statuses, txHash } = await scene(treasury)
    await seen()
    assert.deepStrictEqual(await statuses(), ["open", "open"])
    const { sign } = await claims(mine.pid, { txHash })
    assert.strictEqual(sign, textFor(mine.pid, txHash))
    await claims(mine.pid, await signedBy(payer, mine.pid))
    assert.deepStrictEqual(await statuses(), ["processing", "open"])
    await treasury.reorg(1, [txHash])
    assert.deepStrictEqual(await statuses(), ["processing", "open"])
    await treasury.mine()
    assert.deepStrictEqual(await statuses(), ["paid", "open"])
    const { method } = await treasury.developer.call.get_payment_request({ idOrPid: mine.pid })
    assert.strictEqual(method, "checkout")
  })
)

it.live(
  "a claim made before the chain was looked at is heard when it is",
  told(async (treasury) => {
    const { claims, mine, payer, seen, signedBy, statuses } = await scene(treasury)
    await claims(mine.pid, await signedBy(payer, mine.pid))
    await seen()
    await treasury.mine()
    assert.deepStrictEqual(await statuses(), ["paid", "open"])
  })
)

it.live(
  "nobody takes another's payment by claiming it first, nor keeps who paid from claiming it",
  told(async (treasury) => {
    const { claims, mine, other, payer, seen, signedBy, statuses } = await scene(treasury)
    const thief = privateKeyToAccount(generatePrivateKey())
    const byThief = await signedBy(thief, other.pid)
    await claims(other.pid, byThief)
    await seen()
    assert.deepStrictEqual(await statuses(), ["open", "open"])
    const pretended = { ...byThief.signed, payerAddress: payer.address }
    const refused = await claims(other.pid, { ...byThief, signed: pretended }).then(
      () => "taken",
      (refusal) => String(refusal.code ?? refusal._tag)
    )
    assert.strictEqual(refused, "INVALID_SIGNATURE")
    await claims(mine.pid, await signedBy(payer, mine.pid))
    await claims(other.pid, await signedBy(payer, other.pid))
    await treasury.mine()
    assert.deepStrictEqual(await statuses(), ["paid", "open"])
  })
)

it.live(
  "a payer whose amount says it all is asked to sign nothing",
  told(async (treasury) => {
    const { claims, mine, other, txHash } = await scene(treasury)
    await treasury.developer.call.cancel_payment_request({ idOrPid: other.pid })
    assert.isNull((await claims(mine.pid, { txHash })).sign)
  })
)

it.live(
  "one claim more than a request takes is refused for good, and not until later",
  told(async (treasury) => {
    const { claims, mine, payer, signedBy } = await scene(treasury)
    await treasury.operate(
      Effect.gen(function* () {
        const { chainId, id: requestId } = (yield* publicRow(mine.pid)) ?? assert.fail()
        const store = yield* PaymentClaims
        for (let count = 0; count < maxPerRequest; count++) {
          const [txHash, payerAddress] = [Rows.aTxHash(), Rows.anAddressKey()]
          const claim = { chainId, requestId, txHash, payerAddress, claimedAt: Rows.at(0) }
          yield* store.add(claim, maxPerRequest)
        }
      })
    )
    const refused = await claims(mine.pid, await signedBy(payer, mine.pid)).then(
      () => assert.fail("It was taken."),
      (refusal) => refusal
    )
    assert.deepInclude(
      { code: refused.code ?? refused._tag, param: refused.param, retryable: refused.retryable },
      { code: "INVALID_REQUEST", param: "txHash", retryable: false }
    )
  })
)

it.live(
  "money that goes back pays no request, though its payer says which it was for",
  told(async (treasury) => {
    const { claims, mine, payer, seen, signedBy, statuses } = await scene(treasury)
    await seen()
    await treasury.mine()
    const { deposits } = await treasury.developer.call.list_deposits({ status: "open" })
    const { id: transferId } = await treasury.operate(
      Effect.gen(function* () {
        const { accountId } = yield* Effect.map(publicRow(mine.pid), (row) => row ?? assert.fail())
        const proposal = yield* Stored.proposal({ accountId, kind: "refund", status: "executing" })
        const depositId = deposits[0]?.depositId as string
        yield* (yield* Refunds).claim({
          proposalId: proposal.id,
          accountId,
          amountMicro: Usdc.make(amountMicro),
          transferIds: [depositId],
          at: proposal.createdAt
        })
        return { id: depositId }
      })
    )
    await claims(mine.pid, await signedBy(payer, mine.pid))
    assert.deepStrictEqual(await statuses(), ["open", "open"])
    const { deposits: still } = await treasury.developer.call.list_deposits({ status: "open" })
    assert.deepStrictEqual(
      still.map(({ depositId }) => depositId),
      [transferId]
    )
  })
)
