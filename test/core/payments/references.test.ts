/**
 * Payments on a chain that can name the request they are for: the chain id is all that a caller sees, a reference pays
 * its request whatever the other amounts are, and several references are one too many.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { openTreasury, type TestTreasury } from "../../../apps/testing/treasury.ts"
import { publicRequest } from "../../../core/payments/public.ts"

const chainId = "local-solana"

const referenceIn = (qrPayload: string): string =>
  new URL(qrPayload).searchParams.get("reference") ?? assert.fail("it names a reference")

const opened = async (treasury: TestTreasury) => {
  const { call } = treasury.developer
  const { jobId } = await call.create_provisioning_job({
    chainId,
    customers: [{ externalId: "user_42" }, { externalId: "user_43" }]
  })
  const job = await call.get_provisioning_job({ jobId })
  assert.strictEqual(job.status, "completed")
  const vaultIds = job.results.map(({ walletMappingId }) => walletMappingId ?? "")
  const request = (amountUsd: number, vault = 0) =>
    call.create_payment_request({ walletMappingId: vaultIds[vault] ?? "", amountUsd })
  const statusOf = async (idOrPid: string) => (await call.get_payment_request({ idOrPid })).status
  return { call, request, statusOf, results: job.results }
}

const onBoth = (work: (treasury: TestTreasury) => Promise<void>) =>
  Effect.promise(async () => {
    const treasury = await openTreasury({ chains: ["local", "local-solana"] })
    await work(treasury).finally(() => treasury.close())
  })

it.live("a request asks by Solana Pay, with a reference of its own, and is paid by it", () =>
  onBoth(async (treasury) => {
    const { call, request } = await opened(treasury)
    const asked = await request(49)
    const url = new URL(asked.qrPayload)
    assert.strictEqual(url.protocol, "solana:")
    assert.strictEqual(url.pathname, asked.payToAddress)
    assert.deepStrictEqual(
      ["amount", "label", "message"].map((name) => url.searchParams.get(name)),
      ["49", "Northwind Supply", asked.pid]
    )
    assert.strictEqual(asked.chainId, chainId)
    const walletChain = async () => (await treasury.operate(publicRequest(asked.pid)))?.walletChain
    assert.strictEqual(await walletChain(), "solana:localnet")
    const txHash = await treasury.pay(asked.pid)
    assert.strictEqual(await walletChain(), "solana:localnet", "also while nothing is due")
    assert.strictEqual(
      (await call.get_payment_request({ idOrPid: asked.pid })).status,
      "processing"
    )
    await treasury.mine(undefined, chainId)
    const paid = await call.get_payment_request({ idOrPid: asked.pid })
    assert.deepStrictEqual(
      [paid.status, paid.txHash, paid.method, paid.attempts[0]?.status],
      ["paid", txHash, "direct", "final"]
    )
  })
)

it.live("of requests for one amount, a payment pays the one that it names", () =>
  onBoth(async (treasury) => {
    const { request, statusOf } = await opened(treasury)
    const twins = [await request(20), await request(20), await request(20)]
    const meant = twins[1]?.pid ?? ""
    await treasury.pay(meant)
    await treasury.mine(undefined, chainId)
    assert.deepStrictEqual(await Promise.all(twins.map(({ pid }) => statusOf(pid))), [
      "open",
      "paid",
      "open"
    ])
  })
)

it.live("naming a request pays it in part, though another asks for just that amount", () =>
  onBoth(async (treasury) => {
    const { call, request, statusOf } = await opened(treasury)
    const [large, small] = [await request(30), await request(10)]
    await treasury.send(large.payToAddress, "10", {
      chainId,
      references: [referenceIn(large.qrPayload)]
    })
    await treasury.mine(undefined, chainId)
    assert.deepStrictEqual(
      [await statusOf(large.pid), await statusOf(small.pid)],
      ["partially_paid", "open"]
    )
    const rest = await call.get_payment_request({ idOrPid: large.pid })
    assert.strictEqual(new URL(rest.qrPayload).searchParams.get("amount"), "20")
  })
)

it.live("two references of ours in one transfer are ambiguous, another vault's says nothing", () =>
  onBoth(async (treasury) => {
    const { call, request, statusOf } = await opened(treasury)
    const [one, other, elsewhere] = [await request(5), await request(6), await request(7, 1)]
    const references = [one, other, elsewhere].map(({ qrPayload }) => referenceIn(qrPayload))
    await treasury.send(one.payToAddress, "5", { chainId, references: references.slice(0, 2) })
    await treasury.send(one.payToAddress, "6", { chainId, references: references.slice(2) })
    await treasury.mine(undefined, chainId)
    const { deposits } = await call.list_deposits({})
    assert.deepStrictEqual(
      deposits.map(({ settlementIssue, candidatePids }) => [settlementIssue, candidatePids]),
      [["ambiguous", [one.pid, other.pid]]]
    )
    assert.deepStrictEqual(
      await Promise.all([one, other, elsewhere].map(({ pid }) => statusOf(pid))),
      ["open", "paid", "open"]
    )
  })
)

it.live("what is named again after it was paid, or cancelled, is a deposit that says so", () =>
  onBoth(async (treasury) => {
    const { call, request } = await opened(treasury)
    const [paid, cancelled, open] = [await request(5), await request(6), await request(8)]
    await treasury.pay(paid.pid)
    await treasury.mine(undefined, chainId)
    await call.cancel_payment_request({ idOrPid: cancelled.pid })
    for (const { payToAddress, qrPayload } of [paid, cancelled]) {
      const references = [referenceIn(qrPayload)]
      await treasury.send(payToAddress, "8", { chainId, references })
    }
    await treasury.mine(undefined, chainId)
    const { deposits } = await call.list_deposits({})
    assert.deepStrictEqual(
      deposits.map(({ settlementIssue, candidatePids }) => [settlementIssue, candidatePids]),
      [
        ["late", [cancelled.pid]],
        ["duplicate", [paid.pid]]
      ]
    )
    const left = await call.get_payment_request({ idOrPid: open.pid })
    assert.strictEqual(left.status, "open")
  })
)

it.live("a fork that drops the payment opens the request again, and its new block pays it", () =>
  onBoth(async (treasury) => {
    const { request, statusOf } = await opened(treasury)
    const { pid } = await request(12)
    const lost = await treasury.pay(pid)
    await treasury.reorg(1, [], chainId)
    assert.strictEqual(await statusOf(pid), "open")
    const again = await treasury.pay(pid)
    assert.notStrictEqual(again, lost)
    await treasury.reorg(1, [again], chainId)
    await treasury.mine(undefined, chainId)
    assert.strictEqual(await statusOf(pid), "paid")
  })
)

it.live("wallets and recipients are as on any other chain, but for their addresses", () =>
  onBoth(async (treasury) => {
    const { call } = treasury.developer
    const proposed = await call.propose_create_account({ chainId, walletName: "Payroll" })
    await call.confirm_proposal({ proposalId: proposed.proposalId })
    const { wallets } = await call.list_wallets({})
    const wallet = wallets.find(({ name }) => name === "Payroll")
    assert.match(wallet?.address ?? "", /^[1-9A-HJ-NP-Za-km-z]{32,44}$/u)
    assert.strictEqual(wallet?.chainId, chainId)
    const address = "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"
    const adding = await call.add_recipient({ chainId, address, nickname: "Supplier" })
    if (!("proposalId" in adding)) return assert.fail("a person's key proposes it")
    await call.confirm_proposal({ proposalId: adding.proposalId })
    const { recipients } = await call.list_recipients({})
    const added = recipients.find((each) => each.address === address)
    assert.deepStrictEqual([added?.status, added?.cooldownActive], ["pending", true])
    for (const wrong of [
      address.toLowerCase(),
      address.slice(2),
      `0x${"ab".repeat(20)}`,
      "11111111111111111111111111111111"
    ]) {
      const refused = await call.add_recipient({ chainId, address: wrong }).then(
        () => assert.fail("it was taken"),
        (error: { readonly _tag: string; readonly param: string }) => error
      )
      assert.deepStrictEqual([refused._tag, refused.param], ["INVALID_ADDRESS", "address"])
    }
    const onEvm = await call.add_recipient({ chainId: "local", address }).then(
      () => assert.fail("it was taken"),
      (error: { readonly message: string }) => error
    )
    assert.include(onEvm.message, "40 hexadecimal digits")
  })
)
