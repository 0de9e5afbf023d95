/** Lives one life on a treasury beside the oracle: every answer and all that stands afterwards must be what it says. */
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { expireProposals } from "../../../../core/proposals/cancel.ts"
import { group } from "./cosigner-group.ts"
import * as Deciding from "./decisions.ts"
import * as Governing from "./governance.ts"
import { callsOf, type Life, pick, type Sign } from "./life.ts"
import { Oracle } from "./oracle.ts"
import { people, type Step } from "./step.ts"

const pass = Effect.fnUntraced(function* ({ oracle }: Life, ms: number) {
  if (ms > 0) {
    yield* TestClock.adjust(ms)
    oracle.now += ms
  }
  return ["ok", "ok"]
})

const taken = Effect.fnUntraced(function* (life: Life, step: Step) {
  switch (step.do) {
    case "invite":
      return yield* Governing.invite(life, step.who)
    case "accept":
    case "decline":
      return yield* Governing.answer(life, step.who, step.do)
    case "remove":
      return yield* Governing.remove(life, step.who)
    case "rule":
      return yield* Governing.rule(life, step.bands, step.isSigned)
    case "sign":
      return yield* Governing.bringBack(life, pick(life.oracle.challenges, step.at))
    case "propose":
      return yield* Deciding.propose(life, step.amountMicro, step.payee)
    case "confirm":
    case "cancel":
    case "vote":
      return yield* Deciding.onSend(life, step)
    case "add payee":
      return yield* Deciding.addPayee(life, step.address)
    case "approve payee":
    case "revoke payee":
    case "vote on payee":
      return yield* Deciding.onPayee(life, step)
    case "wait":
      return yield* pass(life, step.ms)
    case "wait until": {
      const deadlines = [...life.oracle.deadlines()].sort((one, other) => one - other)
      const deadline = deadlines[step.at % Math.max(1, deadlines.length)]
      const ms = deadline === undefined ? 0 : deadline + step.besideMs - life.oracle.now
      return yield* pass(life, ms)
    }
    case "sweep":
      // What other lives left behind is swept with it, in batches.
      yield* Effect.repeat(expireProposals, { until: (swept) => swept === 0 })
      life.oracle.sweep()
      return ["ok", "ok"]
  }
})

/** All that the owner and its co-signers can see is what the oracle says. */
const agreed = Effect.fnUntraced(function* (life: Life) {
  const { group, names, oracle } = life
  const { proposals } = yield* group.agent.list_proposals({ kind: "send", limit: 100 })
  assert.lengthOf(proposals, oracle.sends.length)
  for (const [at, send] of oracle.sends.entries()) {
    const shown = proposals.find(({ proposalId }) => proposalId === names.sends[at])
    assert.isDefined(shown, `send ${at}`)
    if (shown === undefined) continue
    assert.strictEqual(shown.status, send.status, `send ${at}`)
    if (send.status !== "requires_action") continue
    assert.strictEqual(shown.nextAction[0]?.required, send.required, `send ${at}`)
    assert.strictEqual(shown.nextAction[0]?.received, oracle.received(send), `send ${at}`)
  }
})

/** Who may be paid, and whose vote is waited for: everybody for what is theirs to decide, and for nothing else. */
const inTheEnd = Effect.fnUntraced(function* (life: Life) {
  const { group, names, oracle } = life
  const { recipients } = yield* group.agent.list_recipients({ limit: 100 })
  for (const [at, payee] of oracle.payees.entries()) {
    const shown = recipients.find(({ id }) => id === names.payees[at])
    const isCooling = payee.status === "pending" && !oracle.isPayable(payee)
    assert.strictEqual(shown?.cooldownActive, isCooling, `payee ${at}`)
    assert.strictEqual(shown?.status === "approved", oracle.isPayable(payee), `payee ${at}`)
  }
  for (const who of people) {
    const listed = yield* callsOf(life, who).list_pending_cosigner_approvals({ limit: 100 })
    assert.lengthOf(listed.pending_cosigner_approvals, oracle.awaiting(who), who)
  }
})

export const live = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>, sign: Sign) {
  const founded = yield* group
  const now = DateTime.toEpochMillis(yield* DateTime.now)
  const life: Life = {
    sign,
    group: founded,
    oracle: new Oracle(now),
    names: {
      invites: [],
      sends: [],
      payees: [founded.payeeId],
      challenges: [],
      memberships: new Map()
    }
  }
  for (const [at, step] of steps.entries()) {
    const [actual, expected] = yield* taken(life, step)
    const told = JSON.stringify(step, (_, value) =>
      typeof value === "bigint" ? String(value) : value
    )
    assert.strictEqual(actual, expected, `step ${at}, ${told}`)
    yield* agreed(life)
  }
  yield* inTheEnd(life)
  return life.oracle.sends.map(({ status, required }) => ({ status, required }))
})
