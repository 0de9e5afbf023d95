/** Serves the console's pages. They are read here and written by posts elsewhere; a page changes nothing. */
import "../tsx.ts"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { Humans } from "../../../core/humans/human-store.ts"
import { createApiKey } from "../../../core/keys/create-key.ts"
import * as Timestamp from "../../../core/time/timestamp.ts"
import { agentPages } from "./agents.ts"
import { auditPages } from "./audit.ts"
import { cosignerPages } from "./cosigners.ts"
import { formPage } from "./forms.ts"
import { governanceShown, governanceWritten } from "./governance-shown.ts"
import type { ListedKey } from "./keys.tsx"
import { marketPages } from "./markets.ts"
import { overview } from "./overview.ts"
import { consolePage, guarded, nextOf, queryOf } from "./parts/guard.ts"
import { followed, refreshing } from "./parts/live.ts"
import { offering, recipientChoices, walletChoices } from "./parts/names.ts"
import { formFields, valuesIn } from "./parts/schema-fields.ts"
import { paymentPages, requestWritten } from "./payments.ts"
import { peoplePage } from "./people.ts"
import { proposalShown, proposalWritten } from "./proposal-shown.ts"
import { proposalPages } from "./proposals.ts"
import { jobPage, jobWritten } from "./provisioning.ts"
import { recipientPages } from "./recipients.ts"
import { scopeOffer } from "./scope-words.ts"
import { settingsPage } from "./settings.ts"
import { votePage } from "./vote.ts"
import { walletPages } from "./wallets.ts"
import { deliveryWritten, webhookPages } from "./webhooks.ts"

const { Enrol, Login } = await import("./doors.tsx")
const { Proposal } = await import("./proposal.tsx")
const { Governance } = await import("./governance.tsx")
const { bound, Keys } = await import("./keys.tsx")
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
    followed({ at: "/console/provisioning/:id", topic: "tasks", read: jobWritten })(proxies),
    followed({ at: "/console/deliveries/:id", topic: "deliveries", read: deliveryWritten })(proxies)
  )

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

/** What a key may be bound to; searched for where there is much of it. */
const bindings = offering({ walletIds: walletChoices("standard"), recipientIds: recipientChoices })

const keys = guarded("/console/keys", (visit) =>
  Effect.gen(function* () {
    const { calls, who } = visit
    const query = queryOf(yield* HttpServerRequest.HttpServerRequest)
    const cursor = query.get("cursor")
    const { api_keys, hasMore, nextCursor } = yield* calls.list_api_keys({
      limit: 25,
      ...(cursor === null ? {} : { cursor })
    })
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
      fields: formFields(createApiKey, {
        values: valuesIn(query),
        choices: { ...(yield* bindings(visit, query)), scopes: scopeOffer }
      }),
      isBound: bound.some((name) => query.has(name) || query.has(`search.${name}`)),
      keys: listed,
      next: nextCursor === null ? undefined : `/console/keys?cursor=${nextCursor}`
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

const pages = Layer.mergeAll(
  enrol,
  login,
  overview,
  proposal,
  governance,
  keys,
  passkeys,
  ...paymentPages,
  jobPage,
  ...walletPages,
  ...marketPages,
  ...recipientPages,
  ...proposalPages,
  ...webhookPages,
  ...auditPages,
  ...agentPages,
  ...cosignerPages,
  votePage,
  peoplePage,
  settingsPage,
  formPage
)

/** The pages, and the streams of those that follow what they show. */
export const consolePages = (proxies: number) => Layer.mergeAll(pages, streams(proxies))
