/**
 * Anvil may leave a transaction waiting for one that is mined already. It is handed over again with those behind it, and
 * what waits for a nonce nobody has used stays as it is.
 */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { generatePrivateKey, privateKeyToAddress, signTransaction } from "viem/accounts"
import * as Anvil from "../../../apps/sandbox/anvil.ts"
import { release } from "../../../apps/sandbox/left-waiting.ts"

const privateKey = generatePrivateKey()
const sender = privateKeyToAddress(privateKey)

const signed = (nonce: number) =>
  Effect.promise(() =>
    signTransaction({
      privateKey,
      transaction: {
        type: "eip1559",
        chainId: Anvil.chainId,
        nonce,
        to: sender,
        gas: 21_000n,
        maxFeePerGas: 100_000_000_000n,
        maxPriorityFeePerGas: 1_000_000_000n
      }
    })
  )

it.effect("what waits for a nonce that is used is mined, and what waits for another is not", () =>
  Effect.gen(function* () {
    const { call } = yield* Anvil.start()
    yield* call("anvil_setBalance", sender, `0x${(10n ** 20n).toString(16)}`)
    for (const nonce of [5, 6, 9]) yield* call("eth_sendRawTransaction", yield* signed(nonce))
    expect(yield* release(call)).toEqual([])

    // The chain goes on without telling its pool, as it does where both happen at once.
    yield* call("anvil_setNonce", sender, "0x5")
    yield* call("evm_mine")
    expect(yield* call("txpool_status")).toEqual({ pending: "0x0", queued: "0x3" })

    expect(yield* release(call)).toEqual([sender.toLowerCase()])
    expect(yield* call("txpool_status")).toEqual({ pending: "0x2", queued: "0x1" })
    yield* call("evm_mine")
    expect(Number(yield* call("eth_getTransactionCount", sender, "latest"))).toBe(7)
    expect(yield* release(call)).toEqual([])
  })
)
