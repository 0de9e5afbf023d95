/** Whether wallets may sign and caps be reserved on these records, and what is said when they may not. */
import { type Context, Effect } from "effect"
import { define } from "../operation/refusal.ts"
import { isUnread, type Standing, Timeline } from "./timeline.ts"

export class SendingHeld extends define("SENDING_HELD", {
  kind: "unavailable",
  meaning:
    "Nothing is sent for now, as the message says: the records come from a standby or a backup and the chains are still read, or another contract stands behind the USDC of a chain and the operator has not acknowledged it. Repeat the call unchanged later.",
  retryable: true
}) {}

/** What is said of a chain that was connected after the wait of the line, and was not read yet. */
export const notRead = (chainId: string) =>
  `${chainId} was not connected when the records were replaced by older ones; nothing is sent there until what was paid there before was read.`

const replaced =
  "Other records have taken the place of these, so nothing is sent from here. Stop this process, or run bursar hold-sending to take over again."

const behind =
  "The records may lack the newest payments, so nothing is sent until what was signed before has run out and the chains have been read."

const unfindable =
  "The key store of these records is not there, so nothing is sent. Mount the folder of BURSAR_TIMELINE_DIR, or run bursar hold-sending --new-key-store if it is lost."

const unanswered =
  "The key store cannot be read, so nothing is sent until it can. Repeat the call unchanged later."

/** What a log says besides of a key store that is away: these wait until it has given the records their line. */
export const alsoWaiting =
  "If these records were just promoted or restored, webhooks and audit checkpoints wait for it too."

const reasons: Readonly<Record<Standing["_tag"], string | undefined>> = {
  open: undefined,
  moved: behind,
  unkept: behind,
  unnamed: behind,
  missing: unfindable,
  silent: unanswered,
  held: behind,
  fenced: replaced
}

const standing = Effect.flatMap(Timeline, ({ look }) => look)

const reasonOn = (chainId: string, now: Standing) =>
  isUnread(now, chainId) ? notRead(chainId) : reasons[now._tag]

/** Why nothing may be sent now, on whatever chain; undefined when it may. */
export const whyHeld = Effect.map(standing, ({ _tag }) => reasons[_tag])

/** Why nothing may be signed for a chain now; undefined when it may. */
export const whyHeldOn = (chainId: string) => Effect.map(standing, (now) => reasonOn(chainId, now))

/** Why not even the relayer begins anything here; undefined unless other records have taken the place of these. */
export const whyReplaced = Effect.map(standing, ({ _tag }) =>
  _tag === "fenced" ? replaced : undefined
)

/** Dies with what `denied` makes of the reason when nothing may be signed for a chain; whoever holds keys asks it last. */
export const unfenced = (
  timeline: Context.Service.Shape<typeof Timeline>,
  chainId: string,
  denied: (why: string) => Error
) =>
  Effect.flatMap(Effect.provideService(whyHeldOn(chainId), Timeline, timeline), (why) =>
    why === undefined ? Effect.void : Effect.die(denied(why))
  )

/** How long something that is held is left alone. */
export const heldMs = 5000

/** Refuses what would reserve caps while their sums may lack payments that were made, on these chains or on all. */
export const requireSending = Effect.fnUntraced(function* (chainIds: ReadonlyArray<string> = []) {
  const now = yield* standing
  const unread = chainIds.find((chainId) => isUnread(now, chainId))
  const message = unread === undefined ? reasons[now._tag] : notRead(unread)
  if (message !== undefined) return yield* new SendingHeld({ message })
})
