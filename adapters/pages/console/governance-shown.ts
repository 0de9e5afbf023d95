/** What the page of a governance request shows: how things stand, how they would, and what is signed. */
import { Effect, Schema } from "effect"
import { Rule } from "../../../core/cosigners/rules.ts"
import { roleFor } from "../../../core/governance/request.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import { roleRefusal } from "../../../core/operation/role.ts"
import type { Calls } from "../../../core/treasury/treasury.ts"
import type { GovernanceProps } from "./governance.tsx"
import { actorsOf } from "./history.ts"
import { time } from "./parts/cells.ts"
import type { Fact } from "./parts/facts.tsx"
import type { Visit } from "./parts/guard.ts"
import type { Output } from "./parts/list.ts"
import { followedFrom, type Written } from "./parts/live.ts"
import { recipientOf } from "./parts/names.ts"
import { actionIn } from "./proposal-words.ts"

type Request = Output<"get_governance_request">

type RuleText = typeof Rule.Encoded

const usdc = (micro: string) => `${Usdc.format(BigInt(micro))} USDC`

/** `send from 100.00 USDC up: 2 co-signers`. */
const ruleLine = ({ action, maxAmountMicro, minAmountMicro, requiredApprovals }: RuleText) => {
  const to = maxAmountMicro === null ? " up" : ` to below ${usdc(maxAmountMicro)}`
  return `${action} from ${usdc(minAmountMicro)}${to}: ${requiredApprovals} co-signers`
}

const isRules = Schema.is(Schema.Array(Schema.toEncoded(Rule)))

const ruleLines = (rules: unknown) =>
  isRules(rules) && rules.length > 0 ? rules.map(ruleLine) : ["No amount needs a co-signer."]

const members = Effect.fnUntraced(function* (calls: Calls) {
  const { cosigner_memberships } = yield* calls.list_cosigner_memberships({ limit: 100 })
  return cosigner_memberships.map(({ cosignerUserId, id, nickname }) => ({
    id,
    line: nickname === null ? cosignerUserId : `${nickname} (${cosignerUserId})`
  }))
})

const orNone = (lines: ReadonlyArray<string>) =>
  lines.length === 0 ? ["This account has no co-signers."] : lines

interface Change {
  readonly before: ReadonlyArray<string>
  readonly after: ReadonlyArray<string>
  readonly facts?: ReadonlyArray<Fact>
}

const text = (value: Schema.Json | undefined) => (typeof value === "string" ? value : "")

const changeOf = Effect.fnUntraced(function* (request: Request, visit: Visit) {
  const { action, payload } = request
  const { calls } = visit
  switch (action) {
    case "update_cosigner_rules": {
      const { rules } = yield* calls.get_cosigner_rules({})
      return { before: ruleLines(rules), after: ruleLines(payload.rules) } satisfies Change
    }
    case "remove_cosigner": {
      const all = yield* members(calls)
      const left = all.filter(({ id }) => id !== payload.membershipId)
      return {
        before: orNone(all.map(({ line }) => line)),
        after: orNone(left.map(({ line }) => line))
      } satisfies Change
    }
    case "invite_cosigner": {
      const all = (yield* members(calls)).map(({ line }) => line)
      const invited = text(payload.cosignerUserId)
      const nickname = text(payload.nickname)
      return {
        before: orNone(all),
        after: [
          ...all,
          `${nickname === "" ? invited : `${nickname} (${invited})`}, once they accept`
        ]
      } satisfies Change
    }
    default: {
      const recipient = yield* recipientOf(visit, text(payload.recipientId))
      return {
        before: ["This recipient cannot be paid until its cooldown ends."],
        after: ["This recipient can be paid at once."],
        facts:
          recipient === undefined
            ? []
            : [
                { name: "Recipient", text: recipient.label },
                { name: "Address", text: recipient.address, code: true },
                { name: "Chain", text: recipient.chainId },
                ...(recipient.requiredMemo === null
                  ? []
                  : [{ name: "Memo of each payment", text: recipient.requiredMemo, code: true }])
              ]
      } satisfies Change
    }
  }
})

/** What its page was written from. */
const writtenOf = ({ status }: Pick<Request, "status">): Written => ({
  facts: [status],
  isOver: status !== "pending" && status !== "scheduled"
})

export const governanceWritten = ({ calls }: Visit, id: string) =>
  Effect.map(calls.get_governance_request({ requestId: id }), writtenOf)

export const governanceShown = Effect.fnUntraced(function* (visit: Visit, id: string) {
  const request = yield* visit.calls.get_governance_request({ requestId: id })
  const change: Change = yield* changeOf(request, visit)
  const { createdAt, expiresAt, payloadHash, requestId, status, summary } = request
  const nameOf = yield* actorsOf(visit)
  const log = yield* visit.calls.list_audit_log({ subjectId: id, limit: 20 })
  const files = (log.archives ?? []).filter(({ before }) => createdAt < before)
  const props: GovernanceProps = {
    ...change,
    who: visit.who,
    live: followedFrom(writtenOf(request)),
    requestId,
    summary,
    status,
    facts: [...(change.facts ?? []), { name: "Asked for", text: createdAt, isTime: true }],
    history: [
      ...files.map(({ file }) => ({ id: file, cells: [{ text: `Earlier: in ${file}` }] })),
      ...[...log.entries].reverse().map((entry) => ({
        id: entry.id,
        cells: [{ text: actionIn(entry.action) }, { text: nameOf(entry) }, time(entry.createdAt)]
      }))
    ],
    payloadHash,
    expiresAt,
    maySign: roleRefusal(visit.signedIn.human.role, roleFor(request)) === undefined
  }
  return props
})
