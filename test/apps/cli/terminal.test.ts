/** What a person at a terminal gets: help on one screen, answers that fit, and the end of what takes time. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { kebab } from "../../../apps/cli/field.ts"
import { topicNames } from "../../../apps/cli/help-command.ts"
import { operations } from "../../../core/treasury/operations.ts"
import { ran } from "../../support/command-line.ts"
import { type Answering, against, answering, key, says } from "../../support/scripted-service.ts"

describe("an unknown flag", () => {
  it.live("of an amount is answered with what each amount means, and with no suggestion", () =>
    Effect.gen(function* () {
      for (const flag of ["--amount", "--amount-usdc", "--usd", "--amount-smallest"]) {
        const words = ["create-payment-request", "--wallet-mapping-id", "w", flag, "49"]
        const { exitCode, stderr } = yield* ran(words)
        assert.strictEqual(exitCode, 2)
        assert.notInclude(stderr, "did you mean")
        assert.include(
          stderr,
          "--amount-smallest-unit  The amount in smallest units: 49000000 is 49"
        )
        assert.include(stderr, "--amount-usd  The amount in USD")
      }
    })
  )
})

describe("a value that a flag does not take", () => {
  it.live("is answered with what it takes", () =>
    Effect.gen(function* () {
      const { exitCode, stderr } = yield* ran(["accounts", "open", "--name", "x"])
      assert.strictEqual(exitCode, 2)
      assert.include(stderr, "Expected at least 2 characters")
      assert.notInclude(stderr, "Schema")
    })
  )
})

describe("help", () => {
  it.live("names every command on one screen, each under one topic", () =>
    Effect.gen(function* () {
      const { stdout } = yield* ran(["--help"])
      const said = stdout.trimEnd().split("\n")
      assert.isBelow(said.length, 45)
      assert.isTrue(said.every((line) => line.length <= 100))
      const words = stdout.split(/\s+/u)
      for (const { name } of operations) {
        assert.lengthOf(
          words.filter((word) => word === kebab(name)),
          1,
          name
        )
      }
    })
  )

  it.live("fits the terminal it is printed to", () =>
    Effect.gen(function* () {
      const help = [
        ["--help"],
        ["pay", "--help"],
        ["create-api-key", "--help"],
        ["export", "--help"]
      ]
      for (const words of [...help, ...topicNames.map((topic) => ["help", topic])]) {
        const { stdout } = yield* ran(words, {}, 80)
        const tooWide = stdout
          .split("\n")
          .filter(
            (line) => line.length > 80 && /\S\s+\S/u.test(line) && !line.startsWith("  bursar ")
          )
        assert.deepStrictEqual(tooWide, [], words.join(" "))
      }
    })
  )

  it.live("of a topic says what its commands do, and of a command how it is written", () =>
    Effect.gen(function* () {
      for (const topic of topicNames) {
        const { exitCode, stdout } = yield* ran(["help", topic])
        assert.strictEqual(exitCode, 0)
        assert.isAbove(stdout.split("\n").length, 4, topic)
        assert.notInclude(stdout, "`")
      }
      assert.include((yield* ran(["help", "payments"])).stdout, "create-checkout-session  Opens")
      const asked = yield* ran(["help", "get-proposal"])
      assert.strictEqual(asked.stdout, (yield* ran(["get-proposal", "--help"])).stdout)
      assert.include(asked.stdout, "--wait")
    })
  )
})

describe("--wait", () => {
  /** A proposal that goes on by one step each time it is read, and the last that it stays at. */
  const walk = (...states: ReadonlyArray<object>): Answering => {
    let at = -1
    return (request, response) => {
      const state = states[Math.min(++at, states.length - 1)]
      says(200, { ok: true, data: { proposalId: "p1", ...state } })(request, response)
    }
  }
  const confirm = ["confirm-proposal", "p1", "--idempotency-key", "once", "--wait"]

  it.live("follows a proposal to its end, tells each change once, and prints the end", () =>
    Effect.gen(function* () {
      const executing = { status: "executing", subStatus: "confirming" }
      const answer = walk({ status: "executing" }, executing, executing, { status: "completed" })
      const { asked, exitCode, stderr, stdout } = yield* against(answer, confirm)
      assert.deepStrictEqual(
        asked.map(({ method, url }) => `${method} ${url}`),
        ["POST /api/v1/proposals/p1/confirm", ...Array(3).fill("GET /api/v1/proposals/p1")]
      )
      assert.strictEqual(stdout, '{"proposalId":"p1","status":"completed"}\n')
      assert.strictEqual(
        stderr,
        "The proposal is executing: confirming\nThe proposal is completed\n"
      )
      assert.strictEqual(exitCode, 0)
    })
  )

  it.live("ends with 1 when what it followed did not succeed, and says why", () =>
    Effect.gen(function* () {
      const failed = { status: "failed", statusReason: "The order was not filled." }
      const { exitCode, stderr } = yield* against(walk({ status: "executing" }, failed), confirm)
      assert.strictEqual(exitCode, 1)
      assert.include(stderr, "The proposal is failed: The order was not filled.")
    })
  )

  it.live("writes over one line of a terminal, and takes it away before the answer", () =>
    Effect.gen(function* () {
      const { url } = yield* answering(walk({ status: "completed" }))
      const written: Array<string> = []
      const environment = { BURSAR_URL: url, BURSAR_API_KEY: key }
      const ended = yield* ran(["get-proposal", "p1", "--wait"], environment, 80, (text) => {
        written.push(text)
      })
      assert.deepStrictEqual(written, ["The proposal is completed (0 s)", ""])
      assert.strictEqual(ended.stderr, "")
      assert.include(ended.stdout, "status:     completed")
    })
  )
})

describe("--output", () => {
  const rows = [
    { id: "w1", name: "=Main", balance: "49.00" },
    { id: "w2", name: 'The "till", open', balance: null }
  ]
  const wallets = says(200, {
    ok: true,
    data: { wallets: rows, hasMore: true, nextCursor: "1_w2" }
  })

  it.live("is JSON to the byte where nobody looks, and a table in a terminal", () =>
    Effect.gen(function* () {
      const piped = yield* against(wallets, ["list-wallets"])
      assert.strictEqual(
        piped.stdout,
        `${JSON.stringify({ wallets: rows, hasMore: true, nextCursor: "1_w2" })}\n`
      )
      assert.strictEqual(piped.stderr, "")
      const { url } = yield* answering(wallets)
      const seen = yield* ran(["list-wallets"], { BURSAR_URL: url, BURSAR_API_KEY: key }, 80)
      assert.include(seen.stdout, "w1  =Main")
      assert.include(seen.stderr, "Next page: bursar list-wallets --cursor 1_w2")
    })
  )

  it.live("is CSV that no spreadsheet takes for formulas", () =>
    Effect.gen(function* () {
      const { stdout } = yield* against(wallets, ["list-wallets", "-o", "csv"])
      assert.strictEqual(stdout, `id,name,balance\nw1,'=Main,49.00\nw2,"The ""till"", open",\n`)
    })
  )

  it.live("is CSV that keeps the line breaks and the blanks of a text", () =>
    Effect.gen(function* () {
      const data = {
        wallets: [
          { id: "w1", name: "one\r\ntwo" },
          { id: "w2", name: "end " }
        ]
      }
      const { stdout } = yield* against(
        says(200, { ok: true, data: { ...data, hasMore: false, nextCursor: null } }),
        ["list-wallets", "-o", "csv"]
      )
      assert.strictEqual(stdout, 'id,name\nw1,"one\r\ntwo"\nw2,end \n')
    })
  )

  it.live("is CSV with a cell for each text of a list of texts", () =>
    Effect.gen(function* () {
      const { stdout } = yield* against(
        says(200, { ok: true, data: { topics: ["keys", "a,b"] } }),
        ["get-guide", "-o", "csv"]
      )
      assert.strictEqual(stdout, 'topics\nkeys\n"a,b"\n')
    })
  )
})
