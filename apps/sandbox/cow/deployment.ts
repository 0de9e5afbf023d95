/**
 * CoW Protocol's own settlement contract at its own address on the local chain, tokens to trade and a pool to
 * trade them against. All stand at addresses that follow from their code, so that another start finds them.
 */
import { Effect } from "effect"
import type { Hex } from "viem"
import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  parseAbi,
  stringToHex
} from "viem/utils"
import { type Address, address } from "../../../adapters/evm/contract.ts"
import type { Anvil } from "../anvil.ts"
import { accounts, sendAll, type Transaction } from "../unlocked.ts"
import { allowListCode, poolCode, settlementCode, tokenCode } from "./contracts.ts"

export const settlement = "0x9008D19f58AAbD9eD0D60971565AA8510560ab41"
export const vaultRelayer = "0xC92E8bdf79f0507f65a392b0ab4667716BFE0110"

const allowList = "0x2c4c28DDBdAc9C5E7055b4C863b72eA0149D8aFE"
/** What the settlement contract was created with beside it; nothing stands there on the local chain. */
const balancerVault = "0xBA12222222228d8Ba445958a75a0704d566BF2C8"
/** Creates contracts at addresses that follow from their code; anvil has it from the start. */
const factory = "0x4e59b44847b379578588920cA78FbF26c0B4956C"
const settlementSalt = stringToHex("Mattresses in Berlin!", { size: 32 })
const localSalt = stringToHex("Bursar", { size: 32 })

const abi = parseAbi([
  "function initializeManager(address manager)",
  "function addSolver(address solver)",
  "function setPrice(address token, uint256 price)",
  "function priceOf(address token) view returns (uint256)",
  "function mint(address to, uint256 amount)"
])

export interface LocalToken {
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  /** Millionths of a dollar for one whole token. */
  readonly priceMicro: bigint
}

/** What the sandbox's wallets can buy with USDC. */
export const localTokens = [
  { symbol: "WETH", name: "Wrapped Ether", decimals: 18, priceMicro: 2_500_000_000n },
  { symbol: "EURC", name: "EURC", decimals: 6, priceMicro: 1_100_000n }
] as const satisfies ReadonlyArray<LocalToken>

export interface Deployed {
  readonly pool: Address
  readonly tokens: ReadonlyArray<LocalToken & { readonly address: Address }>
}

/** So many dollars' worth of each token is in the pool. */
const poolDollars = 1_000_000_000n

const at = (code: Hex, salt: Hex = localSalt): Address =>
  getContractAddress({ opcode: "CREATE2", from: factory, salt, bytecode: code })

const created = (code: string, types: ReadonlyArray<string>, values: ReadonlyArray<unknown>): Hex =>
  concat([
    address(code),
    encodeAbiParameters(
      types.map((type) => ({ type })),
      values
    )
  ])

const create = (from: Address, code: Hex, salt: Hex = localSalt): Transaction => ({
  from,
  to: factory,
  data: concat([salt, code]),
  gas: 8_000_000
})

const poolOf = (keeper: Address): Hex => created(poolCode, ["address"], [keeper])

const tokenOf = ({ name, symbol, decimals }: LocalToken, issuer: Address): Hex =>
  created(tokenCode, ["string", "string", "uint8", "address"], [name, symbol, decimals, issuer])

/** Where the tokens and the pool stand, or will. */
export const addresses = Effect.fnUntraced(function* (anvil: Anvil) {
  const { deployer, minter } = yield* accounts(anvil)
  const deployed: Deployed = {
    pool: at(poolOf(deployer)),
    tokens: localTokens.map((token) => ({ ...token, address: at(tokenOf(token, minter)) }))
  }
  return deployed
})

/** The transactions that make a token, price it and fill the pool with it. */
const furnishing = (
  { deployer, minter }: { readonly deployer: Address; readonly minter: Address },
  pool: Address,
  token: Deployed["tokens"][number]
): ReadonlyArray<Transaction> => {
  const { address: to, decimals, priceMicro } = token
  const whole = (poolDollars * 1_000_000n) / priceMicro
  const price = encodeFunctionData({ abi, functionName: "setPrice", args: [to, priceMicro] })
  const amount = whole * 10n ** BigInt(decimals)
  const mint = encodeFunctionData({ abi, functionName: "mint", args: [pool, amount] })
  return [
    create(deployer, tokenOf(token, minter)),
    { from: deployer, to: pool, data: price, gas: 100_000 },
    { from: minter, to, data: mint, gas: 200_000 }
  ]
}

/** Puts everything in place, once; the pool trades the chain's USDC too. */
export const deploy = Effect.fnUntraced(function* (anvil: Anvil, usdc: string) {
  const who = yield* accounts(anvil)
  const { deployer } = who
  const deployed = yield* addresses(anvil)
  const { pool, tokens } = deployed
  if ((yield* anvil.call("eth_getCode", pool, "latest")) !== "0x") return deployed
  yield* anvil.call("anvil_setCode", allowList, allowListCode)
  const settlementMade = created(settlementCode, ["address", "address"], [allowList, balancerVault])
  const named = (functionName: "initializeManager" | "addSolver"): Transaction => ({
    from: deployer,
    to: allowList,
    data: encodeFunctionData({ abi, functionName, args: [deployer] }),
    gas: 200_000
  })
  const dollar = encodeFunctionData({
    abi,
    functionName: "setPrice",
    args: [address(usdc), 1_000_000n]
  })
  yield* sendAll(anvil, [
    create(deployer, settlementMade, settlementSalt),
    named("initializeManager"),
    named("addSolver"),
    create(deployer, poolOf(deployer)),
    { from: deployer, to: pool, data: dollar, gas: 100_000 },
    ...tokens.flatMap((token) => furnishing(who, pool, token))
  ])
  const mint = encodeFunctionData({
    abi,
    functionName: "mint",
    args: [pool, poolDollars * 1_000_000n]
  })
  yield* sendAll(anvil, [{ from: who.minter, to: address(usdc), data: mint, gas: 200_000 }])
  return deployed
})

/** What the pool trades a token at; nought where it does not. */
export const priceOf = (anvil: Pick<Anvil, "call">, pool: Address, token: Address) => {
  const data = encodeFunctionData({ abi, functionName: "priceOf", args: [token] })
  return Effect.map(anvil.call("eth_call", { to: pool, data }, "latest"), (answer) =>
    BigInt(String(answer))
  )
}

/** Sets what the pool trades a token at. */
export const setPrice = Effect.fnUntraced(function* (
  anvil: Anvil,
  pool: Address,
  token: Address,
  priceMicro: bigint
) {
  const { deployer } = yield* accounts(anvil)
  const data = encodeFunctionData({ abi, functionName: "setPrice", args: [token, priceMicro] })
  yield* sendAll(anvil, [{ from: deployer, to: pool, data, gas: 100_000 }])
})

/** Makes a local token out of nothing. */
export const mint = Effect.fnUntraced(function* (
  anvil: Anvil,
  token: Address,
  to: string,
  amount: bigint
) {
  const { minter } = yield* accounts(anvil)
  const data = encodeFunctionData({ abi, functionName: "mint", args: [address(to), amount] })
  yield* sendAll(anvil, [{ from: minter, to: token, data, gas: 200_000 }])
})
