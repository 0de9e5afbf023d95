/** The local contracts that burn and mint, put on a chain that was saved when only some of them were there. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { encodeFunctionData, parseAbi } from "viem/utils"
import * as CctpContracts from "../../../../apps/sandbox/bridges/cctp-contracts.ts"
import * as Code from "../../../../apps/sandbox/bridges/contract-code.ts"
import * as TwoAnvils from "../../../support/two-anvils.ts"

const reading = parseAbi([
  "function localMinter() view returns (address)",
  "function minterAllowance(address minter) view returns (uint256)"
])

it.live("what was put in place but not set up is set up by the next start, and no start more", () =>
  Effect.gen(function* () {
    const one = yield* TwoAnvils.open("local")
    const { tokenMessenger } = CctpContracts.localDomain("local")
    const other = { chainId: "local-2", usdc: one.usdc }
    yield* one.anvil.call("anvil_setCode", tokenMessenger, Code.localTokenMessenger)
    yield* CctpContracts.deploy(one, [other])
    yield* CctpContracts.deploy(one, [other])
    const read = (to: string, data: string) =>
      Effect.map(one.anvil.call("eth_call", { to, data }, "latest"), (word) => BigInt(String(word)))
    const minter = yield* read(
      tokenMessenger,
      encodeFunctionData({ abi: reading, functionName: "localMinter" })
    )
    const address: `0x${string}` = `0x${minter.toString(16).padStart(40, "0")}`
    const allowed = yield* read(
      one.usdc,
      encodeFunctionData({ abi: reading, functionName: "minterAllowance", args: [address] })
    )
    assert.isAbove(Number(allowed), 0)
  }).pipe(Effect.scoped)
)
