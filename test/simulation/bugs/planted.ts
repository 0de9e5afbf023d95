/** All planted bugs, in the order they are told of; the code under test has no switch for any of them. */
import * as Audit from "./audit.ts"
import type { Bug } from "./bug.ts"
import * as Commits from "./commits.ts"
import * as Payments from "./payments.ts"
import * as Webhooks from "./webhooks.ts"

export const bugs: ReadonlyArray<Bug> = [
  Commits.auditOutside,
  Commits.eventAfterCommit,
  Commits.answerOutside,
  Commits.taskBeforeWork,
  Audit.passedOver,
  Audit.rewritten,
  Audit.confusedHashes,
  Payments.noDedupe,
  Payments.cursorBeforeTransfers,
  Payments.forgetfulReorganisation,
  Payments.expiryByWallClock,
  Payments.guessing,
  Webhooks.markedBeforePost,
  Webhooks.staleLease,
  Webhooks.staleTimestamp,
  Webhooks.hastyRetry,
  Webhooks.gappyVersions
]
