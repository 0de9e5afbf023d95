/** Another of Circle's own implementations behind a deployed USDC, as its proxy's admin puts it there. */
import { Effect, Predicate } from "effect"
import { encodeFunctionData, parseAbi } from "viem/utils"
import { address } from "../../adapters/evm/contract.ts"
import type { Anvil } from "../../apps/sandbox/anvil.ts"
import { artifact, linked } from "../../apps/sandbox/circle-usdc.ts"
import { accounts } from "../../apps/sandbox/unlocked.ts"

const abi = parseAbi(["function upgradeTo(address implementation)"])

const sent = Effect.fnUntraced(function* (anvil: Anvil, transaction: Record<string, unknown>) {
  const txHash = yield* anvil.call("eth_sendTransaction", { gas: "0x5b8d80", ...transaction })
  yield* anvil.call("evm_mine")
  return yield* anvil.call("eth_getTransactionReceipt", txHash)
})

/** Puts a contract on the chain, and says where. */
const created = Effect.fnUntraced(function* (anvil: Anvil, from: string, data: string) {
  const receipt = yield* sent(anvil, { from, data })
  const made = Predicate.hasProperty(receipt, "contractAddress") ? receipt.contractAddress : ""
  return address(String(made))
})

/** Puts FiatToken v2.1 behind the proxy; its address. */
export const upgrade = Effect.fnUntraced(function* (anvil: Anvil, token: string) {
  const { deployer } = yield* accounts(anvil)
  const checker = artifact("util/SignatureChecker.sol/SignatureChecker.json")
  const library = yield* created(anvil, deployer, checker.bytecode)
  const contract = artifact("v2/FiatTokenV2_1.sol/FiatTokenV2_1.json")
  const implementation = yield* created(anvil, deployer, linked(contract, library))
  const data = encodeFunctionData({ abi, functionName: "upgradeTo", args: [implementation] })
  const upgraded = yield* sent(anvil, { from: deployer, to: token, data })
  if (!Predicate.hasProperty(upgraded, "status") || upgraded.status !== "0x1") {
    return yield* Effect.die(new Error("The token was not upgraded."))
  }
  return implementation.toLowerCase()
})
