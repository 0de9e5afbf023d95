/** Whether the relayer can pay is judged by the most a transaction may cost, to the last wei. */
import { assert, it } from "@effect/vitest"
import { canPay } from "../../../core/evm/prepare.ts"

const conditions = (relayerWei: bigint, dataFeeWei = 0n) => ({
  maxFeePerGas: 3n,
  maxPriorityFeePerGas: 1n,
  relayerCount: 0,
  relayerMined: 0,
  chainTime: 0,
  relayerWei,
  dataFeeWei
})

it("gas at the highest fee, and what the chain asks for bytes beside it", () => {
  assert.isTrue(canPay(conditions(300n), 100n))
  assert.isFalse(canPay(conditions(299n), 100n))
  assert.isFalse(canPay(conditions(300n, 1n), 100n))
  assert.isTrue(canPay(conditions(301n, 1n), 100n))
})
