/** A signing policy for tests of the signing side alone, where there are no stores to read. */
import { Effect, Layer } from "effect"
import * as Secrets from "../../adapters/memory/secrets.ts"
import * as Wiring from "../../apps/testing/wiring.ts"
import * as Identity from "../../core/submissions/identity.ts"
import { SigningDenied } from "../../core/submissions/order.ts"
import { SigningPolicy } from "../../core/treasury/signing-policy.ts"

/** Secrets, and an identity under a key that every test knows. */
export const identified = Identity.layer(Wiring.identityKey).pipe(Layer.provideMerge(Secrets.layer))

/** The proposal that this policy never covers. */
export const signingDenied = "signingDenied"

/** Warrants every order but those of one proposal. */
export const trusting = Layer.succeed(SigningPolicy, {
  assertAllowed: ({ proposalId }) =>
    proposalId === signingDenied
      ? Effect.die(new SigningDenied(proposalId, "a test says so"))
      : Effect.void,
  assertReclaimAllowed: () => Effect.void
})
