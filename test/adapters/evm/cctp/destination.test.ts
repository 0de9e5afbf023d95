/** A destination that numbers its blocks otherwise than its contracts see them, or does not answer at all. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Attestations from "../../../../adapters/evm/cctp/attestations.ts"
import * as CctpBridge from "../../../../adapters/evm/cctp/bridge.ts"
import { endOf } from "../../../../adapters/evm/cctp/end.ts"
import { domainOf } from "../../../../core/chains/cctp.ts"
import { cctpWorld } from "../../../support/cctp-world.ts"
import { type Answered, between } from "../../../support/json-rpc-proxy.ts"

type World = Effect.Success<typeof cctpWorld>

const test = (title: string, body: (world: World) => Effect.Effect<void, unknown, never>) =>
  it.live(title, () => Effect.scoped(Effect.flatMap(cctpWorld, body)), 60_000)

/** So many more blocks a rollup has than the chain below it, whose numbers its contracts see. */
const beyond = 300_000_000

const renumbered = (answer: Answered): Answered => {
  const block = answer.result as { readonly number?: string } | null
  return typeof block?.number === "string" && "hash" in block
    ? {
        ...answer,
        result: { ...block, number: `0x${(Number(block.number) + beyond).toString(16)}` }
      }
    : answer
}

test("what was attested runs out by the number of the block that contracts see", ({ other }) =>
  Effect.scoped(
    Effect.gen(function* () {
      const head = BigInt(String(yield* other.anvil.call("eth_blockNumber")))
      const { rpcUrl, tamper } = yield* between(other.connection.rpcUrl)
      yield* tamper(async (asked, pass) => (await pass(asked)).map(renumbered))
      const domain = domainOf(other.chainId)
      assert(domain !== undefined)
      const { minting } = endOf({ ...other.connection, rpcUrl }, domain)
      assert(minting !== undefined)
      assert.isFalse(yield* minting.hasRunOut(head + 100n))
      assert.isFalse(yield* minting.hasRunOut(head + 3n))
      assert.isTrue(yield* minting.hasRunOut(head + 1n))
      assert.isTrue(yield* minting.hasRunOut(head))
    })
  ))

test("a destination that does not answer is closed, and a source that does not tells nothing", ({
  attestationUrl,
  depart,
  journey,
  one,
  other
}) =>
  Effect.scoped(
    Effect.gen(function* () {
      const attestations = yield* Attestations.make({ url: attestationUrl })
      const [here, there] = [
        yield* between(one.connection.rpcUrl),
        yield* between(other.connection.rpcUrl)
      ]
      const bridge = CctpBridge.make(
        [
          { ...one.connection, rpcUrl: here.rpcUrl },
          { ...other.connection, rpcUrl: there.rpcUrl }
        ],
        () => attestations
      )
      const leaving = yield* journey()
      yield* there.tamper(() => "hang up")
      const closed = yield* bridge.start(leaving)
      assert(closed._tag === "closed", closed._tag)
      assert.include(closed.reason, other.chainId)
      // What has left is told, whoever is silent at the other end.
      yield* depart(leaving)
      assert.strictEqual((yield* bridge.start(leaving))._tag, "left")
      yield* here.tamper(() => "hang up")
      const silent = yield* Effect.flip(bridge.start(leaving))
      assert.deepInclude(silent, { _tag: "ChainUnavailable", chainId: one.chainId })
    })
  ))
