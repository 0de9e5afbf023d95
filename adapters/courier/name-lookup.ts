/**
 * Turns a name into its addresses with c-ares. The system's own lookup would take a thread of the pool
 * that files and cryptography share, so that a few hanging names could stall the whole treasury.
 */
import { Resolver } from "node:dns/promises"

/** Every address a name has right now; rejects, or gives none, when it has none. */
export type Lookup = (name: string) => Promise<ReadonlyArray<string>>

const answersOf = (outcome: PromiseSettledResult<ReadonlyArray<string>>) =>
  outcome.status === "fulfilled" ? outcome.value : []

/** A name server that answers for one family only is enough; IPv4 comes first, as it is reached more often. */
export const make = (): Lookup => {
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  return async (name) => {
    const families = [resolver.resolve4(name), resolver.resolve6(name)]
    return (await Promise.allSettled(families)).flatMap(answersOf)
  }
}
