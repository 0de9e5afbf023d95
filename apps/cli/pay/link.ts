/**
 * A payment link as the program of a payer sees it: how the request stands, told whenever that changes, by the same
 * events that the page of the link listens to.
 */
import { Effect } from "effect"
import { misused, refused, unavailable } from "../exit.ts"

export interface Link {
  readonly siteUrl: string
  readonly pid: string
  readonly url: string
}

/** What of the page matters to a program. */
export interface Shown {
  readonly status: string
  readonly merchant: string
  readonly amount: string
  readonly symbol: string
  readonly chainName: string
  readonly payable: { readonly amount: string; readonly uri: string } | null
  readonly confirmations: { readonly seen: number; readonly needed: number } | null
  readonly receipt: { readonly txHash: string; readonly url: string | null } | null
}

const pathForm = /^\/pay\/(pr_[0-9A-Za-z]{22})$/u
const onThisMachine = new Set(["localhost", "127.0.0.1", "[::1]"])

/** Whoever stands between could write another address into a link that is not encrypted. */
export const linkOf = Effect.fnUntraced(function* (text: string) {
  const url = URL.parse(text)
  const pid = pathForm.exec(url?.pathname ?? "")?.[1]
  if (url === null || pid === undefined || !/^https?:$/u.test(url.protocol)) {
    return yield* misused(
      "A payment link looks like https://…/pay/pr_…: the paymentUrl of a payment request."
    )
  }
  if (url.protocol === "http:" && !onThisMachine.has(url.hostname)) {
    return yield* misused("This link is not encrypted; pay only links that begin with https://.")
  }
  return { siteUrl: url.origin, pid, url: `${url.origin}/pay/${pid}` } satisfies Link
})

const eventForm = /^event: shown$/mu
const dataForm = /^data: (.*)$/mu

const shownIn = (block: string): Shown | undefined =>
  eventForm.test(block) ? (JSON.parse(dataForm.exec(block)?.[1] ?? "null") as Shown) : undefined

async function* eventsOf({ url }: Link, signal: AbortSignal): AsyncGenerator<Shown, number> {
  const init = { headers: { accept: "text/event-stream" }, redirect: "manual" as const, signal }
  const response = await fetch(`${url}/events`, init)
  if (response.status !== 200 || response.body === null) return response.status
  let rest = ""
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + text).split("\n\n")
    rest = blocks.pop() ?? ""
    for (const block of blocks) {
      const shown = shownIn(block)
      if (shown !== undefined) yield shown
    }
  }
  return response.status
}

const notThere = (status: number) =>
  status === 404
    ? refused("There is no payment request behind this link.")
    : unavailable(`The service answered with status ${status}.`)

const away = (error: unknown) =>
  unavailable(`The service does not answer (${(error as Error).message}).`)

const pause = "1 second"

/**
 * Tells how the request stands until `see` says that this was the last to hear. Streams that end early are opened
 * again: each begins with the whole of what is shown.
 */
export const followed = <E, R>(link: Link, see: (shown: Shown) => Effect.Effect<boolean, E, R>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const stop = yield* Effect.acquireRelease(
        Effect.sync(() => new AbortController()),
        (controller) => Effect.sync(() => controller.abort())
      )
      while (true) {
        const events = eventsOf(link, stop.signal)
        while (true) {
          const next = yield* Effect.tryPromise({ try: () => events.next(), catch: away })
          if (next.done === true) {
            if (next.value !== 200) return yield* notThere(next.value)
            break
          }
          if (yield* see(next.value)) return
        }
        yield* Effect.sleep(pause)
      }
    })
  )

/** How it stands at this moment. */
export const readLink = Effect.fnUntraced(function* (link: Link) {
  let found: Shown | undefined
  yield* followed(link, (shown) =>
    Effect.sync(() => {
      found = shown
      return true
    })
  )
  return found as unknown as Shown
})
