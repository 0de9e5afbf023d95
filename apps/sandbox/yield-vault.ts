/**
 * A vault of the local chain that earns on USDC (ERC-4626, `tools/yields/YieldVault.sol`). It stands at one
 * address for one USDC, so that it is deployed once and found again.
 */
import { Effect } from "effect"
import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  pad,
  parseAbi
} from "viem/utils"
import { address } from "../../adapters/evm/contract.ts"
import type { Anvil } from "./anvil.ts"
import * as CircleUsdc from "./circle-usdc.ts"
import built from "./yield-vault.json" with { type: "json" }

type Hex = `0x${string}`

const abi = parseAbi([
  "function earn(uint256 amount, uint64 spreadSeconds)",
  "function deposit(uint256 assets, address receiver) returns (uint256 shares)",
  "function withdraw(uint256 assets, address receiver, address owner) returns (uint256 shares)",
  "function approve(address spender, uint256 value) returns (bool)"
])

/** Anvil has it from its first block: who calls it decides nothing about the address. */
const deployer = address("0x4e59b44847b379578588920cA78FbF26c0B4956C")
const salt = pad("0x01")

/** Built by tools/yields and committed; imported, so that it is in the bundle wherever that lies. */
const bytecode = built.bytecode as Hex

const creation = (usdc: string, name: string): Hex =>
  concat([
    bytecode,
    encodeAbiParameters(
      [{ type: "address" }, { type: "string" }, { type: "string" }],
      [address(usdc), name, `y${name.replaceAll(/[^A-Z]/gu, "")}`]
    )
  ])

const usual = "Local USDC Vault"

/** Where the vault of this USDC stands, deployed or not. */
export const addressOf = (usdc: string, name = usual): string =>
  getContractAddress({
    opcode: "CREATE2",
    from: deployer,
    salt,
    bytecode: creation(usdc, name)
  }).toLowerCase()

interface Call {
  readonly from: string
  readonly to: string
  readonly data: Hex
}

/** Sends transactions of unlocked or impersonated accounts, each mined before the next. */
const send = Effect.fnUntraced(function* (anvil: Anvil, calls: ReadonlyArray<Call>) {
  for (const call of calls) {
    const hash = yield* anvil.call("eth_sendTransaction", { ...call, gas: "0x7a1200" })
    yield* anvil.call("evm_mine")
    const receipt = yield* anvil.call("eth_getTransactionReceipt", hash)
    if ((receipt as { readonly status?: unknown } | null)?.status === "0x1") continue
    return yield* Effect.die(new Error("A transaction of the yield vault was not executed."))
  }
})

/** Deploys the vault unless it is there; its address. */
export const deploy = Effect.fnUntraced(function* (
  anvil: Anvil,
  from: string,
  usdc: string,
  name = usual
) {
  const vault = addressOf(usdc, name)
  const code = yield* anvil.call("eth_getCode", vault, "latest")
  if (code === "0x") {
    yield* send(anvil, [{ from, to: deployer, data: concat([salt, creation(usdc, name)]) }])
  }
  return vault
})

const approving = (from: string, usdc: string, vault: string, amount: bigint): Call => ({
  from,
  to: usdc,
  data: encodeFunctionData({ abi, functionName: "approve", args: [address(vault), amount] })
})

/** Puts USDC into the vault for somebody; who pays must be an unlocked account. */
export const deposit = (
  anvil: Anvil,
  at: { readonly usdc: string; readonly vault: string },
  from: string,
  to: string,
  amountMicro: bigint
) =>
  send(anvil, [
    approving(from, at.usdc, at.vault, amountMicro),
    {
      from,
      to: at.vault,
      data: encodeFunctionData({ abi, functionName: "deposit", args: [amountMicro, address(to)] })
    }
  ])

/** Lets the shares earn so much over a time. */
export const earn = (
  anvil: Anvil,
  at: { readonly usdc: string; readonly vault: string },
  from: string,
  amountMicro: bigint,
  overSeconds: number
) =>
  send(anvil, [
    approving(from, at.usdc, at.vault, amountMicro),
    {
      from,
      to: at.vault,
      data: encodeFunctionData({
        abi,
        functionName: "earn",
        args: [amountMicro, BigInt(overSeconds)]
      })
    }
  ])

const yearSeconds = 31_536_000
/** What others have in it from the start, and what that earns in a year: five percent. */
const othersMicro = 10_000_000_000n
const yearlyMicro = 500_000_000n

/** The vault of the sandbox, which earns for a year from the day it is made. */
export const open = Effect.fnUntraced(function* (anvil: Anvil, usdc: string) {
  const accounts = yield* anvil.call("eth_accounts")
  // The first one made USDC's proxy, which therefore never lets it use the token.
  const from = Array.isArray(accounts) ? String(accounts[1]) : ""
  const vault = addressOf(usdc)
  const at = { usdc, vault }
  if ((yield* anvil.call("eth_getCode", vault, "latest")) === "0x") {
    yield* deploy(anvil, from, usdc)
    yield* CircleUsdc.mint(anvil, usdc, from, othersMicro + yearlyMicro)
    yield* deposit(anvil, at, from, from, othersMicro)
    yield* earn(anvil, at, from, yearlyMicro, yearSeconds)
  }
  return {
    address: vault,
    /** Puts new USDC into it for somebody. */
    depositFor: Effect.fnUntraced(function* (to: string, amountMicro: bigint) {
      yield* CircleUsdc.mint(anvil, usdc, from, amountMicro)
      yield* deposit(anvil, at, from, to, amountMicro)
    })
  }
})

export type Opened = Effect.Success<ReturnType<typeof open>>
