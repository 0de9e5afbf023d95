/*
 * The message transmitter of the local CCTP V2, by its published interface: it takes a message that its attesters have
 * signed, once, and hands it to the program that the message names; and it keeps what is sent from here in an account.
 *
 * receive_message: 0 payer, 1 caller, 2 authority for the receiver, 3 its own state, 4 the nonce's account, 5 receiver,
 *                  6 system program, 7 event authority, 8 this program; behind them what the receiver is handed
 * send_message:    0 payer, 1 the sender's authority, 2 its own state, 3 the message's account, 4 sender, 5 system program
 */
#include "runtime.h"

extern u64 sol_keccak256(const Bytes *, u64, u8 *);
extern u64 sol_secp256k1_recover(const u8 *, u64, const u8 *, u8 *);
extern u64 sol_get_clock_sysvar(u8 *);
extern u64 sol_get_rent_sysvar(u8 *);

#define RECEIVE_MESSAGE 0x19eee11fe17f9026ULL
#define SEND_MESSAGE 0x1a410abdb2222839ULL
#define HANDLE_FINALIZED 0x5f6eb45646effcbaULL
#define HANDLE_UNFINALIZED 0x3db63ac814afa9c8ULL
#define STATE 0xfc23cb138eb42847ULL
#define USED_NONCE 0xeeb34782fc9dded4ULL
#define MESSAGE_SENT 0x3c97e1a638856483ULL

enum { PAUSED = 6001, WRONG_CALLER = 6014, NO_RECIPIENT = 6015, WRONG_DOMAIN = 6018, WRONG_VERSION = 6019 };
enum { WRONG_RECIPIENT = 6021, MALFORMED = 6025, WRONG_ORDER = 6026, NO_ATTESTER = 6027, WRONG_LENGTH = 6028 };
enum { WRONG_RECOVERY = 6029, HIGH_S = 6030, OWN_DOMAIN = 6034, TOO_LONG = 6013 };

/* Where the state has what; the attesters' count stands before the first of them. */
enum { PAUSED_AT = 136, DOMAIN_AT = 137, VERSION_AT = 141, THRESHOLD_AT = 145, ATTESTERS_AT = 149, STATE_BYTES = 161 };
/* Where a message has what. */
enum { SOURCE_AT = 4, DESTINATION_AT = 8, NONCE_AT = 12, SENDER_AT = 44, RECIPIENT_AT = 76, CALLER_AT = 108 };
enum { MIN_FINALITY_AT = 140, FINALITY_AT = 144, BODY_AT = 148, FINALIZED = 2000, SIGNATURE_BYTES = 65, NONCE_BYTES = 9 };

INLINE u64 rent_for(u64 bytes) {
  u8 *rent = HEAP(TEXT_AT);
  sol_get_rent_sysvar(rent);
  u64 years = long_at(rent + 8) == 0x4000000000000000ULL ? 2 : 1;
  return (128 + bytes) * long_at(rent) * years;
}

/* Half of the order of the curve: a signature with a larger s could be written in two ways. */
INLINE u64 is_high(const u8 *s) {
  u64 limits[4];
  limits[0] = 0x7fffffffffffffffULL;
  limits[1] = 0xffffffffffffffffULL;
  limits[2] = 0x5d576e7357a4501dULL;
  limits[3] = 0xdfe92f46681b20a0ULL;
  KEPT_ROLLED for (int i = 0; i < 4; i++) {
    u64 part = big_long_at(s + 8 * i);
    if (part != limits[i]) return part > limits[i];
  }
  return 0;
}

/* As many signatures as the threshold says, by enabled attesters in ascending order. */
INLINE u64 verify(const u8 *state, Bytes message, Bytes attestation) {
  u64 threshold = word_at(state + THRESHOLD_AT), enabled = word_at(state + ATTESTERS_AT);
  u8 *hash = HEAP(TEXT_AT), *key = hash + 32, *signer = key + 64, *last = signer + 32;
  REQUIRE(attestation.len == threshold * SIGNATURE_BYTES, WRONG_LENGTH);
  Bytes hashed[1];
  hashed[0] = message;
  sol_keccak256(hashed, 1, hash);
  KEPT_ROLLED for (int i = 0; i < 32; i++) last[i] = 0;
  KEPT_ROLLED for (u64 i = 0; i < threshold; i++) {
    const u8 *one = attestation.at + i * SIGNATURE_BYTES;
    REQUIRE(one[64] >= 27 && one[64] <= 30, WRONG_RECOVERY);
    REQUIRE(!is_high(one + 32), HIGH_S);
    REQUIRE(!sol_secp256k1_recover(hash, one[64] - 27, one, key), NO_ATTESTER);
    hashed[0].at = key;
    hashed[0].len = 64;
    sol_keccak256(hashed, 1, signer);
    KEPT_ROLLED for (int at = 0; at < 12; at++) signer[at] = 0;
    u64 is_above = 0;
    KEPT_ROLLED for (int at = 0; at < 32; at++) if (signer[at] != last[at]) {
      is_above = signer[at] > last[at];
      break;
    }
    REQUIRE(is_above, WRONG_ORDER);
    u64 is_known = 0;
    KEPT_ROLLED for (u64 each = 0; each < enabled; each++) {
      if (is_same(state + ATTESTERS_AT + 4 + each * KEY_BYTES, signer, KEY_BYTES)) is_known = 1;
    }
    REQUIRE(is_known, NO_ATTESTER);
    copy(last, signer, KEY_BYTES);
  }
  return 0;
}

/* An instruction of the system program about one account, which its seeds sign. */
INLINE u64 about(Call *call, u64 account, u32 instruction, u64 value, u8 *owner, u64 seeds) {
  u8 *data = HEAP(DATA_AT);
  put_word(data, instruction);
  if (owner) copy(data + 4, owner, KEY_BYTES);
  else put_long(data + 4, value);
  meta(0, call->accounts[account].key, 1, 1);
  return invoke(call, call->accounts[6].key, 1, owner ? 36 : 12, seeds);
}

/* Marks the nonce as used, by an account that can be made once only. A stranger's coins in its place do not matter. */
INLINE u64 use_nonce(Call *call, const u8 *nonce) {
  Account *used = &call->accounts[4];
  u8 *text = HEAP(TEXT_AT + 512);
  SPELL4(text, 'used');
  SPELL4(text + 4, '_non');
  text[8] = 'c';
  text[9] = 'e';
  u8 *bump = text + 16;
  seed(0, text, 10);
  seed(1, nonce, KEY_BYTES);
  REQUIRE(is_derived(used, 2, call->program, bump), WRONG_SEEDS);
  REQUIRE(used->data_len == 0, CUSTOM_ZERO);
  seed(2, bump, 1);
  u64 rent = rent_for(NONCE_BYTES);
  if (*used->lamports < rent) {
    u8 *data = HEAP(DATA_AT);
    put_word(data, 2);
    put_long(data + 4, rent - *used->lamports);
    meta(0, call->accounts[0].key, 1, 1);
    meta(1, used->key, 1, 0);
    TRY(invoke(call, call->accounts[6].key, 2, 12, 0));
  }
  TRY(about(call, 4, 8, NONCE_BYTES, 0, 3));
  TRY(about(call, 4, 1, 0, call->program, 3));
  put_long(used->data, USED_NONCE);
  used->data[8] = 1;
  return 0;
}

/* Hands the message to its receiver, in the name of the authority that only this program has for it. */
INLINE u64 hand_over(Call *call, const u8 *message, u64 length, u8 bump) {
  Account *accounts = call->accounts;
  u8 *data = HEAP(DATA_AT), *text = HEAP(TEXT_AT + 512);
  u32 finality = big_word_at(message + FINALITY_AT);
  u64 body = length - BODY_AT;
  put_long(data, finality < FINALIZED ? HANDLE_UNFINALIZED : HANDLE_FINALIZED);
  put_word(data + 8, big_word_at(message + SOURCE_AT));
  copy(data + 12, message + SENDER_AT, KEY_BYTES);
  put_word(data + 44, finality);
  put_word(data + 48, (u32)body);
  copy(data + 52, message + BODY_AT, body);
  data[52 + body] = bump;
  meta(0, accounts[2].key, 0, 1);
  KEPT_ROLLED for (u64 i = 9; i < call->count; i++) {
    meta(i - 8, accounts[i].key, accounts[i].is_writable, accounts[i].is_signer);
  }
  text[64] = bump;
  seed(2, text + 64, 1);
  return invoke(call, accounts[5].key, call->count - 8, 53 + body, 3);
}

INLINE void spell_authority(u8 *text) {
  SPELL4(text, 'mess');
  SPELL4(text + 4, 'age_');
  SPELL4(text + 8, 'tran');
  SPELL4(text + 12, 'smit');
  SPELL4(text + 16, 'ter_');
  SPELL4(text + 20, 'auth');
  SPELL4(text + 24, 'orit');
  text[28] = 'y';
}

INLINE u64 receive_message(Call *call) {
  Account *accounts = call->accounts;
  u8 *data = call->data;
  REQUIRE(call->count >= 9, TOO_FEW_ACCOUNTS);
  REQUIRE(accounts[0].is_signer && accounts[1].is_signer, NO_SIGNER);
  REQUIRE(is_kind(&accounts[3], call->program, STATE, STATE_BYTES), WRONG_KIND);
  REQUIRE(accounts[5].executable && !is_same(accounts[5].key, call->program, KEY_BYTES), VIOLATED);
  REQUIRE(call->length >= 16, WRONG_DATA);
  u64 length = word_at(data + 8);
  u8 *message = data + 12;
  REQUIRE(length <= 4096 && call->length >= 16 + length, WRONG_DATA);
  Bytes signatures;
  signatures.len = word_at(message + length);
  signatures.at = message + length + 4;
  REQUIRE(call->length == 16 + length + signatures.len, WRONG_DATA);

  const u8 *state = accounts[3].data;
  REQUIRE(!state[PAUSED_AT], PAUSED);
  REQUIRE(length >= BODY_AT, MALFORMED);
  REQUIRE(big_word_at(message) == word_at(state + VERSION_AT), WRONG_VERSION);
  Bytes signed_message;
  signed_message.at = message;
  signed_message.len = length;
  TRY(verify(state, signed_message, signatures));
  REQUIRE(big_word_at(message + DESTINATION_AT) == word_at(state + DOMAIN_AT), WRONG_DOMAIN);
  REQUIRE(is_empty(message + CALLER_AT, KEY_BYTES) || is_same(message + CALLER_AT, accounts[1].key, KEY_BYTES),
          WRONG_CALLER);
  REQUIRE(is_same(message + RECIPIENT_AT, accounts[5].key, KEY_BYTES), WRONG_RECIPIENT);
  TRY(use_nonce(call, message + NONCE_AT));

  u8 *text = HEAP(TEXT_AT + 512), bump = 0;
  spell_authority(text);
  seed(0, text, 29);
  seed(1, accounts[5].key, KEY_BYTES);
  REQUIRE(is_derived(&accounts[2], 2, call->program, &bump), WRONG_SEEDS);
  return hand_over(call, message, length, bump);
}

INLINE u64 send_message(Call *call) {
  Account *accounts = call->accounts;
  u8 *data = call->data;
  REQUIRE(call->count >= 6, TOO_FEW_ACCOUNTS);
  REQUIRE(accounts[0].is_signer && accounts[1].is_signer && accounts[3].is_signer, NO_SIGNER);
  REQUIRE(is_kind(&accounts[2], call->program, STATE, STATE_BYTES), WRONG_KIND);
  REQUIRE(accounts[4].executable, VIOLATED);
  REQUIRE(call->length >= 84, WRONG_DATA);
  u32 destination = word_at(data + 8), finality = word_at(data + 76), body = word_at(data + 80);
  const u8 *recipient = data + 12, *caller = data + 44;
  REQUIRE(call->length == 84 + (u64)body, WRONG_DATA);
  u8 *text = HEAP(TEXT_AT + 512), bump = 0;
  SPELL4(text, 'send');
  SPELL4(text + 4, 'er_a');
  SPELL4(text + 8, 'utho');
  SPELL4(text + 12, 'rity');
  seed(0, text, 16);
  REQUIRE(is_derived(&accounts[1], 1, accounts[4].key, &bump), WRONG_SEEDS);
  const u8 *state = accounts[2].data;
  REQUIRE(!state[PAUSED_AT], PAUSED);
  REQUIRE(destination != word_at(state + DOMAIN_AT), OWN_DOMAIN);
  u32 enabled = word_at(state + ATTESTERS_AT);
  REQUIRE(long_at(state + ATTESTERS_AT + 4 + enabled * KEY_BYTES) >= body, TOO_LONG);
  REQUIRE(!is_empty(recipient, KEY_BYTES), NO_RECIPIENT);

  u64 bytes = 8 + 32 + 8 + 4 + BODY_AT + body;
  u64 rent = rent_for(bytes);
  u8 *opening = HEAP(DATA_AT);
  put_word(opening, 0);
  put_long(opening + 4, rent);
  put_long(opening + 12, bytes);
  copy(opening + 20, call->program, KEY_BYTES);
  meta(0, accounts[0].key, 1, 1);
  meta(1, accounts[3].key, 1, 1);
  TRY(invoke(call, accounts[5].key, 2, 52, 0));

  u8 *clock = HEAP(TEXT_AT);
  sol_get_clock_sysvar(clock);
  u8 *kept = accounts[3].data, *message = kept + 52;
  put_long(kept, MESSAGE_SENT);
  copy(kept + 8, accounts[0].key, KEY_BYTES);
  copy(kept + 40, clock + 32, 8);
  put_word(kept + 48, BODY_AT + body);
  put_big_word(message, word_at(state + VERSION_AT));
  put_big_word(message + SOURCE_AT, word_at(state + DOMAIN_AT));
  put_big_word(message + DESTINATION_AT, destination);
  copy(message + SENDER_AT, accounts[4].key, KEY_BYTES);
  copy(message + RECIPIENT_AT, recipient, KEY_BYTES);
  copy(message + CALLER_AT, caller, KEY_BYTES);
  put_big_word(message + MIN_FINALITY_AT, finality);
  copy(message + BODY_AT, data + 84, body);
  return 0;
}

u64 entrypoint(u8 *input) {
  Call call;
  TRY(read_call(input, &call));
  REQUIRE(call.length >= 8, NO_SUCH_INSTRUCTION);
  u64 instruction = long_at(call.data);
  if (instruction == RECEIVE_MESSAGE) return receive_message(&call);
  if (instruction == SEND_MESSAGE) return send_message(&call);
  return NO_SUCH_INSTRUCTION;
}
