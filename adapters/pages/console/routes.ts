/** Serves the console's pages. They are read here and written by posts elsewhere; a page changes nothing. */
import "../tsx.ts"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { Humans } from "../../../core/humans/human-store.ts"
import { Scope } from "../../../core/operation/caller.ts"
import * as Timestamp from "../../../core/time/timestamp.ts"
import type { Calls } from "../../../core/treasury/treasury.ts"
import { governanceShown } from "./governance-shown.ts"
import { consolePage, guarded, nextOf } from "./guard.ts"
import type { Waiting } from "./home.tsx"
import type { Choice, ListedKey } from "./keys.tsx"
import { proposalShown } from "./proposal-shown.ts"

const { Enrol, Login } = await import("./doors.tsx")
const { Home } = await import("./home.tsx")
const { Proposal } = await import("./proposal.tsx")
const { Governance } = await import("./governance.tsx")
const { Keys } = await import("./keys.tsx")
const { Passkeys } = await import("./passkeys.tsx")

const enrol = HttpRouter.add(
  "GET",
  "/console/enrol",
  Effect.sync(() => consolePage("Create your passkey", Enrol()))
)

const login = HttpRouter.add(
  "GET",
  "/console/login",
  Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) => {
    const asked = new URLSearchParams(url.split("?")[1] ?? "")
    const goesOn = asked.get("from") === "elsewhere"
    return consolePage("Sign in", Login(), { next: nextOf(asked.get("next")), goesOn })
  })
)

const most = { limit: 50 }

/** Proposals in one state, the newest first. */
const waiting = (calls: Calls, status: "pending_confirm" | "requires_action", what: string) =>
  Effect.map(calls.list_proposals({ status, ...most }), ({ proposals }) =>
    proposals.map(
      ({ expiresAt, proposalId, summary }): Waiting => ({
        href: `/console/proposals/${proposalId}`,
        summary,
        what,
        until: expiresAt
      })
    )
  )

const home = guarded("/console", ({ calls, who }) =>
  Effect.gen(function* () {
    const { governance_requests } = yield* calls.list_governance_requests(most)
    const { pending_cosigner_approvals } = yield* calls.list_pending_cosigner_approvals(most)
    const props = {
      who,
      proposals: [
        ...(yield* waiting(calls, "requires_action", "Approval pending")),
        ...(yield* waiting(calls, "pending_confirm", "Not confirmed yet"))
      ],
      requests: governance_requests.map(
        ({ expiresAt, requestId, summary }): Waiting => ({
          href: `/console/governance/${requestId}`,
          summary,
          what: "Signature pending",
          until: expiresAt
        })
      ),
      votes: pending_cosigner_approvals.map(({ approvals, expiresAt, ...vote }) => ({
        ...vote,
        approvals: approvals.length,
        until: expiresAt
      }))
    }
    return consolePage("Console", Home(props))
  })
)

const proposal = guarded("/console/proposals/:id", (visit, id) =>
  Effect.map(proposalShown(visit, id), (props) => consolePage(props.title, Proposal(props)))
)

const governance = guarded("/console/governance/:id", (visit, id) =>
  Effect.map(governanceShown(visit, id), (props) => consolePage("Governance", Governance(props)))
)

const choicesOf = (
  rows: ReadonlyArray<{ id: string; address: string; name?: string; label?: string }>
) =>
  rows.map(({ address, id, label, name }): Choice => ({ id, address, name: name ?? label ?? id }))

const nameOf = ({ lastFour, prefix }: { readonly lastFour: string; readonly prefix: string }) =>
  `${prefix}…${lastFour}`

const boundsOf = (key: {
  readonly ipRanges: ReadonlyArray<string> | null
  readonly walletIds: ReadonlyArray<string> | null
  readonly recipientIds: ReadonlyArray<string> | null
  readonly dailyCapUsd: string | null
}): ReadonlyArray<string> => [
  ...(key.ipRanges === null ? [] : [`IP addresses: ${key.ipRanges.join(", ")}`]),
  ...(key.walletIds === null ? [] : [`Wallets: ${key.walletIds.length}`]),
  ...(key.recipientIds === null ? [] : [`Recipients: ${key.recipientIds.length}`]),
  ...(key.dailyCapUsd === null ? [] : [`Daily limit: ${key.dailyCapUsd} USDC`])
]

interface Made {
  readonly id: string
  readonly madeBy: string | null
  readonly revokedAt: string | null
}

/** The keys in force among these that stem from one of them, at whatever distance. */
const stemmingFrom = <Key extends Made>(id: string, all: ReadonlyArray<Key>): ReadonlyArray<Key> =>
  all
    .filter(({ madeBy }) => madeBy === id)
    .flatMap((made) => [...(made.revokedAt === null ? [made] : []), ...stemmingFrom(made.id, all)])

const keys = guarded("/console/keys", ({ calls, who }) =>
  Effect.gen(function* () {
    const { api_keys, hasMore } = yield* calls.list_api_keys({ limit: 100 })
    const { wallets } = yield* calls.list_wallets({ limit: 100 })
    const { recipients } = yield* calls.list_recipients({ limit: 100 })
    const listed = api_keys.map(
      (key): ListedKey => ({
        ...key,
        name: nameOf(key),
        stemming: stemmingFrom(key.id, api_keys).map(nameOf),
        mayHaveMore: hasMore,
        bounds: boundsOf(key)
      })
    )
    const props = {
      who,
      scopes: Scope.literals,
      wallets: choicesOf(wallets),
      recipients: choicesOf(recipients.filter(({ status }) => status !== "revoked")),
      keys: listed
    }
    return consolePage("API keys", Keys(props))
  })
)

const passkeys = guarded("/console/passkeys", ({ signedIn, who }) =>
  Effect.gen(function* () {
    const own = yield* (yield* Humans).passkeysOf(signedIn.human.id)
    const rows = own.map(({ backedUp, createdAt, id, label, lastUsedAt, suspendedAt }) => ({
      id,
      label,
      backedUp,
      createdAt: Timestamp.format(createdAt),
      lastUsedAt: lastUsedAt === null ? null : Timestamp.format(lastUsedAt),
      suspendedAt: suspendedAt === null ? null : Timestamp.format(suspendedAt),
      isHere: id === signedIn.session.passkeyId
    }))
    return consolePage("Your passkeys", Passkeys({ who, passkeys: rows }))
  })
)

export const consolePages = Layer.mergeAll(enrol, login, home, proposal, governance, keys, passkeys)
