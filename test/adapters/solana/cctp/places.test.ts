/** The places of the issuer's programs that are written down are those that follow from their seeds. */
import { assert, it } from "@effect/vitest"
import {
  fixed,
  messengerProgram,
  transmitterProgram
} from "../../../../adapters/solana/cctp/places.ts"
import { derive, type Seed } from "../../../../adapters/solana/derived.ts"

const found = (program: string, ...seeds: ReadonlyArray<Seed>): string =>
  derive(program, ...seeds).address

it("every place that is written down follows from its seeds", () => {
  assert.deepStrictEqual<Readonly<Record<string, string>>>(fixed, {
    transmitter: found(transmitterProgram, "message_transmitter"),
    receiverAuthority: found(transmitterProgram, "message_transmitter_authority", {
      address: messengerProgram
    }),
    transmitterEvents: found(transmitterProgram, "__event_authority"),
    messenger: found(messengerProgram, "token_messenger"),
    minter: found(messengerProgram, "token_minter"),
    senderAuthority: found(messengerProgram, "sender_authority"),
    messengerEvents: found(messengerProgram, "__event_authority")
  })
})
