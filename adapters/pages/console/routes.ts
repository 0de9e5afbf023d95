/** Serves the console's pages. They are read here and written by posts elsewhere; a page changes nothing. */
import "../tsx.ts"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { Humans } from "../../../core/humans/human-store.ts"
import { Scope } from "../../../core/operation/caller.ts"
import * as Timestamp from "../../../core/time/timestamp.ts"
import { success } from "../../console/post.ts"
import { agentPages } from "./agents.ts"
import { auditPages } from "./audit.ts"
import { cosignerPages } from "./cosigners.ts"
import { formPage } from "./forms.ts"
import { governanceShown } from "./governance-shown.ts"
import type { Choice, ListedKey } from "./keys.tsx"
import { marketPages } from "./markets.ts"
import { overview } from "./overview.ts"
import { consolePage, guarded, nextOf, queryOf } from "./parts/guard.ts"
import { paymentPages } from "./payments.ts"
import { proposalShown, proposalVersion } from "./proposal-shown.ts"
import { proposalPages } from "./proposals.ts"
import { recipientPages } from "./recipients.ts"
import { settingsPage } from "./settings.ts"
import { votePage } from "./vote.ts"
import { walletPages } from "./wallets.ts"
import { webhookPages } from "./webhooks.ts"

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
    return consolePage("Sign in", Login(), { next: nextOf(asked.get("next")), goesOn })
  })
)

const proposal = guarded("/console/proposals/:id", (visit, id) =>
  Effect.gen(function* () {
    const query = queryOf(yield* HttpServerRequest.HttpServerRequest)
    if (query.get("format") === "version") {
      return success({ version: yield* proposalVersion(visit, id) })
    }
    const props = yield* proposalShown(visit, id)
    return consolePage(props.title, Proposal(props))
  })
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

export const consolePages = Layer.mergeAll(
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
