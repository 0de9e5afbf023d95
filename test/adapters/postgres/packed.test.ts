/** What is packed comes back to the letter, also from a version before, and takes a fraction of the bytes. */
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { pack, unpack } from "../../../adapters/postgres/packed.ts"
import { putBack, takeOut } from "../../../adapters/postgres/packed-values.ts"

/** As the product writes it. */
const paid = JSON.stringify({
  id: "evt_FRkrwa2DIs72mkHMUIcHVT1m",
  object: "event",
  type: "payment_request.paid",
  created: 1795425841,
  livemode: false,
  api_version: "2026-08-19",
  data: {
    object: {
      paymentRequestPid: "pr_rZiIvNTDDK67bsLztTOkFK",
      status: "paid",
      amountUsd: "49.00",
      amountSmallestUnit: "49000000",
      assetSymbol: "USDC",
      tokenDecimals: 6,
      chainId: "base",
      payToAddress: "0x58b033059bB71B4244cb0A8C9E98D0841806AbdF",
      vaultId: "01a207b8-2f88-7000-a3b4-0ef95efb867d",
      customer: { externalId: "user-3", namespace: "default" },
      checkoutSessionId: "cs_PAXaso7ECm1RFshLDXgGuE9r",
      product: { slug: "pro", name: "Pro plan", externalSkuId: "PRO" },
      externalReference: null,
      metadata: {
        customerExternalId: "user-3",
        customerNamespace: "default",
        checkoutSessionId: "cs_PAXaso7ECm1RFshLDXgGuE9r"
      },
      expiresAt: "2026-12-23T09:24:01.094Z",
      requestCreatedAt: "2026-11-23T09:24:01.112Z",
      paidAt: "2026-11-23T09:24:01.218Z",
      txHash: "0x9f3c2b7e5d1a48069b7c3e5f1d2a4b6c8e0f9a7b5c3d1e2f4a6b8c0d9e7f5a3b",
      method: "direct",
      payer: { address: "0x2b934fEad76C97BD8AD23c8d78C6ba324f735682", method: "direct" },
      settlement: {
        txHash: "0x9f3c2b7e5d1a48069b7c3e5f1d2a4b6c8e0f9a7b5c3d1e2f4a6b8c0d9e7f5a3b",
        settledAt: "2026-11-23T09:24:01.218Z",
        method: "direct"
      }
    },
    version: 2
  }
})

describe("a packed text", () => {
  for (const [what, text] of [
    ["an event", paid],
    ["nothing", ""],
    ["a letter", "a"],
    ["what is in no list of words", "Grüße, 支払い ✓ \u0000 \ud83d\ude00"],
    ["a long text", Array.from({ length: 20_000 }, (_, at) => (at * 7919).toString(36)).join()]
  ] as const) {
    it(`comes back to the letter: ${what}`, () => {
      assert.strictEqual(unpack(pack(text)), text)
    })
  }

  it("of an event takes a third of its bytes", () => {
    assert.isAtMost(pack(paid).length, paid.length / 5)
  })

  it("is read as it was kept before: the words are never changed", () => {
    const kept =
      "AbXUyU4CQRCA4VfxBcZ0V2/V3GAWIaAQMhoyt17VIEJmRBOf3nhRRzYVvNelKn99X0orpvP6xUA2aBQs5v3L64Hr35R0cUyBSgsOAvl/pVhX94PnqzLLhlLZZvT6VI7nxfBAoFzvSZTr00cq0BLGiNC2p2iPA+fOki6mOteYEeQUiexaX3yL2QBRFhOIiIkihCSGWZ6QELUI0aJUfh/g6ybUCfs145PuzDRLlacLOi2au1E2u71Y57reyvuqXn4KP6mXZ6sH87hF+sl0fBz2H8v8ifydO218NMiEQgKsJLoDvEPoOdG82vXn79O0NU0pVO3v35wBilXbBB2ZA6uC8NRwJFJb5VgQkXow3EqHgURtlBWOeRogciMtOuJ1UFEYZn9uCljNeMyNVzLVqpdhNwPm0CtMpTUMeFRMSIRtcuyR5wQLtOXaebVDnr0B"
    assert.strictEqual(unpack(Buffer.from(kept, "base64")), paid)
    const since =
      "AgCtHcVcrTLZB/xPbTBJw5vfzj26awQGMQbgVxxePmQgteE2T0Tr1hleWLAzBZu3G0JEywqMnpjQhBgGq98AJAVICQGiB7gviHAAo7QO+V77hn0wggrmwY44Y+YA7QBgAghAL1sBoqI298YBoge4L9gBoge4MEKfPCt+XRpIBpt8Pl8dKktsjg+ae1w9Hi9Ka4wNnn9aOyuTT+rXbJe9itI8jXjGujJPc1aCAhNgIAAb4tWOiSWeYsHEcgALhtLi1CJdYyoVDwVF+Yg0EVCUr1CQk5iHJW0EBPlTVljAXT0oigwqVpj4iwscFSYA"
    assert.strictEqual(unpack(Buffer.from(since, "base64")), paid)
  })

  it("comes back to the letter, whatever looks like a value", () => {
    const digits = (all: string, length: number) =>
      FastCheck.string({
        unit: FastCheck.constantFrom(...all),
        minLength: length - 1,
        maxLength: length
      })
    const hex = "0123456789abcdef"
    const value = FastCheck.oneof(
      FastCheck.uuid(),
      digits(`${hex}ABCDEF`, 40).map((each) => `0x${each}`),
      digits(hex, 40).map((each) => `0x${each}`),
      digits(hex, 64).map((each) => `0x${each}`),
      digits("0aZz9", 22).map((each) => `pr_${each}`),
      digits("0aZz9", 24).map((each) => `evt_${each}`),
      FastCheck.date({ noInvalidDate: true }).map((each) => each.toISOString()),
      FastCheck.constant("2026-02-30T24:00:00.000Z"),
      FastCheck.bigInt({ min: 0n, max: 2n ** 34n }).map((each) => `:${each},`),
      FastCheck.string({ unit: "binary" }),
      FastCheck.constantFrom("\u0001", "\u0009 ", "\u0009\uffff", "😀")
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.array(value, { maxLength: 120 }), (all) => {
        const text = [...all, ...all.slice(0, 3)].join('","')
        assert.strictEqual(unpack(pack(text)), text)
      }),
      { numRuns: 1000 }
    )
  })

  it("of a later version is not guessed at", () => {
    assert.throws(() => unpack(Buffer.of(3, 1, 2, 3)), /does not know/u)
    assert.throws(() => unpack(Buffer.alloc(0)), /does not know/u)
  })
})

describe("a value that stands in a text", () => {
  const uuid = "01a207b8-2f88-7000-a3b4-0ef95efb867d"
  const hash = `0x${"9f".repeat(32)}`
  const lower = `0x${"3c".repeat(20)}`
  const mixed = "0x58b033059bB71B4244cb0A8C9E98D0841806AbdF"
  const [ofRequest, ofEvent] = ["rZiIvNTDDK67bsLztTOkFK", "FRkrwa2DIs72mkHMUIcHVT1m"]
  for (const [what, text, marked, size] of [
    ["an id", `"${uuid}"`, '"\u0001"', 16],
    ["a hash", `"${hash}"`, '"\u0002"', 32],
    ["an address in lower case", `"${lower}"`, '"\u0003"', 20],
    ["an address", `"${mixed}"`, '"\u0004"', 25],
    ["a request's name", `"pr_${ofRequest}"`, '"pr_\u0005"', 17],
    ["an event's name", `"evt_${ofEvent}"`, '"evt_\u0006"', 18],
    ["a notice's name", `"ntc_${ofEvent}"`, '"ntc_\u0006"', 18],
    ["a session's name", `"cs_${ofEvent}"`, '"cs_\u0006"', 18],
    ["a time", '"2026-11-23T09:24:01.218Z"', '"\u0007"', 6],
    ["a day that there is not", '"2026-02-30T09:24:01.218Z"', '"2026-02-30T09:24:01.218Z"', 0],
    ["seconds", ":1795425841}", ":\u0008}", 4],
    ["a name of another kind's length", `"pr_${ofEvent}"`, `"pr_${ofEvent}"`, 0],
    ["one digit more", `"${lower}f"`, `"${lower}f"`, 0],
    ["the same value again", `"cs_${ofEvent}","evt_${ofEvent}"`, '"cs_\u0006","evt_\u0009 "', 18]
  ] as const) {
    it(`is taken out and put back: ${what}`, () => {
      const taken = takeOut(text)
      assert.deepStrictEqual([taken?.marked, taken?.values.length], [marked, size])
      assert.strictEqual(putBack(marked, taken?.values ?? new Uint8Array()), text)
    })
  }
})
