/**
 * A second passkey of a human: one they have signs that they want another, and they get a one-time link
 * for it, to be opened here or on another device. A stolen session alone gets none.
 */
import { Effect } from "effect"
import type { AssertionAnswer } from "../ports/credential-response.ts"
import type { SignedIn } from "./authenticate.ts"
import { take } from "./begin-ceremony.ts"
import { askToSign } from "./credential-options.ts"
import { actorOf } from "./human.ts"
import { Humans } from "./human-store.ts"
import { issueEnrolment } from "./issue-enrolment.ts"
import { using, verify } from "./verify.ts"

const contentOf = ({ human }: SignedIn) => ({ accountId: human.accountId, humanId: human.id })

export const beginAddingPasskey = Effect.fnUntraced(function* (signedIn: SignedIn) {
  const { holder, human } = signedIn
  const passkeys = yield* (yield* Humans).passkeysOf(human.id)
  const asked = { purpose: "add_passkey", subject: null, humanId: human.id, holder } as const
  return yield* askToSign(asked, contentOf(signedIn), passkeys)
})

/** The link, good for an hour. */
export const allowAnotherPasskey = Effect.fnUntraced(function* (
  signedIn: SignedIn,
  ceremonyId: string,
  answer: AssertionAnswer
) {
  const { holder, human } = signedIn
  const asked = { purpose: "add_passkey", holder, humanId: human.id } as const
  const ceremony = yield* take(ceremonyId, asked)
  const proof = yield* verify(ceremony, contentOf(signedIn), answer)
  const { accountId, id: humanId, name } = human
  const wanted = { accountId, purpose: "second_passkey", humanId, name } as const
  return yield* using(proof, issueEnrolment(wanted, actorOf(humanId)))
})
