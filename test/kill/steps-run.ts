/**
 * One execution of three steps, with the service dying on the way: it pays, waits for whoever attests, and pays again.
 * Each act happens once, and what it held of the caps is spent; asked to stop, it takes back once and goes on.
 */
import { randomBytes } from "node:crypto"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { uidOf } from "../support/stepped-kind.ts"
import type { StepPoint } from "./points.ts"
import type { Outcome } from "./runs.ts"
import { type Scene, until } from "./scene.ts"
import { whileMining } from "./signature-run.ts"
import { claimFile, placesIn } from "./three-steps.ts"

/** Longer than a worker may hold a submission or a wait. */
const leaseMs = 61_000

let nextMicro = 3_000_000n

const anAddress = () => `0x${randomBytes(20).toString("hex")}`

const lost = () => undefined

const prepared = async (scene: Scene) => {
  const units = nextMicro++
  const [burnTo, mintTo] = [anAddress(), anAddress()]
  await scene.send(scene.agent.address, 2n * units + 1n)
  await scene.mine()
  const proposalId: string = await scene.question({
    ask: "propose",
    agentKey: scene.agent.key,
    walletId: scene.agent.walletId,
    burnTo,
    mintTo,
    units: String(units)
  })
  const ask = (what: "confirm" | "cancel") =>
    scene.callAsAgent("POST", `/api/v1/proposals/${proposalId}/${what}`, {})
  const shown = async () => {
    const { body } = await scene.callAsAgent("GET", `/api/v1/proposals/${proposalId}`)
    return body.data
  }
  return { units, burnTo, mintTo, proposalId, ask, shown }
}

type Prepared = Awaited<ReturnType<typeof prepared>>

const attesting = (proposal: Prepared) =>
  until("it waits to be attested", async () =>
    (await proposal.shown()).subStatus === "attesting" ? true : undefined
  )

/** Dies on the way to its end, or once it is asked to stop. */
const dying = async (scene: Scene, proposal: Prepared, point: StepPoint) => {
  const { attests } = placesIn(scene.directory)
  if (point.stops !== true) {
    writeFileSync(attests, "")
    await scene.arm(point)
    proposal.ask("confirm").catch(lost)
    await whileMining(scene, scene.dies())
    return
  }
  rmSync(attests, { force: true })
  await proposal.ask("confirm")
  await whileMining(scene, attesting(proposal))
  await scene.arm(point)
  proposal.ask("cancel").catch(lost)
  await whileMining(scene, scene.dies())
}

const ended = async (scene: Scene, proposal: Prepared, point: StepPoint) => {
  await until("the repeated call is answered", async () => {
    const { status } = await proposal.ask(point.stops === true ? "cancel" : "confirm")
    return status < 300 ? true : undefined
  })
  if (point.stops === true) {
    await until("what it takes back is paid", async () =>
      (await scene.held(proposal.burnTo)) > proposal.units ? true : undefined
    )
    writeFileSync(placesIn(scene.directory).attests, "")
  }
  return until("the execution ends", async () => {
    const view = await proposal.shown()
    return view.status === "executing" ? undefined : view
  })
}

export const threeSteps = async (scene: Scene, point: StepPoint): Promise<Outcome> => {
  const proposal = await prepared(scene)
  const { burnTo, mintTo, proposalId, units } = proposal
  await dying(scene, proposal, point)
  await scene.restart(leaseMs)
  const view = await whileMining(scene, ended(scene, proposal, point))
  const { ended: waits, held } = await scene.question({ ask: "read", proposalId })
  const posts = readFileSync(claimFile(scene.directory, uidOf({ proposalId })), "utf8")
  const kinds = view.steps.map((step: { readonly kind: string }) => step.kind).join(" ")
  const isStopped = point.stops === true
  const checks = {
    "it was executed": view.outcome === "executed",
    "it has the steps it should have":
      kinds === (isStopped ? "burn attest cancel mint" : "burn attest mint"),
    "the first payment was made once": (await scene.held(burnTo)) === units + (isStopped ? 1n : 0n),
    "the second payment was made once": (await scene.held(mintTo)) === units,
    "what it held of the caps is spent": held === "consumed",
    "it waited once, and it was done": JSON.stringify(waits) === "[true]",
    "the claim was posted": posts.length > 0
  }
  return {
    pid: proposalId,
    repeats: posts.split("\n").length - 2,
    violations: Object.entries(checks).flatMap(([sentence, holds]) =>
      holds ? [] : [`not so: ${sentence}`]
    )
  }
}
