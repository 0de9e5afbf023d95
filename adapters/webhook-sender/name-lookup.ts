/**
 * Turns a name into its addresses with c-ares. The system's own lookup would take a thread of the pool
 * that files and cryptography share, so that a few hanging names could stall the whole treasury.
 */
import { Resolver } from "node:dns/promises"

/** Every address a name has right now; rejects, or gives none, when it has none. */
export type Lookup = (name: string) => Promise<ReadonlyArray<string>>

const answersOf = (outcome: PromiseSettledResult<ReadonlyArray<string>>) =>
  outcome.status === "fulfilled" ? outcome.value : []

/**
 * Asks the machine's name servers, or those given as `address:port`. An answer for one family is enough;
 * IPv4 comes first, as it is reached more often.
 */
export const make = (nameServers?: ReadonlyArray<string>): Lookup => {
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  if (nameServers !== undefined) resolver.setServers(nameServers)
  return async (name) => {
    const families = [resolver.resolve4(name), resolver.resolve6(name)]
    return (await Promise.allSettled(families)).flatMap(answersOf)
  }
}
