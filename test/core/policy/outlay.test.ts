/** What the treasury lays out for gas is bounded, and whoever is over it waits or is told. */
import { assert, describe, it, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import * as Memory from "../../../adapters/memory/memory.ts"
import { openTreasury } from "../../../apps/testing/treasury.ts"
import { charge, defaultCaps, evaluate, parseCaps } from "../../../core/policy/outlay.ts"
import { Outlay } from "../../../core/policy/outlay-ledger.ts"
import { PolicySettings } from "../../../core/policy/policy-settings.ts"
import { subStatusOf } from "../../../core/proposals/step.ts"
import { world } from "../../support/memory-sending-chain.ts"
import { registries } from "../../support/registries.ts"
import { completed, confirmed, look, statusOf, submissionOf } from "../../support/send-steps.ts"
import { held } from "../../support/sending-chain.ts"
import { identified } from "../../support/signing-policies.ts"

describe("caps of outlay", () => {
  it("are read in the chain's coin, the smaller first", () => {
    assert.deepStrictEqual(parseCaps("0.05/0.5/2"), {
      personal: 5n * 10n ** 16n,
      startup: 5n * 10n ** 17n,
      installation: 2n * 10n ** 18n
    })
    assert.deepStrictEqual(parseCaps("1/2/2", 9), {
      personal: 10n ** 9n,
      startup: 2n * 10n ** 9n,
      installation: 2n * 10n ** 9n
    })
    assert.deepStrictEqual(parseCaps("0/0/0.000000000000000001"), {
      personal: 0n,
      startup: 0n,
      installation: 1n
    })
    for (const wrong of [
      "",
      "1",
      "1/2",
      "1/2/3/4",
      "2/1/3",
      "1/3/2",
      "-1/2/3",
      "1e3/2/3",
      "a/b/c",
      "1/2/x3",
      "1/2/3x",
      "1/2/0.0000000000000000001"
    ]) {
      assert.isUndefined(parseCaps(wrong), wrong)
    }
  })

  it("are so much of each chain's coin where the operator says nothing", () => {
    const of = (chainId: string) => defaultCaps[chainId]
    assert.deepStrictEqual(of("ethereum"), parseCaps("0.05/0.5/2"))
    assert.deepStrictEqual(of("base"), parseCaps("0.005/0.05/0.5"))
    assert.deepStrictEqual(of("polygon"), parseCaps("20/200/2000"))
    assert.deepStrictEqual(of("solana"), parseCaps("0.1/1/10", 9))
  })

  it("are there for every chain of the EVM family", () => {
    for (const caps of Object.values(defaultCaps)) {
      assert.isTrue(caps.personal <= caps.startup && caps.startup <= caps.installation)
    }
    assert.includeMembers(Object.keys(defaultCaps), ["ethereum", "base", "polygon", "local"])
  })

  it("are passed by what is more, and not by what fits", () => {
    const limits = { accountUnits: 10n, installationUnits: 20n }
    const used = { accountUnits: 4n, installationUnits: 15n }
    assert.isUndefined(evaluate(limits, used, 5n))
    assert.strictEqual(evaluate(limits, used, 7n), "account")
    assert.strictEqual(evaluate({ ...limits, accountUnits: 100n }, used, 6n), "installation")
    assert.isUndefined(evaluate({ ...limits, accountUnits: null }, used, 5n))
    assert.isUndefined(evaluate({ accountUnits: 9n, installationUnits: 20n }, used, 5n))
    assert.strictEqual(evaluate({ accountUnits: 8n, installationUnits: 20n }, used, 5n), "account")
  })

  it("take a charge by how much it raises the one before, and never give back", () => {
    const limits = { accountUnits: 10n, installationUnits: 20n }
    const used = { accountUnits: 8n, installationUnits: 8n }
    const charged = { _tag: "charged" } as const
    const by = (units: bigint, before?: bigint) => charge({ units, before }, limits, used)
    assert.deepStrictEqual(by(2n), { more: 2n, charged })
    assert.deepStrictEqual(by(3n), { more: 0n, charged: { _tag: "over", scope: "account" } })
    assert.deepStrictEqual(by(9n, 7n), { more: 2n, charged })
    assert.deepStrictEqual(by(10n, 7n).charged, { _tag: "over", scope: "account" })
    assert.deepStrictEqual(by(7n, 7n), { more: 0n, charged })
    assert.deepStrictEqual(by(3n, 7n), { more: 0n, charged })
    // What is no dearer than before passes even where the cap has come down below what is used.
    const lower = { accountUnits: 1n, installationUnits: 1n }
    assert.deepStrictEqual(charge({ units: 7n, before: 7n }, lower, used), { more: 0n, charged })
    assert.deepStrictEqual(charge({ units: 6n, before: 7n }, lower, used), { more: 0n, charged })
  })
})

const base = Layer.suspend(() => Layer.mergeAll(world, Memory.layer(), identified, registries))

layer(base)("a send over the limit of outlay", (it) => {
  it.effect("waits before it takes a nonce, says so, and goes on once there is room", () =>
    Effect.gen(function* () {
      const settings = yield* PolicySettings
      const local = { personal: 0n, startup: 0n, installation: 10n ** 18n }
      const proposal = yield* confirmed
      const bounded = Effect.provideService(look, PolicySettings, {
        ...settings,
        outlay: { local }
      })
      yield* bounded
      yield* bounded
      const waiting = yield* submissionOf(proposal)
      assert.deepInclude(waiting, { status: "signed", relayerSequence: null })
      assert.strictEqual(yield* statusOf(proposal), "executing")
      assert.strictEqual(subStatusOf(waiting), "queued")
      assert.match(waiting.reason ?? "", /daily limit of network fees/u)
      assert.strictEqual(yield* held(waiting.terms.to), 0n)
      yield* completed(proposal)
      const { used } = yield* Outlay
      const { accountId } = proposal
      const { accountUnits } = yield* used("local", "1970-01-01", accountId)
      assert.isAbove(Number(accountUnits), 0)
    })
  )
})

describe("a caller over the limit of outlay", () => {
  it("is refused when it proposes, and told when it may again", async () => {
    const treasury = await openTreasury()
    const { agent } = treasury
    await treasury.send(agent.wallet.address, "10")
    await treasury.mine()
    const { recipients } = await agent.call.list_recipients({})
    const proposed = () =>
      agent.call.propose_transfer({
        recipientId: recipients[0]?.id ?? "",
        amountUsdc: "1",
        fromWalletId: agent.wallet.id
      })
    await treasury.operate(
      Effect.flatMap(Outlay, ({ charge }) =>
        charge([
          [
            {
              key: "spent",
              chainId: "local",
              day: "2030-01-01",
              accountId: agent.accountId,
              units: defaultCaps.local?.personal ?? 0n,
              at: DateTime.makeUnsafe(0)
            },
            Effect.succeed({ accountUnits: null, installationUnits: 2n ** 200n })
          ]
        ])
      )
    )
    const refused = await proposed().then(
      () => assert.fail("it was proposed"),
      (failure: unknown) => failure
    )
    assert.deepInclude(refused, { _tag: "OUTLAY_LIMIT_EXCEEDED" })
    assert.deepInclude(refused, {
      details: { chainId: "local", scope: "account", resetsAt: "2030-01-02T00:00:00.000Z" }
    })
    await treasury.advance("1 day")
    assert.strictEqual((await proposed()).status, "pending_confirm")
    await treasury.close()
  })
})
