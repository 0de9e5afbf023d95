/** How to send what is due: by camera, by an injected wallet, or by hand. The amount is what is still missing, to the last digit. */
import type { Live } from "./live.ts"
import type { CheckoutView, Payable } from "./shown.ts"

const Code = ({ payable, symbol, chainName }: { readonly payable: Payable } & Facts) => (
  <figure class="code">
    <svg
      viewBox={`0 0 ${payable.qr.size} ${payable.qr.size}`}
      role="img"
      aria-label={`QR code to pay ${payable.amount} ${symbol} on ${chainName}`}
      shape-rendering="crispEdges"
    >
      <path d={payable.qr.path} />
    </svg>
  </figure>
)

interface Facts {
  readonly symbol: string
  readonly chainName: string
}

const Wallets = ({ live }: { readonly live: Live }) => (
  <div class="wallets">
    {live.stage === "sign" && (
      <button type="button" class="main" disabled={live.busy} onClick={live.sign}>
        Sign which request you paid
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
            Pay with <bdi>{name}</bdi>
          </span>
        </button>
      ))}
  </div>
)

interface CopiedProps {
  readonly name: string
  readonly what: string
  readonly text: string
  readonly live: Live | undefined
}

const Copied = ({ name, what, text, live }: CopiedProps) =>
  live === undefined ? null : (
    <button type="button" class="copy" onClick={() => live.copy(name, text)}>
      Copy<span class="unseen"> {what}</span>
    </button>
  )

interface HowToPayProps {
  readonly shown: CheckoutView
  readonly payable: Payable
  readonly live: Live | undefined
}

export const HowToPay = ({ shown, payable, live }: HowToPayProps) => (
  <>
    <Code payable={payable} symbol={shown.symbol} chainName={shown.chainName} />
    {live !== undefined && payable.takesCall && <Wallets live={live} />}
    <dl class="facts">
      <div>
        <dt>Send exactly</dt>
        <dd class="copied">
          <span>
            {payable.amount} {shown.symbol}
          </span>
          <Copied
            name="Amount"
            what="the amount"
            text={payable.amount.replaceAll(",", "")}
            live={live}
          />
        </dd>
      </div>
      <div>
        <dt>Network</dt>
        <dd>{shown.chainName}</dd>
      </div>
      <div>
        <dt>Address</dt>
        <dd class="copied">
          <code>{payable.address}</code>
          <Copied name="Address" what="the address" text={payable.address} live={live} />
        </dd>
      </div>
    </dl>
    <p class="soft">
      Send only {shown.symbol} on {shown.chainName}; anything else sent here is not credited.
    </p>
    {payable.opensWallet && (
      <p class="soft">
        <a href={payable.uri}>Open in a wallet app</a>
      </p>
    )}
  </>
)
