/*
 * What both programs of the local CCTP need of the runtime: how it hands over accounts and data, what it can be asked
 * to do, and how accounts of the published layout are told from others. A program has no data of its own, so texts are
 * put together from words of four letters, and everything that is large lies on the heap.
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
extern u64 sol_create_program_address(const Bytes *, u64, const u8 *, u8 *);
extern u64 sol_try_find_program_address(const Bytes *, u64, const u8 *, u8 *, u8 *);

#define INLINE static __attribute__((always_inline)) inline
#define KEPT_ROLLED _Pragma("clang loop unroll(disable)")
#define HEAP(at) ((u8 *)(0x300000000ULL + (at)))

/* Errors of the framework that the published programs are written in. */
/* What the system program says of an account that is there already: its error nought, as the runtime spells it. */
#define CUSTOM_ZERO 0x100000000ULL
enum { WRONG_SEEDS = 2006, WRONG_DATA = 102, NO_SIGNER = 3010, WRONG_OWNER = 3007 };
enum { WRONG_KIND = 3002, TOO_FEW_ACCOUNTS = 3005, NO_SUCH_INSTRUCTION = 101, VIOLATED = 2003 };

/* The heap: accounts, metas of an instruction, what is handed to others, seeds, keys, scratch. */
enum { MOST_ACCOUNTS = 32, SPARE_BYTES = 10240, KEY_BYTES = 32 };
enum { ACCOUNTS_AT = 0, METAS_AT = 2048, DATA_AT = 4096, SEEDS_AT = 12288, KEYS_AT = 12800, TEXT_AT = 13312 };

typedef struct {
  Account *accounts;
  u64 count;
  u8 *data;
  u64 length;
  u8 *program;
} Call;

INLINE void copy(u8 *to, const u8 *from, u64 bytes) { KEPT_ROLLED for (u64 i = 0; i < bytes; i++) to[i] = from[i]; }

INLINE u64 is_same(const u8 *one, const u8 *other, u64 bytes) {
  KEPT_ROLLED for (u64 i = 0; i < bytes; i++) if (one[i] != other[i]) return 0;
  return 1;
}

INLINE u64 is_empty(const u8 *at, u64 bytes) {
  KEPT_ROLLED for (u64 i = 0; i < bytes; i++) if (at[i]) return 0;
  return 1;
}

INLINE u64 long_at(const u8 *at) {
  u64 value = 0;
  KEPT_ROLLED for (int i = 7; i >= 0; i--) value = (value << 8) | at[i];
  return value;
}
INLINE u32 word_at(const u8 *at) { return at[0] | (u32)at[1] << 8 | (u32)at[2] << 16 | (u32)at[3] << 24; }
INLINE u32 big_word_at(const u8 *at) { return at[3] | (u32)at[2] << 8 | (u32)at[1] << 16 | (u32)at[0] << 24; }
INLINE u64 big_long_at(const u8 *at) { return (u64)big_word_at(at) << 32 | big_word_at(at + 4); }

INLINE void put_long(u8 *at, u64 value) { KEPT_ROLLED for (int i = 0; i < 8; i++) at[i] = (u8)(value >> (8 * i)); }
INLINE void put_word(u8 *at, u32 value) { KEPT_ROLLED for (int i = 0; i < 4; i++) at[i] = (u8)(value >> (8 * i)); }
INLINE void put_big_word(u8 *at, u32 value) { KEPT_ROLLED for (int i = 0; i < 4; i++) at[i] = (u8)(value >> (24 - 8 * i)); }
INLINE void put_big_long(u8 *at, u64 value) { KEPT_ROLLED for (int i = 0; i < 8; i++) at[i] = (u8)(value >> (56 - 8 * i)); }
INLINE void put_key(u8 *at, u64 first, u64 second, u64 third, u64 fourth) {
  put_long(at, first);
  put_long(at + 8, second);
  put_long(at + 16, third);
  put_long(at + 24, fourth);
}

/* Reads what the runtime hands over, whatever it is; the accounts lie at the beginning of the heap. */
INLINE u64 read_call(u8 *input, Call *call) {
  u64 count = *(u64 *)input;
  if (count > MOST_ACCOUNTS) return TOO_FEW_ACCOUNTS;
  Account *accounts = (Account *)HEAP(ACCOUNTS_AT);
  u8 *at = input + 8;
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
  call->accounts = accounts;
  call->count = count;
  call->length = *(u64 *)at;
  call->data = at + 8;
  call->program = at + 8 + call->length;
  return 0;
}

INLINE void seed(u64 place, const u8 *at, u64 len) {
  Bytes *seeds = (Bytes *)HEAP(SEEDS_AT);
  seeds[place].at = at;
  seeds[place].len = len;
}

/* Whether an account stands where the first seeds on the heap put it in a program; the bump is told. */
INLINE u64 is_derived(const Account *account, u64 seeds, const u8 *program, u8 *bump) {
  u8 *found = HEAP(KEYS_AT);
  if (sol_try_find_program_address((Bytes *)HEAP(SEEDS_AT), seeds, program, found, bump)) return 0;
  return is_same(found, account->key, KEY_BYTES);
}

/* The same, by a bump that is known, which is the last of the seeds. */
INLINE u64 is_made_of(const Account *account, u64 seeds, const u8 *program) {
  u8 *found = HEAP(KEYS_AT);
  if (sol_create_program_address((Bytes *)HEAP(SEEDS_AT), seeds, program, found)) return 0;
  return is_same(found, account->key, KEY_BYTES);
}

/* Whether an account is the program's own and of a kind, by the first eight bytes in it. */
INLINE u64 is_kind(const Account *account, const u8 *program, u64 kind, u64 bytes) {
  return account->data_len >= bytes && is_same(account->owner, program, KEY_BYTES) && long_at(account->data) == kind;
}

INLINE void meta(u64 place, u8 *key, u8 is_writable, u8 is_signer) {
  Meta *metas = (Meta *)HEAP(METAS_AT);
  metas[place].key = key;
  metas[place].is_writable = is_writable;
  metas[place].is_signer = is_signer;
}

/* Calls a program with the metas and the data that lie on the heap, in the name of so many seeds too. */
INLINE u64 invoke(const Call *call, u8 *program, u64 metas, u64 length, u64 seeds) {
  Instruction instruction;
  instruction.program = program;
  instruction.metas = (Meta *)HEAP(METAS_AT);
  instruction.metas_len = metas;
  instruction.data = HEAP(DATA_AT);
  instruction.data_len = length;
  Seeds signing;
  signing.at = (Bytes *)HEAP(SEEDS_AT);
  signing.len = seeds;
  return sol_invoke_signed_c(&instruction, call->accounts, (int)call->count, &signing, seeds ? 1 : 0);
}

#define SPELL4(at, word)            \
  do {                              \
    (at)[0] = (u8)((word) >> 24);   \
    (at)[1] = (u8)((word) >> 16);   \
    (at)[2] = (u8)((word) >> 8);    \
    (at)[3] = (u8)(word);           \
  } while (0)

#define TRY(does)            \
  do {                       \
    u64 failed = (does);     \
    if (failed) return failed; \
  } while (0)
#define REQUIRE(holds, error) \
  do {                        \
    if (!(holds)) return (error); \
  } while (0)
