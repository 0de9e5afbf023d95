/** The two ways in: by a one-time link, and by a passkey one has. Neither shows anything of the treasury. */
import { Said } from "./parts/frame.tsx"

export const Enrol = () => (
  <main class="door" id="enrol">
    <h1>Create your passkey</h1>
    <p>
      The passkey is stored on your device. You use it to sign in and to approve payments; your
      device asks for your fingerprint, face or PIN each time.
    </p>
    <p id="whom" hidden>
      This link is for{" "}
      <strong>
        <bdi id="name" />
      </strong>
      , at <bdi id="account" />.
    </p>
    <label for="label">Device name</label>
    <input id="label" maxLength={64} value="Passkey" autoComplete="off" />
    <button type="button" class="main" data-enrol>
      Create passkey
    </button>
    <Said />
    <noscript>
      <p class="warning">Passkeys need JavaScript; enable it for this page.</p>
    </noscript>
  </main>
)

export const Login = () => (
  <main class="door">
    <h1>Sign in</h1>
    <p>Your device shows its passkeys for this treasury.</p>
    <button type="button" class="main" data-login>
      Sign in with a passkey
    </button>
    <Said />
    <p class="soft">No passkey yet? Ask the operator of this treasury for a one-time link.</p>
    <noscript>
      <p class="warning">Passkeys need JavaScript; enable it for this page.</p>
    </noscript>
  </main>
)
