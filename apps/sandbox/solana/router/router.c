/*
 * A router over constant-product pools for the local Solana. It takes the two route instructions whose amounts stand at
 * fixed places before the plan, and gives at least the threshold or fails as a whole with Custom(6001).
 *
 * Accounts before the pools, by instruction:
 *   route:        0 wallet (signs), 1 its source, 2 destination, 3 and 4 mints, 5 and 6 token programs,
 *                 7 another destination or this program, 8 event authority, 9 this program
 *   shared route: 0 program authority, 1 wallet (signs), 2 its source, 3 and 4 unused, 5 destination, 6 and 7 mints,
 *                 8 and 9 token programs, 10 event authority, 11 this program
 * Behind them, for each step of the plan, the pool's account of what comes in and of what goes out; at the end the
 * authority of all pools. Each pool keeps 0.3 % of what comes in.
 */
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

typedef struct {
  u8 *key;
  u64 *lamports;
  u64 data_len;
  u8 *data;
  u8 *owner;
  u64 rent_epoch;
  u8 is_signer, is_writable, executable;
} Account;
typedef struct {
  u8 *key;
  u8 is_writable, is_signer;
} Meta;
typedef struct {
  u8 *program;
  Meta *metas;
  u64 metas_len;
  u8 *data;
  u64 data_len;
} Instruction;
typedef struct {
  const u8 *at;
  u64 len;
} Bytes;
typedef struct {
  const Bytes *at;
  u64 len;
} Seeds;

extern u64 sol_invoke_signed_c(const Instruction *, const Account *, int, const Seeds *, int);

#define INLINE static __attribute__((always_inline)) inline
#define KEPT_ROLLED _Pragma("clang loop unroll(disable)")

enum { MOST_ACCOUNTS = 32, MOST_STEPS = 3, SPARE_BYTES = 10240, PLAN_STEP_BYTES = 6 };
enum { MALFORMED = 6010, BELOW_THRESHOLD = 6001 };

INLINE u64 units_in(const Account *token_account) { return *(u64 *)(token_account->data + 64); }

INLINE u64 little_endian(const u8 *at, int bytes) {
  u64 value = 0;
  KEPT_ROLLED for (int i = bytes - 1; i >= 0; i--) value = (value << 8) | at[i];
  return value;
}

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

/* A plain transfer of the token program, in the name of the wallet or, with seeds, of the pools. */
static u64 transfer(Account *accounts, u64 count, u64 token_program, u64 from, u64 to, u64 authority, u64 units,
                    const Seeds *seeds, u64 seeds_len) __attribute__((always_inline));
static inline u64 transfer(Account *accounts, u64 count, u64 token_program, u64 from, u64 to, u64 authority, u64 units,
                           const Seeds *seeds, u64 seeds_len) {
  u8 data[9];
  data[0] = 3;
  KEPT_ROLLED for (int i = 0; i < 8; i++) data[1 + i] = (u8)(units >> (8 * i));
  Meta metas[3];
  metas[0].key = accounts[from].key;
  metas[0].is_writable = 1;
  metas[0].is_signer = 0;
  metas[1].key = accounts[to].key;
  metas[1].is_writable = 1;
  metas[1].is_signer = 0;
  metas[2].key = accounts[authority].key;
  metas[2].is_writable = 0;
  metas[2].is_signer = 1;
  Instruction moving;
  moving.program = accounts[token_program].key;
  moving.metas = metas;
  moving.metas_len = 3;
  moving.data = data;
  moving.data_len = 9;
  return sol_invoke_signed_c(&moving, accounts, (int)count, seeds, (int)seeds_len);
}

/* Reads the accounts as the runtime lays them out; returns what stands behind them. */
INLINE u8 *read_accounts(u8 *at, Account *accounts, u64 count) {
  KEPT_ROLLED for (u64 i = 0; i < count; i++) {
    if (*at != 0xff) {
      accounts[i] = accounts[*at];
      at += 8;
      continue;
    }
    accounts[i].is_signer = at[1];
    accounts[i].is_writable = at[2];
    accounts[i].executable = at[3];
    accounts[i].key = at + 8;
    accounts[i].owner = at + 40;
    accounts[i].lamports = (u64 *)(at + 72);
    accounts[i].data_len = *(u64 *)(at + 80);
    accounts[i].data = at + 88;
    at += 88 + accounts[i].data_len + SPARE_BYTES;
    at = (u8 *)(((u64)at + 7) & ~7ULL);
    accounts[i].rent_epoch = *(u64 *)at;
    at += 8;
  }
  return at;
}

u64 entrypoint(u8 *input) {
  u64 count = *(u64 *)input;
  Account *accounts = (Account *)0x300000000ULL;
  if (count > MOST_ACCOUNTS) return MALFORMED;
  u8 *behind = read_accounts(input + 8, accounts, count);
  u64 length = *(u64 *)behind;
  u8 *data = behind + 8;
  if (length < 34) return MALFORMED;
  u64 is_shared = data[0] == 0xd1 ? 1 : 0;
  if (!is_shared && data[0] != 0xbb) return MALFORMED;

  u8 *amounts = data + 8 + is_shared;
  u64 units = little_endian(amounts, 8), quoted = little_endian(amounts + 8, 8);
  u64 slippage = little_endian(amounts + 16, 2), steps = little_endian(amounts + 22, 4);
  u8 *plan = amounts + 26;
  u64 wallet = is_shared ? 1 : 0, source = is_shared ? 2 : 1, token_program = is_shared ? 8 : 5;
  u64 destination = is_shared ? 5 : 2, pools = is_shared ? 12 : 10, authority = pools + 2 * steps;
  if (steps == 0 || steps > MOST_STEPS || slippage > 10000 || count <= authority) return MALFORMED;
  if (length < 8 + is_shared + 26 + steps * PLAN_STEP_BYTES) return MALFORMED;
  /* Another destination than the wallet's own, where there is one. */
  if (!is_shared && !accounts[7].executable) destination = 7;

  u64 moving[MOST_STEPS + 1];
  moving[0] = units;
  KEPT_ROLLED for (u64 i = 0; i < steps; i++) {
    Account *in = &accounts[pools + 2 * i], *out = &accounts[pools + 2 * i + 1];
    u64 counted = mul_div(moving[i], 997, 1000);
    moving[i + 1] = mul_div(units_in(out), counted, units_in(in) + counted);
  }
  if (moving[steps] == 0 || moving[steps] < mul_div(quoted, 10000 - slippage, 10000)) return BELOW_THRESHOLD;

  u8 word[4];
  word[0] = 'p';
  word[1] = 'o';
  word[2] = 'o';
  word[3] = 'l';
  Bytes seed[2];
  seed[0].at = word;
  seed[0].len = 4;
  seed[1].at = &plan[1];
  seed[1].len = 1;
  Seeds seeds;
  seeds.at = seed;
  seeds.len = 2;
  u64 failed = transfer(accounts, count, token_program, source, pools, wallet, units, 0, 0);
  if (failed) return failed;
  KEPT_ROLLED for (u64 i = 0; i < steps; i++) {
    u64 to = i + 1 < steps ? pools + 2 * i + 2 : destination;
    failed = transfer(accounts, count, token_program, pools + 2 * i + 1, to, authority, moving[i + 1], &seeds, 1);
    if (failed) return failed;
  }
  return 0;
}
