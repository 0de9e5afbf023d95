/** Until when a request can be paid, and how long that still is by the server's clock. */
import type { Live } from "./live.ts"
import type { CheckoutView } from "./shown.ts"

/** `2026-11-21T01:54:00.000Z` as `2026-11-21 01:54 UTC`. */
export const minuteOf = (instant: string) => `${instant.slice(0, 16).replace("T", " ")} UTC`

const twoDigits = (count: number) => String(count).padStart(2, "0")

/** How long is left, as short as it can be told. */
export const leftOf = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const hours = Math.floor(seconds / 3600)
  if (hours >= 48) return `${Math.floor(hours / 24)} days`
  if (hours >= 1) return `${hours} h ${Math.floor(seconds / 60) % 60} min`
  return `${Math.floor(seconds / 60)}:${twoDigits(seconds % 60)}`
}

interface Props {
  readonly shown: CheckoutView
  readonly live: Live | undefined
}

export const Expiry = ({ shown, live }: Props) => {
  const leftMs = live === undefined ? undefined : Date.parse(shown.expiresAt) - live.nowMs
  return (
    <p class="soft expiry">
      Expires <time dateTime={shown.expiresAt}>{minuteOf(shown.expiresAt)}</time>
      {leftMs !== undefined &&
        (leftMs > 0 ? (
          <>
            {" · "}
            <span role="timer" aria-live="off">
              {leftOf(leftMs)}
            </span>
            {" left"}
          </>
        ) : (
          " · expired: do not send money"
        ))}
    </p>
  )
}
