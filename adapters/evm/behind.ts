/**
 * What stands behind tokens that are proxies: where EIP-1967, the issuer of USDC, EIP-1822 and the bridge of Polygon keep
 * the address of the contract that does the work, or a beacon's word for it. A token that keeps none is no proxy.
 */
import { Effect } from "effect"
import { keccak256, toHex } from "viem/utils"
import type { AddressKey } from "../../core/chains/address.ts"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import type * as Node from "./node.ts"
import { type Call, RpcFailed } from "./rpc.ts"

const nameHash = (name: string): string => keccak256(toHex(name))

/** One less than the hash, so that nobody knows what hashes to it (EIP-1967). */
const lessOne = (name: string): string => toHex(BigInt(nameHash(name)) - 1n, { size: 32 })

const slots = [
  nameHash("org.zeppelinos.proxy.implementation"),
  lessOne("eip1967.proxy.implementation"),
  nameHash("PROXIABLE"),
  nameHash("matic.network.proxy.implementation")
]

const beaconSlot = lessOne("eip1967.proxy.beacon")
const implementationOf = "0x5c60da1b"

const contractIn = (word: unknown): string | undefined =>
  typeof word === "string" && /^0x0{24}[0-9a-f]{40}$/iu.test(word) && BigInt(word) > 0n
    ? `0x${word.slice(26).toLowerCase()}`
    : undefined

const wordAt = (token: string, slot: string): Call => ({
  method: "eth_getStorageAt",
  params: [token, slot, "latest"]
})

type Asking<A> = Effect.Effect<A, RpcFailed | ChainUnavailable>
type Asked = Pick<Node.Node, "ask">

/** Many nodes take no more calls than this in one request. */
const maxCalls = 100

/** A node that says nothing of a place did not look; it did not find it empty. */
const isTold = (answer: unknown, { mayRevert }: Call): boolean =>
  (answer === undefined && mayRevert === true) ||
  (typeof answer === "string" && /^0x[0-9a-f]*$/iu.test(answer))

const answersTo = Effect.fnUntraced(function* ({ ask }: Asked, calls: ReadonlyArray<Call>) {
  const answers: Array<unknown> = []
  for (let from = 0; from < calls.length; from += maxCalls) {
    answers.push(...(yield* ask(calls.slice(from, from + maxCalls))))
  }
  const silent = calls.find((each, at) => !isTold(answers[at], each))
  if (silent !== undefined) {
    const detail = `${silent.method}: what it says is no word and no code`
    return yield* new RpcFailed({ reason: "unreachable", detail })
  }
  return answers
})

/**
 * The contracts that each token names for its work, each once; none where it does it itself. A proxy reads one of the
 * places, and nobody outside knows which: what stands in another must not hide it.
 */
export const implementations = Effect.fnUntraced(function* (
  node: Asked,
  tokens: ReadonlyArray<string>
) {
  const all = [...slots, beaconSlot]
  const words = yield* answersTo(
    node,
    tokens.flatMap((token) => all.map((slot) => wordAt(token, slot)))
  )
  const found = tokens.map((_, at) => {
    const own = words.slice(at * all.length, (at + 1) * all.length).map(contractIn)
    return { direct: own.slice(0, -1), beacon: own.at(-1) }
  })
  const beacons = found.flatMap(({ beacon }) => beacon ?? [])
  const answers = yield* answersTo(
    node,
    beacons.map((to) => ({
      method: "eth_call",
      params: [{ to, data: implementationOf }, "latest"],
      mayRevert: true
    }))
  )
  return found.map(({ beacon, direct }): ReadonlyArray<string> => {
    const pointed = beacon === undefined ? undefined : contractIn(answers[beacons.indexOf(beacon)])
    return [...new Set([...direct, pointed].filter((each) => each !== undefined))]
  })
})

const hashOf = (code: unknown): string => keccak256(code as `0x${string}`)

/** The same with the hash of its code, as `Says` has it. */
export const behind = (
  node: Asked,
  tokens: ReadonlyArray<AddressKey>
): Asking<ReadonlyArray<string | undefined>> =>
  Effect.gen(function* () {
    const found = yield* implementations(node, tokens)
    const contracts = found.flat()
    const codes = yield* answersTo(
      node,
      contracts.map((address) => ({ method: "eth_getCode", params: [address, "latest"] }))
    )
    const named = (each: string) => `${each}-${hashOf(codes[contracts.indexOf(each)])}`
    return found.map((each) => (each.length === 0 ? undefined : each.map(named).join("-")))
  })
