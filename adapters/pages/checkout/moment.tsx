/** An instant: in UTC until the browser says where it is, then in the payer's own time with UTC at hand. */
import type { Live } from "./live.ts"

/** `2026-11-21T01:54:00.000Z` as `2026-11-21 01:54 UTC`. */
export const minuteOf = (instant: string) => `${instant.slice(0, 16).replace("T", " ")} UTC`

interface Props {
  readonly instant: string
  readonly live: Live | undefined
}

export const Moment = ({ instant, live }: Props) => (
  <time dateTime={instant} title={live === undefined ? undefined : minuteOf(instant)}>
    {live === undefined ? minuteOf(instant) : live.timeOf(instant)}
  </time>
)
