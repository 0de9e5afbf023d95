/** Tells an account, once a day for each chain, that its payments wait because the relayer cannot pay their fees. */
import { DateTime, Effect } from "effect"
import { giveNotice } from "../notices/give-notice.ts"
import { Atomically } from "../ports/atomically.ts"
import type { Submission } from "./submission.ts"

export const tellRelayerLow = Effect.fnUntraced(function* ({
  chainId,
  purpose
}: Pick<Submission, "chainId" | "purpose">) {
  if (purpose.accountId === null) return
  const day = DateTime.formatIsoDate(yield* DateTime.now)
  const telling = giveNotice({
    accountId: purpose.accountId,
    type: "relayer_low",
    subject: `${chainId} ${day}`,
    role: "owner",
    summary: `Payments on ${chainId} wait because the relayer cannot pay network fees. Whoever runs the service must fund it.`,
    path: "/console/proposals"
  })
  yield* (yield* Atomically).run(telling)
})
