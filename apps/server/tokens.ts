/**
 * Reads which tokens the operator vouches for, or says what is wrong: `chain:0xcontract:SYMBOL:decimals` each, and
 * for trades how it is approved (`none`, `eip2612`, `fiattoken`), its id at the sources of prices, and `by-zero`.
 */
import * as Address from "../../core/chains/address.ts"
import * as Chain from "../../core/chains/chain.ts"
import type { Permit } from "../../core/chains/family.ts"
import { isListed, type Listed, maxDecimals } from "../../core/tokens/token.ts"
import { SettingRefused } from "./setting.ts"

const variable = "BURSAR_TOKENS"

const refuse = (entry: string, message: string) =>
  new SettingRefused({ variable, message: `${variable} has the entry ${entry}: ${message}.` })

const symbolForm = /^[A-Za-z0-9.$+-]{1,16}$/u
const decimalsForm = /^(0|[1-9]\d?)$/u
const permits: ReadonlyArray<string> = ["none", "eip2612", "fiattoken"] satisfies Array<Permit>
const priceIdForm = /^[a-z0-9-]{0,64}$/u
const form = "chain:0xcontract:SYMBOL:decimals, and after that :permit, :price-id and :by-zero"

const listed = (entry: string): Listed => {
  const [chainId = "", contract = "", symbol = "", decimals = "", ...trading] = entry.split(":")
  const [permit = "none", priceId = "", byZero] = trading
  if (decimals === "" || trading.length > 3) throw refuse(entry, `write ${form}`)
  if (!Chain.chains.some(({ id }) => id === chainId)) throw refuse(entry, "name a chain by its id")
  const address = Address.parse(chainId, contract)
  if (address === undefined) {
    throw refuse(entry, "the contract is no address of that chain, or its checksum is wrong")
  }
  if (!symbolForm.test(symbol)) throw refuse(entry, "a symbol is 1 to 16 letters, digits or .$+-")
  if (!decimalsForm.test(decimals) || Number(decimals) > maxDecimals) {
    throw refuse(entry, `decimals are a whole number from 0 to ${maxDecimals}`)
  }
  if (!permits.includes(permit)) throw refuse(entry, `a permit is one of ${permits.join(", ")}`)
  if (!priceIdForm.test(priceId)) {
    throw refuse(entry, "a price id is up to 64 small letters, digits and dashes")
  }
  if (byZero !== undefined && byZero !== "by-zero") throw refuse(entry, "the last part is by-zero")
  if (isListed(chainId, address)) throw refuse(entry, "this token is known already")
  return {
    chainId,
    address,
    symbol,
    name: symbol,
    decimals: Number(decimals),
    permit: permit as Permit,
    priceId: priceId === "" ? null : priceId,
    approvesByZero: byZero !== undefined
  }
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
