/** The list of operations that take authority away, held against the catalogue: whoever adds a write says which it is. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { openTreasury } from "../../../apps/testing/treasury.ts"
import { takingAuthority, watch } from "../../../core/operation/taking-authority.ts"
import { Durability } from "../../../core/ports/durability.ts"
import { operations, peopleOperations } from "../../../core/treasury/operations.ts"

/** Writes that take none away: they give it, move money, record what came, or are about who is told. */
const others = `
create_provisioning_job
create_checkout_session
create_payment_request
cancel_payment_request
extend_payment_request
resolve_deposit
create_merchant_webhook
update_merchant_webhook
delete_merchant_webhook
send_merchant_webhook_test
rotate_merchant_webhook_secret
disable_merchant_webhook
enable_merchant_webhook
recover_merchant_webhook
replay_webhook_delivery
add_recipient
approve_recipient
invite_person
propose_create_account
propose_rename_account
set_wallet_metadata
propose_transfer
propose_refund
quote_swap
quote_bridge
propose_swap
propose_bridge
propose_solana_swap
propose_token_approve
confirm_proposal
invite_cosigner
accept_cosigner_invite
approve_cosigner_action
resend_claim_link
create_api_key
`
  .trim()
  .split(/\s+/u)

const all = [...operations, ...peopleOperations]

const writes = all.filter(({ sideEffect }) => sideEffect !== "read").map(({ name }) => name)

describe("operations that take authority away", () => {
  it("are writes of the catalogue, and every other write was looked at", () => {
    assert.deepStrictEqual([...takingAuthority, ...others].toSorted(), [...writes].toSorted())
  })

  it("have `durable` among what they answer, and no other has", () => {
    const telling = all.filter(({ output }) => "durable" in output.fields)
    assert.deepStrictEqual(
      telling.map(({ name }) => name).toSorted(),
      [...takingAuthority].toSorted()
    )
  })

  it("say that nothing but this server has it, where there is no standby", async () => {
    const treasury = await openTreasury()
    const { recipients } = await treasury.agent.call.list_recipients({})
    const revoked = await treasury.agent.call.revoke_recipient({
      recipientId: recipients[0]?.id ?? ""
    })
    assert.propertyVal(revoked, "durable", false)
    await treasury.close()
  })

  it.effect(
    "are asked of the server that the transaction wrote to, by whoever else takes it away",
    () =>
      Effect.gen(function* () {
        let server = "one"
        const durability = {
          place: Effect.sync(() => server),
          isKept: (place: string) => Effect.succeed(place === "one")
        }
        const said = (serverLater: string) =>
          Effect.gen(function* () {
            const { begin, told } = yield* watch
            yield* begin
            server = serverLater
            return yield* told
          }).pipe(Effect.provideService(Durability, durability))
        assert.deepStrictEqual(yield* said("two"), { durable: true })
        assert.deepStrictEqual(yield* said("one"), { durable: false })
        const broken = { ...durability, isKept: () => Effect.die(new Error("The server is away")) }
        const told = Effect.flatMap(watch, (each) => each.told)
        assert.deepStrictEqual(yield* Effect.provideService(told, Durability, broken), {
          durable: false
        })
      })
  )
})
