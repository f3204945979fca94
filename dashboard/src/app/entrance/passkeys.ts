/** Passkeys in the browser. */
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser'
import { readPasskeyChallenge, signInWithPasskey } from '../../api/account.ts'

/** False on a page without https, except on localhost. */
export const canUsePasskeys = () => 'PublicKeyCredential' in globalThis

const loadLibrary = () => import('@simplewebauthn/browser')

export async function signInByPasskey(): Promise<void> {
  const { startAuthentication } = await loadLibrary()
  const { options: optionsJSON } = await readPasskeyChallenge()
  await signInWithPasskey(await startAuthentication({ optionsJSON }))
}

/**
 * Offers passkeys in the autofill of the email field. Calls `onSignedIn` if the user chooses one; does nothing if the
 * browser does not support it. Returns a function that ends the offer.
 */
export function offerPasskeys(onSignedIn: () => void, onProblem: (error: unknown) => void): () => void {
  let isOver = false
  const library = loadLibrary()
  const offer = async () => {
    const { browserSupportsWebAuthnAutofill, startAuthentication } = await library
    if (!(await browserSupportsWebAuthnAutofill()) || isOver) return
    const { options: optionsJSON } = await readPasskeyChallenge()
    if (isOver) return
    // It is rejected when the offer ends, or when the user presses the button for passkeys instead.
    const response = await startAuthentication({ optionsJSON, useBrowserAutofill: true }).catch(() => undefined)
    if (isOver || !response) return
    try {
      await signInWithPasskey(response)
      onSignedIn()
    } catch (error) {
      onProblem(error)
    }
  }
  // Without it, the other ways to sign in still work.
  offer().catch(() => undefined)
  return () => {
    isOver = true
    library.then(({ WebAuthnAbortService }) => WebAuthnAbortService.cancelCeremony()).catch(() => undefined)
  }
}

export async function createPasskey({
  options: optionsJSON,
}: {
  readonly options: PublicKeyCredentialCreationOptionsJSON
}) {
  const { startRegistration } = await loadLibrary()
  return startRegistration({ optionsJSON })
}
