/**
 * A human's send that also takes votes: whatever order they come in, and whatever the rules do meanwhile, it
 * starts with the last thing it waits for and not before.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import type { Needs } from "../../../core/treasury/treasury.ts"
import type { AHuman } from "../../support/enrolled-human.ts"
import { cosigner, humanAccount, sendsTake } from "../../support/human-account.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"

type Approving = Effect.Services<ReturnType<AHuman["approve"]>>

/** `tighten` asks for both votes from now on; `yes` and `no` are of the first or the second co-signer. */
const steps = ["confirm", "passkey", "yes 0", "yes 1", "no 0", "no 1", "tighten"] as const
type Step = (typeof steps)[number]

interface Model {
  readonly status: string
  readonly isSigned: boolean
  /** Votes asked for by the rules, and by the approval once there is one. */
  readonly ruled: number
  readonly required: number | undefined
  readonly votes: ReadonlyMap<string, boolean>
}

const said = (model: Model, isApproval: boolean) =>
  [...model.votes.values()].filter((vote) => vote === isApproval).length

/** What has become of it by now: the contract, in as few words as it can be said. */
const judged = (model: Model): Model => {
  if (model.status !== "requires_action") return model
  const required = model.required ?? 0
  const isApproved = said(model, true) >= required
  if (!isApproved && said(model, false) > 0 && 2 - said(model, false) < required) {
    return { ...model, status: "rejected" }
  }
  return isApproved && model.isSigned ? { ...model, status: "executing" } : model
}

const asked = (model: Model): Model => ({
  ...model,
  status: model.status === "pending_confirm" ? "requires_action" : model.status,
  required: model.required ?? (model.ruled > 0 ? model.ruled : undefined)
})

const isOpen = ({ status }: Model) => status === "pending_confirm" || status === "requires_action"

const next = (model: Model, step: Step): Model => {
  switch (step) {
    case "confirm":
      return model.status === "pending_confirm" ? asked(model) : model
    case "passkey":
      return isOpen(model) && !model.isSigned ? judged({ ...asked(model), isSigned: true }) : model
    case "tighten": {
      const tighter = { ...model, ruled: 2 }
      const isWaiting = model.status === "requires_action" && model.required !== undefined
      return isWaiting ? judged({ ...tighter, required: 2 }) : tighter
    }
    default: {
      const [vote, who = ""] = step.split(" ")
      const canVote = model.status === "requires_action" && model.required !== undefined
      if (!canVote || model.votes.has(who)) return model
      return judged({ ...model, votes: new Map([...model.votes, [who, vote === "yes"]]) })
    }
  }
}

const life = Effect.fnUntraced(function* (ruled: number, history: ReadonlyArray<Step>) {
  const account = yield* humanAccount
  const { call, human, propose, statusOf } = account
  const others = [yield* cosigner(account, "Ben"), yield* cosigner(account, "Cleo")]
  if (ruled > 0) yield* call.update_cosigner_rules(sendsTake(ruled))
  const proposalId = yield* propose("5")
  let model: Model = {
    status: "pending_confirm",
    isSigned: false,
    ruled,
    required: undefined,
    votes: new Map()
  }
  for (const [at, step] of history.entries()) {
    const [vote, who = ""] = step.split(" ")
    const act: Effect.Effect<unknown, unknown, Needs | Approving> =
      step === "confirm"
        ? call.confirm_proposal({ proposalId })
        : step === "passkey"
          ? human.approve(proposalId)
          : step === "tighten"
            ? call.update_cosigner_rules(sendsTake(2))
            : (others[Number(who)]?.vote(proposalId, vote === "yes") ?? Effect.void)
    yield* Effect.result(act)
    model = next(model, step)
    const where = `${ruled} asked: ${history.slice(0, at + 1).join(", ")}`
    assert.strictEqual(yield* statusOf(proposalId), model.status, where)
    if (model.status !== "requires_action") continue
    const { nextAction } = yield* call.get_proposal({ proposalId })
    assert.deepStrictEqual(
      nextAction.map(({ received, required, type }) => [type, received, required]),
      [
        ["passkey_approval", model.isSigned ? 1 : 0, 1],
        ...(model.required === undefined
          ? []
          : [["cosigner_approval", said(model, true), model.required]])
      ],
      where
    )
  }
  return model.status
})

const chosen: ReadonlyArray<readonly [number, ReadonlyArray<Step>, string]> = [
  [0, ["confirm", "passkey"], "executing"],
  [0, ["confirm", "tighten", "passkey", "yes 0", "yes 1"], "executing"],
  [1, ["confirm", "yes 0", "passkey"], "executing"],
  [1, ["confirm", "passkey", "yes 1"], "executing"],
  [1, ["passkey", "yes 1"], "executing"],
  [2, ["confirm", "yes 0", "yes 1", "passkey"], "executing"],
  [2, ["passkey", "yes 0", "no 1"], "rejected"],
  [1, ["confirm", "yes 0", "tighten", "passkey", "yes 1"], "executing"]
]

layer(memoryTreasury)("passkey and votes", (it) => {
  for (const [ruled, history, ending] of chosen) {
    it.effect(`${ruled} asked: ${history.join(", ")} leaves it ${ending}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* life(ruled, history), ending)
      })
    )
  }

  it.effect("in any order do what the contract says, after every step", () =>
    Effect.gen(function* () {
      const histories = fc.sample(
        fc.tuple(
          fc.integer({ min: 0, max: 2 }),
          fc.array(fc.constantFrom(...steps), { minLength: 2, maxLength: 8 })
        ),
        { numRuns: 80, seed: 35 }
      )
      const endings = new Set<string>()
      for (const [ruled, history] of histories) endings.add(yield* life(ruled, history))
      assert.sameMembers(
        [...endings],
        ["pending_confirm", "requires_action", "executing", "rejected"]
      )
    })
  )
})
