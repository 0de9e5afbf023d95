/** The time within which a bridge may leave is among its terms: what could not leave by then stays, and says so. */
import { assert, describe, it } from "@effect/vitest"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import { pauseAccount, resumeAccount } from "../../../core/accounts/pause.ts"
import * as Bridging from "../../support/bridging-treasury.ts"

const amount = 100_000_000n
const tooLate =
  "The time within which it may leave was over before it could; nothing was sent. Propose it again."
const dayMs = 86_400_000

interface Obstacle {
  readonly before: (bridging: Bridging.Bridging) => Promise<unknown>
  readonly meanwhile: (bridging: Bridging.Bridging, proposalId: string) => Promise<unknown>
  readonly release: (bridging: Bridging.Bridging) => Promise<unknown>
}

const closes = (bridging: Bridging.Bridging, reason: string | null) =>
  Bridging.bridgeScript(bridging, ({ close }) => close(reason))

const accountOf = async ({ call }: Bridging.Bridging) => (await call.get_account({})).id

/** A bridge that something holds back for so many days, and what came of it. */
const heldBack = async (days: number, { before, meanwhile, release }: Obstacle) => {
  let bridging = await Bridging.openBridging()
  try {
    const held = await Bridging.balanceOn(bridging, bridging.from.address, "local")
    await before(bridging)
    const proposalId = await Bridging.startBridge(bridging)
    await meanwhile(bridging, proposalId)
    bridging = await Bridging.restart(bridging, 2, days)
    await release(bridging)
    const done = await Bridging.until(bridging, proposalId, ({ status }) => status !== "executing")
    const left = held - (await Bridging.balanceOn(bridging, bridging.from.address, "local"))
    const { outcome, status, statusReason, steps } = done
    return { outcome, status, statusReason, left, kinds: steps.map(({ kind }) => kind) }
  } finally {
    await bridging.treasury.close()
  }
}

const pausedBeforeItOpens: Obstacle = {
  before: (bridging) => closes(bridging, "USDC is paused on local."),
  meanwhile: async (bridging) => {
    await bridging.treasury.operate(pauseAccount(await accountOf(bridging)))
    await closes(bridging, null)
  },
  release: async (bridging) => bridging.treasury.operate(resumeAccount(await accountOf(bridging)))
}

const closedBeforeItLeaves: Obstacle = {
  before: () => Promise.resolve(),
  meanwhile: async (bridging, proposalId) => {
    const isPermitting = ({
      steps
    }: {
      readonly steps: ReadonlyArray<{ readonly kind: string }>
    }) => steps.some(({ kind }) => kind === "permit")
    await Bridging.until(bridging, proposalId, isPermitting)
    await closes(bridging, "USDC is paused on local.")
    await Bridging.until(bridging, proposalId, ({ steps }) =>
      steps.some(({ kind }) => kind === "burn")
    )
  },
  release: (bridging) => closes(bridging, null)
}

const arrived = ["order", "permit", "burn", "attest", "mint", "mint"] as const

describe("a bridge", () => {
  it("may leave for eight days from its proposal, as its terms say", async () => {
    const bridging = await Bridging.openBridging()
    try {
      const proposalId = await Bridging.startBridge(bridging)
      const { terms } = await bridging.call.get_proposal_history({ proposalId })
      const { createdAt } = await bridging.call.get_proposal({ proposalId })
      const notAfter = Date.parse(String(terms.notAfter))
      assert.strictEqual(notAfter - Date.parse(String(createdAt)), 8 * dayMs)
    } finally {
      await bridging.treasury.close()
    }
  })

  it("leaves when what held it back ends in time", async () => {
    for (const obstacle of [pausedBeforeItOpens, closedBeforeItLeaves]) {
      const done = await heldBack(7, obstacle)
      assert.deepInclude(done, { outcome: "executed", left: amount, kinds: [...arrived] })
    }
  })

  it("is not allowed anything any more when its account was paused until its time was over", async () => {
    assert.deepStrictEqual(await heldBack(9, pausedBeforeItOpens), {
      outcome: "not_executed",
      status: "failed",
      statusReason: tooLate,
      left: 0n,
      kinds: ["order"]
    })
  })

  it("does not leave any more when an end was closed until its time was over", async () => {
    assert.deepStrictEqual(await heldBack(9, closedBeforeItLeaves), {
      outcome: "partly_executed",
      status: "failed",
      statusReason: tooLate,
      left: 0n,
      kinds: ["order", "permit", "burn", "burn"]
    })
  })

  it("that was handed over in time is replaced or given up after it, and its wallet goes on", async () => {
    let bridging = await Bridging.openBridging()
    const congested = (isCongested: boolean) =>
      bridging.treasury.operate(ChainScript.use(({ congest }) => congest(isCongested, "local")))
    try {
      // Without a loan to wait for it is handed over to a chain that takes nothing.
      const { address } = bridging.from
      await bridging.treasury.operate(
        ChainScript.use(({ giveCoins }) => giveCoins(address, 10n ** 18n, "local"))
      )
      const proposalId = await Bridging.startBridge(bridging)
      await Bridging.until(bridging, proposalId, ({ steps }) =>
        steps.some(({ kind, status }) => kind === "permit" && status === "done")
      )
      await congested(true)
      await Bridging.until(bridging, proposalId, ({ steps }) =>
        steps.some(({ kind, txIds }) => kind === "burn" && txIds.length > 0)
      )
      bridging = await Bridging.restart(bridging, 2, 9)
      await Bridging.until(bridging, proposalId, ({ steps }) =>
        steps.some(({ kind, txIds }) => kind === "burn" && txIds.length > 1)
      )
      await congested(false)
      const done = await Bridging.until(
        bridging,
        proposalId,
        ({ status }) => status !== "executing"
      )
      assert.deepInclude(done, { status: "failed", outcome: "partly_executed" })
      const next = await Bridging.startBridge(bridging)
      const after = await Bridging.until(bridging, next, ({ status }) => status !== "executing")
      assert.strictEqual(after.outcome, "executed", after.statusReason ?? "")
    } finally {
      await bridging.treasury.close()
    }
  })
})
