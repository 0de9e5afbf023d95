/** A warrant for tests of the signing side alone, where there are no stores to read. */
import { Effect, Layer } from "effect"
import { SigningDenied } from "../../core/submissions/signing-denied.ts"
import { SigningPolicy } from "../../core/treasury/signing-policy.ts"

/** The proposal that this warrant never covers. */
export const signingDenied = "signingDenied"

/** Warrants every order but those of one proposal. */
export const trusting = Layer.succeed(SigningPolicy, {
  demand: ({ proposalId }) =>
    proposalId === signingDenied
      ? Effect.die(new SigningDenied(proposalId, "a test says so"))
      : Effect.void
})
