/** What a simulated world is made of beside its seed: its chains, its accounts, and the ports that may fail. */
import { Effect } from "effect"
import * as ScriptedChain from "../../adapters/memory/scripted-chain.ts"
import * as Chain from "../../core/chains/chain.ts"
import type { Wrap } from "../support/port-wrapper.ts"
import { type MerchantAccount, opened } from "./merchant-account.ts"
import { type Ports, type Wired, wrapped } from "./ports.ts"
import { type Profile, profileOf } from "./profile.ts"

/** The nodes of a process: which chain they follow, and how many blocks the one that is asked now is behind. */
export interface Nodes {
  readonly chain: ScriptedChain.State
  readonly blocksBehind: () => number
}

export interface Setting {
  /** Where merchants are paid. */
  readonly chainId: string
  readonly profile: (seed: number) => Profile
  readonly chains: (profile: Profile) => ScriptedChain.State
  /** Opened once, before anything is simulated. */
  readonly opened: Effect.Effect<readonly [MerchantAccount, MerchantAccount], never, Ports>
  /** What may go wrong is put around the calls of these ports. */
  readonly ports: (below: Wired, wrap: Wrap, nodes: Nodes) => Wired
  /** What each process is told of the world when it begins, such as prices. */
  readonly told: Effect.Effect<void, never, Ports>
}

/** A chain as the profile has it. */
export const connectionOf = (
  chainId: string,
  usdc: string,
  { confirmations, pollMs }: Profile
): ScriptedChain.Connection => {
  const chain = Chain.find(chainId)
  if (chain === undefined) throw new Error(`There is no chain ${chainId}.`)
  return { chain, usdc, confirmations, pollMs }
}

/** Merchants are paid on one chain. */
export const paying: Setting = {
  chainId: "local",
  profile: profileOf,
  chains: (profile) =>
    ScriptedChain.makeState([connectionOf("local", `0x${"05".repeat(20)}`, profile)]),
  opened,
  ports: wrapped,
  told: Effect.void
}
