/**
 * Claims: the link by which a human binds an agent's account to the console, mailed to the address the
 * agent named. One is good for 72 hours and once, and a later one ends it; nothing the agent wrote is in it.
 */
import { Effect } from "effect"
import type { Account } from "../accounts/account.ts"
import { defaultHours } from "../humans/enrolment.ts"
import { Humans } from "../humans/human-store.ts"
import { issueEnrolment, withdrawEnrolments } from "../humans/issue-enrolment.ts"
import { queueEmail } from "../mail/send.ts"
import { Deployment } from "../operation/deployment.ts"

const claimMailText = (
  account: Account,
  siteUrl: string,
  url: string
) => `An agent has opened an account at ${siteUrl} and named this address as its owner's.

Open this link to claim the account. You create a passkey, and can then see what the agent does, approve it, limit it, and stop it:

${url}

The link is good for ${defaultHours.claim} hours and works once; links that were sent before no longer work.

If you know nothing of this, do nothing: nobody claims the account without the link.

Account: ${account.id}${
  account.fundingWallet === null
    ? ""
    : `
Paid for by: ${account.fundingWallet.address} on ${account.fundingWallet.chainId}`
}
`

/**
 * Owes the account's human a new link; when it ends, or undefined when there is nobody to write to or
 * the account is claimed already. Call it inside a transaction.
 */
export const sendClaimLink = Effect.fnUntraced(function* (account: Account, actor: string) {
  const { contactEmail, id: accountId } = account
  const humans = yield* (yield* Humans).of(accountId)
  if (contactEmail === null || humans.some(({ joinedAt }) => joinedAt !== null)) return undefined
  const { siteUrl } = yield* Deployment
  yield* withdrawEnrolments(accountId, "claim", actor)
  const wanted = { accountId, purpose: "claim", name: contactEmail, email: contactEmail } as const
  // The account is there and has no humans, so nothing of this is refused.
  const { enrolment, url } = yield* Effect.orDie(issueEnrolment(wanted, actor))
  yield* queueEmail({
    accountId,
    purpose: "claim_link",
    to: contactEmail,
    subject: `Claim an agent's account at ${siteUrl.replace(/^https?:\/\//u, "")}`,
    text: claimMailText(account, siteUrl, url),
    expiresAt: enrolment.expiresAt
  })
  return enrolment.expiresAt
})
