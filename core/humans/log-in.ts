/** Signs a human in: any passkey of this treasury, whosever it is, says who they are. */
import { Effect } from "effect"
import { Deployment } from "../operation/deployment.ts"
import type { AssertionAnswer } from "../ports/credential-response.ts"
import { take } from "./begin-ceremony.ts"
import { askToSign } from "./credential-options.ts"
import type { Human } from "./human.ts"
import { Humans } from "./human-store.ts"
import { openSession } from "./open-session.ts"
import { using, verify } from "./verify.ts"

const content = Effect.map(Deployment, ({ siteUrl }) => ({ siteUrl }))

/** Asks the browser for any passkey it has for this site. */
export const beginLogin = Effect.fnUntraced(function* (holder: string) {
  return yield* askToSign(
    { purpose: "login", subject: null, humanId: null, holder },
    yield* content,
    []
  )
})

export const logIn = Effect.fnUntraced(function* (
  ceremonyId: string,
  answer: AssertionAnswer,
  holder: string
) {
  const ceremony = yield* take(ceremonyId, { purpose: "login", holder })
  const proof = yield* verify(ceremony, yield* content, answer)
  const { accountId, humanId } = proof.passkey
  const opened = yield* using(proof, openSession(proof.passkey))
  // A passkey and its human are tied by a foreign key.
  const human = (yield* (yield* Humans).find(accountId, humanId)) as Human
  return { ...opened, human, passkey: proof.passkey }
})
