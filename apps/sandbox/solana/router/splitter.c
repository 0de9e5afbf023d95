/*
 * A router that splits a sale over pools of one pair. It takes the instruction `swap` of the published router of that
 * layout, and gives at least what must come back or fails as a whole with Custom(6001).
 *
 * swap: 0 wallet (signs), 1 its source, 2 destination, 3 and 4 mints; behind them, for each part of the sale, the pool's
 *       account of what comes in and of what goes out; at the end the authority of all pools, their program, and the
 *       token program
 * Its data: what is sold, what is expected, what must come back; then how much of it each part sells, the dexes of each
 * part, and a number of the order.
 */
#include "selling.h"

enum { FIRST_POOL = 5, MOST_PARTS = 3, AMOUNTS_AT = 8, PARTS_AT = 32 };
enum { BELOW_MINIMUM = 6001, NOTHING_SOLD = 6002, NO_MINIMUM = 6003, WRONG_EXPECTATION = 6004 };
enum { WRONG_PARTS = 6005, WRONG_TOTAL = 6006 };
#define SWAP 0xc88775e1919ec6f8ULL

u64 entrypoint(u8 *input) {
  Call call;
  TRY(read_call(input, &call));
  REQUIRE(call.length >= PARTS_AT + 4 && long_at(call.data) == SWAP, NO_SUCH_INSTRUCTION);
  const u8 *amounts = call.data + AMOUNTS_AT, *parts = call.data + PARTS_AT + 4;
  u64 units = long_at(amounts), expected = long_at(amounts + 8), least = long_at(amounts + 16);
  u64 count = word_at(call.data + PARTS_AT);
  REQUIRE(units, NOTHING_SOLD);
  REQUIRE(least, NO_MINIMUM);
  REQUIRE(expected >= least, WRONG_EXPECTATION);
  REQUIRE(count && count <= MOST_PARTS && call.length >= PARTS_AT + 8 + 8 * count, WRONG_PARTS);
  REQUIRE(word_at(parts + 8 * count) == count && call.count >= FIRST_POOL + 2 * count + 3, WRONG_PARTS);
  u64 total = 0;
  KEPT_ROLLED for (u64 i = 0; i < count; i++) total += long_at(parts + 8 * i);
  REQUIRE(total == units, WRONG_TOTAL);

  const Account *destination = &call.accounts[2];
  u64 before = units_in(destination);
  Part part;
  part.authority = 0;
  part.source = 1;
  part.destination = 2;
  part.pools = FIRST_POOL + 2 * count;
  part.token_program = part.pools + 2;
  KEPT_ROLLED for (u64 i = 0; i < count; i++) {
    part.pool = FIRST_POOL + 2 * i;
    TRY(sell(&call, &part, long_at(parts + 8 * i), 0));
  }
  REQUIRE(units_in(destination) - before >= least, BELOW_MINIMUM);
  return 0;
}
