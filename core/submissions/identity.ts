/**
 * What is derived from things a caller keeps, under the identity key, so that it is the same again when the
 * database is lost: nonces of payments and ids of wallets. Changing a letter of this pays proposals that are under
 * way twice; the vectors in `test/vectors/identity.json` hold it.
 */
import { Effect, Layer, Redacted } from "effect"
import type { Family } from "../chains/chain.ts"
import { canonical } from "../encoding/canonical.ts"
import { Secrets } from "../ports/secrets.ts"
import { type Facts, Identity, version } from "../timeline/identity.ts"

/** The call that proposed something: the operation and the idempotency key it came with. */
export interface ProposingCall {
  readonly operation: string
  readonly idempotencyKey: string
}

/**
 * Of what a proposal does on a chain; without an idempotency key nothing of it survives the loss of its row. A
 * proposal of several acts names each but the main one by its part.
 */
export const ofProposal = (
  proposal: {
    readonly id: string
    readonly accountId: string
    readonly call: ProposingCall | null
  },
  part: string | null = null
): Facts => [
  version,
  ...(proposal.call === null
    ? [proposal.id]
    : [proposal.accountId, proposal.call.operation, proposal.call.idempotencyKey]),
  ...(part === null ? [] : [part])
]

/** Of a customer's vault; the ids byte for byte as they were received. */
export const ofVault = (
  accountId: string,
  family: Family,
  { externalId, namespace }: { readonly externalId: string; readonly namespace: string }
): Facts => [version, accountId, family, "collection", namespace, externalId]

/** Of an account's own wallet, by the idempotency key it was opened with, or by its id. */
export const ofStandardWallet = (accountId: string, family: Family, key: string): Facts => [
  version,
  accountId,
  family,
  "standard",
  key
]

/** Of the address by which payments name a payment request (Solana Pay); no key belongs to it. */
export const ofReference = (requestId: string): Facts => [version, "reference", requestId]

/** 248 bits, eight hardened levels of a seed. */
const walletIdDigits = 62

/** The id under which a backend opens the key of a wallet. */
export const walletId = (identity: Identity["Service"], facts: Facts): string =>
  identity.derive(facts).slice(0, walletIdDigits)

const keyBytes = 32

/** As many are known again at most: each rule that a send passes asks for its own anew. */
const maxKnown = 1000

const remembering = (derive: (text: string) => string): Identity["Service"]["derive"] => {
  const known = new Map<string, string>()
  return (facts) => {
    const text = canonical(facts)
    const before = known.get(text)
    if (before !== undefined) return before
    const identity = derive(text)
    const [oldest] = known.keys()
    if (known.size === maxKnown && oldest !== undefined) known.delete(oldest)
    known.set(text, identity)
    return identity
  }
}

/** HMAC-SHA256 under the identity key, 32 bytes that are made with the wallet root and never change. */
export const layer = (
  identityKey: Redacted.Redacted<Uint8Array>
): Layer.Layer<Identity, never, Secrets> =>
  Layer.effect(
    Identity,
    Effect.map(Secrets, ({ sign }) => {
      const key = Redacted.value(identityKey)
      if (key.length !== keyBytes) throw new Error(`An identity key has ${keyBytes} bytes.`)
      return { derive: remembering((text) => sign(key, text)) }
    })
  )
