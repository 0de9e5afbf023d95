/** Stories of payments that nobody planned: twice, at once, or of an amount that fits nothing. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "./scenes.ts"
import type { Story, World } from "./world.ts"

const usdc = 1_000_000n

const onlyDeposit = (world: World, vaultId: string) =>
  world.until(
    "one deposit is listed",
    Effect.map(Scene.depositsOn(world, vaultId), (deposits) =>
      deposits.length === 1 ? deposits[0] : undefined
    )
  )

export const odd: ReadonlyArray<Story> = [
  {
    title: "two full payments at once pay a request once, and it says that it got too much",
    tell: Effect.fnUntraced(function* (world) {
      const { receiver } = yield* Scene.merchant(world)
      const vault = yield* Scene.vault(world)
      const request = yield* Scene.request(world, vault.walletMappingId, 10)
      yield* world.pay(vault.address, 10n * usdc)
      yield* world.pay(vault.address, 10n * usdc)
      yield* Scene.final(world)
      const paid = yield* Scene.becomes(world, request.pid, "paid")
      yield* world.watched
      const now = yield* world.calls.get_payment_request({ idOrPid: request.pid })
      assert.deepInclude(now, {
        settlementIssue: "overpaid",
        amountReceivedSmallestUnit: "20000000",
        paidAt: paid.paidAt
      })
      assert.lengthOf(now.attempts, 2)
      yield* Scene.hears(world, receiver, "payment_request.paid", request.pid)
      const { events } = yield* world.calls.list_events({ paymentRequestPid: request.pid })
      assert.lengthOf(
        events.filter((each) => each.type === "payment_request.paid"),
        1
      )
    })
  },
  {
    title: "a second payment of a paid request is rejected with an event, five times at most",
    tell: Effect.fnUntraced(function* (world) {
      const { receiver } = yield* Scene.merchant(world)
      const vault = yield* Scene.vault(world)
      const request = yield* Scene.request(world, vault.walletMappingId, 10)
      yield* world.pay(vault.address, 10n * usdc)
      yield* Scene.final(world)
      yield* Scene.becomes(world, request.pid, "paid")
      const again = yield* world.pay(vault.address, 10n * usdc)
      yield* Scene.final(world)
      const deposit = yield* onlyDeposit(world, vault.walletMappingId)
      assert.deepInclude(deposit, {
        txHash: again,
        settlementIssue: "duplicate",
        candidatePids: [request.pid],
        status: "open"
      })
      const type = "payment_request.payment_failed"
      const failed = yield* Scene.hears(world, receiver, type, request.pid)
      assert.deepInclude(failed.data.object, {
        status: "paid",
        failure: { reason: "already_paid", method: "direct" }
      })
      for (let more = 0; more < 6; more++) yield* world.pay(vault.address, 10n * usdc)
      yield* Scene.final(world)
      yield* world.watched
      const now = yield* world.calls.get_payment_request({ idOrPid: request.pid })
      assert.deepInclude(now, {
        status: "paid",
        settlementIssue: "none",
        amountReceivedSmallestUnit: "10000000"
      })
      const deposits = yield* Scene.depositsOn(world, vault.walletMappingId)
      assert.lengthOf(deposits, 7)
      assert.isTrue(deposits.every(({ settlementIssue }) => settlementIssue === "duplicate"))
      const { events } = yield* world.calls.list_events({ paymentRequestPid: request.pid })
      assert.lengthOf(
        events.filter((each) => each.type === type),
        5
      )
    })
  },
  {
    title: "a wallet of the account itself pays no request, and its money is no deposit to resolve",
    tell: Effect.fnUntraced(function* ({ agent, ...others }) {
      const world: World = { ...others, agent, calls: agent }
      const from = yield* Scene.vault(world)
      const vault = yield* Scene.vault(world)
      const request = yield* Scene.request(world, vault.walletMappingId, 10)
      yield* world.pay(from.address, 10n * usdc)
      const wanted = { address: vault.address, chainId: "local", nickname: "Vault" }
      const { challenge } = yield* agent.add_recipient(wanted)
      if (challenge !== undefined) {
        const walletSignature = yield* world.fundingWalletSigns(challenge.message)
        const { challengeId } = challenge
        yield* agent.add_recipient({ ...wanted, challengeId, walletSignature })
      }
      const { recipients } = yield* agent.list_recipients({})
      const own = recipients.find((each) => each.address === vault.address)
      const { proposalId } = yield* agent.propose_transfer({
        recipientId: own?.id as string,
        fromWalletId: from.walletMappingId,
        amountUsdc: "10"
      })
      yield* agent.confirm_proposal({ proposalId })
      yield* Scene.proposalBecomes(world, proposalId, "completed")
      yield* Scene.final(world)
      const deposit = yield* onlyDeposit(world, vault.walletMappingId)
      assert.deepInclude(deposit, {
        settlementIssue: "none",
        candidatePids: [],
        status: "resolved",
        resolution: "own_transfer"
      })
      yield* world.watched
      yield* Scene.staysSo(world, request.pid, "open")
      const { depositId } = deposit
      const attach = agent.resolve_deposit({ depositId, action: "attach", pid: request.pid })
      assert.strictEqual((yield* Scene.refusal(attach)).code, "DEPOSIT_NOT_OPEN")
    })
  },
  {
    title: "an amount that fits none of several requests is a deposit, and names them all",
    tell: Effect.fnUntraced(function* (world) {
      const vault = yield* Scene.vault(world)
      const one = yield* Scene.request(world, vault.walletMappingId, 10)
      const two = yield* Scene.request(world, vault.walletMappingId, 20)
      yield* world.pay(vault.address, 13n * usdc)
      yield* Scene.final(world)
      const deposit = yield* onlyDeposit(world, vault.walletMappingId)
      assert.strictEqual(deposit.settlementIssue, "ambiguous")
      assert.sameMembers([...deposit.candidatePids], [one.pid, two.pid])
      yield* Scene.staysSo(world, one.pid, "open")
      yield* Scene.staysSo(world, two.pid, "open")
    })
  }
]
