/** The button that pays with test money: pressed twice it pays once, and after a failure it may be pressed again. */
import { assert, it } from "vitest"
import { payingOnce } from "../../../apps/sandbox/trial-payer.ts"

const due = { pid: "pr_1", chainId: "local", to: "0x1", amountMicro: 5n, uri: "" }

it("pays once for fifty presses, and again for another amount or another request", async () => {
  const paid: Array<string> = []
  const pay = payingOnce(async ({ amountMicro, pid }) => paid.push(`${pid} ${amountMicro}`))
  await Promise.all(Array.from({ length: 50 }, () => pay(due)))
  await pay({ ...due, amountMicro: 2n })
  await pay({ ...due, pid: "pr_2" })
  assert.deepStrictEqual(paid, ["pr_1 5", "pr_1 2", "pr_2 5"])
})

it("sends one payment at a time, and tries again what failed", async () => {
  let under = 0
  let tries = 0
  const pay = payingOnce(async () => {
    under += 1
    assert.strictEqual(under, 1)
    await Promise.resolve()
    under -= 1
    tries += 1
    if (tries === 1) throw new Error("The chain is away.")
  })
  const [first, second] = await Promise.allSettled([pay(due), pay({ ...due, pid: "pr_2" })])
  assert.deepStrictEqual([first?.status, second?.status], ["rejected", "fulfilled"])
  await pay(due)
  assert.strictEqual(tries, 3)
})
