/** The examples run as their readers would run them, on the published paths, and say what they promise. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ChainScript } from "../adapters/memory/chains.ts"
import * as WebhookSender from "../adapters/webhook-sender/webhook-sender.ts"
import { freePort } from "../apps/sandbox/free-port.ts"
import { system } from "../core/audit/record.ts"
import { Notifier } from "../core/ports/notifier.ts"
import { work } from "../core/treasury/workers.ts"
import { createWallet } from "../core/wallets/create.ts"
import { AnvilChain } from "./support/anvil.ts"
import * as PlanSale from "./support/anvil-plan-sale.ts"
import { Shop } from "./support/plan-server.ts"
import { AccountId, everyScope, issued } from "./support/small-treasury.ts"
import { type Fields, overRest, type Said } from "./support/surface-calls.ts"
import * as Surfaces from "./support/surfaces.ts"

const root = join(import.meta.dirname, "..")

interface Running {
  readonly process: ChildProcess
  readonly said: () => string
}

type Environment = Readonly<Record<string, string>>

const start = (name: string, environment: Environment, ...args: ReadonlyArray<string>): Running =>
  run([`examples/${name}`, ...args], environment)

const run = (args: ReadonlyArray<string>, environment: Environment): Running => {
  const paths = ["--import", "./test/support/published-paths.ts"]
  const env = { PATH: process.env.PATH, ...environment }
  const child = spawn(process.execPath, [...paths, ...args], { cwd: root, env })
  let said = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text
    })
  }
  return { process: child, said: () => said }
}

/** What it printed, once it ended well. */
const output = (name: string, environment: Environment = {}, ...args: Array<string>) =>
  ended(start(name, environment, ...args))

const ended = async (running: Running) => {
  const [code] = await once(running.process, "close")
  assert.strictEqual(code, 0, running.said())
  return running.said()
}

const until = Effect.fnUntraced(function* <E, R>(
  sentence: string,
  ask: Effect.Effect<boolean, E, R>
) {
  for (let turn = 0; turn < 400; turn++) {
    if (yield* ask) return
    yield* Effect.sleep("25 millis")
  }
  return yield* Effect.die(new Error(`In vain: ${sentence}`))
})

const says = (running: Running, line: string) =>
  until(
    `the example says ${line}`,
    Effect.sync(() => running.said().includes(line))
  )

const tried = [
  "add-recipient.ts",
  "embedded.ts",
  "invoice.ts",
  "keys-in-a-service.ts",
  "onboard-agent.ts",
  // Pays on a real chain, in test/adapters/x402/stock-client.test.ts.
  "pay-with-x402.ts",
  "test-suite.ts",
  "webhook-receiver.ts"
]

it("every example is tried here, on the paths under which the package is published", () => {
  const there = readdirSync(join(root, "examples")).filter((name) => name.endsWith(".ts"))
  assert.sameMembers(there, tried)
  const { exports: published } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const { compilerOptions } = JSON.parse(
    readFileSync(join(root, "examples/tsconfig.json"), "utf8")
  ) as { readonly compilerOptions: { readonly paths: Readonly<Record<string, [string]>> } }
  for (const [path, [source]] of Object.entries(compilerOptions.paths)) {
    const compiled = source.replace("..", "./dist/package").replace(/\.ts$/u, ".js")
    assert.strictEqual(published[path.replace("bursar", ".")], compiled, path)
  }
})

it.live("the embedded treasury opens a payment request and sees it paid", () =>
  Effect.promise(async () => {
    assert.strictEqual(
      await output("embedded.ts"),
      "user_42 owes 49.00 USD: open\nuser_42 has sent it: paid\n"
    )
  })
)

it.live("the test suite of a shop passes", () =>
  Effect.promise(async () => {
    const said = await output("test-suite.ts")
    assert.match(said, /pass 3\b/u)
    assert.match(said, /fail 0\b/u)
  })
)

/** REST over stores in memory, with workers that carry webhooks for real. */
const workers = Layer.effectDiscard(Effect.forkScoped(work())).pipe(
  Layer.provide(WebhookSender.layer({ mode: "local" }))
)
const service = Layer.provideMerge(workers, Surfaces.layer())

const data = (said: Said): Fields => {
  assert.isTrue(said.ok, JSON.stringify(said))
  return said.ok ? (said.data as Fields) : {}
}

const aVault = Effect.gen(function* () {
  const wanted = {
    accountId: yield* AccountId,
    chainId: "local",
    name: "Vault",
    isDefault: false,
    metadata: {},
    kind: "collection" as const,
    customer: { externalId: "user_42", namespace: "default" }
  }
  const vault = yield* createWallet(wanted, system)
  assert.isDefined(vault)
  return { id: vault?.id ?? "", address: vault?.address ?? "" }
})

/** The file a sandbox leaves for its user, in a directory of its own. */
const sandboxFile = (facts: object) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const directory = mkdtempSync(join(tmpdir(), "bursar-examples-"))
      writeFileSync(join(directory, "sandbox.json"), JSON.stringify(facts))
      return directory
    }),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  )

it.live("an invoice is asked for once, and the receiver hears once that it is paid", () =>
  Effect.gen(function* () {
    const key = yield* issued(everyScope)
    const vault = yield* aVault
    const port = yield* Effect.promise(freePort)
    const url = `http://127.0.0.1:${port}/webhooks`
    const { secret } = data(yield* overRest("create_merchant_webhook", { url }, key))
    const environment = { WEBHOOK_SECRET: String(secret), PORT: String(port) }
    const receiver = yield* Effect.acquireRelease(
      Effect.sync(() => start("webhook-receiver.ts", environment)),
      (running) => Effect.sync(() => running.process.kill())
    )
    yield* says(receiver, "Listening")

    const directory = yield* sandboxFile({
      baseUrl: `${yield* Surfaces.Origin}/api/v1`,
      developerKey: key,
      wallets: [{ id: vault.id, kind: "collection" }]
    })
    const ask = () => output("invoice.ts", { BURSAR_DATA_DIR: directory }, "order-7")
    const first = yield* Effect.promise(ask)
    assert.match(
      first,
      /^pr_\w{22} asks for 49\.00 USD and is open until .*\n.*\/pay\/pr_\w{22}\n$/u
    )
    assert.strictEqual(yield* Effect.promise(ask), first)

    const chain = yield* ChainScript
    yield* chain.pay({ to: vault.address, amountMicro: 49_000_000n })
    yield* chain.mine(3)
    yield* (yield* Notifier).signal("chains")
    yield* says(receiver, "order-7 is paid: 49.00 USD.")

    const { webhook_deliveries: deliveries } = data(
      yield* overRest("list_webhook_deliveries", {}, key)
    )
    assert.lengthOf(deliveries as ReadonlyArray<Fields>, 1)
    const [{ id } = {}] = deliveries as ReadonlyArray<Fields>
    const replay = data(yield* overRest("replay_webhook_delivery", { id }, key))
    yield* until(
      "the replay is delivered",
      Effect.map(
        overRest("get_webhook_delivery", { id: replay.id }, key),
        (now) => data(now).status === "delivered"
      )
    )
    const forged = yield* Effect.promise(() => fetch(url, { method: "POST", body: "{}" }))
    assert.strictEqual(forged.status, 400)
    assert.lengthOf(receiver.said().match(/is paid/gu) ?? [], 1)
  }).pipe(Effect.provide(service), Effect.scoped)
)

it.live("an agent pays for an account of its own, and works with its key", () =>
  Effect.gen(function* () {
    const { usdc } = yield* AnvilChain
    const { account, privateKey } = yield* PlanSale.payerWith(6_000_000n)
    const directory = yield* sandboxFile({
      siteUrl: yield* Shop,
      chain: { usdc },
      payer: { privateKey }
    })
    const said = yield* Effect.promise(() =>
      output("onboard-agent.ts", { BURSAR_DATA_DIR: directory }, "Buyer")
    )
    assert.match(said, /^Buyer paid 5\.00 USD for the plan personal: account [0-9a-f-]{36}\n/u)
    assert.include(said, `${account.address} governs it; its human was mailed a link: true\n`)
    assert.match(said, /It may send 1000\.00 USD at once, until \d{4}-.*Z\.\n/u)
    const [worker = "", first = ""] = said.match(/svc_ag_\w+/gu) ?? []
    const site = yield* Shop
    const listed = yield* Effect.promise(() =>
      fetch(`${site}/api/v1/keys`, { headers: { authorization: `Bearer ${first}` } }).then(
        (response) => response.text()
      )
    )
    assert.include(listed, '"label":"Worker"')
    assert.include(listed, `"lastFour":"${worker.slice(-4)}"`)
    const own = {
      BURSAR_SITE: site,
      BURSAR_API_KEY: worker,
      BURSAR_FUNDING_KEY: privateKey
    }
    const supplier = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
    const added = yield* Effect.promise(() =>
      output("add-recipient.ts", own, supplier, "local", "Supplier")
    )
    assert.include(added, `to pay ${supplier} on local from now on.`)
    assert.match(added, /\nAdd 0x8ba1\w+ on local to the recipients: completed\.\n$/u)
  }).pipe(Effect.provide(PlanSale.market), Effect.scoped)
)

/** Both clouds' own calls, answered by keys on this machine; what is asked is checked as they would. */
const cloudProgram = `
import { createPublicKey } from "node:crypto"
import { strict as assert } from "node:assert"
import { Effect } from "effect"
import { relayerKey } from "bursar/evm"
import { Kms } from "bursar/keys"
import { awsKeys, googleKeys } from "${root}/examples/keys-in-a-service.ts"
import { localKms } from "${root}/test/support/local-kms.ts"

const keys = localKms()
const aws = {
  describeKey: async ({ KeyId }) => {
    if (!keys.has(KeyId)) throw Object.assign(new Error("no such key"), { name: "NotFoundException" })
  },
  createKey: async ({ KeySpec, KeyUsage }) => {
    assert.deepEqual([KeySpec, KeyUsage], ["ECC_SECG_P256K1", "SIGN_VERIFY"])
    return { KeyMetadata: { KeyId: "1234" } }
  },
  createAlias: async ({ AliasName, TargetKeyId }) => {
    assert.equal(TargetKeyId, "1234")
    await keys.make(AliasName)
  },
  getPublicKey: async ({ KeyId }) => ({ PublicKey: await keys.publicKeyOf(KeyId) }),
  sign: async ({ KeyId, Message, MessageType, SigningAlgorithm }) => {
    assert.deepEqual([MessageType, SigningAlgorithm], ["DIGEST", "ECDSA_SHA_256"])
    return { Signature: await keys.sign(KeyId, Message) }
  }
}
const google = {
  createCryptoKey: async ({ parent, cryptoKeyId, cryptoKey }) => {
    assert.equal(cryptoKey.versionTemplate.algorithm, "EC_SIGN_SECP256K1_SHA256")
    const name = parent + "/cryptoKeys/" + cryptoKeyId + "/cryptoKeyVersions/1"
    if (keys.has(name)) throw Object.assign(new Error("6 ALREADY_EXISTS"), { code: 6 })
    await keys.make(name)
  },
  getPublicKey: async ({ name }) => {
    const key = createPublicKey({ key: Buffer.from(await keys.publicKeyOf(name)), format: "der", type: "spki" })
    return [{ pem: key.export({ format: "pem", type: "spki" }) }, undefined, undefined]
  },
  asymmetricSign: async ({ name, digest: { sha256 } }) => [{ signature: await keys.sign(name, sha256) }]
}
for (const client of [awsKeys(aws), googleKeys(google, "projects/p/locations/l/keyRings/r")]) {
  const options = { prefix: "treasury" }
  const backend = Kms.backend(client, options)
  const { ref } = await Effect.runPromise(backend.open("secp256k1", "07".repeat(31)))
  const again = await Effect.runPromise(backend.open("secp256k1", "07".repeat(31)))
  assert.deepEqual(again, { ref, isRecoverable: true })
  await Effect.runPromise(backend.sign("secp256k1", ref, new Uint8Array(32).fill(171)))
  await Effect.runPromise(relayerKey(backend, Kms.relayerRef(options)).sign("0x" + "cd".repeat(32)))
}
console.log([...keys.asked.keys()].join("\\n"))
`

it.live("keys in a service sign for a treasury, by the calls of two clouds", () =>
  Effect.promise(async () => {
    assert.strictEqual(
      await ended(run(["--input-type=module", "-e", cloudProgram], {})),
      [
        "alias/treasury-BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBw",
        "alias/treasury-relayer",
        "projects/p/locations/l/keyRings/r/cryptoKeys/treasury-BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBw/cryptoKeyVersions/1",
        "projects/p/locations/l/keyRings/r/cryptoKeys/treasury-relayer/cryptoKeyVersions/1",
        ""
      ].join("\n")
    )
  })
)
