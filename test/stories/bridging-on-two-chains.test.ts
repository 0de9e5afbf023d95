/** A bridge on two real chains with Circle's own token: burnt on one, attested, and minted on the other. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Service from "../support/real-bridging.ts"

const test = (
  title: string,
  body: (service: Service.RealBridging) => Effect.Effect<void, unknown>
) => it.live(title, () => Effect.scoped(Effect.flatMap(Service.openRealBridging, body)), 120_000)

const endOf = ({ call }: Service.RealBridging, proposalId: string) =>
  Service.until(
    "the bridge ends",
    Effect.map(call("get_proposal", { proposalId }), (proposal) =>
      proposal.status === "executing" ? undefined : proposal
    )
  )

test("USDC is burnt on one chain and minted on the other, in the account's own wallet", (service) =>
  Effect.gen(function* () {
    const { from, one, other, to } = service
    const supply = Effect.zipWith(one.supply, other.supply, (here, there) => here + there)
    const before = yield* supply
    const proposalId = yield* Service.startBridge(service, "250.00")
    const done = yield* endOf(service, proposalId)
    assert.strictEqual(done.status, "completed", done.statusReason ?? "")
    const bought = BigInt(done.boughtAmount ?? "0")
    assert.isAtLeast(Number(bought), 249_900_000)
    assert.strictEqual(yield* one.balance(from.address), Service.startingMicro - 250_000_000n)
    assert.strictEqual(yield* other.balance(to.address), bought)
    assert.strictEqual(yield* supply, before, "what was burnt was minted, with the fee")
  }))

test("whoever brings it, it arrives once; while the attesters are away nothing is lost", (service) =>
  Effect.gen(function* () {
    const { call, faults, one, other, to } = service
    faults.status = 503
    const quoted = yield* Effect.flip(Service.startBridge(service, "100.00"))
    // The other bridge is there meanwhile, and takes an allowance first.
    assert.deepInclude(quoted as object, { _tag: "INSUFFICIENT_ALLOWANCE" })
    faults.status = undefined
    faults.isHeld = true
    const supply = Effect.zipWith(one.supply, other.supply, (here, there) => here + there)
    const before = yield* supply
    const proposalId = yield* Service.startBridge(service, "100.00")
    yield* Service.until(
      "it is attested",
      Effect.map(call("get_proposal", { proposalId }), ({ subStatus }) =>
        subStatus === "attesting" ? true : undefined
      )
    )
    assert.strictEqual(yield* supply, before - 100_000_000n, "it is on its way")
    faults.status = 503
    faults.isHeld = false
    yield* Service.until(
      "the proposal says that nobody answers",
      Effect.map(call("get_proposal", { proposalId }), ({ statusReason }) =>
        statusReason?.includes("status 503") === true ? true : undefined
      )
    )
    faults.status = undefined
    const done = yield* endOf(service, proposalId)
    assert.strictEqual(done.outcome, "executed")
    assert.strictEqual(yield* other.balance(to.address), BigInt(done.boughtAmount ?? "0"))
    assert.strictEqual(yield* supply, before)
  }))
