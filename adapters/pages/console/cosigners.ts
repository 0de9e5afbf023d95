/** Co-signers: who they are, the rules that count their votes, invites, votes for others, and governance. */
import { Effect } from "effect"
import { code, link, state, time, usd, usdc } from "./parts/cells.ts"
import { consolePage, guarded, type Visit } from "./parts/guard.ts"
import { type Columns, list, nothing, type Output, rowsOf } from "./parts/list.ts"
import { shortened } from "./parts/names.ts"
import type { Row } from "./parts/table.tsx"
import { tableOf } from "./parts/thing.ts"

const { Cosigners } = await import("./cosigners-page.tsx")

type Member = Output<"list_cosigner_memberships">["cosigner_memberships"][number]
type Rule = Output<"get_cosigner_rules">["rules"][number]

const memberColumns: Columns<Member> = {
  "Co-signer": ({ cosignerUserId, nickname }) => nickname ?? code(cosignerUserId),
  Account: ({ cosignerUserId }) => code(cosignerUserId),
  Since: ({ createdAt }) => time(createdAt)
}

const ruleColumns: Columns<Rule> = {
  Action: ({ action }) => action,
  From: ({ minAmountMicro }) => usdc(minAmountMicro),
  "Up to": ({ maxAmountMicro }) => (maxAmountMicro === null ? "no limit" : usdc(maxAmountMicro)),
  "Co-signers needed": ({ requiredApprovals }) => String(requiredApprovals)
}

const page = guarded("/console/cosigners", ({ calls, who }: Visit) =>
  Effect.gen(function* () {
    const { cosigner_memberships: members } = yield* calls.list_cosigner_memberships({ limit: 100 })
    const { rules, updatedAt } = yield* calls.get_cosigner_rules({})
    const { incoming_cosigner_invites: invites } = yield* calls.list_incoming_cosigner_invites({
      limit: 100
    })
    const { outgoing_cosigner_invites: sent } = yield* calls.list_outgoing_cosigner_invites({
      limit: 100
    })
    const rows: ReadonlyArray<Row> = rowsOf(memberColumns, members, ({ id }) => id, undefined)
    const props = {
      who,
      updatedAt,
      rules: tableOf("Rules", "No amount needs a co-signer.", ruleColumns, rules, (rule) =>
        [rule.action, rule.minAmountMicro].join(" ")
      ),
      members: members.map(({ cosignerUserId, id, nickname }, at) => ({
        id,
        name: nickname ?? cosignerUserId,
        cells: rows[at]?.cells ?? []
      })),
      names: Object.keys(memberColumns),
      sent: sent.map(({ cosignerUserId, expiresAt, inviteId, nickname }) => ({
        inviteId,
        name: nickname ?? `account ${shortened(cosignerUserId)}`,
        cosignerUserId,
        expiresAt
      })),
      invites: invites.map(({ expiresAt, inviteId, status, userId }) => ({
        inviteId,
        userId,
        expiresAt,
        isPending: status === "pending"
      }))
    }
    return consolePage("Co-signers", Cosigners(props))
  })
)

const votes = list({
  operation: "list_pending_cosigner_approvals",
  key: "pending_cosigner_approvals",
  at: "/console/votes",
  section: "cosigners",
  title: "Pending votes",
  intro: "Actions of accounts you co-sign for, which wait for this account's vote.",
  none: "No pending votes.",
  beginning: {
    text: "Nothing waits for your vote. What other accounts that you co-sign for want to do would stand here.",
    first: { href: "/console/cosigners", text: "See co-signers and invites" }
  },
  idOf: ({ pendingApprovalId }) => pendingApprovalId,
  known: nothing,
  columns: {
    Action: ({ pendingApprovalId, summary }) =>
      link(`/console/votes/${pendingApprovalId}`, summary),
    Amount: ({ amountUsd }) => usd(amountUsd),
    Votes: ({ approvals, rejections, required }) =>
      `${approvals.length} of ${required}${rejections.length === 0 ? "" : `, ${rejections.length} against`}`,
    Account: ({ userId }) => code(userId),
    Until: ({ expiresAt }) => time(expiresAt)
  }
})

const requests = list({
  operation: "list_governance_requests",
  key: "governance_requests",
  at: "/console/governance",
  section: "cosigners",
  title: "Governance requests",
  intro: "Changes of recipients, co-signers and rules that wait for a passkey.",
  none: "No pending governance changes.",
  beginning: {
    text: "Nothing waits for a passkey. Changes of recipients, co-signers and rules that need one would stand here.",
    first: { href: "/console/cosigners", text: "See co-signers and rules" }
  },
  idOf: ({ requestId }) => requestId,
  known: nothing,
  columns: {
    Request: ({ requestId, summary }) => link(`/console/governance/${requestId}`, summary),
    Status: ({ status }) => state(status),
    Created: ({ createdAt }) => time(createdAt),
    Until: ({ expiresAt }) => time(expiresAt)
  }
})

export const cosignerPages = [page, votes, requests] as const
