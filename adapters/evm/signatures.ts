/**
 * Port Signatures on EVM chains. A plain account's signature is recovered here, without the chain; for
 * anything else the address is asked itself (ERC-1271), where only its own refusal counts as one.
 */
import { Effect, Layer } from "effect"
import { encodeFunctionData, hashMessage, parseAbi, recoverMessageAddress } from "viem/utils"
import { isPlainForm } from "../../core/chains/evm.ts"
import { ChainUnavailable } from "../../core/ports/chains.ts"
import { Signatures, type SignedText } from "../../core/ports/signatures.ts"
import { curve } from "../loading/curve.ts"
import { hexOf } from "./authorization.ts"
import * as Node from "./node.ts"
import type { RpcFailed } from "./rpc.ts"

const abi = parseAbi([
  "function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"
])

/** What a contract answers when the signature is its own. */
const magic = "0x1626ba7e"

const isByAccount = ({ signer, message, signature }: SignedText) =>
  isPlainForm(signature)
    ? Effect.promise(async () => {
        await curve.get()
        return recoverMessageAddress({ message, signature: hexOf(signature) }).then(
          (address) => address.toLowerCase() === signer.address.toLowerCase(),
          () => false
        )
      })
    : Effect.succeed(false)

/** A call the contract itself ended: by a refusal, or by running into something it does not know. */
const endedThere = ({ reason, detail }: RpcFailed): boolean =>
  reason === "refused" && /revert|invalid opcode|out of gas|stack|jump/iu.test(detail)

const bytes = /^0x(?:[0-9a-fA-F]{2})*$/u

const isByContract = Effect.fnUntraced(function* (node: Node.Node, signed: SignedText) {
  const { signer, message, signature } = signed
  if (!bytes.test(signature)) return false
  const [code] = yield* node.ask([{ method: "eth_getCode", params: [signer.address, "latest"] }])
  if (typeof code !== "string" || !bytes.test(code)) {
    return yield* Node.unavailable(node, "inconsistent", "the node does not tell what is there")
  }
  if (code === "0x") return false
  const data = encodeFunctionData({
    abi,
    functionName: "isValidSignature",
    args: [hashMessage(message), hexOf(signature)]
  })
  const [answer] = yield* node
    .ask([{ method: "eth_call", params: [{ to: signer.address, data }, "latest"] }])
    .pipe(
      Effect.catchTag("RpcFailed", (failed) =>
        endedThere(failed) ? Effect.succeed(["0x"]) : Effect.fail(failed)
      )
    )
  return String(answer).toLowerCase() === magic.padEnd(66, "0")
})

export const layer = (connections: ReadonlyArray<Node.Connection>): Layer.Layer<Signatures> =>
  Layer.sync(Signatures, () => {
    const nodes = connections.map(Node.make)
    return {
      isBy: Effect.fnUntraced(function* (signed) {
        if (yield* isByAccount(signed)) return true
        const { chainId } = signed.signer
        const node = nodes.find(({ connection }) => connection.chain.id === chainId)
        if (node === undefined) {
          const detail = "it is not connected, so its contracts cannot be asked"
          return yield* new ChainUnavailable({ chainId, reason: "unreachable", detail })
        }
        return yield* isByContract(node, signed).pipe(
          Effect.mapError((failed) => Node.translate(node, failed))
        )
      })
    }
  })
