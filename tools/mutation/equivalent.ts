/**
 * Mutants that no test can notice, because what they change is the same to everybody. Each names its place by the
 * text before and after, so that it is found again when lines move, and says why.
 */

export interface Equivalent {
  readonly module: string
  readonly before: string
  readonly after: string
  readonly why: string
}

const of = (module: string, why: string, ...changes: ReadonlyArray<readonly [string, string]>) =>
  changes.map(([before, after]): Equivalent => ({ module, before, after, why }))

const decimal = "core/money/decimal.ts"
const usd = "core/money/usd.ts"
const usdc = "core/money/usdc.ts"
const worth = "core/sales/worth.ts"
const move = "core/proposals/move.ts"
const dlnOrder = "adapters/evm/dln/order.ts"
const evmBurn = "adapters/evm/cctp/burn.ts"
const swapCheck = "adapters/solana/swap-check.ts"
const signingPolicy = "core/treasury/signing-policy.ts"
const assign = "core/payments/assign.ts"
const reconcile = "core/payments/reconcile.ts"
const refundLedger = "core/payments/refund-ledger.ts"
const refundable = "core/payments/refundable.ts"
const urlPolicy = "adapters/webhook-sender/url-policy.ts"
const filler = "Stryker was here!"

export const equivalent: ReadonlyArray<Equivalent> = [
  ...of(decimal, "The form always has this group, so the default is never taken.", [
    '""',
    `"${filler}"`
  ]),
  ...of(decimal, "The number of an empty text is zero too.", ['"0"', '""']),
  ...of(
    decimal,
    "Both ways give the same at the boundary: a power of ten to the zero is one.",
    ["places < 0", "places <= 0"],
    ["places <= maxPlaces", "places < maxPlaces"],
    ["places <= to", "places < to"]
  ),
  ...of(
    decimal,
    "Zero has no sign, and rounds to zero from either side.",
    ["units < 0n", "units <= 0n"],
    ["numerator < 0n", "numerator <= 0n"]
  ),
  ...of(
    usd,
    "Of two that are equal it does not matter which is taken.",
    ["one < other", "one <= other"],
    ["one > other", "one >= other"]
  ),
  ...of(usd, "Longer texts are above the largest amount.", ["text.length > 20", "false"]),
  ...of(usd, "A text that fits the form has a whole part.", ['""', `"${filler}"`]),
  ...of(usd, "Zero has no sign.", ["micro < 0n", "micro <= 0n"]),
  ...of(
    usdc,
    "Of two that are equal it does not matter which is taken, and nothing is missing.",
    ["one < other", "one <= other"],
    ["present >= amount", "present > amount"]
  ),
  ...of(usdc, "A brand on nothing is nothing.", ["micro === undefined", "false"]),
  ...of(
    worth,
    "Of two that are equal it does not matter which is taken.",
    ["one > other", "one >= other"],
    ["given > got", "given >= got"]
  ),
  ...of(
    move,
    "What was moved stands at the place of what was asked for, so there always is one.",
    ["changes[at]?.[0]", "changes[at][0]"],
    ["from === undefined", "false"]
  ),
  ...of(move, "Without an outcome the status has none either.", [
    "proposal.outcome === null",
    "false"
  ]),
  ...of(
    swapCheck,
    "A text in the place of an account has neither address nor role: it is nobody, and may do nothing.",
    ["[]", '["Stryker was here"]']
  ),
  ...of(swapCheck, "The instructions were counted before, and there is one beside ours.", [
    "route === undefined",
    "false"
  ]),
  ...of("adapters/solana/swap-message.ts", "Neither is an address; either is refused.", [
    '""',
    `"${filler}"`
  ]),
  ...of(
    "adapters/solana/route-data.ts",
    "What is written to two bytes is nought, from either end.",
    ["true", "false"]
  ),
  ...of(
    dlnOrder,
    "It is the first function of the contract's list, which is meant where none is named.",
    ['"createSaltedOrder"', '""']
  ),
  ...of(
    dlnOrder,
    "What any other function is told has no salt of an order, and is the journey's by no field.",
    ['functionName === "sendEvmOrderCancel"', "true"]
  ),
  ...of(dlnOrder, "Nothing is answered either way.", ["{ return undefined }", "{}"]),
  ...of(
    evmBurn,
    "It is the first function of the contract's list, which is meant where none is named.",
    ['"depositForBurnWithHook"', '""']
  ),
  ...of(evmBurn, "32 bytes are what is padded to where nothing is said.", ["{ size: 32 }", "{}"]),
  ...of("core/swaps/sign-order.ts", "Without an open wait nothing was signed that could be read.", [
    "open === undefined",
    "false"
  ]),
  ...of("core/swaps/sign-order.ts", "No order is read out of nothing.", ["call === null", "false"]),
  ...of("core/swaps/cancel-order.ts", "Neither is a proposal or a token.", ['""', `"${filler}"`]),
  ...of("adapters/evm/cow/order.ts", "It is the contract's only function here.", [
    '"invalidateOrder"',
    '""'
  ]),
  ...of("core/submissions/identity.ts", "Where a thousand are known, one of them is the oldest.", [
    "oldest !== undefined",
    "true"
  ]),
  ...of(
    signingPolicy,
    "Of no proposal there is no kind and so no rule: nothing is read, and no part is looked for.",
    ["proposal === undefined", "false"],
    ["proposal?.terms", "proposal.terms"]
  ),
  ...of(signingPolicy, "Without a wallet it is refused before its address is asked for.", [
    '""',
    `"${filler}"`
  ]),
  ...of(urlPolicy, "What is above cannot be read as a URL.", ["port > 65_535", "false"]),
  ...of(
    urlPolicy,
    "A text has a first part always, and of a form that is not met no part is there.",
    ['""', `"${filler}"`],
    ["[]", '["Stryker was here"]']
  ),
  ...of(
    urlPolicy,
    "Both parts are there, or neither is.",
    [
      "scheme === undefined || authority === undefined",
      "scheme === undefined && authority === undefined"
    ],
    ["scheme === undefined", "false"],
    ["authority === undefined", "false"]
  ),
  ...of(urlPolicy, "No form of a host has the sign, so it is refused in other words.", [
    'authority.includes("@")',
    "false"
  ]),
  ...of(
    urlPolicy,
    "A name with an empty label is refused in other words, and an address with a dot reads otherwise.",
    ['host.endsWith(".")', "false"],
    ['host.endsWith(".")', 'host.startsWith(".")']
  ),
  ...of(urlPolicy, "What is no number is in no list of ports, and neither above nor below one.", [
    "writtenPort === undefined",
    "false"
  ]),
  ...of(assign, "What stands for payment requests is of payment requests.", [
    'subject._tag === "payment_request"',
    "true"
  ]),
  ...of(assign, "Of no references no request is found: a look is spared.", [
    "references.length === 0",
    "false"
  ]),
  ...of(
    assign,
    "What it repeats is asked for only where nothing takes it; the rule asks for it nowhere else: looks are spared.",
    ["!isTakenByNone(found)", "false"]
  ),
  ...of(
    assign,
    "Nobody signed as nothing or in no token, and a chain that is watched is connected: a look is spared.",
    ["nonce === undefined", "false"],
    ["token === undefined", "false"],
    [
      "(yield* Chains).connected.find(({ chain }) => chain.id === chainId)?.usdc",
      "(yield* Chains).connected.find(({ chain }) => chain.id === chainId).usdc"
    ]
  ),
  ...of(assign, "A settlement is of a request that is there, and none is deleted.", [
    "request?.vaultId",
    "request.vaultId"
  ]),
  ...of(
    reconcile,
    "What it repeats is read where nothing takes it and nowhere else, so that more may be asked: looks are spared.",
    ['found._tag === "deposit" && (found.issue === "none" || found.issue === "late")', "true"],
    ['found._tag === "deposit"', "true"],
    ['found.issue === "none" || found.issue === "late"', "true"]
  ),
  ...of(reconcile, "It is asked only where a payment names a request.", [
    "only === undefined",
    "false"
  ]),
  ...of(reconcile, "What is paid has the moment in which it was.", ["paidAt !== null", "true"]),
  ...of(refundLedger, "Of as much as is missing all is taken, and nothing is missing then.", [
    "left >= missing",
    "left > missing"
  ]),
  ...of(
    refundLedger,
    "A group has a first of them.",
    ["first?.state", "first.state"],
    ["first?.amountMicro", "first.amountMicro"]
  ),
  ...of(refundable, "A proposal that waits is there to be locked, and none is deleted.", [
    "proposal?.status",
    "proposal.status"
  ])
]
