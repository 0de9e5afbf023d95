/**
 * The checkout page in the browser: it takes the server's page over, tells the time that is left,
 * follows the request live, and hands a payer's wallet the call the server made.
 */
import { hydrate, render } from "preact"
import { Checkout, isFinal } from "./checkout.tsx"
import { follow } from "./follow.ts"
import type { Live } from "./live.ts"
import type { CheckoutView } from "./shown.ts"
import { payWith, signClaim, walletsFound } from "./wallet.ts"

interface Facts {
  readonly shown: CheckoutView
  /** Names what is shown; the stream goes on from there. */
  readonly version: string
  readonly nowMs: number
}

const facts = JSON.parse(document.getElementById("facts")?.textContent ?? "") as Facts
const place = document.getElementById("page") as HTMLElement
// The server's clock decides what has expired; the browser's only counts on from it.
const aheadMs = facts.nowMs - Date.now()

let shown = facts.shown
let live: Live = {
  nowMs: facts.nowMs,
  connection: "connecting",
  wallets: [],
  note: "",
  busy: false,
  stage: "choose",
  copy: async (what, text) => {
    const done = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false
    )
    change({
      note: done
        ? `${what} copied.`
        : "Your browser did not allow copying; select the text instead."
    })
  },
  pay: (walletId) => act(() => payWith(walletId, shown.pid)),
  sign: () => act(signClaim)
}

const draw = () => render(<Checkout shown={shown} live={live} />, place)

const change = (some: Partial<Live>) => {
  live = { ...live, ...some }
  draw()
}

/** One thing at a time; what it came to is told. */
const act = async (doing: () => Promise<Partial<Live>>) => {
  if (live.busy) return
  change({ busy: true, note: "Confirm in your wallet…" })
  change({ ...(await doing()), busy: false })
}

hydrate(<Checkout shown={shown} live={undefined} />, place)
draw()

if (!isFinal(shown.status)) {
  const ticking = setInterval(() => change({ nowMs: Date.now() + aheadMs }), 1000)
  walletsFound((wallets) => change({ wallets }))
  follow(`/pay/${shown.pid}/events`, facts.version, {
    connection: (connection) => change({ connection }),
    shown: (next) => {
      const isNews = next.status !== shown.status
      shown = next
      if (isFinal(next.status)) clearInterval(ticking)
      change(isNews ? { note: "", stage: "choose" } : {})
      return isFinal(next.status)
    }
  })
}
