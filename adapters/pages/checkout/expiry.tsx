/** Until when a request can be paid, and how long that still is by the server's clock. */
import type { Live } from "./live.ts"
import { Moment } from "./moment.tsx"
import type { CheckoutView } from "./shown.ts"
import { Filled } from "./words/filled.tsx"
import { filled, type Words } from "./words/words.ts"

const twoDigits = (count: number) => String(count).padStart(2, "0")

/** How long is left, as short as it can be told. */
export const leftOf = (ms: number, words: Words): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const hours = Math.floor(seconds / 3600)
  if (hours >= 48) return filled(words.days, { count: Math.floor(hours / 24) })
  if (hours >= 1) return filled(words.hours, { hours, minutes: Math.floor(seconds / 60) % 60 })
  return `${Math.floor(seconds / 60)}:${twoDigits(seconds % 60)}`
}

interface Props {
  readonly shown: CheckoutView
  readonly live: Live | undefined
  readonly words: Words
}

export const Expiry = ({ shown, live, words }: Props) => {
  const leftMs = live === undefined ? undefined : Date.parse(shown.expiresAt) - live.nowMs
  return (
    <p class="soft expiry">
      <Filled
        text={words.expires}
        values={{ time: <Moment instant={shown.expiresAt} live={live} /> }}
      />
      {leftMs !== undefined &&
        (leftMs > 0 ? (
          <>
            {" · "}
            <span role="timer" aria-live="off">
              {filled(words.timeLeft, { time: leftOf(leftMs, words) })}
            </span>
          </>
        ) : (
          ` · ${words.timeUp}`
        ))}
    </p>
  )
}
