/*
 * The token messenger and minter of the local CCTP V2, by its published interface: it burns what a wallet sends away
 * and has the transmitter tell of it, and gives out of its custody what a message from a known messenger brings.
 *
 * handle_receive_…: 0 the transmitter's authority, 1 messenger, 2 remote messenger, 3 minter, 4 local token, 5 pair,
 *                   6 the fee recipient's tokens, 7 the recipient's tokens, 8 custody, 9 token program, 10 event
 *                   authority, 11 this program
 * deposit_for_burn: 0 owner, 1 payer of the message's rent, 2 authority as a sender, 3 the owner's tokens, 4 denylist
 *                   entry, 5 the transmitter's state, 6 messenger, 7 remote messenger, 8 minter, 9 local token, 10 mint,
 *                   11 the message's account, 12 transmitter, 13 this program, 14 token program, 15 system program,
 *                   16 event authority, 17 this program
 */
#include "runtime.h"

extern u64 sol_get_clock_sysvar(u8 *);

#define HANDLE_FINALIZED 0x5f6eb45646effcbaULL
#define HANDLE_UNFINALIZED 0x3db63ac814afa9c8ULL
#define DEPOSIT 0xb08037722e3d3cd7ULL
#define DEPOSIT_WITH_HOOK 0x9bdf6ccc833ef56fULL
#define SEND_MESSAGE 0x1a410abdb2222839ULL
#define MESSENGER 0x60ddf39334f204a2ULL
#define REMOTE 0xfc8ae95f22ae7369ULL
#define MINTER 0xceab9f393f54857aULL
#define LOCAL_TOKEN 0xb68054c1aa3a839fULL
#define PAIR 0x47c595e5b02dd611ULL

enum { UNKNOWN_MESSENGER = 6002, MALFORMED = 6004, WRONG_BODY_VERSION = 6005, NO_AMOUNT = 6006, WRONG_DOMAIN = 6007 };
enum { WRONG_RECIPIENT = 6009, WRONG_PAIR = 6011, NO_HOOK = 6013, FEE_ABOVE_AMOUNT = 6014, FEE_ABOVE_MAX = 6015 };
enum { EXPIRED = 6016, NOT_FINAL_ENOUGH = 6017, DENYLISTED = 6021, FEE_TOO_LOW = 6026, FEE_NOT_BELOW = 6027 };
enum { MINTER_PAUSED = 6002, BURN_ABOVE_LIMIT = 6007 };

enum { BODY_VERSION_AT = 104, AUTHORITY_BUMP_AT = 108, FEE_TO_AT = 109, MIN_FEE_AT = 173, MESSENGER_BYTES = 177 };
enum { REMOTE_DOMAIN_AT = 8, REMOTE_MESSENGER_AT = 12, REMOTE_BYTES = 44, PAUSED_AT = 72, BUMP_AT = 73, MINTER_BYTES = 74 };
enum { CUSTODY_AT = 8, MINT_AT = 40, LIMIT_AT = 72, SENT_AT = 80, RECEIVED_AT = 88, AMOUNT_SENT_AT = 96 };
enum { AMOUNT_RECEIVED_AT = 112, TOKEN_BUMP_AT = 128, CUSTODY_BUMP_AT = 129, LOCAL_TOKEN_BYTES = 130 };
enum { PAIR_TOKEN_AT = 12, PAIR_LOCAL_AT = 44, PAIR_BUMP_AT = 76, PAIR_BYTES = 77, TOKEN_ACCOUNT_BYTES = 165 };
/* Where a body has what; of amounts the last eight bytes count. */
enum { BURN_TOKEN_AT = 4, TO_AT = 36, AMOUNT_AT = 92, FROM_AT = 100, MAX_FEE_AT = 156, FEE_AT = 188, EXPIRES_AT = 220 };
enum { HOOK_AT = 228, MIN_FINALITY = 500, MIN_FEE_PARTS = 10000000 };

/* The transmitter's address, and that of the program of associated token accounts. */
INLINE void put_transmitter(u8 *at) {
  put_key(at, 0xd2dc9ee11cc85fa6ULL, 0xe11ba62fb040c3d2ULL, 0xdd332859e1ddbad5ULL, 0x555468cfd80920f9ULL);
}
INLINE void put_associated(u8 *at) {
  put_key(at, 0xf189244e8f25978cULL, 0x830d8e1429103dbbULL, 0x8410ffda99135a0bULL, 0x59f8e9dbd87b8e04ULL);
}

INLINE u64 is_token_account(const Account *account, const u8 *token_program, const u8 *mint) {
  return account->data_len == TOKEN_ACCOUNT_BYTES && is_same(account->owner, token_program, KEY_BYTES) &&
         is_same(account->data, mint, KEY_BYTES);
}

/* Adds to one of the counters of a local token, whose amounts have sixteen bytes. */
INLINE void count(u8 *at, u64 more, u64 is_wide) {
  u64 sum = long_at(at) + more;
  put_long(at, sum);
  if (is_wide && sum < more) put_long(at + 8, long_at(at + 8) + 1);
}

/* A number as people write it; how many figures it has. */
INLINE u64 spell_number(u8 *at, u32 number) {
  u64 figures = 1;
  KEPT_ROLLED for (u32 rest = number; rest >= 10; rest /= 10) figures++;
  KEPT_ROLLED for (u64 i = figures; i > 0; i--) {
    at[i - 1] = (u8)('0' + number % 10);
    number /= 10;
  }
  return figures;
}

/* Gives out of the custody in the minter's name. */
INLINE u64 give(Call *call, u64 to, u64 units) {
  Account *accounts = call->accounts;
  u8 *data = HEAP(DATA_AT), *text = HEAP(TEXT_AT);
  SPELL4(text, 'toke');
  SPELL4(text + 4, 'n_mi');
  SPELL4(text + 8, 'nter');
  seed(0, text, 12);
  seed(1, accounts[3].data + BUMP_AT, 1);
  REQUIRE(!accounts[3].data[PAUSED_AT], MINTER_PAUSED);
  data[0] = 3;
  put_long(data + 1, units);
  meta(0, accounts[8].key, 1, 0);
  meta(1, accounts[to].key, 1, 0);
  meta(2, accounts[3].key, 0, 1);
  return invoke(call, accounts[9].key, 3, 9, 2);
}

/* Whether the accounts are those that the published program would take. */
INLINE u64 check_places(Call *call, u32 domain, const u8 *body, u8 *authority_bump) {
  Account *accounts = call->accounts;
  u8 *transmitter = HEAP(TEXT_AT + 256), *text = HEAP(TEXT_AT + 320), *program = call->program;
  REQUIRE(accounts[0].is_signer, NO_SIGNER);
  put_transmitter(transmitter);
  SPELL4(text, 'mess');
  SPELL4(text + 4, 'age_');
  SPELL4(text + 8, 'tran');
  SPELL4(text + 12, 'smit');
  SPELL4(text + 16, 'ter_');
  SPELL4(text + 20, 'auth');
  SPELL4(text + 24, 'orit');
  text[28] = 'y';
  seed(0, text, 29);
  seed(1, program, KEY_BYTES);
  seed(2, authority_bump, 1);
  REQUIRE(is_made_of(&accounts[0], 3, transmitter), WRONG_SEEDS);
  REQUIRE(is_kind(&accounts[1], program, MESSENGER, MESSENGER_BYTES), WRONG_KIND);
  REQUIRE(is_kind(&accounts[2], program, REMOTE, REMOTE_BYTES), WRONG_KIND);
  REQUIRE(is_kind(&accounts[3], program, MINTER, MINTER_BYTES), WRONG_KIND);
  REQUIRE(is_kind(&accounts[4], program, LOCAL_TOKEN, LOCAL_TOKEN_BYTES), WRONG_KIND);
  REQUIRE(is_kind(&accounts[5], program, PAIR, PAIR_BYTES), WRONG_KIND);
  REQUIRE(word_at(accounts[2].data + REMOTE_DOMAIN_AT) == domain, WRONG_DOMAIN);
  REQUIRE(is_same(accounts[5].data + PAIR_LOCAL_AT, accounts[4].key, KEY_BYTES), WRONG_PAIR);
  u8 *mint = accounts[4].data + MINT_AT;
  SPELL4(text, 'toke');
  SPELL4(text + 4, 'n_pa');
  text[8] = 'i';
  text[9] = 'r';
  seed(0, text, 10);
  seed(1, text + 16, spell_number(text + 16, domain));
  seed(2, body + BURN_TOKEN_AT, KEY_BYTES);
  seed(3, accounts[5].data + PAIR_BUMP_AT, 1);
  REQUIRE(is_made_of(&accounts[5], 4, program), WRONG_SEEDS);
  REQUIRE(is_same(accounts[8].key, accounts[4].data + CUSTODY_AT, KEY_BYTES), WRONG_SEEDS);
  REQUIRE(is_token_account(&accounts[7], accounts[9].key, mint), VIOLATED);
  REQUIRE(is_token_account(&accounts[8], accounts[9].key, mint), VIOLATED);
  u8 *associated = HEAP(TEXT_AT + 384), bump = 0;
  put_associated(associated);
  seed(0, accounts[1].data + FEE_TO_AT, KEY_BYTES);
  seed(1, accounts[9].key, KEY_BYTES);
  seed(2, mint, KEY_BYTES);
  REQUIRE(is_derived(&accounts[6], 3, associated, &bump), WRONG_SEEDS);
  return 0;
}

INLINE u64 receive(Call *call, u64 is_final) {
  Account *accounts = call->accounts;
  u8 *data = call->data;
  REQUIRE(call->count >= 12, TOO_FEW_ACCOUNTS);
  REQUIRE(call->length >= 53, WRONG_DATA);
  u32 domain = word_at(data + 8), finality = word_at(data + 44), length = word_at(data + 48);
  const u8 *sender = data + 12, *body = data + 52;
  REQUIRE(call->length == 53 + (u64)length, WRONG_DATA);
  REQUIRE(length >= HOOK_AT, MALFORMED);
  REQUIRE(is_final || finality >= MIN_FINALITY, NOT_FINAL_ENOUGH);
  TRY(check_places(call, domain, body, data + 52 + length));
  REQUIRE(is_same(sender, accounts[2].data + REMOTE_MESSENGER_AT, KEY_BYTES), UNKNOWN_MESSENGER);
  REQUIRE(big_word_at(body) == word_at(accounts[1].data + BODY_VERSION_AT), WRONG_BODY_VERSION);
  REQUIRE(is_empty(body + 68, 24) && is_empty(body + 132, 24), MALFORMED);
  REQUIRE(is_empty(body + 164, 24) && is_empty(body + 196, 24), MALFORMED);
  u64 units = big_long_at(body + AMOUNT_AT), fee = big_long_at(body + FEE_AT);
  u64 expires = big_long_at(body + EXPIRES_AT);
  u8 *clock = HEAP(TEXT_AT);
  sol_get_clock_sysvar(clock);
  REQUIRE(expires == 0 || expires > long_at(clock), EXPIRED);
  REQUIRE(fee < units, FEE_ABOVE_AMOUNT);
  REQUIRE(fee <= big_long_at(body + MAX_FEE_AT), FEE_ABOVE_MAX);
  REQUIRE(is_same(accounts[7].key, body + TO_AT, KEY_BYTES), WRONG_RECIPIENT);
  if (fee > 0) TRY(give(call, 6, fee));
  TRY(give(call, 7, units - fee));
  count(accounts[4].data + RECEIVED_AT, 1, 0);
  count(accounts[4].data + AMOUNT_RECEIVED_AT, units, 1);
  return 0;
}

/* Of an amount, in ten millionths; at nought any maximum burns. The product needs less than 128 bits by parts. */
INLINE u64 least_fee(const u8 *messenger, u64 units) {
  u64 rate = word_at(messenger + MIN_FEE_AT);
  if (rate == 0) return 0;
  u64 fee = units / MIN_FEE_PARTS * rate + units % MIN_FEE_PARTS * rate / MIN_FEE_PARTS;
  return fee == 0 ? 1 : fee;
}

INLINE u64 burn(Call *call, u64 units) {
  Account *accounts = call->accounts;
  u8 *data = HEAP(DATA_AT);
  REQUIRE(!accounts[8].data[PAUSED_AT], MINTER_PAUSED);
  REQUIRE(units <= long_at(accounts[9].data + LIMIT_AT), BURN_ABOVE_LIMIT);
  data[0] = 8;
  put_long(data + 1, units);
  meta(0, accounts[3].key, 1, 0);
  meta(1, accounts[10].key, 1, 0);
  meta(2, accounts[0].key, 0, 1);
  TRY(invoke(call, accounts[14].key, 3, 9, 0));
  count(accounts[9].data + SENT_AT, 1, 0);
  count(accounts[9].data + AMOUNT_SENT_AT, units, 1);
  return 0;
}

/* Has the transmitter tell of it, in the name of the authority that only this program has. */
INLINE u64 tell(Call *call, const u8 *hook, u64 hook_length) {
  Account *accounts = call->accounts;
  u8 *given = call->data, *data = HEAP(DATA_AT), *body = data + 84, *text = HEAP(TEXT_AT);
  put_long(data, SEND_MESSAGE);
  copy(data + 8, given + 16, 4);
  copy(data + 12, accounts[7].data + REMOTE_MESSENGER_AT, KEY_BYTES);
  copy(data + 44, given + 52, KEY_BYTES);
  copy(data + 76, given + 92, 4);
  put_word(data + 80, (u32)(HOOK_AT + hook_length));
  KEPT_ROLLED for (u64 i = 0; i < HOOK_AT; i++) body[i] = 0;
  put_big_word(body, word_at(accounts[6].data + BODY_VERSION_AT));
  copy(body + BURN_TOKEN_AT, accounts[10].key, KEY_BYTES);
  copy(body + TO_AT, given + 20, KEY_BYTES);
  put_big_long(body + AMOUNT_AT, long_at(given + 8));
  copy(body + FROM_AT, accounts[0].key, KEY_BYTES);
  put_big_long(body + MAX_FEE_AT, long_at(given + 84));
  copy(body + HOOK_AT, hook, hook_length);
  SPELL4(text, 'send');
  SPELL4(text + 4, 'er_a');
  SPELL4(text + 8, 'utho');
  SPELL4(text + 12, 'rity');
  seed(0, text, 16);
  seed(1, accounts[6].data + AUTHORITY_BUMP_AT, 1);
  REQUIRE(is_made_of(&accounts[2], 2, call->program), WRONG_SEEDS);
  meta(0, accounts[1].key, 1, 1);
  meta(1, accounts[2].key, 0, 1);
  meta(2, accounts[5].key, 1, 0);
  meta(3, accounts[11].key, 1, 1);
  meta(4, accounts[13].key, 0, 0);
  meta(5, accounts[15].key, 0, 0);
  return invoke(call, accounts[12].key, 6, 84 + HOOK_AT + hook_length, 2);
}

INLINE u64 check_deposit(Call *call, u32 domain) {
  Account *accounts = call->accounts;
  u8 *program = call->program, *transmitter = HEAP(TEXT_AT + 256), *text = HEAP(TEXT_AT + 320), bump = 0;
  REQUIRE(accounts[0].is_signer && accounts[1].is_signer && accounts[11].is_signer, NO_SIGNER);
  put_transmitter(transmitter);
  REQUIRE(is_same(accounts[12].key, transmitter, KEY_BYTES), VIOLATED);
  REQUIRE(is_same(accounts[13].key, program, KEY_BYTES), VIOLATED);
  REQUIRE(is_kind(&accounts[6], program, MESSENGER, MESSENGER_BYTES), WRONG_KIND);
  REQUIRE(is_kind(&accounts[7], program, REMOTE, REMOTE_BYTES), WRONG_KIND);
  REQUIRE(is_kind(&accounts[8], program, MINTER, MINTER_BYTES), WRONG_KIND);
  REQUIRE(is_kind(&accounts[9], program, LOCAL_TOKEN, LOCAL_TOKEN_BYTES), WRONG_KIND);
  REQUIRE(word_at(accounts[7].data + REMOTE_DOMAIN_AT) == domain, WRONG_DOMAIN);
  REQUIRE(is_same(accounts[9].data + MINT_AT, accounts[10].key, KEY_BYTES), VIOLATED);
  REQUIRE(is_token_account(&accounts[3], accounts[14].key, accounts[10].key), VIOLATED);
  REQUIRE(is_same(accounts[3].data + 32, accounts[0].key, KEY_BYTES), VIOLATED);
  SPELL4(text, 'deny');
  SPELL4(text + 4, 'list');
  SPELL4(text + 8, '_acc');
  SPELL4(text + 12, 'ount');
  seed(0, text, 16);
  seed(1, accounts[0].key, KEY_BYTES);
  REQUIRE(is_derived(&accounts[4], 2, program, &bump), WRONG_SEEDS);
  REQUIRE(accounts[4].data_len == 0, DENYLISTED);
  return 0;
}

INLINE u64 deposit(Call *call, u64 has_hook) {
  u8 *data = call->data;
  REQUIRE(call->count >= 18, TOO_FEW_ACCOUNTS);
  REQUIRE(call->length >= (has_hook ? 100 : 96), WRONG_DATA);
  u64 units = long_at(data + 8), max_fee = long_at(data + 84), hook = has_hook ? word_at(data + 96) : 0;
  REQUIRE(call->length == (has_hook ? 100 : 96) + hook && hook <= 1024, WRONG_DATA);
  REQUIRE(!has_hook || hook > 0, NO_HOOK);
  TRY(check_deposit(call, word_at(data + 16)));
  REQUIRE(units > 0, NO_AMOUNT);
  REQUIRE(!is_empty(data + 20, KEY_BYTES), WRONG_RECIPIENT);
  REQUIRE(units > max_fee, FEE_NOT_BELOW);
  REQUIRE(max_fee >= least_fee(call->accounts[6].data, units), FEE_TOO_LOW);
  TRY(burn(call, units));
  return tell(call, data + 100, hook);
}

u64 entrypoint(u8 *input) {
  Call call;
  TRY(read_call(input, &call));
  REQUIRE(call.length >= 8, NO_SUCH_INSTRUCTION);
  u64 instruction = long_at(call.data);
  if (instruction == HANDLE_FINALIZED || instruction == HANDLE_UNFINALIZED) {
    return receive(&call, instruction == HANDLE_FINALIZED);
  }
  if (instruction == DEPOSIT || instruction == DEPOSIT_WITH_HOOK) {
    return deposit(&call, instruction == DEPOSIT_WITH_HOOK);
  }
  return NO_SUCH_INSTRUCTION;
}
