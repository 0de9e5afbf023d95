/**
 * Reads which tokens the operator vouches for, or says what is wrong: `chain:0xcontract:SYMBOL:decimals` each, and
 * for trades how it is approved (`none`, `eip2612`, `fiattoken`), its id at the sources of prices, and what else is
 * said of its contract: `by-zero`, `any-symbol`, `code-` and the hash of its code, `behind-` and what a proxy hands its
 * work to. Of a shipped token only the last three.
 */
import * as Address from "../../core/chains/address.ts"
import * as Chain from "../../core/chains/chain.ts"
import type { Permit } from "../../core/chains/family.ts"
import type { Says } from "../../core/ports/holdings.ts"
import { isUsdc, knownAt, type Listed, maxDecimals } from "../../core/tokens/token.ts"
import { SettingRefused } from "./setting.ts"

const variable = "BURSAR_TOKENS"

const refuse = (entry: string, message: string) =>
  new SettingRefused({ variable, message: `${variable} has the entry ${entry}: ${message}.` })

const symbolForm = /^[A-Za-z0-9.$+-]{1,16}$/u
const decimalsForm = /^(0|[1-9]\d?)$/u
const permits: ReadonlyArray<string> = ["none", "eip2612", "fiattoken"] satisfies Array<Permit>
const priceIdForm = /^[a-z0-9-]{0,64}$/u
const form = "chain:0xcontract:SYMBOL:decimals, and after that :permit, :price-id and marks"

const codeForm = /^code-(0x[0-9a-f]{64})$/u
const behindForm = /^behind-(0x[0-9a-f]{40}-0x[0-9a-f]{64}(?:-0x[0-9a-f]{40}-0x[0-9a-f]{64})*)$/u

/** What is said of a contract beside how it is approved and priced, in any order. */
const marksOf = (entry: string, chainId: string, symbol: string, marks: ReadonlyArray<string>) => {
  const code = marks.find((mark) => codeForm.test(mark))
  const proxied = marks.find((mark) => behindForm.test(mark))
  const hashes = [code, proxied].filter((mark) => mark !== undefined)
  const known = new Set(["by-zero", "any-symbol", ...hashes])
  if (marks.some((mark) => !known.delete(mark))) {
    throw refuse(
      entry,
      "after the price id stand by-zero, any-symbol, code-0x with the Keccak-256 of the contract's code, and behind-0x with what bursar doctor says is behind a proxy, each once at most"
    )
  }
  const { takesApprovals } = Address.familyOf(chainId)
  if (hashes.length > 0 && !takesApprovals) throw refuse(entry, "a mint has no code of its own")
  const says: Says = {
    symbol: marks.includes("any-symbol") ? null : symbol,
    codeHash: code === undefined ? null : code.slice("code-".length),
    ...(proxied === undefined ? {} : { behind: proxied.slice("behind-".length) })
  }
  return { approvesByZero: marks.includes("by-zero"), says }
}

/** What is shipped stays as it is: an entry of it only says to what more its contract is held. */
const requireAsKnown = (
  entry: string,
  said: Pick<Listed, "chainId" | "address" | "symbol" | "decimals">,
  [permit, priceId = "", ...marks]: ReadonlyArray<string>
): void => {
  const known = knownAt(said.chainId, said.address)
  if (known === undefined) return
  const isAsKnown =
    said.symbol === known.symbol &&
    said.decimals === known.decimals &&
    (permit === undefined || permit === known.permit) &&
    (priceId === "" || priceId === known.priceId) &&
    !marks.includes("by-zero")
  if (isAsKnown && marks.length > 0) return
  throw refuse(
    entry,
    `this token is known already as ${known.symbol}:${known.decimals}:${known.permit}:${known.priceId ?? ""}; an entry of it begins so, and ends with any-symbol, code- or behind-`
  )
}

const listed = (entry: string): Listed => {
  const [chainId = "", contract = "", symbol = "", decimals = "", ...trading] = entry.split(":")
  const [permit = "none", priceId = "", ...marks] = trading
  if (decimals === "") throw refuse(entry, `write ${form}`)
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
  if (isUsdc(chainId, address)) throw refuse(entry, "USDC is known already")
  requireAsKnown(entry, { chainId, address, symbol, decimals: Number(decimals) }, trading)
  return {
    chainId,
    address,
    symbol,
    name: symbol,
    decimals: Number(decimals),
    permit: permit as Permit,
    priceId: priceId === "" ? null : priceId,
    ...marksOf(entry, chainId, symbol, marks)
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
