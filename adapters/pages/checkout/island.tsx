/**
 * The checkout page in the browser: it takes the server's page over, tells the time that is left,
 * follows the request live, and hands a payer's wallet the call or the transaction the server made.
 */
import { hydrate, render } from "preact"
import { Checkout, isFinal } from "./checkout.tsx"
import { follow } from "./follow.ts"
import type { Live } from "./live.ts"
import type { CheckoutView } from "./shown.ts"
import { payByStandard, standardWallets } from "./standard-wallet.ts"
import { iconOf, titleOf } from "./tab.ts"
import { payWith, signClaim, walletsFound } from "./wallet.ts"
import { filled, type Words } from "./words/words.ts"

interface Facts {
  readonly shown: CheckoutView
  /** Names what is shown; the stream goes on from there. */
  readonly version: string
  readonly nowMs: number
  readonly language: string
  readonly words: Words
}

const facts = JSON.parse(document.getElementById("facts")?.textContent ?? "") as Facts
const place = document.getElementById("page") as HTMLElement
// The server's clock decides what has expired; the browser's only counts on from it.
const aheadMs = facts.nowMs - Date.now()

const { language, words } = facts
const clock = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" })

let view = facts.shown
let live: Live = {
  timeOf: (instant) => clock.format(Date.parse(instant)),
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
      note: done ? filled(words.copied, { what }) : words.notCopied
    })
  },
  pay: (walletId) => act(() => payBy(walletId)),
  sign: () => act(() => signClaim(words)),
  print: () => print()
}

/** By a call or by a whole transaction, as the chain's wallets have it. */
const payBy = (walletId: string): Promise<Partial<Live>> => {
  const { chainName, payable, pid, symbol, walletChain: chain } = view
  return payable === null || chain === null
    ? payWith(walletId, pid, words)
    : payByStandard(walletId, { pid, chain, chainName, amount: payable.amount, symbol }, words)
}

const renderAgain = () => render(<Checkout shown={view} live={live} words={words} />, place)

const nameTab = () => {
  document.title = titleOf(view, words)
  document.querySelector("link[rel=icon]")?.setAttribute("href", iconOf(view))
}

const change = (some: Partial<Live>) => {
  live = { ...live, ...some }
  renderAgain()
}

/** One thing at a time; what it came to is told. */
const act = async (doing: () => Promise<Partial<Live>>) => {
  if (live.busy) return
  change({ busy: true, note: words.confirmInWallet })
  change({ ...(await doing()), busy: false })
}

hydrate(<Checkout shown={view} live={undefined} words={words} />, place)
renderAgain()

if (view.isFollowed) {
  const ticking = setInterval(() => change({ nowMs: Date.now() + aheadMs }), 1000)
  const tell = (wallets: Live["wallets"]) => change({ wallets })
  if (isFinal(view.status)) clearInterval(ticking)
  else if (view.walletChain === null) walletsFound(tell)
  else standardWallets(tell)
  follow(`/pay/${view.pid}/events`, facts.version, {
    connection: (connection) => change({ connection }),
    shown: (next) => {
      const isNews = next.status !== view.status
      view = next
      nameTab()
      if (isFinal(next.status)) clearInterval(ticking)
      change(isNews ? { note: "", stage: "choose" } : {})
      return !next.isFollowed
    }
  })
}
