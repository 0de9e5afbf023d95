/**
 * Follows a request by server-sent events. A lost connection is taken up where it ended, as the browser
 * sends the last version it was told; a server that has no room is asked again later.
 */
import type { Live } from "./live.ts"
import type { CheckoutView } from "./shown.ts"

interface Listener {
  readonly connection: (state: Live["connection"]) => void
  /** Takes what is to be shown; true when nothing more will come. */
  readonly shown: (next: CheckoutView) => boolean
}

/** How long a server that refused is left alone. */
const patienceMs = 5_000

export const follow = (address: string, version: string, listener: Listener): void => {
  let last = version
  const open = () => {
    const source = new EventSource(`${address}?after=${encodeURIComponent(last)}`)
    source.onopen = () => listener.connection("live")
    source.onerror = () => {
      listener.connection("lost")
      // A browser tries a lost stream again by itself, but not one that was refused.
      if (source.readyState === EventSource.CLOSED) setTimeout(open, patienceMs)
    }
    source.addEventListener("shown", (event) => {
      last = event.lastEventId
      if (listener.shown(JSON.parse(event.data) as CheckoutView)) source.close()
    })
  }
  open()
}
