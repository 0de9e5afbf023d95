/**
 * Sends by hand: every step written down and committed before the next, all that go together in one statement, one post to
 * the node for all of them, and nothing judged. It is the least that a send which forgets nothing can cost.
 */
import { randomUUID } from "node:crypto"
import pg from "pg"
import { Pool } from "undici"
import { privateKeyToAccount, signTransaction } from "viem/accounts"
import { encodeFunctionData, toHex } from "viem/utils"
import { abi, address } from "../adapters/evm/contract.ts"

const tables = `
  create table hand_proposal (id uuid primary key, account uuid not null, status text not null, terms jsonb not null,
    updated_at timestamptz not null);
  create index on hand_proposal (account, updated_at, id);
  create table hand_sum (account uuid primary key, units bigint not null);
  create table hand_reservation (proposal uuid primary key, account uuid not null, units bigint not null);
  create table hand_submission (id uuid primary key, status text not null, lease uuid, journal jsonb not null,
    next_look_at timestamptz) with (fillfactor = 60);
  create index on hand_submission (next_look_at);
  create table hand_nonce (relayer text primary key, next bigint not null);
  create table hand_audit (id uuid primary key, proposal uuid not null, told jsonb not null)`

/** Texts of the statements, by the step that they write down. */
const text = {
  proposed: `with made as (insert into hand_proposal select id, $2, 'pending', $3, now() from unnest($1::uuid[]) as id)
    insert into hand_audit select gen_random_uuid(), id, $3 from unnest($1::uuid[]) as id`,
  confirmed: `with held as (select id from hand_proposal where id = any($1::uuid[]) and status = 'pending' for no key update),
      moved as (update hand_proposal as it set status = 'executing', updated_at = now() from held where it.id = held.id),
      reserved as (insert into hand_reservation select id, $2, 10000 from held),
      summed as (update hand_sum set units = units + 10000 * (select count(*) from held) where account = $2),
      opened as (insert into hand_submission select id, 'prepared', null, '{}', now() from held)
    insert into hand_audit select gen_random_uuid(), id, $3 from held`,
  claimed: `update hand_submission set lease = $2, next_look_at = now() + interval '5 s' where id = any($1::uuid[])`,
  stepped: `update hand_submission as it set status = $3, journal = written.journal
    from unnest($1::uuid[], $2::jsonb[]) as written (id, journal) where it.id = written.id`,
  placed: `with taken as (update hand_nonce set next = next + cardinality($1::uuid[]) returning next)
    update hand_submission set status = 'placed' where id = any($1::uuid[]) returning (select next from taken)::integer as next`,
  ended: `with ended as (update hand_submission set status = 'final', next_look_at = null, lease = null
        where id = any($1::uuid[]) and lease = $2),
      moved as (update hand_proposal set status = 'completed', updated_at = now() where id = any($1::uuid[])),
      spent as (update hand_reservation set units = units where proposal = any($1::uuid[]))
    insert into hand_audit select gen_random_uuid(), id, $3 from unnest($1::uuid[]) as id`
} as const

/** As much as a proposal says of itself. */
const told = JSON.stringify({ what: "send", to: "0x70".padEnd(42, "0"), note: "x".repeat(300) })

const types = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" }
  ]
} as const

export interface Ground {
  readonly databaseUrl: string
  readonly rpcUrl: string
  readonly chainId: number
  readonly usdc: string
  readonly token: { readonly name: string; readonly version: string }
  readonly payee: string
  readonly gas: bigint
  readonly feePerGas: bigint
  /** Of the wallet, which has money, and of the relayer, which pays for gas and has sent nothing yet. */
  readonly walletKey: `0x${string}`
  readonly relayerKey: `0x${string}`
}

/** Calls of the node in one post. */
const poster = (rpcUrl: string) => {
  const pool = new Pool(new URL(rpcUrl).origin, { connections: 8, pipelining: 1, allowH2: false })
  return async (calls: ReadonlyArray<readonly [method: string, ...params: Array<unknown>]>) => {
    const body = JSON.stringify(
      calls.map(([method, ...params], id) => ({ jsonrpc: "2.0", id, method, params }))
    )
    const headers = { "content-type": "application/json" }
    const answer = await pool.request({ path: "/", method: "POST", headers, body })
    const told = (await answer.body.json()) as ReadonlyArray<{ id: number; result?: unknown }>
    return told.toSorted((one, other) => one.id - other.id).map(({ result }) => result)
  }
}

/** Signs what a wallet allows, and the transactions that carry it. */
const signer = (ground: Ground) => {
  const wallet = privateKeyToAccount(ground.walletKey)
  const { chainId, feePerGas, gas, token, usdc } = ground
  const domain = { ...token, chainId, verifyingContract: address(usdc) }
  const authorize = async (id: string) => {
    const said = {
      from: wallet.address,
      to: address(ground.payee),
      value: 10_000n,
      validAfter: 0n,
      validBefore: BigInt(Math.floor(Date.now() / 1000) + 3600),
      nonce: toHex(id.replaceAll("-", "").padEnd(64, "0")).slice(0, 66) as `0x${string}`
    }
    const signature = await wallet.signTypedData({
      domain,
      types,
      primaryType: "TransferWithAuthorization",
      message: said
    })
    const { from, nonce, to, validAfter, validBefore, value } = said
    return encodeFunctionData({
      abi,
      functionName: "transferWithAuthorization",
      args: [from, to, value, validAfter, validBefore, nonce, signature]
    })
  }
  const wrap = (data: `0x${string}`, nonce: number) =>
    signTransaction({
      privateKey: ground.relayerKey,
      transaction: {
        type: "eip1559",
        chainId,
        nonce,
        to: address(usdc),
        data,
        gas,
        maxFeePerGas: 100n * feePerGas,
        maxPriorityFeePerGas: feePerGas
      }
    })
  return { authorize, wrap }
}

export const open = async (ground: Ground) => {
  const pool = new pg.Pool({ connectionString: ground.databaseUrl, max: 8 })
  await pool.query(tables)
  const account = randomUUID()
  await pool.query("insert into hand_sum values ($1, 0)", [account])
  await pool.query("insert into hand_nonce values ('relayer', 0)")
  const say = (name: keyof typeof text, values: ReadonlyArray<unknown>) =>
    pool.query({ name, text: text[name], values: [...values] })
  const post = poster(ground.rpcUrl)
  const { authorize, wrap } = signer(ground)
  const relayer = privateKeyToAccount(ground.relayerKey).address

  const propose = async (count: number): Promise<ReadonlyArray<string>> => {
    const ids = Array.from({ length: count }, () => randomUUID())
    await say("proposed", [ids, account, told])
    return ids
  }

  const received = async (hashes: ReadonlyArray<unknown>) => {
    for (;;) {
      const receipts = await post(hashes.map((hash) => ["eth_getTransactionReceipt", hash]))
      if (receipts.every((receipt) => (receipt as { status?: string } | null)?.status === "0x1")) {
        return
      }
      if (receipts.some((receipt) => (receipt as { status?: string } | null)?.status === "0x0")) {
        throw new Error("A transfer by hand was reverted.")
      }
      await new Promise((resume) => setTimeout(resume, 5))
    }
  }

  const carry = async (ids: ReadonlyArray<string>) => {
    const lease = randomUUID()
    await say("claimed", [ids, lease])
    const data = await Promise.all(ids.map(authorize))
    const journals = data.map((signed) => JSON.stringify({ signed }))
    await say("stepped", [ids, journals, "signed"])
    const call = { from: relayer, to: ground.usdc }
    await post(data.map((signed) => ["eth_call", { ...call, data: signed }, "latest"]))
    const { rows } = await say("placed", [ids])
    const first = Number((rows[0] as { next: number }).next) - ids.length
    const raws = await Promise.all(data.map((signed, at) => wrap(signed, first + at)))
    const carried = raws.map((raw, at) => JSON.stringify({ signed: data[at], raw }))
    await say("stepped", [ids, carried, "submitted"])
    await received(await post(raws.map((raw) => ["eth_sendRawTransaction", raw])))
    await say("ended", [ids, lease, told])
  }

  const confirm = async (ids: ReadonlyArray<string>) => {
    await say("confirmed", [ids, account, told])
    await carry(ids)
  }

  return {
    propose,
    confirm,
    once: async (count: number) => confirm(await propose(count)),
    close: () => pool.end()
  }
}
