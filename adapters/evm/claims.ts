/** What tokens' contracts say of themselves, held against the list: decimals, and where the list has them symbol, code and what is behind it. */
import { keccak256 } from "viem/utils"
import type { KnownToken } from "../../core/ports/holdings.ts"
import * as Described from "./described.ts"
import * as Multicall from "./multicall.ts"

interface Claim {
  readonly decimals: bigint | undefined
  /** Empty when it gives none. */
  readonly symbol: string
  readonly codeHash: string | undefined
  /** Of the contract behind it, if that was asked for and it has one. */
  readonly behind: string | undefined
}

export type Claims = ReadonlyMap<string, Claim>

const addressesOf = (tokens: ReadonlyArray<KnownToken>) =>
  tokens.flatMap(({ address }) => address ?? [])

const hashOf = (code: unknown): string | undefined =>
  typeof code === "string" && /^0x(?:[0-9a-f]{2})+$/iu.test(code)
    ? keccak256(code as `0x${string}`)
    : undefined

/** What is asked of contracts about themselves, and what their answers come to. */
export const questionsOf = (tokens: ReadonlyArray<KnownToken>) => {
  const all = addressesOf(tokens)
  const named = addressesOf(tokens.filter(({ says }) => (says?.symbol ?? null) !== null))
  const coded = addressesOf(tokens.filter(({ says }) => (says?.codeHash ?? null) !== null))
  const proxies = addressesOf(tokens.filter(({ says }) => says?.behind !== undefined))
  return {
    reads: [...all.map(Multicall.decimalsOf), ...named.map(Multicall.symbolOf)],
    codes: coded.map((address) => ({ method: "eth_getCode", params: [address, "latest"] })),
    proxies,
    claimsOf: (
      answers: ReadonlyArray<unknown>,
      codes: ReadonlyArray<unknown>,
      behind: ReadonlyArray<string | undefined>
    ): Claims =>
      new Map(
        all.map((address, at) => {
          const [name, code] = [named.indexOf(address), coded.indexOf(address)]
          const claim: Claim = {
            decimals: Described.number(answers[at]),
            symbol: name === -1 ? "" : Described.text(answers[all.length + name]),
            codeHash: code === -1 ? undefined : hashOf(codes[code]),
            behind: behind[proxies.indexOf(address)]
          }
          return [address, claim] as const
        })
      )
  }
}

/** Whether a contract says otherwise than is known of its token. */
export const contradicts = ({ address, decimals, says }: KnownToken, claims: Claims): boolean => {
  const claim = claims.get(address ?? "")
  if (claim?.decimals !== BigInt(decimals)) return true
  const { codeHash = null, symbol = null } = says ?? {}
  if (codeHash !== null && claim.codeHash !== codeHash) return true
  if (says?.behind !== undefined && claim.behind !== says.behind) return true
  return (
    symbol !== null && claim.symbol !== "" && claim.symbol.toLowerCase() !== symbol.toLowerCase()
  )
}
