/** How to send what is due: by camera, by an injected wallet, or by hand. The amount is what is still missing, to the last digit. */
import type { Live } from "./live.ts"
import type { CheckoutView, Payable } from "./shown.ts"
import { Filled } from "./words/filled.tsx"
import { filled, sumIn, type Words } from "./words/words.ts"

interface CodeProps {
  readonly payable: Payable
  readonly symbol: string
  readonly chainName: string
  readonly words: Words
}

const Code = ({ payable, symbol, chainName, words }: CodeProps) => (
  <figure class="code">
    <svg
      viewBox={`0 0 ${payable.qr.size} ${payable.qr.size}`}
      role="img"
      aria-label={filled(words.qrCode, {
        due: `${sumIn(payable.amount, words)} ${symbol}`,
        network: chainName
      })}
      shape-rendering="crispEdges"
    >
      <path d={payable.qr.path} />
    </svg>
  </figure>
)

const Wallets = ({ live, words }: { readonly live: Live; readonly words: Words }) => (
  <div class="wallets">
    {live.stage === "sign" && (
      <button type="button" class="main" disabled={live.busy} onClick={live.sign}>
        {words.signWhich}
      </button>
    )}
    {live.stage === "choose" &&
      live.wallets.map(({ id, name, icon }) => (
        <button
          key={id}
          type="button"
          class="main"
          disabled={live.busy}
          onClick={() => live.pay(id)}
        >
          {icon !== null && <img src={icon} alt="" width={20} height={20} />}
          <span>
            <Filled text={words.payWith} values={{ wallet: <bdi>{name}</bdi> }} />
          </span>
        </button>
      ))}
  </div>
)

/** Money that is worth nothing pays without a wallet, and without a script. */
const TrialPayment = ({ pid, words }: { readonly pid: string; readonly words: Words }) => (
  <form class="wallets" method="post" action={`/pay/${pid}/trial-payment`}>
    <button type="submit" class="main">
      {words.payForTest}
    </button>
  </form>
)

interface CopiedProps {
  readonly name: string
  readonly what: string
  readonly text: string
  readonly live: Live | undefined
  readonly words: Words
}

const Copied = ({ name, what, text, live, words }: CopiedProps) =>
  live === undefined ? null : (
    <button type="button" class="copy" onClick={() => live.copy(name, text)}>
      {words.copy}
      <span class="unseen"> {what}</span>
    </button>
  )

interface HowToPayProps {
  readonly shown: CheckoutView
  readonly payable: Payable
  readonly live: Live | undefined
  readonly words: Words
}

const Facts = ({ shown, payable, live, words }: HowToPayProps) => (
  <dl class="facts">
    <div>
      <dt>{words.sendExactly}</dt>
      <dd class="copied">
        <span>
          {sumIn(payable.amount, words)} {shown.symbol}
        </span>
        <Copied
          name={words.amount}
          what={words.theAmount}
          text={payable.amount.replaceAll(",", "")}
          live={live}
          words={words}
        />
      </dd>
    </div>
    <div>
      <dt>{words.network}</dt>
      <dd>{shown.chainName}</dd>
    </div>
    <div>
      <dt>{words.address}</dt>
      <dd class="copied">
        <code>{payable.address}</code>
        <Copied
          name={words.address}
          what={words.theAddress}
          text={payable.address}
          live={live}
          words={words}
        />
      </dd>
    </div>
  </dl>
)

export const HowToPay = ({ shown, payable, live, words }: HowToPayProps) => (
  <>
    <Code payable={payable} symbol={shown.symbol} chainName={shown.chainName} words={words} />
    {live !== undefined && (payable.takesCall || shown.walletChain !== null) && (
      <Wallets live={live} words={words} />
    )}
    {payable.takesTrial && <TrialPayment pid={shown.pid} words={words} />}
    <Facts shown={shown} payable={payable} live={live} words={words} />
    <p class="soft">{filled(words.sendOnly, { symbol: shown.symbol, network: shown.chainName })}</p>
    {payable.opensWallet && (
      <p class="soft">
        <a href={payable.uri}>{words.openWallet}</a>
      </p>
    )}
  </>
)
