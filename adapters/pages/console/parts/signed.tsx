/** A button that calls an operation under a passkey over that very call. */
import { Offered } from "./offered.tsx"

interface SignedProps {
  readonly operation: string
  readonly input: object
  readonly sure: string
  readonly text: string
  /** What it is about, for whoever hears the page. */
  readonly of?: string
}

export const Signed = ({ input, of, operation, sure, text }: SignedProps) => (
  <Offered operation={operation}>
    <button
      type="button"
      data-ask={`/console/sign/${operation}/options`}
      data-answer={`/console/sign/${operation}/verify`}
      data-input={JSON.stringify(input)}
      data-sure={sure}
    >
      {text}
      {of !== undefined && <span class="unseen"> {of}</span>}
    </button>
  </Offered>
)
