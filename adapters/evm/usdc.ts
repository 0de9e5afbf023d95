/** The payer's side of a payment, for demos, examples and tests: a plain transfer from a private key. */
import { createClient, http } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { getChainId, sendTransaction, waitForTransactionReceipt } from "viem/actions"
import { encodeFunctionData } from "viem/utils"
import { type Chain, eip155 } from "../../core/chains/chain.ts"
import { abi, address } from "./contract.ts"

export interface Payment {
  readonly rpcUrl: string
  readonly privateKey: string
  /** The contract that is USDC on that chain. */
  readonly token: string
  readonly to: string
  readonly amountMicro: bigint
  /** How often to ask for the receipt. */
  readonly pollMs?: number
}

/** Sends USDC and waits until it is in a block; its transaction. Rejects when it cannot be made. */
export const sendUsdc = async (payment: Payment): Promise<string> => {
  const client = createClient({
    account: privateKeyToAccount(address(payment.privateKey)),
    transport: http(payment.rpcUrl),
    pollingInterval: payment.pollMs ?? 50
  })
  const data = encodeFunctionData({
    abi,
    functionName: "transfer",
    args: [address(payment.to), payment.amountMicro]
  })
  const hash = await sendTransaction(client, { chain: null, to: address(payment.token), data })
  const receipt = await waitForTransactionReceipt(client, { hash })
  if (receipt.status !== "success") throw new Error(`The transfer ${hash} was reverted.`)
  return hash
}

/** The key in what a wallet exports; undefined when there is none. */
export const readPrivateKey = (text: string): string | undefined => {
  const key = text.startsWith("0x") ? text : `0x${text}`
  return /^0x[0-9a-f]{64}$/iu.test(key) ? key : undefined
}

/** Whether a node is of a chain. Rejects when it does not answer. */
export const isNodeOf = async (rpcUrl: string, chain: Chain): Promise<boolean> =>
  (await getChainId(createClient({ transport: http(rpcUrl) }))) === eip155(chain)
