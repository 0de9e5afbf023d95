/* What both routers do: they hand a part of a sale to a pool, in the name of the wallet or in their own. */
#include "../cctp/runtime.h"

enum { UNITS_AT = 64, POOL_METAS = 7, POOL_BYTES = 8 };

INLINE u64 units_in(const Account *token_account) { return *(u64 *)(token_account->data + UNITS_AT); }

/* By their places: what is sold lies in `source`, and what is bought goes to `destination`. */
typedef struct {
  u64 authority, source, destination;
  /* The pool's account of what comes in; that of what goes out stands behind it. */
  u64 pool;
  /* The authority of all pools; their program stands behind it. */
  u64 pools;
  u64 token_program;
} Part;

INLINE u64 sell(const Call *call, const Part *part, u64 units, u64 seeds) {
  const Account *accounts = call->accounts;
  put_long(HEAP(DATA_AT), units);
  meta(0, accounts[part->authority].key, 0, 1);
  meta(1, accounts[part->source].key, 1, 0);
  meta(2, accounts[part->pool].key, 1, 0);
  meta(3, accounts[part->pool + 1].key, 1, 0);
  meta(4, accounts[part->destination].key, 1, 0);
  meta(5, accounts[part->pools].key, 0, 0);
  meta(6, accounts[part->token_program].key, 0, 0);
  return invoke(call, accounts[part->pools + 1].key, POOL_METAS, POOL_BYTES, seeds);
}
