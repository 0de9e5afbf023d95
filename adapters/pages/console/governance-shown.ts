/** What the page of a governance request shows: how things stand, how they would, and what is signed. */
import { DateTime, Effect, Schema } from "effect"
import { Rule } from "../../../core/cosigners/rules.ts"
import { GovernanceRequests } from "../../../core/governance/governance-store.ts"
import type { GovernanceRequest } from "../../../core/governance/request.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import { NotFound } from "../../../core/operation/refusal.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { Recipients } from "../../../core/recipients/recipient-store.ts"
import * as Timestamp from "../../../core/time/timestamp.ts"
import { effectiveStatus } from "../../../core/time/timestamp.ts"
import type { Calls } from "../../../core/treasury/treasury.ts"
import type { GovernanceProps } from "./governance.tsx"
import type { Fact } from "./parts/facts.tsx"
import type { Visit } from "./parts/guard.ts"

type Written = typeof Rule.Encoded

const usdc = (micro: string) => `${Usdc.format(BigInt(micro))} USDC`

/** `send from 100.00 USDC up: 2 co-signers`. */
const ruleLine = ({ action, maxAmountMicro, minAmountMicro, requiredApprovals }: Written) => {
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

const changeOf = Effect.fnUntraced(function* (request: GovernanceRequest, calls: Calls) {
  const { accountId, action, payload } = request
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
      const recipient = yield* (yield* Recipients).find(accountId, text(payload.recipientId))
      return {
        before: ["This recipient cannot be paid until its cooldown ends."],
        after: ["This recipient can be paid at once."],
        facts:
          recipient === undefined
            ? []
            : [
                { name: "Recipient", text: recipient.label },
                { name: "Address", text: recipient.address, code: true },
                { name: "Chain", text: recipient.chainId }
              ]
      } satisfies Change
    }
  }
})

const find = Effect.fnUntraced(function* (accountId: string, requestId: string) {
  const { lock } = yield* GovernanceRequests
  const request = yield* (yield* Atomically).run(lock(accountId, requestId))
  if (request !== undefined) return request
  return yield* new NotFound({ message: "This account has no governance request with this id." })
})

export const governanceShown = Effect.fnUntraced(function* (
  { account, calls, who }: Visit,
  id: string
) {
  const request = yield* find(account.id, id)
  const change: Change = yield* changeOf(request, calls)
  const { expiresAt, payloadHash, summary } = request
  const props: GovernanceProps = {
    facts: [],
    ...change,
    who,
    requestId: request.id,
    summary,
    status: effectiveStatus(request, yield* DateTime.now),
    payloadHash,
    expiresAt: Timestamp.format(expiresAt)
  }
  return props
})
