/**
 * What one send says to the database, statement by statement, from its proposal to its end: run by hand when
 * something of a send changes. With `text` as argument it prints each statement whole.
 */
import { Effect, Layer } from "effect"
import { ReadAgain } from "../adapters/postgres/read-again.ts"
import * as Anvil from "../apps/sandbox/anvil.ts"
import * as CircleUsdc from "../apps/sandbox/circle-usdc.ts"
import { authenticate } from "../core/accounts/authenticate.ts"
import { Address } from "../core/chains/address.ts"
import * as Chain from "../core/chains/chain.ts"
import { EvmRelay } from "../core/evm/relay.ts"
import * as Advance from "../core/submissions/advance.ts"
import { seedAccounts } from "../core/treasury/seed.ts"
import { callsOf } from "../core/treasury/treasury.ts"
import * as Database from "./database.ts"
import * as Ports from "./ports.ts"
import * as Statements from "./statements.ts"

const amountMicro = 10_000n
const plentyWei = `0x${(10n ** 24n).toString(16)}`

const openGround = Effect.gen(function* () {
  const anvil = yield* Anvil.start()
  const usdc = yield* CircleUsdc.deploy(anvil)
  return { anvil, usdc }
})

type Ground = Effect.Success<typeof openGround>

const sender = Effect.fnUntraced(function* ({ anvil, usdc }: Ground) {
  const { apiKey, wallet } = yield* seedAccounts({
    kind: "agent",
    name: "Purchasing agent",
    tier: "startup",
    chainId: "local",
    customer: { externalId: "customer", namespace: "default" },
    payee: { label: "Payee", address: Address.make(`0x${"70".repeat(20)}`) }
  })
  yield* anvil.call("evm_setAutomine", false)
  yield* CircleUsdc.mint(anvil, usdc, wallet.address, amountMicro * 100n)
  yield* anvil.call("evm_setAutomine", true)
  const relayer = yield* (yield* EvmRelay).relayerAddress("local")
  yield* anvil.call("anvil_setBalance", relayer, plentyWei)
  const calls = callsOf(yield* authenticate(apiKey))
  const { recipients } = yield* calls.list_recipients({})
  const input = {
    recipientId: recipients[0]?.id ?? "",
    fromWalletId: wallet.id,
    amountUsdc: "0.01"
  }
  return { calls, input }
})

type Sender = Effect.Success<ReturnType<typeof sender>>

/** One send, phase by phase, with what each says. */
const phases = Effect.fnUntraced(function* (
  { calls, input }: Sender,
  of: Statements.Of,
  n: number
) {
  let proposalId = ""
  const proposed = yield* Statements.heard(
    Effect.map(calls.propose_transfer(input, { idempotencyKey: `propose-${n}` }), (view) => {
      proposalId = view.proposalId
    }),
    of
  )
  const confirmed = yield* Statements.heard(
    calls.confirm_proposal({ proposalId }, { idempotencyKey: `confirm-${n}` }),
    of
  )
  const { claim } = yield* Advance.make
  const turn = Effect.flatMap(claim(10), (due) => Effect.forEach(due, Advance.advance))
  const turns: Array<ReadonlyArray<string>> = []
  for (let at = 0; at < 10; at++) {
    const said = yield* Statements.heard(turn, of)
    turns.push(said)
    const { status } = yield* calls.get_proposal({ proposalId })
    if (status !== "executing") break
    yield* Effect.sleep("300 millis")
  }
  return { proposed, confirmed, carried: turns.flat() }
})

/** Statements that a transaction could answer from what it had read, since it was opened here. */
let known = 0
const { find } = ReadAgain.prototype
ReadAgain.prototype.find = function (...asked) {
  const answer = find.apply(this, asked)
  if (answer !== undefined) known++
  return answer
}

const print = (name: string, said: ReadonlyArray<string>) => {
  console.log(`\n${name}: ${said.length}`)
  for (const each of said) console.log(`  ${each.replaceAll(/\s+/gu, " ").trim().slice(0, 220)}`)
}

const listed = Effect.fnUntraced(function* (url: string) {
  const ground = yield* openGround
  const chain = Chain.find("local")
  if (chain === undefined) return yield* Effect.die(new Error("The local chain is not known."))
  const { rpcUrl } = ground.anvil
  const connection = { chain, usdc: ground.usdc, rpcUrl, confirmations: 1, pollMs: 50 }
  const ports = Ports.onPostgres(url, { chains: [connection] })
  return yield* Effect.gen(function* () {
    const own = yield* sender(ground)
    const of = process.argv.includes("text") ? Statements.whole : Statements.gists
    yield* phases(own, of, 0)
    known = 0
    const said = yield* phases(own, of, 1)
    for (const [name, statements] of Object.entries(said)) print(name, statements)
    console.log(
      `\nin all: ${Object.values(said).flat().length}, ${known} of them known and not asked`
    )
  }).pipe(Effect.provide(Layer.fresh(ports)))
})

const database = await Database.open()
try {
  await Effect.runPromise(Effect.scoped(listed(database.url)) as Effect.Effect<void>)
} finally {
  await database.stop()
}
