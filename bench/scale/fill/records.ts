/** What is kept beside: co-signers and what waits for them, the audit log, notices, mail, and answers to calls. */
import type { Copies } from "./copies.ts"
import { some } from "./customers.ts"
import type { Templates } from "./templates.ts"

const at = "scale_at(n, rows)"

const cosigner = "scale_id('cosigner', n, rows)"

/** Nearly as many as an account may have. */
const maxCosigners = 15
const maxWaiting = 900

/** Who has voted on what waits: one of them on each. */
export const voter = `scale_id('cosigner', 1 + n % ${maxCosigners}, ${maxCosigners})`

export const governing = (own: Templates): ReadonlyArray<Copies> => [
  {
    table: "account",
    of: `id = '${own.caller.accountId}'`,
    count: some,
    but: {
      id: "scale_id('agent', n, rows)",
      kind: "'agent'",
      name: "'Agent ' || n",
      created_at: at
    }
  },
  {
    table: "cosigner_invite",
    of: `id = '${own.incomingInviteId}'`,
    count: some,
    but: {
      id: "scale_id('invite', n, rows)",
      owner_account_id: "scale_id('agent', n, rows)",
      created_at: at
    }
  },
  // Of hands of their own: what one has paid for counts as one.
  {
    table: "account",
    of: `id = '${own.caller.accountId}'`,
    count: maxCosigners,
    but: {
      id: cosigner,
      name: "'Co-signer ' || n",
      funding_chain_id: "null",
      funding_address: "null",
      created_at: at
    }
  },
  {
    table: "cosigner_invite",
    of: `id = (select invite_id from cosigner_membership where id = '${own.membershipId}')`,
    count: maxCosigners,
    but: {
      id: "scale_id('accepted', n, rows)",
      cosigner_account_id: cosigner,
      created_at: at
    }
  },
  {
    table: "cosigner_membership",
    of: `id = '${own.membershipId}'`,
    count: maxCosigners,
    but: {
      id: "scale_id('membership', n, rows)",
      cosigner_account_id: cosigner,
      invite_id: "scale_id('accepted', n, rows)",
      created_at: at
    }
  },
  {
    table: "proposal",
    of: `id = (select proposal_id from cosigner_approval where id = '${own.approvalId}')`,
    but: { id: "scale_id('theirs', n, rows)", created_at: at }
  },
  {
    table: "cosigner_approval",
    of: `id = '${own.approvalId}'`,
    but: {
      id: "scale_id('approval', n, rows)",
      proposal_id: "scale_id('theirs', n, rows)",
      recipient_id: "null",
      voter_account_ids: `array[${voter}]`,
      created_at: at,
      expires_at: "now() + interval '7 days'"
    }
  },
  {
    table: "governance_request",
    of: `id = '${own.governanceRequestId}'`,
    count: maxWaiting,
    but: {
      id: "scale_id('governance', n, rows)",
      created_at: at,
      expires_at: "now() + interval '7 days'"
    }
  }
]

export const records = (own: Templates): ReadonlyArray<Copies> => [
  {
    table: "audit_entry",
    of: `account_id = '${own.caller.accountId}'`,
    but: {
      id: "scale_id('entry', n, rows)",
      subject: "'\\x01'::bytea || uuid_send(scale_id('request', n, rows))",
      created_at: at
    }
  },
  {
    table: "notice",
    of: "true",
    but: {
      id: "scale_id('notice', n, rows)",
      account_id: `'${own.caller.accountId}'::uuid`,
      subject: "'n' || n",
      told_at: at,
      created_at: at
    }
  },
  {
    table: "outbound_email",
    of: "true",
    but: {
      id: "scale_id('email', n, rows)",
      status: "'sent'",
      sealed_text: "null",
      created_at: at,
      ended_at: at
    }
  },
  {
    table: "idempotency_key",
    of: `account_id = '${own.caller.accountId}' and answer is not null`,
    but: {
      operation: "case when n % 10 = 0 then 'confirm_proposal' else 'create_payment_request' end",
      of_call: "md5('call' || n)::uuid",
      // Of the last month what is no money's, and of longer ago what is.
      reserved_at: `case when n % 10 = 0 then ${at} else now() - interval '29 days' * (n::float8 / rows) end`,
      sealed_secrets: "null",
      secrets_erase_at: "null"
    }
  }
]
