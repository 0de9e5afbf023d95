/** The list of tokens, held against the contracts of a chain as the service holds it: what differs is not traded. */
import { Effect, Layer } from "effect"
import { type AddressKey, familyOf, shown } from "../../core/chains/address.ts"
import { ProxiedCode } from "../../core/ports/proxied-code.ts"
import { contradictedOn } from "../../core/tokens/check-list.ts"
import * as Pinned from "../../core/tokens/pinned.ts"
import {
  knownAt,
  type Listed,
  type Pinned as Token,
  TokenSettings
} from "../../core/tokens/token.ts"
import { type Finding, ok, problem, warning } from "./finding.ts"
import type { Node } from "./wiring.ts"

const patience = "10 seconds"

/** Which are held to no code, so that an operator who knows it may say it; mints have none. */
const codeless = (tokens: ReadonlyArray<Token>): string => {
  const open = tokens.filter(
    ({ chainId, isUsdc, says }) =>
      !isUsdc && (says?.codeHash ?? null) === null && familyOf(chainId).takesApprovals
  )
  if (open.length === 0) return ""
  return ` Held to no code: ${open.map(({ symbol }) => symbol).join(", ")}; an entry with code- in BURSAR_TOKENS holds one to it.`
}

/** What stands behind proxies that may become another contract unseen, as an entry would say it. */
const unheld = Effect.fnUntraced(function* (chainId: string, tokens: ReadonlyArray<Token>) {
  const open = tokens.filter(({ isUsdc, says }) => !isUsdc && says?.behind === undefined)
  const addresses = open.map(({ address }) => address)
  const asking = (yield* ProxiedCode).behind(chainId, addresses)
  // What is wrong with a node is found by itself.
  const told = yield* Effect.orElseSucceed(asking, () => [])
  const proxies = open.flatMap(({ symbol }, at) =>
    told[at] === undefined ? [] : [`${symbol} (behind-${told[at]})`]
  )
  return proxies.length === 0
    ? ""
    : ` Proxies that are held to no contract behind them: ${proxies.join(", ")}; compare each with what its issuer says, and that mark in its entry in BURSAR_TOKENS holds it to it.`
})

/** What is shipped has no entry to be corrected. */
const adviceFor = (address: AddressKey, chainId: string): string =>
  knownAt(chainId, address) === undefined
    ? "Correct or remove its entry in BURSAR_TOKENS."
    : "Compare the contract with what its issuer says of it. If its issuer has renamed it, list it in BURSAR_TOKENS with any-symbol; if its entry there names what was behind it before, name what the issuer has put there; if neither, leave it alone."

/** Asked of the first node of a chain; that one which does not answer is found by itself. */
export const examine = (
  { chainId, chains, holdings, n, proxied }: Node,
  listed: ReadonlyArray<Listed>
): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function* () {
    if (n > 1) return []
    const part = `tokens ${chainId}`
    const all = (yield* Pinned.on(chainId)) ?? []
    const differing = yield* contradictedOn(chainId)
    if (differing === undefined) {
      return [warning(part, "No node answered, so the list of tokens was not checked.")]
    }
    if (differing.length === 0) {
      const open = `${codeless(all)}${yield* unheld(chainId, all)}`
      return [ok(part, `Nothing contradicts the ${all.length} tokens of the list.${open}`)]
    }
    return differing.map(({ address, decimals, symbol }) =>
      problem(
        part,
        `${symbol} at ${shown(chainId, address)} is not what the list says: its contract is not there, or has other than ${decimals} decimals, another symbol or other code, its own or behind it. Nothing of it is traded. ${adviceFor(address, chainId)}`
      )
    )
  }).pipe(
    Effect.provide(
      Layer.mergeAll(
        ...[chains, holdings, Layer.succeed(TokenSettings, { tokens: listed })],
        proxied ?? Layer.empty
      )
    ),
    Effect.timeout(patience),
    Effect.orElseSucceed(() => [])
  )
