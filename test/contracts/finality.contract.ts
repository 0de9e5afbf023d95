/**
 * What gives money back, or lets it be sent again, takes a block that the chain itself calls final. Here stands what
 * only EVM chains have, permits and a count of blocks; `submitters.contract.ts` says it of sends on every family.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { EvmRelay } from "../../core/evm/relay.ts"
import type { Chains } from "../../core/ports/chains.ts"
import * as Value from "../support/chain-values.ts"
import {
  attemptOf,
  authorized,
  broadcast,
  fundedAndAuthorized,
  PayingWorld,
  trace
} from "../support/sending-chain.ts"

const to = Value.key(`0x${"f1".repeat(20)}`)

export const suite = (name: string, world: Layer.Layer<PayingWorld | EvmRelay | Chains>) =>
  layer(world)(`${name}: finality`, (it) => {
    it.effect("a permit that ran out ends by no count of blocks, but by a finalized one", () =>
      Effect.gen(function* () {
        const { confirmations, holdFinality, mine, timePasses } = yield* PayingWorld
        const sending = { keyNumber: 61, to, amountMicro: 5n, lastsSeconds: 60 }
        const authorization = yield* authorized({ ...sending, act: "permit" })
        yield* holdFinality(true)
        yield* timePasses(120)
        yield* mine(10 * confirmations)
        assert.deepStrictEqual(yield* trace(authorization), { _tag: "pending" })
        yield* holdFinality(false)
        assert.deepStrictEqual(yield* trace(authorization), { _tag: "impossible" })
      })
    )

    it.effect("a permit that another outran is signed anew only once that is finalized", () =>
      Effect.gen(function* () {
        const { confirmations, holdFinality, mine } = yield* PayingWorld
        const sending = { keyNumber: 62, to, act: "permit" } as const
        const permit = yield* authorized({ ...sending, amountMicro: 5n })
        const other = yield* authorized({ ...sending, amountMicro: 6n })
        yield* broadcast(yield* attemptOf(other))
        yield* holdFinality(true)
        yield* mine(10 * confirmations)
        assert.deepStrictEqual(yield* trace(permit), { _tag: "nonce_consumed", isFinal: false })
        yield* holdFinality(false)
        assert.deepStrictEqual(yield* trace(permit), { _tag: "nonce_consumed", isFinal: true })
      })
    )

    it.effect("a send is shown as final by the count of blocks meanwhile", () =>
      Effect.gen(function* () {
        const { confirmations, holdFinality, mine } = yield* PayingWorld
        const authorization = yield* fundedAndAuthorized({ keyNumber: 63, to, amountMicro: 5n })
        yield* holdFinality(true)
        const attempt = yield* attemptOf(authorization)
        yield* broadcast(attempt)
        yield* mine(confirmations)
        const traced = yield* trace(authorization, attempt)
        assert.deepInclude(traced, { _tag: "paid", isFinal: true })
        yield* holdFinality(false)
      })
    )
  })
