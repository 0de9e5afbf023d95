/** How a command ends: its exit code, what stands on stderr, and that no key is ever among it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type SandboxFacts, writeFacts } from "../../../apps/sandbox/facts.ts"
import { ran } from "../../support/command-line.ts"
import { type Answering, against, answering, key, says } from "../../support/scripted-service.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const hangsUp: Answering = (request) => request.socket.destroy()

const refusal = (over: object) => ({
  ok: false,
  error: { code: "NOT_FOUND", message: "Not here.", outcome: "not_executed", ...over }
})

const read = ["get-payment-request", "--id-or-pid", "pr_1"]
const write = ["revoke-recipient", "--recipient-id", "r1"]

describe("a command ends with", () => {
  it.live("1 when it is refused, and the call to make next is a command line", () =>
    Effect.gen(function* () {
      const next = { operation: "list_payment_requests", args: { status: "open", limit: 5 } }
      const body = refusal({ param: "idOrPid", next, requestId: "req_1" })
      const ended = yield* against(says(404, body), read)
      assert.strictEqual(ended.exitCode, 1)
      assert.strictEqual(ended.stdout, "")
      assert.deepStrictEqual(ended.stderr.split("\n"), [
        "NOT_FOUND: Not here.",
        "  field: idOrPid",
        "  next: bursar list-payment-requests --status open --limit 5",
        "  request: req_1",
        ""
      ])
    })
  )

  it.live("1, and the call to make next is one to the same service, without the key", () =>
    Effect.gen(function* () {
      const next = { operation: "create_merchant_webhook", args: { url: "https://a.example/x" } }
      const { url } = yield* answering(says(403, refusal({ next })))
      const { stderr } = yield* ran([...read, "--url", url, "--key", key], {})
      assert.include(
        stderr,
        `next: bursar create-merchant-webhook --url https://a.example/x --bursar-url ${url}\n`
      )
    })
  )

  it.live("1 also when the service names an operation this program does not know yet", () =>
    Effect.gen(function* () {
      const body = refusal({ next: { operation: "appoint_auditor", args: {} } })
      const ended = yield* against(says(403, body), read)
      assert.strictEqual(ended.exitCode, 1)
      assert.include(ended.stderr, "next: appoint_auditor")
    })
  )

  it.live("3 when nobody answers, or somebody who failed and did nothing", () =>
    Effect.gen(function* () {
      const { server, url } = yield* answering(says(200, ""))
      yield* Effect.promise(() => new Promise((resume) => server.close(resume)))
      for (const words of [read, write]) {
        const away = yield* ran(words, { BURSAR_URL: url, BURSAR_API_KEY: key })
        assert.strictEqual(away.exitCode, 3)
        assert.include(away.stderr, `No service responds at ${url}`)
      }
      const failed = refusal({ code: "INTERNAL" })
      assert.strictEqual((yield* against(says(500, failed), write)).exitCode, 3)
      assert.strictEqual((yield* against(says(503, failed), read)).exitCode, 3)
    })
  )

  it.live("4 when a write may have been done, and says how to run the same again", () =>
    Effect.gen(function* () {
      const unknown = says(500, refusal({ code: "INTERNAL", outcome: "unknown" }))
      const proxy = says(502, "<html>Bad gateway</html>")
      for (const answer of [hangsUp, proxy, unknown]) {
        const ended = yield* against(answer, write)
        assert.strictEqual(ended.exitCode, 4)
        const sent = ended.asked[0]?.headers["idempotency-key"]
        assert.include(ended.stderr, `Run it again with --idempotency-key ${sent}.`)
      }
      assert.strictEqual((yield* against(hangsUp, read)).exitCode, 3)
      assert.strictEqual((yield* against(proxy, read)).exitCode, 3)
    })
  )

  it.live("3 for a redirection, which is never followed with the key", () =>
    Effect.gen(function* () {
      const other = yield* answering(says(200, { ok: true, data: {} }))
      const elsewhere: Answering = (_, response) =>
        response.writeHead(307, { location: `${other.url}/api/v1/account` }).end()
      assert.strictEqual((yield* against(elsewhere, ["get-account"])).exitCode, 3)
      assert.lengthOf(other.asked, 0)
    })
  )

  it.live("2 when the command line cannot be understood, and nothing was sent", () =>
    Effect.gen(function* () {
      const { asked, url } = yield* answering(says(200, ""))
      const environment = { BURSAR_URL: url, BURSAR_API_KEY: key }
      const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
        [["get-payment-request", "--id-or-pod", "x"], "did you mean --id-or-pid?"],
        [["propose-transfer", "--recipient", "x"], "did you mean --recipient-id?"],
        [["list-walets"], "did you mean list-wallets?"],
        [["start"], "started by bursar serve, and a sandbox by bursar sandbox."],
        [["get-payment-request"], "Missing <id-or-pid>.\nSee: bursar get-payment-request --help"],
        [["get-account", "--key", "svc hu\nno"], "The API key must be one word"],
        [["get-account", "--key", "„svc_hu“"], "The API key must be one word"],
        [["create-payment-request", "w", "--description", "-5@x"], "--description='-…'"],
        [["get-payment-request", "a", "--id-or-pid", "b"], "differ"],
        [["help", "paymints"], "did you mean payments?"],
        [["set-wallet-metadata", "--account-id", "a", "--metadata", "city"], "key=value"],
        [["create-provisioning-job", "--chain-id", "a", "--customers", "{x"], "must be JSON"],
        [["list-wallets", "--limit", "1", "--limit", "2"], "limit"],
        [["get-account", key], "positional"],
        [["get-account", `--kee=${key}`], "did you mean --key?"],
        [["get-account", "--as", "agent"], "--as selects"],
        [["get-account", "--url", "ftp://x"], "http(s) URL"]
      ]
      for (const [words, hint] of wrong) {
        const ended = yield* ran(words, environment)
        assert.strictEqual(ended.exitCode, 2, words.join(" "))
        assert.include(ended.stderr, hint)
        assert.notInclude(ended.stdout + ended.stderr, key)
      }
      const nobody = yield* ran(["get-account"], { BURSAR_URL: url })
      assert.strictEqual(nobody.exitCode, 2)
      assert.include(nobody.stderr, "BURSAR_API_KEY")
      assert.lengthOf(asked, 0)
    })
  )

  it.live("0 when it asked for help, which names every flag and what it takes", () =>
    Effect.gen(function* () {
      const { exitCode, stderr, stdout } = yield* ran(["create-payment-request", "--help"], {
        BURSAR_API_KEY: key
      })
      assert.deepStrictEqual([exitCode, stderr], [0, ""])
      for (const part of [
        "<wallet-mapping-id>",
        "--wallet-mapping-id <text>",
        "payment_requests:write"
      ]) {
        assert.include(stdout, part)
      }
      assert.notInclude(stdout, key)
      assert.notInclude(stdout, "`")
    })
  )

  it.live("0 when it asked for the help of a read, which has no flag for an idempotency key", () =>
    Effect.gen(function* () {
      const { exitCode, stdout } = yield* ran(["list-recipients", "--help"])
      assert.strictEqual(exitCode, 0)
      const flags = [...stdout.matchAll(/^ {2}--([a-z_-]+)/gmu)].map(([, name]) => name)
      assert.deepStrictEqual(flags.sort(), [
        ...["as", "cursor", "help", "json", "key", "limit", "output"],
        ...["search", "since", "until", "url", "version"]
      ])
    })
  )
})

describe("a write", () => {
  it.live("without an idempotency key gets one, and says it before it is sent", () =>
    Effect.gen(function* () {
      const { asked, stderr } = yield* against(says(200, { ok: true, data: { id: "r1" } }), write)
      const sent = asked[0]?.headers["idempotency-key"]
      assert.match(String(sent), /^[0-9a-f-]{36}$/u)
      assert.strictEqual(stderr, `To retry exactly this call: --idempotency-key ${sent}\n`)
    })
  )

  it.live("keeps the key it is given, and a read has none", () =>
    Effect.gen(function* () {
      const done = says(200, { ok: true, data: {} })
      const given = yield* against(done, [...write, "--idempotency-key", "mine"])
      assert.strictEqual(given.asked[0]?.headers["idempotency-key"], "mine")
      assert.strictEqual(given.stderr, "")
      assert.isUndefined((yield* against(done, read)).asked[0]?.headers["idempotency-key"])
      assert.strictEqual((yield* against(done, [...read, "--idempotency-key", "x"])).exitCode, 2)
    })
  )
})

describe("the sandbox of a directory", () => {
  const sandbox = Effect.fnUntraced(function* (siteUrl: string) {
    const directory = yield* temporaryFolder("bursar-facts-")
    const facts = { siteUrl, developerKey: "the developer's", agentKey: "the agent's" }
    writeFacts(directory, facts as SandboxFacts)
    return directory
  })

  it.live("is asked with its own keys when no address is named", () =>
    Effect.gen(function* () {
      const { asked, url } = yield* answering(says(200, { ok: true, data: {} }))
      const BURSAR_DATA_DIR = yield* sandbox(url)
      yield* ran(["get-account"], { BURSAR_DATA_DIR })
      yield* ran(["get-account", "--as", "agent"], { BURSAR_DATA_DIR })
      yield* ran(["get-account"], { BURSAR_DATA_DIR, BURSAR_API_KEY: key })
      assert.deepStrictEqual(
        asked.map(({ headers }) => headers.authorization),
        ["Bearer the developer's", "Bearer the agent's", `Bearer ${key}`]
      )
    })
  )

  it.live("never lends its keys to another address", () =>
    Effect.gen(function* () {
      const { asked, url } = yield* answering(says(200, { ok: true, data: {} }))
      const BURSAR_DATA_DIR = yield* sandbox("http://127.0.0.1:9")
      for (const words of [
        ["get-account", "--url", url],
        ["get-account", "--url", url, "--as", "agent"]
      ]) {
        assert.strictEqual((yield* ran(words, { BURSAR_DATA_DIR })).exitCode, 2)
      }
      assert.strictEqual(
        (yield* ran(["get-account"], { BURSAR_DATA_DIR, BURSAR_URL: url })).exitCode,
        2
      )
      assert.lengthOf(asked, 0)
    })
  )
})

describe("the address of the service", () => {
  it.live("has another flag where the operation itself has a field called url", () =>
    Effect.gen(function* () {
      const { asked, url } = yield* answering(says(200, { ok: true, data: {} }))
      const words = ["create-merchant-webhook", "--url", "https://shop.example.com/hook"]
      const ended = yield* ran([...words, "--bursar-url", url], { BURSAR_API_KEY: key })
      assert.strictEqual(ended.exitCode, 0)
      assert.strictEqual(asked[0]?.url, "/api/merchant-webhooks")
    })
  )
})
