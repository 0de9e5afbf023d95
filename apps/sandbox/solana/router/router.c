/*
 * A router through one pool, or through two that meet at a token in between. It takes the two route instructions whose
 * amounts stand at fixed places before the plan, and gives at least the threshold or fails as a whole with Custom(6001).
 *
 * Accounts before the pools, by instruction:
 *   route:        0 wallet (signs), 1 its source, 2 destination, 3 and 4 mints, 5 and 6 token programs,
 *                 7 another destination or this program, 8 event authority, 9 this program
 *   shared route: 0 this program's authority, 1 wallet (signs), 2 its source, 3 this program's account of the token in
 *                 between, 4 unused, 5 destination, 6 and 7 mints, 8 and 9 token programs, 10 event authority,
 *                 11 this program
 * Behind them, for each step of the plan, the pool's account of what comes in and of what goes out; at the end the
 * authority of all pools, and their program.
 */
#include "selling.h"

enum { MOST_STEPS = 2, PLAN_STEP_BYTES = 6, AMOUNT_BYTES = 22, ALL_BPS = 10000 };
enum { MALFORMED = 6010, BELOW_THRESHOLD = 6001 };
#define ROUTE 0x14afc431ccfa64bbULL
#define SHARED_ROUTE 0xe9d8fe7c935398d1ULL

INLINE u32 half_at(const u8 *at) { return at[0] | (u32)at[1] << 8; }

/* What is quoted less slippage, in two parts, so that no product overflows. */
INLINE u64 threshold_of(u64 quoted, u64 slippage) {
  u64 left = ALL_BPS - slippage;
  return quoted / ALL_BPS * left + quoted % ALL_BPS * left / ALL_BPS;
}

u64 entrypoint(u8 *input) {
  Call call;
  TRY(read_call(input, &call));
  REQUIRE(call.length >= 8, MALFORMED);
  u64 kind = long_at(call.data), is_shared = kind == SHARED_ROUTE ? 1 : 0;
  REQUIRE(is_shared || kind == ROUTE, MALFORMED);
  REQUIRE(call.length >= 8 + is_shared + AMOUNT_BYTES + 4, MALFORMED);
  const u8 *amounts = call.data + 8 + is_shared;
  u64 units = long_at(amounts), quoted = long_at(amounts + 8), slippage = half_at(amounts + 16);
  u64 steps = word_at(amounts + AMOUNT_BYTES), first = is_shared ? 12 : 10;
  REQUIRE(steps && steps <= MOST_STEPS && slippage <= ALL_BPS, MALFORMED);
  REQUIRE(steps == (is_shared ? 2 : 1) && call.count >= first + 2 * steps + 2, MALFORMED);
  REQUIRE(call.length >= 8 + is_shared + AMOUNT_BYTES + 4 + steps * PLAN_STEP_BYTES, MALFORMED);

  const Account *accounts = call.accounts;
  u64 destination = is_shared ? 5 : 2;
  /* Another destination than the wallet's own, where there is one. */
  if (!is_shared && !accounts[7].executable) destination = 7;
  Part part;
  part.authority = is_shared ? 1 : 0;
  part.source = is_shared ? 2 : 1;
  part.destination = is_shared ? 3 : destination;
  part.pool = first;
  part.pools = first + 2 * steps;
  part.token_program = is_shared ? 8 : 5;
  u64 before = units_in(&accounts[destination]), between = units_in(&accounts[part.destination]);
  TRY(sell(&call, &part, units, 0));
  if (is_shared) {
    u8 *word = HEAP(TEXT_AT), *bump = word + 4;
    SPELL4(word, 'hold');
    seed(0, word, 4);
    REQUIRE(is_derived(&accounts[0], 1, call.program, bump), WRONG_SEEDS);
    seed(1, bump, 1);
    part.authority = 0;
    part.source = 3;
    part.destination = destination;
    part.pool = first + 2;
    TRY(sell(&call, &part, units_in(&accounts[3]) - between, 2));
  }
  REQUIRE(units_in(&accounts[destination]) - before >= threshold_of(quoted, slippage), BELOW_THRESHOLD);
  return 0;
}
