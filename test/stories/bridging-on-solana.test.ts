/** A bridge from a real EVM chain to a Solana: burnt by Circle's token, attested, and given out by the issuer's programs. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Service from "../support/bridging-to-solana.ts"
import { until } from "../support/real-bridging.ts"

const test = (
  title: string,
  body: (service: Service.BridgingToSolana) => Effect.Effect<void, unknown>
) =>
  it.live(title, () => Effect.scoped(Effect.flatMap(Service.openBridgingToSolana, body)), 180_000)

const endOf = ({ call }: Service.BridgingToSolana, proposalId: string) =>
  until(
    "the bridge ends",
    Effect.map(call("get_proposal", { proposalId }), (proposal) =>
      proposal.status === "executing" ? undefined : proposal
    )
  )

test("USDC is burnt on the EVM chain and arrives in the account's wallet on Solana", (service) =>
  Effect.gen(function* () {
    const { arrived, call, one, onEvm, solana } = service
    const [supply, custody] = [yield* one.supply, yield* solana.cctp.custody]
    const guide = yield* call("get_routing_guide", {
      fromChainId: "local",
      toChainId: "local-solana"
    })
    const cctp = guide.tools.find(({ protocol }) => protocol === "cctp")
    assert.strictEqual(cctp?.available, true, cctp?.reason ?? "")
    const proposalId = yield* Service.startBridge(service, "250.00")
    const done = yield* endOf(service, proposalId)
    assert.strictEqual(done.status, "completed", done.statusReason ?? "")
    const bought = BigInt(done.boughtAmount ?? "0")
    assert.isAtLeast(Number(bought), 249_900_000)
    assert.strictEqual(yield* one.balance(onEvm.address), Service.startingMicro - 250_000_000n)
    assert.strictEqual(yield* arrived, bought)
    assert.strictEqual(supply - (yield* one.supply), 250_000_000n, "burnt once")
    assert.strictEqual(custody - (yield* solana.cctp.custody), 250_000_000n, "given out once")
    const kinds = done.steps?.map(({ chainId, kind }) => `${kind} ${chainId}`)
    assert.deepStrictEqual(kinds, [
      "order local",
      "permit local",
      "burn local",
      "attest local",
      "mint local-solana",
      "mint local-solana"
    ])
  }))

test("USDC is burnt on Solana by the wallet's own signature and minted on the EVM chain", (service) =>
  Effect.gen(function* () {
    const { arrived, call, one, onEvm, onSolana, solana } = service
    yield* solana.mint(onSolana.address, 300_000_000n)
    yield* until(
      "it is there",
      Effect.map(arrived, (held) => (held === 300_000_000n ? true : undefined))
    )
    const supply = yield* one.supply
    const proposalId = yield* Service.startBridge(service, "120.00", true)
    const done = yield* endOf(service, proposalId)
    assert.strictEqual(done.status, "completed", done.statusReason ?? "")
    const bought = BigInt(done.boughtAmount ?? "0")
    assert.isAtLeast(Number(bought), 119_900_000)
    assert.strictEqual(yield* arrived, 180_000_000n, "burnt once")
    assert.strictEqual(yield* one.balance(onEvm.address), Service.startingMicro + bought)
    assert.strictEqual((yield* one.supply) - supply, 120_000_000n, "minted once, with the fee")
    const kinds = done.steps?.map(({ chainId, kind }) => `${kind} ${chainId}`)
    assert.deepStrictEqual(kinds, [
      "order local-solana",
      "burn local-solana",
      "attest local-solana",
      "mint local",
      "mint local"
    ])
    const again = yield* call("get_proposal", { proposalId })
    assert.strictEqual(again.outcome, "executed")
  }))

test("while the issuer holds the receiver frozen it waits, and arrives after it", (service) =>
  Effect.gen(function* () {
    const { arrived, call, faults, onSolana, solana } = service
    faults.isHeld = true
    const proposalId = yield* Service.startBridge(service, "100.00")
    yield* until(
      "it is burnt",
      Effect.map(call("get_proposal", { proposalId }), ({ subStatus }) =>
        subStatus === "attesting" ? true : undefined
      )
    )
    yield* solana.setFrozen(onSolana.address, true)
    faults.isHeld = false
    yield* until(
      "a delivery waits",
      Effect.map(call("get_proposal", { proposalId }), ({ subStatus }) =>
        subStatus === "minting" ? true : undefined
      )
    )
    yield* Effect.sleep("2 seconds")
    assert.strictEqual(yield* arrived, 0n)
    yield* solana.setFrozen(onSolana.address, false)
    const done = yield* endOf(service, proposalId)
    assert.strictEqual(done.outcome, "executed")
    assert.strictEqual(yield* arrived, BigInt(done.boughtAmount ?? "0"))
  }))
