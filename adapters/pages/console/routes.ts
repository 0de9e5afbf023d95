/** Serves the console's pages. They are read here and written by posts elsewhere; a page changes nothing. */
import "../tsx.ts"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { Humans } from "../../../core/humans/human-store.ts"
import { Scope } from "../../../core/operation/caller.ts"
import * as Timestamp from "../../../core/time/timestamp.ts"
import { agentPages } from "./agents.ts"
import { auditPages } from "./audit.ts"
import { cosignerPages } from "./cosigners.ts"
import { formPage } from "./forms.ts"
import { governanceShown, governanceWritten } from "./governance-shown.ts"
import type { Choice, ListedKey } from "./keys.tsx"
import { marketPages } from "./markets.ts"
import { overview } from "./overview.ts"
import { consolePage, guarded, nextOf } from "./parts/guard.ts"
import { followed, refreshing } from "./parts/live.ts"
import { paymentPages, requestWritten } from "./payments.ts"
import { proposalShown, proposalWritten } from "./proposal-shown.ts"
import { proposalPages } from "./proposals.ts"
import { recipientPages } from "./recipients.ts"
import { settingsPage } from "./settings.ts"
import { votePage } from "./vote.ts"
import { walletPages } from "./wallets.ts"
import { deliveryWritten, webhookPages } from "./webhooks.ts"

const { Enrol, Login } = await import("./doors.tsx")
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
    return consolePage("Sign in", Login(), {
      facts: { next: nextOf(asked.get("next")), goesOn }
    })
  })
)

const proposal = guarded("/console/proposals/:id", (visit, id) =>
  Effect.map(proposalShown(visit, id), (props) =>
    consolePage(props.title, Proposal(props), refreshing(props.live))
  )
)

const governance = guarded("/console/governance/:id", (visit, id) =>
  Effect.map(governanceShown(visit, id), (props) =>
    consolePage("Governance", Governance(props), refreshing(props.live))
  )
)

/** The pages that follow what they show, each with its stream. */
const streams = (proxies: number) =>
  Layer.mergeAll(
    followed({ at: "/console/proposals/:id", topic: "submissions", read: proposalWritten })(
      proxies
    ),
    followed({ at: "/console/governance/:id", topic: "audit", read: governanceWritten })(proxies),
    followed({ at: "/console/payments/:id", topic: "payments", read: requestWritten })(proxies),
    followed({ at: "/console/deliveries/:id", topic: "deliveries", read: deliveryWritten })(proxies)
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
    // Vaults send nothing, and there may be a hundred thousand of them.
    const { wallets } = yield* calls.list_wallets({ kind: "standard", limit: 100 })
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

const shown = Layer.mergeAll(
  enrol,
  login,
  overview,
  proposal,
  governance,
  keys,
  passkeys,
  ...paymentPages,
  ...walletPages,
  ...marketPages,
  ...recipientPages,
  ...proposalPages,
  ...webhookPages,
  ...auditPages,
  ...agentPages,
  ...cosignerPages,
  votePage,
  settingsPage,
  formPage
)

/** The pages, and the streams of those that follow what they show. */
export const consolePages = (proxies: number) => Layer.mergeAll(shown, streams(proxies))
