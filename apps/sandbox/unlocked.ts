/**
 * The two unlocked accounts of the local EVM chain, and transactions from them: sent in order, mined in one
 * block, and each executed, or it is a defect.
 */
import { Effect, Predicate } from "effect"
import { type Address, address } from "../../adapters/evm/contract.ts"
import type { Anvil } from "./anvil.ts"

export interface Transaction {
  readonly from: Address
  readonly to?: Address
  readonly data: string
  readonly gas: number
}

export const sendAll = Effect.fnUntraced(function* (
  anvil: Anvil,
  transactions: ReadonlyArray<Transaction>
) {
  // One by one: anvil works on a batch concurrently, and the order here is the order of the nonces.
  const hashes = yield* Effect.forEach(transactions, ({ gas, ...transaction }) =>
    anvil.call("eth_sendTransaction", { ...transaction, gas: `0x${gas.toString(16)}` })
  )
  yield* anvil.call("evm_mine")
  const receipts = yield* Effect.orDie(
    anvil.rpc(hashes.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] })))
  )
  for (const receipt of receipts) {
    if (Predicate.hasProperty(receipt, "status") && receipt.status === "0x1") continue
    return yield* Effect.die(new Error("A transaction of the local chain was not executed."))
  }
  return hashes
})

export const accounts = Effect.fnUntraced(function* (anvil: Anvil) {
  const unlocked = yield* anvil.call("eth_accounts")
  const [deployer, minter] = Array.isArray(unlocked) ? unlocked.map(String) : []
  if (deployer === undefined || minter === undefined) {
    return yield* Effect.die(new Error("The local chain has no unlocked accounts."))
  }
  return { deployer: address(deployer), minter: address(minter) }
})
