/** Reads which tokens the operator vouches for, `chain:0xcontract:SYMBOL:decimals` each, or says what is wrong. */
import * as Address from "../../core/chains/address.ts"
import * as Chain from "../../core/chains/chain.ts"
import { isListed, type Listed, maxDecimals } from "../../core/tokens/token.ts"
import { SettingRefused } from "./setting.ts"

const variable = "BURSAR_TOKENS"

const refuse = (entry: string, message: string) =>
  new SettingRefused({ variable, message: `${variable} has the entry ${entry}: ${message}.` })

const symbolForm = /^[A-Za-z0-9.$+-]{1,16}$/u
const decimalsForm = /^(0|[1-9]\d?)$/u

const listed = (entry: string): Listed => {
  const [chainId = "", contract = "", symbol = "", decimals = "", ...rest] = entry.split(":")
  if (decimals === "" || rest.length > 0) {
    throw refuse(entry, "write chain:0xcontract:SYMBOL:decimals")
  }
  if (!Chain.chains.some(({ id }) => id === chainId)) throw refuse(entry, "name a chain by its id")
  const address = Address.parse(chainId, contract)
  if (address === undefined) {
    throw refuse(entry, "the contract is no address of that chain, or its checksum is wrong")
  }
  if (!symbolForm.test(symbol)) throw refuse(entry, "a symbol is 1 to 16 letters, digits or .$+-")
  if (!decimalsForm.test(decimals) || Number(decimals) > maxDecimals) {
    throw refuse(entry, `decimals are a whole number from 0 to ${maxDecimals}`)
  }
  if (isListed(chainId, address)) throw refuse(entry, "this token is known already")
  return { chainId, address, symbol, name: symbol, decimals: Number(decimals) }
}

/** The tokens of a setting; throws `SettingRefused` with a sentence. */
export const tokens = (entries: ReadonlyArray<string>): ReadonlyArray<Listed> => {
  const all = entries.map(listed)
  const twice = all.find(({ chainId, address }, at) =>
    all.slice(0, at).some((other) => other.chainId === chainId && other.address === address)
  )
  if (twice !== undefined) throw refuse(`${twice.chainId}:${twice.address}`, "it is listed twice")
  return all
}
