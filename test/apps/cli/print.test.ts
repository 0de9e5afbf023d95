/** What people read: aligned, complete, and unable to lie about what it says. */

import { Completions } from "effect/cli"
import { assert, describe, it } from "vitest"
import { ofOutput } from "../../../adapters/http/manual/json-schema.ts"
import { bursar } from "../../../apps/cli/bursar.ts"
import { columns } from "../../../apps/cli/columns.ts"
import { commandLine } from "../../../apps/cli/command-line.ts"
import { cursorAfter, lines } from "../../../apps/cli/print.ts"
import { operations } from "../../../core/treasury/operations.ts"

const operation = (name: string) => {
  const found = operations.find((each) => each.name === name)
  if (found === undefined) throw new Error(`There is no ${name}.`)
  return found
}

describe("a list", () => {
  const wallets = [
    { id: "w1", name: "Main", balance: "49.00", nickname: null, metadata: {} },
    { id: "w2-longer", name: "Till", balance: "0.000001", nickname: null, metadata: { a: "b" } }
  ]

  it("is a table of the fields that say something, amounts as they came", () => {
    assert.deepStrictEqual(lines({ wallets, hasMore: false, nextCursor: null }, undefined), [
      "id         name  balance   metadata",
      "w1         Main  49.00     {}",
      'w2-longer  Till  0.000001  {"a":"b"}'
    ])
  })

  it("leaves out of a narrow terminal what does not fit, and says so", () => {
    const things = { things: wallets, hasMore: false, nextCursor: null }
    assert.deepStrictEqual(lines(things, 17), [
      "id         name",
      "w1         Main",
      "w2-longer  Till",
      "(2 more columns with --output wide)"
    ])
  })

  it("shows a terminal what tells most, cuts what people wrote, and never an id or an amount", () => {
    const payment_requests = [
      {
        id: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d",
        pid: "pr_4fzQx0aB7cDeFgHiJkLmNo",
        status: "partially_paid",
        amountUsd: "1250.50",
        description: "Two coffees, a cake, and whatever else there was",
        createdAt: "2026-11-22T16:15:02.123Z",
        metadata: { table: 4 }
      }
    ]
    assert.deepStrictEqual(lines({ payment_requests, hasMore: false, nextCursor: null }, 96), [
      "pid                        status          amountUsd  description              createdAt",
      "pr_4fzQx0aB7cDeFgHiJkLmNo  partially_paid  1250.50    Two coffees, a cake, a…  2026-11-22 16:15Z",
      "(2 more columns with --output wide)"
    ])
    const narrow = lines({ payment_requests, hasMore: false, nextCursor: null }, 20)
    assert.deepStrictEqual(narrow[1], "pr_4fzQx0aB7cDeFgHiJkLmNo")
  })

  it("has columns chosen for every list there is, each of them a field of it", () => {
    const fields = new Map<string, Set<string>>()
    for (const operation of operations) {
      const { properties = {} } = ofOutput(operation)
      if (properties.hasMore === undefined) continue
      for (const [key, { items }] of Object.entries(properties)) {
        const names = Object.keys(items?.properties ?? {})
        if (names.length > 0) fields.set(key, new Set([...(fields.get(key) ?? []), ...names]))
      }
    }
    assert.sameMembers(Object.keys(columns), [...fields.keys()])
    for (const [key, names] of Object.entries(columns)) {
      assert.includeMembers([...(fields.get(key) ?? [])], [...names], key)
    }
  })

  it("shows of an operator's lists in 80 columns what is decided by", () => {
    const id = "01a20863-0987-7241-a7ab-f0b3d14b8580"
    const at = "2026-11-23T12:30:37.959Z"
    const first = (data: Record<string, unknown>) => lines({ ...data, hasMore: false }, 80)[0]
    const account = { id, name: "Corner Shop and daughters", kind: "developer", tier: "startup" }
    const accounts = [{ ...account, livemode: true, createdAt: at, pausedAt: at }]
    assert.match(first({ accounts }) ?? "", /^id +name +pausedAt/u)
    const human = { id, accountId: id, name: "Ada Byron", email: "ada@example.com" }
    const humans = [{ ...human, role: "owner", createdAt: at, joinedAt: at }]
    assert.match(first({ humans }) ?? "", /^id +name +role +joinedAt/u)
    const email = { id, accountId: id, purpose: "invitation", to: "ada@example.com" }
    const lastError = "550 5.1.1 There is no such mailbox here"
    const emails = [{ ...email, status: "failed", attempts: 9, lastError, createdAt: at }]
    assert.match(first({ emails }) ?? "", /^to +status +purpose +lastError/u)
  })

  it("says when there is nothing, and where it goes on", () => {
    const none = { payment_requests: [], hasMore: false, nextCursor: null }
    assert.deepStrictEqual(lines(none, undefined), ["No payment requests."])
    assert.isUndefined(cursorAfter(none))
    assert.strictEqual(cursorAfter({ wallets, hasMore: true, nextCursor: "1_a" }), "1_a")
  })
})

describe("an object", () => {
  it("prints text to be read as paragraphs, which no column is wide enough for", () => {
    const body = "Call create_payment_request on a vault and share paymentUrl. ".repeat(4).trim()
    const sections = [
      { title: "Send an invoice", body },
      { title: "Retry", body: "Once.\u001b[2A" }
    ]
    const said = lines({ topic: "workflows", sections, tools: [] }, 80)
    assert.deepStrictEqual(said.slice(0, 3), ["topic: workflows", "sections:", "  Send an invoice"])
    assert.include(said.join(" ").replaceAll(/\s+/gu, " "), body)
    assert.include(said.join("\n"), "\n\n  Retry\n    Once.\\u001b[2A")
    assert.isTrue(said.every((line) => line.length <= 80))
  })

  it("prints what is to be signed line by line, and nothing in it moves the cursor", () => {
    const message = "treasury wants you to sign in\n\nNonce: 1\u001b[2A"
    assert.deepStrictEqual(lines({ challenge: { challengeId: "c1", message } }, undefined), [
      "challenge.challengeId: c1",
      "challenge.message, to be signed exactly as printed between the lines:",
      "--------------------",
      "treasury wants you to sign in",
      "",
      "Nonce: 1\\u001b[2A",
      "--------------------"
    ])
  })

  it("is a line a field, what is inside by its path, rows as a table", () => {
    const request = {
      id: "r1",
      amountUsd: "49.00",
      customer: { externalId: "ada", namespace: "default" },
      txHash: null,
      scopes: ["a", "b"],
      attempts: [{ n: 1, status: "seen" }]
    }
    assert.deepStrictEqual(lines(request, undefined), [
      "id:                  r1",
      "amountUsd:           49.00",
      "customer.externalId: ada",
      "customer.namespace:  default",
      "txHash:              -",
      "scopes:              a, b",
      "attempts:",
      "  n  status",
      "  1  seen"
    ])
  })

  it("shows what would move the cursor or turn the writing around, and does not do it", () => {
    const text = "paid\u001b[2K\r\u202e000.1\nNEXT"
    assert.deepStrictEqual(lines({ memo: text }, undefined), [
      "memo: paid\\u001b[2K\\u000d\\u202e000.1\\nNEXT"
    ])
  })
})

describe("a call as a command line", () => {
  it("is quoted for the shell, word by word", () => {
    const transfer = {
      recipientId: "r1",
      amountUsdc: "12.50",
      fromWalletId: "w1",
      memo: "It's $(here) -- now"
    }
    assert.strictEqual(
      commandLine(operation("propose_transfer"), transfer),
      "bursar propose-transfer --recipient-id r1 --amount-usdc 12.50 --from-wallet-id w1 --memo 'It'\\''s $(here) -- now'"
    )
  })

  it("ties to its flag a value that looks like one, and writes maps key by key", () => {
    const tags = { accountId: "-a", metadata: { team: "ops", note: "a b" } }
    assert.strictEqual(
      commandLine(operation("set_wallet_metadata"), tags),
      "bursar set-wallet-metadata --account-id=-a --metadata team=ops --metadata 'note=a b'"
    )
  })
})

describe("every command", () => {
  type Command = Completions.CommandDescriptor
  const leaves = (command: Command, path: string): ReadonlyArray<readonly [string, Command]> =>
    command.subcommands.length === 0
      ? [[path, command]]
      : command.subcommands.flatMap((each) => leaves(each, `${path} ${each.name}`))

  /** What they print is a file, a script or a page, in a form of its own; the service prints a log. */
  const ownForm = [
    "bursar audit export",
    "bursar completion",
    "bursar export",
    "bursar help",
    "bursar keys export-root",
    "bursar sandbox",
    "bursar serve"
  ]

  it("prints a table, JSON or CSV as it is asked, but where a file of its own form comes out", () => {
    const without = leaves(Completions.fromCommand(bursar), "bursar").filter(([, { flags }]) => {
      const form = flags.find(({ name }) => name === "output" || name === "bursar-output")
      const values = form?.type._tag === "Choice" ? form.type.values : []
      const isJson = flags.some(({ name }) => name === "json" || name === "bursar-json")
      return !isJson || !["table", "wide", "json", "csv"].every((each) => values.includes(each))
    })
    assert.sameMembers(
      without.map(([path]) => path),
      ownForm
    )
  })
})
