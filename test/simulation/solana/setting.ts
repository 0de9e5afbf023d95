/**
 * The world of merchants on Solana: they are paid there, and an agent sends from a wallet of its own. Blocks come fast,
 * what is signed lives for a minute and a half, and the node that answers may be behind the one before it.
 */
import { Effect } from "effect"
import * as ScriptedChain from "../../../adapters/memory/scripted-chain.ts"
import { anAddressOn } from "../address.ts"
import { chanceOf } from "../chance.ts"
import { opened } from "../merchant-account.ts"
import { wrapped } from "../ports.ts"
import { type Profile, profileOf } from "../profile.ts"
import { connectionOf, type Setting } from "../setting.ts"
import { furnished } from "./furnishing.ts"
import { sometimesBehind } from "./nodes.ts"

const chainId = "local-solana"
const minute = 60_000
const chaosMs = 10 * minute

/** Final blocks of the scripted Solana are two behind the newest. */
const confirmations = 3

const profile = (seed: number): Profile => {
  const merchants = profileOf(seed)
  const paced = (forMs: number) => Math.round((forMs * chaosMs) / merchants.chaosMs)
  return {
    ...merchants,
    chaosMs,
    lookAgainMs: paced(merchants.lookAgainMs),
    pollMs: paced(merchants.pollMs),
    blockMs: paced(merchants.blockMs),
    expiryMinutes: Math.max(1, paced(merchants.expiryMinutes)),
    confirmations,
    lag: chanceOf(seed, "nodes").pick([0, 0.1, 0.5])
  }
}

export const payingOnSolana: Setting = {
  chainId,
  profile,
  chains: (of) => ScriptedChain.makeState([connectionOf(chainId, anAddressOn(chainId, 5), of)]),
  opened: Effect.tap(opened, ([, sender]) => furnished(sender, chainId)),
  ports: (below, wrap, nodes) => wrapped(sometimesBehind(below, nodes), wrap),
  told: Effect.void
}
