/** Reads which yield vaults the operator vouches for, or says what is wrong with the setting. */
import * as Address from "../../core/chains/address.ts"
import * as Chain from "../../core/chains/chain.ts"
import type { ListedVault } from "../../core/yields/vault.ts"
import { SettingRefused } from "./setting.ts"

const variable = "BURSAR_YIELD_VAULTS"

const refuse = (entry: string, message: string) =>
  new SettingRefused({ variable, message: `${variable} has the entry ${entry}: ${message}.` })

const protocolForm = /^[A-Za-z0-9.-]{1,32}$/u

const addressIn = (entry: string, chainId: string, text: string, what: string) => {
  const address = Address.parse(chainId, text)
  if (address !== undefined) return address
  throw refuse(entry, `the ${what} is no address of that chain, or its checksum is wrong`)
}

const listed = (entry: string): ListedVault => {
  const [chainId = "", kind = "", vault = "", protocol = "", token, ...rest] = entry.split(":")
  if (protocol === "" || rest.length > 0) {
    throw refuse(
      entry,
      "write chain:kind:0xvault:protocol, and after it :0xtoken if it is not USDC"
    )
  }
  if (!Chain.chains.some(({ id }) => id === chainId)) throw refuse(entry, "name a chain by its id")
  if (kind !== "erc4626" && kind !== "aave_v3") {
    throw refuse(entry, "the kind is erc4626 or aave_v3")
  }
  if (!protocolForm.test(protocol)) {
    throw refuse(entry, "a protocol is 1 to 32 letters, digits, dots or dashes")
  }
  const address = addressIn(entry, chainId, vault, "vault")
  if (token === undefined) return { chainId, kind, protocol, address }
  return { chainId, kind, protocol, address, asset: addressIn(entry, chainId, token, "token") }
}

/** The vaults of a setting; throws `SettingRefused` with a sentence. */
export const yieldVaults = (entries: ReadonlyArray<string>): ReadonlyArray<ListedVault> => {
  const all = entries.map(listed)
  const twice = all.find(({ address, chainId }, at) =>
    all.slice(0, at).some((other) => other.chainId === chainId && other.address === address)
  )
  if (twice !== undefined) throw refuse(`${twice.chainId}:${twice.address}`, "it is listed twice")
  return all
}
