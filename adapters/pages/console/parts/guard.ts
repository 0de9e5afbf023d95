/**
 * From a request for a console page to who is signed in, and the answer to everybody else. The session's
 * cookie is strict, so whoever comes by a link from another site is led through our own page once.
 */
import "../../tsx.ts"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Account } from "../../../../core/accounts/account.ts"
import { Accounts } from "../../../../core/accounts/account-store.ts"
import { callerOf, type SignedIn } from "../../../../core/humans/authenticate.ts"
import { Deployment } from "../../../../core/operation/deployment.ts"
import type { NotFound, Refusal } from "../../../../core/operation/refusal.ts"
import * as Timestamp from "../../../../core/time/timestamp.ts"
import { type Calls, callsOf } from "../../../../core/treasury/treasury.ts"
import * as Browser from "../../../console/browser.ts"
import { type Page, page } from "../../site/page.ts"
import type { Who } from "./frame.tsx"

const { NotHere } = await import("./frame.tsx")

/** Somebody who is signed in, and what they may read. */
export interface Visit {
  readonly signedIn: SignedIn
  readonly account: Account
  readonly who: Who
  readonly calls: Calls
}

const looks = { style: "console.css", script: "console.js" } as const

/** A page of the console; without scripts it is asked for again as often as it says. */
export const consolePage = (
  title: string,
  children: Page["children"],
  more: Pick<Page, "facts" | "refreshSeconds" | "rules" | "script"> = {}
) => page({ ...looks, title: `${title} · Bursar`, children, ...more })

const path = /^\/console(\/[0-9A-Za-z_-]+)*$/u

/** Where to go on after signing in; nowhere else than in the console. */
export const nextOf = (text: string | null): string =>
  text !== null && path.test(text) ? text : "/console"

/** Leads to the sign-in page; `from` says that a page of another site led here. */
const toLogin = ({ headers, url }: HttpServerRequest.HttpServerRequest) => {
  const next = nextOf(url.split("?")[0] ?? null)
  const site = headers["sec-fetch-site"]
  const from = site === "cross-site" || site === "same-site" ? "&from=elsewhere" : ""
  return HttpServerResponse.empty({
    status: 303,
    headers: {
      location: `/console/login?next=${encodeURIComponent(next)}${from}`,
      "cache-control": "no-store"
    }
  })
}

/** What somebody who is signed in sees pages by. */
export const visitOf = Effect.fnUntraced(function* (signedIn: SignedIn) {
  const { human } = signedIn
  // A human and their account are tied by a foreign key.
  const account = (yield* (yield* Accounts).find(human.accountId)) as Account
  const { name, pausedAt } = account
  return {
    signedIn,
    account,
    who: {
      human: human.name,
      role: human.role,
      account: name,
      pausedAt: pausedAt === null ? null : Timestamp.format(pausedAt),
      isTest: !(yield* Deployment).livemode
    },
    calls: callsOf(callerOf(signedIn))
  } satisfies Visit
})

const notHere = ({ _tag, kind, message }: Refusal) =>
  page(
    { ...looks, title: "Nothing here · Bursar", children: NotHere({ message }) },
    _tag === "NOT_FOUND" ? 404 : kind === "forbidden" ? 403 : 503
  )

/** What the address of a page says after its path. */
export const queryOf = ({ url }: HttpServerRequest.HttpServerRequest) =>
  new URLSearchParams(url.split("?")[1] ?? "")

/** A page that only people who are signed in see. */
export const guarded = <R>(
  at: `/${string}`,
  show: (
    visit: Visit,
    id: string
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, Refusal | NotFound, R>
) =>
  HttpRouter.add(
    "GET",
    at,
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { id = "" } = yield* HttpRouter.params
      const signedIn = yield* Effect.result(Browser.signedIn(request))
      if (signedIn._tag === "Failure") return toLogin(request)
      const visit = yield* visitOf(signedIn.success)
      return yield* Effect.catch(show(visit, id), (refusal) => Effect.succeed(notHere(refusal)))
    })
  )
