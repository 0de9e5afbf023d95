/** A warrant for tests of the signing side alone, where there are no books to read. */
import { Effect, Layer } from "effect"
import { Unwarranted } from "../../core/submissions/unwarranted.ts"
import { Warrant } from "../../core/treasury/warrant.ts"

/** The proposal that this warrant never covers. */
export const unwarranted = "unwarranted"

/** Warrants every order but those of one proposal. */
export const trusting = Layer.succeed(Warrant, {
  demand: ({ proposalId }) =>
    proposalId === unwarranted
      ? Effect.die(new Unwarranted(proposalId, "a test says so"))
      : Effect.void
})
