/*
 * Pools of constant product for the local Solana, over which both routers sell. A pool is its account of each of two
 * tokens; it keeps 0.3 % of what comes in.
 *
 * swap: 0 whose tokens come in (signs), 1 where they lie, 2 the pool's account of them, 3 the pool's account of what goes
 *       out, 4 where that goes, 5 authority of all pools, 6 token program; the data is how much comes in
 */
#include "../cctp/runtime.h"

enum { SWAP_ACCOUNTS = 7, SWAP_BYTES = 8, UNITS_AT = 64, NO_SALE = 6010, TRANSFER = 3 };

INLINE u64 units_in(const Account *token_account) { return *(u64 *)(token_account->data + UNITS_AT); }

/* floor(a * b / c), by a product of 128 bits and long division; 0 where it would not fit. */
INLINE u64 mul_div(u64 a, u64 b, u64 c) {
  u64 low_low = (u64)(u32)a * (u32)b, low_high = (u64)(u32)a * (b >> 32);
  u64 high_low = (a >> 32) * (u64)(u32)b, high_high = (a >> 32) * (b >> 32);
  u64 middle = (low_low >> 32) + (u32)low_high + (u32)high_low;
  u64 low = (low_low & 0xffffffffULL) | (middle << 32);
  u64 rest = high_high + (low_high >> 32) + (high_low >> 32) + (middle >> 32), quotient = 0;
  if (c == 0 || rest >= c) return 0;
  KEPT_ROLLED for (int bit = 63; bit >= 0; bit--) {
    u64 carry = rest >> 63;
    rest = (rest << 1) | ((low >> bit) & 1);
    quotient <<= 1;
    if (carry || rest >= c) {
      rest -= c;
      quotient |= 1;
    }
  }
  return quotient;
}

/* A plain transfer of the token program, in the name of who signed or, with seeds, of the pools. */
INLINE u64 transfer(const Call *call, u64 from, u64 to, u64 authority, u64 units, u64 seeds) {
  u8 *data = HEAP(DATA_AT);
  data[0] = TRANSFER;
  put_long(data + 1, units);
  meta(0, call->accounts[from].key, 1, 0);
  meta(1, call->accounts[to].key, 1, 0);
  meta(2, call->accounts[authority].key, 0, 1);
  return invoke(call, call->accounts[6].key, 3, 9, seeds);
}

u64 entrypoint(u8 *input) {
  Call call;
  TRY(read_call(input, &call));
  REQUIRE(call.count >= SWAP_ACCOUNTS && call.length == SWAP_BYTES, NO_SALE);
  const Account *accounts = call.accounts;
  u64 units = long_at(call.data), counted = mul_div(units, 997, 1000);
  u64 given = mul_div(units_in(&accounts[3]), counted, units_in(&accounts[2]) + counted);
  REQUIRE(given, NO_SALE);
  u8 *word = HEAP(TEXT_AT), *bump = word + 4;
  SPELL4(word, 'pool');
  seed(0, word, 4);
  REQUIRE(is_derived(&accounts[5], 1, call.program, bump), WRONG_SEEDS);
  TRY(transfer(&call, 1, 2, 0, units, 0));
  seed(1, bump, 1);
  return transfer(&call, 3, 4, 5, given, 2);
}
