/** Another contract behind the USDC of a chain: no wallet signs there until it is acknowledged, and all else goes on. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { UsdcCode } from "../../../core/ports/usdc-code.ts"
import { acknowledge } from "../../../core/tokens/usdc-stop.ts"
import { lookOver } from "../../../core/tokens/watch-usdc.ts"
import { kinds } from "../../../core/treasury/kinds.ts"
import * as Bridging from "../../support/bridging-treasury.ts"

type World = Bridging.Bridging

const [first, second] = [`0x${"a1".repeat(20)}`, `0x${"b2".repeat(20)}`]

/** One look of the watch, a minute after the last one, while this stands behind the USDC of each chain. */
const look = async ({ treasury }: World, behind: Readonly<Record<string, string>>) => {
  await treasury.advance("1 minute")
  const implementation = (chainId: string) => Effect.succeed(behind[chainId])
  await treasury.operate(Effect.provideService(lookOver, UsdcCode, { implementation }))
}

const asBefore = { local: first, "local-2": first }

const opened = async (): Promise<World> => {
  const world = await Bridging.openBridging()
  await look(world, asBefore)
  return world
}

const stop = (world: World, chainId: string) => look(world, { ...asBefore, [chainId]: second })

const allow = ({ treasury }: World, chainId: string) => treasury.operate(acknowledge(chainId))

/** A send that is proposed, to whom it goes, and what confirming it comes to. */
const proposed = async ({ call, from }: World) => {
  const { recipients } = await call.list_recipients({})
  const { proposalId } = await call.propose_transfer({
    recipientId: recipients[0]?.id ?? "",
    fromWalletId: from.id,
    amountUsdc: "5"
  })
  return { proposalId, to: recipients[0]?.address ?? "" }
}

interface Refused {
  readonly _tag: string
  readonly message: string
  readonly outcome?: string
  readonly retryable: boolean
}

const refusalOf = async (call: Promise<unknown>): Promise<Refused> => {
  try {
    await call
  } catch (refusal) {
    return refusal as Refused
  }
  return assert.fail("It was not refused.")
}

const isDone = ({ status }: { readonly status: string }) => status === "completed"

const reasonOf = async ({ call }: World, proposalId: string) => {
  const { status, statusReason } = await call.get_proposal({ proposalId })
  return `${status}: ${statusReason}`
}

it("no send starts on that chain, in whichever process, until the operator acknowledges it", async () => {
  let world = await opened()
  const { proposalId } = await proposed(world)
  await stop(world, "local")
  const refused = await refusalOf(world.call.confirm_proposal({ proposalId }))
  assert.deepInclude(refused, { _tag: "SENDING_HELD", retryable: true })
  assert.include(refused.message, `on local was ${first} and is ${second}`)
  assert.include(refused.message, "run bursar usdc acknowledge local")
  world = await Bridging.restart(world, 2)
  const again = await refusalOf(world.call.confirm_proposal({ proposalId }))
  assert.strictEqual(again._tag, "SENDING_HELD")
  assert.strictEqual((await world.call.get_policy_limits({})).dailyUsedUsd, "0.00")
  await allow(world, "local")
  await world.call.confirm_proposal({ proposalId })
  await Bridging.until(world, proposalId, isDone)
  await stop(world, "local")
  await world.call.confirm_proposal({ proposalId: (await proposed(world)).proposalId })
  await world.treasury.close()
})

it("the other chain goes on", async () => {
  const world = await opened()
  await stop(world, "local-2")
  const { proposalId, to } = await proposed(world)
  await world.call.confirm_proposal({ proposalId })
  await Bridging.until(world, proposalId, isDone)
  assert.strictEqual(await world.treasury.balanceOf(to), "5.00")
  await world.treasury.close()
})

it("proposals, payment requests and payments of that chain go on", async () => {
  const world = await opened()
  const { call, treasury } = world
  await stop(world, "local")
  await proposed(world)
  const { pid } = await call.create_payment_request({
    walletMappingId: treasury.agent.vault.id,
    amountUsd: 5
  })
  await treasury.pay(pid)
  await treasury.mine()
  assert.strictEqual((await call.get_payment_request({ idOrPid: pid })).status, "paid")
  await treasury.close()
})

it("what was confirmed and is not signed waits with the reason, and is paid once it is acknowledged", async () => {
  const world = await opened()
  const { call, treasury } = world
  const { proposalId, to } = await proposed(world)
  await treasury.chainAway(true)
  await call.confirm_proposal({ proposalId })
  await stop(world, "local")
  await treasury.advance("1 minute")
  assert.match(await reasonOf(world, proposalId), /acknowledge local/u, "the chain is not asked")
  await treasury.chainAway(false)
  for (let turn = 0; turn < 10; turn++) await Bridging.goOn(world)
  assert.match(
    await reasonOf(world, proposalId),
    /^executing: .* bursar usdc acknowledge local\.$/u
  )
  assert.strictEqual(await treasury.balanceOf(to), "0.00")
  await allow(world, "local")
  await Bridging.until(world, proposalId, isDone)
  assert.strictEqual(await treasury.balanceOf(to), "5.00")
  await treasury.close()
})

it("what was handed over before goes on", async () => {
  const world = await opened()
  const { proposalId, to } = await proposed(world)
  await world.call.confirm_proposal({ proposalId })
  await world.treasury.advance("1 second")
  await stop(world, "local")
  await Bridging.until(world, proposalId, isDone)
  assert.strictEqual(await world.treasury.balanceOf(to), "5.00")
  await world.treasury.close()
})

it("nothing is burnt while either end is stopped", async () => {
  for (const chainId of ["local", "local-2"]) {
    const world = await opened()
    await stop(world, chainId)
    const refused = await refusalOf(Bridging.startBridge(world))
    assert.deepInclude(refused, { _tag: "SENDING_HELD" })
    assert.include(refused.message, `acknowledge ${chainId}`)
    await allow(world, chainId)
    await Bridging.until(world, await Bridging.startBridge(world), isDone)
    await world.treasury.close()
  }
})

it("a bridge that was confirmed is not opened while one of its ends is stopped", async () => {
  for (const chainId of ["local", "local-2"]) {
    const world = await opened()
    const { call, treasury } = world
    const { proposalId } = await call.propose_bridge({ ...Bridging.asked(world), ...world.tokens })
    await treasury.chainAway(true)
    await call.confirm_proposal({ proposalId })
    await stop(world, chainId)
    await treasury.chainAway(false)
    for (let turn = 0; turn < 10; turn++) await Bridging.goOn(world)
    const { steps } = await call.get_proposal({ proposalId })
    assert.deepStrictEqual(
      steps.map(({ kind }) => kind),
      ["order"]
    )
    assert.include(await reasonOf(world, proposalId), `acknowledge ${chainId}.`)
    await allow(world, chainId)
    await Bridging.until(world, proposalId, isDone)
    await treasury.close()
  }
})

it("what was burnt waits for the wallet that brings it, and arrives once it is acknowledged", async () => {
  const world = await opened()
  const proposalId = await Bridging.startBridge(world)
  await Bridging.until(world, proposalId, ({ steps }) =>
    steps.some(({ kind, status }) => kind === "burn" && status === "done")
  )
  await stop(world, "local-2")
  const there = () => Bridging.balanceOn(world, world.to.address, "local-2")
  for (let turn = 0; turn < 30; turn++) await Bridging.goOn(world)
  assert.strictEqual(await there(), 0n)
  const { status } = await world.call.get_proposal({ proposalId })
  assert.strictEqual(status, "executing")
  await allow(world, "local-2")
  const done = await Bridging.until(world, proposalId, isDone)
  assert.strictEqual(done.outcome, "executed")
  assert.strictEqual(String(await there()), done.boughtAmount)
  await world.treasury.close()
})

it("the accepted contract that comes back needs nobody", async () => {
  const world = await opened()
  const { proposalId } = await proposed(world)
  await stop(world, "local")
  await refusalOf(world.call.confirm_proposal({ proposalId }))
  await look(world, asBefore)
  await world.call.confirm_proposal({ proposalId })
  await world.treasury.close()
})

it("a proxy that names several contracts is told with all of them", async () => {
  const world = await opened()
  const { proposalId } = await proposed(world)
  await look(world, { ...asBefore, local: `${first}-${second}` })
  const refused = await refusalOf(world.call.confirm_proposal({ proposalId }))
  assert.include(refused.message, `was ${first} and is ${first} with ${second}. `)
  await world.treasury.close()
})

it("a chain on which nothing was seen cannot be acknowledged", async () => {
  const world = await Bridging.openBridging()
  const refused = await refusalOf(allow(world, "local"))
  assert.strictEqual(refused._tag, "NOT_FOUND")
  await world.treasury.close()
})

it("every kind that moves money names its chains", () => {
  for (const kind of Object.values(kinds)) {
    assert.strictEqual("chains" in kind, kind.movesMoney, kind.kind)
  }
})
