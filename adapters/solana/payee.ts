/** What stands at an address that is to be paid: an owner, or something that money sent to is lost in. */
import { Effect } from "effect"
import type { ChainUnavailable, Payee } from "../../core/ports/chains.ts"
import { mintIn, tokenIn, tokenPrograms } from "./account.ts"
import * as Node from "./node.ts"
import type { RpcFailed } from "./rpc.ts"
import { isOffCurve } from "./token-address.ts"

const unpayable = (reason: string): Payee => ({ _tag: "unpayable", reason })

/** A multisig's vault is one; so is anything that a program forgot to give a way out. */
const note =
  "no key belongs to this address: it is a program's, as the vault of a multisig is, so make sure that its owner can send from it"

export const payeeAt = Effect.fnUntraced(function* (
  node: Node.Node,
  owner: string
): Effect.fn.Return<Payee, RpcFailed | ChainUnavailable> {
  const { accounts } = yield* Node.accounts(node, [owner], { commitment: "confirmed" })
  const [account] = accounts
  if (account?.executable === true) return unpayable("a program, which owns no tokens of its own")
  const token = account === undefined ? undefined : tokenIn(account)
  if (token !== undefined) return unpayable(`a token account; its owner is ${token.owner}`)
  if (account !== undefined && mintIn(account) !== undefined) return unpayable("a token's mint")
  if (tokenPrograms.includes(account?.owner ?? ""))
    return unpayable("an account of a token program")
  return { _tag: "payable", ...(isOffCurve(owner) ? { note } : {}) }
})
