/** The operator's commands that work on the treasury's records, so that a running service can do them as well. */
import { accounts } from "./accounts.ts"
import { archiveAudit } from "./archive-audit.ts"
import { backup } from "./backup.ts"
import { exportBooks } from "./export.ts"
import { holdSending } from "./hold-sending.ts"
import { humans } from "./humans.ts"
import { keys } from "./keys.ts"
import { mail } from "./mail.ts"
import { pause, resume } from "./pause.ts"
import { plans } from "./plan.ts"
import { reclaimMarks } from "./reclaim-marks.ts"
import { reconcile } from "./reconcile.ts"
import { relayers } from "./relayers.ts"
import { stuckTrades } from "./stuck-trades.ts"
import { tiers } from "./tier.ts"
import { unreadChains } from "./unread-chains.ts"
import { usdc } from "./usdc.ts"

export const recordCommands = [
  accounts,
  humans,
  keys,
  tiers,
  plans,
  mail,
  pause,
  resume,
  reconcile,
  holdSending,
  usdc,
  relayers,
  stuckTrades,
  unreadChains,
  reclaimMarks,
  exportBooks,
  archiveAudit,
  backup
] as const
