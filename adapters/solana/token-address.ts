/** Where the tokens of an owner lie: its one associated account for each mint. Derived once, as it takes a millisecond. */
import { address, isOffCurveAddress } from "@solana/kit"
import { Effect } from "effect"
import { tokenAccountOf } from "./derived.ts"

const maxKept = 100_000

/** Remembers what it has derived for a mint. */
export const associated = (mint: string) => {
  const known = new Map<string, string>()
  return (owner: string): Effect.Effect<string> => {
    const found = known.get(owner)
    if (found !== undefined) return Effect.succeed(found)
    return Effect.sync(() => {
      const account = tokenAccountOf(owner, mint)
      if (known.size >= maxKept) known.clear()
      known.set(owner, account)
      return account
    })
  }
}

/** Whether no key can belong to an address, as it is with a program's own. */
export const isOffCurve = (owner: string): boolean => isOffCurveAddress(address(owner))
