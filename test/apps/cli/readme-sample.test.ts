/** The sample of the command line in the README: what it shows is what the commands print, ids and keys aside. */
import { readFile } from "node:fs/promises"
import { assert, it } from "@effect/vitest"
import { endOf } from "../../../apps/cli/outcome.ts"
import { lines } from "../../../apps/cli/print.ts"
import { openTreasury } from "../../../apps/testing/treasury.ts"
import { operations } from "../../../core/treasury/operations.ts"

const operation = (name: string) =>
  operations.find((each) => each.name === name) ?? assert.fail(`There is no ${name}.`)

/** The lines that the README prints under each command of its sample. */
const sample = async () => {
  const readme = await readFile("README.md", "utf8")
  const [, block = ""] = /```text\n(\$ bursar .*?)\n```/su.exec(readme) ?? []
  return block
    .split("\n$ ")
    .map((part) => part.split("\n"))
    .map(([command = "", ...printed]) => ({ command: command.replace(/^\$ /u, ""), printed }))
}

/** Without what is another in every run. */
const lasting = (line: string) =>
  line.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/u, "<id>").replace(/req_\w+/u, "<request>")

it("is what the commands print", async () => {
  const [refused, done] = await sample()
  if (refused === undefined || done === undefined) return assert.fail("There is no sample.")
  const treasury = await openTreasury()
  const { call, wallet } = treasury.agent
  await treasury.send(wallet.address, "6000.00")
  const [recipient] = (await call.list_recipients({})).recipients
  const propose = (amountUsdc: string) =>
    call.propose_transfer({ recipientId: recipient?.id ?? "", amountUsdc, fromWalletId: wallet.id })

  assert.match(refused.command, /^bursar propose-transfer --as agent .*--amount-usdc 5000 /u)
  const error = await propose("5000").then(
    () => assert.fail("It was not refused."),
    (refusal) => refusal
  )
  const { message, next, param } = error
  const asked = {
    operation: operation("propose_transfer"),
    siteUrl: "http://localhost:4000",
    idempotencyKey: "<id>",
    spoken: { as: "agent" as const }
  }
  const body = {
    code: error._tag,
    message,
    param,
    next,
    requestId: "req_1",
    outcome: error.outcome
  }
  const told = endOf(asked, { _tag: "refused", status: 403, error: body } as never)
  assert.deepStrictEqual(refused.printed.map(lasting), [
    "To retry exactly this call: --idempotency-key <id>",
    ...(told?.lines ?? []).map(lasting)
  ])

  assert.match(done.command, /^bursar confirm-proposal \S+ --as agent --wait$/u)
  const { proposalId } = await propose("5")
  await call.confirm_proposal({ proposalId })
  await treasury.mine()
  await treasury.advance("1 minute")
  await treasury.mine()
  await treasury.advance("1 minute")
  const printed = lines(await call.get_proposal({ proposalId }), undefined)
  const shown = done.printed.slice(1, -1)
  assert.isAtLeast(shown.length, 3)
  assert.deepStrictEqual(shown.map(lasting), printed.slice(0, shown.length).map(lasting))
  assert.strictEqual(done.printed.at(-1), "…")
  await treasury.close()
})
