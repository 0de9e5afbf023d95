/** Whether somebody else has to approve a proposal, so that its page offers no approval that would be refused. */
import { Effect } from "effect"
import { actorOf } from "../../../core/humans/human.ts"
import type { Visit } from "./parts/guard.ts"
import type { Output } from "./parts/list.ts"

type History = Output<"get_proposal_history">["history"]

/** The person who looks proposed it, and the account has others who can sign and has not said that one is enough. */
export const needsAnother = Effect.fnUntraced(function* (
  { calls, signedIn }: Visit,
  history: History
) {
  if (history[0]?.actor !== actorOf(signedIn.human.id)) return false
  const { settings } = yield* calls.get_account({})
  if (!settings.secondPersonSigns) return false
  const { people } = yield* calls.list_people({ limit: 100 })
  return people.filter(({ role, status }) => status === "active" && role !== "viewer").length > 1
})

/** What the person who proposed it is told in place of an approval. */
export const anotherApproves = (isConfirmed: boolean): string =>
  isConfirmed
    ? "You proposed this; another owner or approver approves it."
    : "You proposed this; another owner or approver approves it. Confirm it to ask them."
