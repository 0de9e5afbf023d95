/**
 * Whether wallets may sign on a chain: not while another contract stands behind its USDC than the one that was accepted.
 * Other chains go on, and so does what moves no money of a wallet.
 */
import { Effect } from "effect"
import { InvalidRequest, NotFound } from "../operation/refusal.ts"
import { SendingHeld } from "../timeline/sending.ts"
import { type UsdcImplementation, UsdcImplementations } from "./usdc-implementation-store.ts"

/** What was seen, for people to read: a proxy that names several contracts is known by all of them. */
export const named = (implementation: string): string => implementation.replaceAll("-", " with ")

const reasonOf = ({ accepted, chainId, seen }: UsdcImplementation): string =>
  `The contract behind USDC on ${chainId} was ${named(accepted)} and is ${named(seen)}. No wallet signs on ${chainId} until the operator has compared it with what the issuer announced and run bursar usdc acknowledge ${chainId}.`

/** Why no wallet may sign on a chain now; undefined when it may. */
export const whyStopped = Effect.fnUntraced(function* (chainId: string) {
  const found = yield* (yield* UsdcImplementations).find(chainId)
  return found === undefined || found.accepted === found.seen ? undefined : reasonOf(found)
})

/** Refuses what would have wallets sign for one of these chains while it is stopped. */
export const requireUnstopped = Effect.fnUntraced(function* (chainIds: ReadonlyArray<string>) {
  for (const chainId of new Set(chainIds)) {
    const message = yield* whyStopped(chainId)
    if (message !== undefined) return yield* new SendingHeld({ message })
  }
})

/** Accepts what was seen last behind the USDC of a chain; how it stood before. Call it inside a transaction. */
export const acknowledge = Effect.fnUntraced(function* (chainId: string) {
  const { accept, find } = yield* UsdcImplementations
  const found = yield* find(chainId)
  if (found === undefined) {
    return yield* new NotFound({
      param: "chain",
      message: `No contract behind USDC was seen on ${chainId} yet; name a connected chain, as the log line USDC_IMPLEMENTATION_CHANGED does.`
    })
  }
  if (found.accepted === found.seen) return found
  if (!(yield* accept(chainId, found.seen))) {
    return yield* new InvalidRequest({
      param: "chain",
      message: `Yet another contract was seen on ${chainId} meanwhile; compare that one, and run the command again.`
    })
  }
  return found
})
