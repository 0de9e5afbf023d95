/** Until when a request can be paid, and how long that still is by the server's clock. */
import { leftOf } from "./left.ts"
import type { Live } from "./live.ts"
import { Moment } from "./moment.tsx"
import type { CheckoutView } from "./shown.ts"
import { Filled } from "./words/filled.tsx"
import { filled, type Words } from "./words/words.ts"

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
