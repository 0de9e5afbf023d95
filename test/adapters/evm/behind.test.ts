/** What is behind a proxy, by a node that says nothing: that is no answer, and no other contract. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { keccak256 } from "viem/utils"
import { behind } from "../../../adapters/evm/behind.ts"
import type { Call } from "../../../adapters/evm/rpc.ts"
import * as Value from "../../support/chain-values.ts"

const token = Value.key(`0x${"aa".repeat(20)}`)
const [first, second] = [`0x${"b1".repeat(20)}`, `0x${"c2".repeat(20)}`]
const code = "0x6001"
const word = (address: string) => `0x${address.slice(2).padStart(64, "0")}`
const empty = `0x${"0".repeat(64)}`

/** A node that answers these words for the places of a proxy, in their order, and says a code of each contract. */
const node = (words: ReadonlyArray<unknown>, said: unknown = code) => {
  let place = 0
  const answer = ({ method }: Call) =>
    method === "eth_getStorageAt" ? words[place++] : method === "eth_getCode" ? said : null
  return { ask: (calls: ReadonlyArray<Call>) => Effect.sync(() => calls.map(answer)) }
}

it.effect("several places make one mark of all contracts that they name", () =>
  Effect.gen(function* () {
    const words = [word(first), word(second), empty, word(first), empty]
    const [mark] = yield* behind(node(words), [token])
    const hash = keccak256(code)
    assert.strictEqual(mark, `${first}-${hash}-${second}-${hash}`)
    assert.deepStrictEqual(yield* behind(node(Array(5).fill("0x")), [token]), [undefined])
  })
)

it.effect("a node that says nothing of a place, a beacon or a code has not answered", () =>
  Effect.gen(function* () {
    for (const silent of [
      node([word(first), null, empty, empty, empty]),
      node([word(first), "gone", empty, empty, empty]),
      node([empty, empty, empty, empty, word(second)]),
      node([word(first), empty, empty, empty, empty], null)
    ]) {
      const failed = yield* Effect.flip(behind(silent, [token]))
      assert.strictEqual(failed._tag, "RpcFailed")
    }
  })
)
