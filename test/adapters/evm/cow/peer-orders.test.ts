/** Our orders against what CoW Protocol's own library said of them, kept as one hash over a thousand (`tools/cow/orders.ts`). */
import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { privateKeyToAddress, sign } from "viem/accounts"
import { digestOf, uidOf } from "../../../../adapters/evm/cow/order.ts"
import { hashOf, keyAt, orderAt } from "../../../support/random-orders.ts"

const vector = JSON.parse(
  readFileSync(new URL("../../../vectors/cow-orders.json", import.meta.url), "utf8")
) as { readonly orders: number; readonly seed: string; readonly hash: string }

it("a thousand random orders have the digests, uids and signatures of the protocol's own library", async () => {
  const { hash, orders, seed } = vector
  assert.strictEqual(orders, 1000)
  const made = await Promise.all(
    Array.from({ length: orders }, async (_, number) => {
      const privateKey = keyAt(seed, number)
      const order = orderAt(seed, number, privateKeyToAddress(privateKey))
      const digest = digestOf(order)
      return {
        digest,
        uid: uidOf(order),
        signature: await sign({ hash: digest, privateKey, to: "hex" })
      }
    })
  )
  assert.strictEqual(hashOf(made), hash)
})
