/** A treasury in memory on two chains, whose agent has a wallet with money on one and an empty one on the other. */
import { Effect } from "effect"
import { BridgeScript } from "../../adapters/memory/bridges.ts"
import { ChainScript } from "../../adapters/memory/chains.ts"
import { openTreasury, type TestTreasury } from "../../apps/testing/treasury.ts"

export interface Bridging {
  readonly treasury: TestTreasury
  readonly apiKey: string
  /** The operations as the account that bridges, in whichever process. */
  readonly call: TestTreasury["agent"]["call"]
  readonly from: { readonly id: string; readonly address: string }
  readonly to: { readonly id: string; readonly address: string }
  readonly tokens: { readonly sellTokenAddress: string; readonly buyTokenAddress: string }
}

const usdc = { local: `0x${"05".repeat(20)}`, "local-2": `0x${"06".repeat(20)}` }

/** The agent's wallet on the second chain, opened like any other. */
const openWallet = async ({ agent }: TestTreasury) => {
  const { proposalId } = await agent.call.propose_create_account({
    chainId: "local-2",
    walletName: "Second"
  })
  await agent.call.confirm_proposal({ proposalId })
  const { wallets } = await agent.call.list_wallets({})
  const wallet = wallets.find(({ chainId }) => chainId === "local-2")
  if (wallet === undefined) throw new Error("The second wallet was not opened.")
  return { id: wallet.id, address: wallet.address }
}

export const openBridging = async (
  options: Parameters<typeof openTreasury>[0] = {}
): Promise<Bridging> => {
  const treasury = await openTreasury({ chains: ["local", "local-2"], ...options })
  const from = treasury.agent.wallet
  const to = await openWallet(treasury)
  await treasury.send(from.address, "1000.00")
  await treasury.mine()
  return {
    treasury,
    apiKey: treasury.agent.apiKey,
    call: treasury.agent.call,
    from,
    to,
    tokens: { sellTokenAddress: usdc.local, buyTokenAddress: usdc["local-2"] }
  }
}

/** What a bridge of so much is asked for with. */
export const asked = ({ from, to }: Bridging, amountUsd = "100.00") => ({
  fromWalletId: from.id,
  toWalletId: to.id,
  sellSymbol: "USDC",
  buySymbol: "USDC",
  amountUsd
})

/** Proposes and confirms a bridge; the proposal's id. */
export const startBridge = async (bridging: Bridging, over: Record<string, string> = {}) => {
  const { call } = bridging
  const { proposalId } = await call.propose_bridge({
    ...asked(bridging),
    ...bridging.tokens,
    ...over
  })
  await call.confirm_proposal({ proposalId })
  return proposalId
}

/** Time passes and blocks come on both chains. */
export const goOn = async ({ treasury }: Bridging, seconds = 6) => {
  await treasury.mine(1, "local")
  await treasury.mine(1, "local-2")
  await treasury.advance(`${seconds} seconds`)
}

type View = Awaited<ReturnType<TestTreasury["agent"]["call"]["get_proposal"]>>

/** Goes on until the proposal is as was asked for. */
export const until = async (
  bridging: Bridging,
  proposalId: string,
  isThere: (proposal: View) => boolean,
  most = 60
): Promise<View> => {
  for (let turn = 0; turn < most; turn++) {
    const proposal = await bridging.call.get_proposal({ proposalId })
    if (isThere(proposal)) return proposal
    await goOn(bridging)
  }
  const last = await bridging.call.get_proposal({ proposalId })
  throw new Error(`It stays at ${JSON.stringify(last, undefined, 2)}`)
}

/** What the script of the bridge is told. */
export const bridgeScript = (
  { treasury }: Bridging,
  tell: (script: BridgeScript["Service"]) => Effect.Effect<unknown>
) => treasury.operate(Effect.flatMap(BridgeScript, tell))

/** USDC of an address on a chain. */
export const balanceOn = ({ treasury }: Bridging, address: string, chainId: string) =>
  treasury.operate(Effect.flatMap(ChainScript, (script) => script.balanceOf(address, chainId)))

/** Ends the process, and goes on in another over what outlived it, so many days later. */
export const restart = async (bridging: Bridging, seed: number, days = 0): Promise<Bridging> => {
  const { apiKey, treasury } = bridging
  const { durable } = treasury
  const later = Date.parse(await treasury.now()) + days * 86_400_000
  const startsAt = new Date(later).toISOString()
  await treasury.close()
  const next = await openTreasury({ durable, startsAt, seed })
  return { ...bridging, treasury: next, call: await next.as(apiKey) }
}
