/** Signed forms (POST policies): the upload method of the specification. */
import type { Timestamp } from '../../kernel/time.ts'
import type { SignedForm } from '../../platform/storage/post-form.ts'
import { assertBehavior, type CheckContext, type CompatibilityCheck, type Requirement } from './compatibility-check.ts'

const HINT =
  'Set STORAGE_FORMS=off: clients must then upload in parts, which SDK, CLI and upload page do automatically.'
const BROKEN = `Storage does not enforce the limits of signed forms. ${HINT}`

const BYTES_MAX = 1000
const VALIDITY_SECONDS = 600

type Fields = Readonly<Record<string, string>>

const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString() as Timestamp

const signed = ({ uploads }: CheckContext, key: string, seconds = VALIDITY_SECONDS): Promise<SignedForm> =>
  uploads.signForm({ key, bytesMax: BYTES_MAX, signedAt: at(0), expiresAt: at(seconds) })

/** Posts a form as the specification requires: the fields unchanged, the file last. */
async function post(link: string, fields: Fields, file: string): Promise<number> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('file', new Blob([file]), 'check.mp4')
  const response = await fetch(link, { method: 'POST', body: form })
  await response.body?.cancel()
  return response.status
}

const isAccepted = (status: number) => status < 300
const file = (bytes: number) => 'x'.repeat(bytes)

const form: CompatibilityCheck = {
  name: 'form',
  requirement: 'forms',
  hint: HINT,
  run: async (context) => {
    const key = context.newKey('form')
    const { link, fields } = await signed(context, key)
    const status = await post(link, fields, file(BYTES_MAX))
    assertBehavior(isAccepted(status), `A signed form is refused with ${status}.`)
    const stored = (await context.media.head(key, new AbortController().signal))?.bytes
    assertBehavior(stored === BYTES_MAX, `A form was accepted (${status}), but its file is not stored.`)
    return `A signed form is accepted (${status}).`
  },
}

type TamperedForm = { readonly fields: Fields; readonly file: string; readonly key: string }

/** Checks that storage refuses a tampered form and does not store its file. */
const limit = (
  name: string,
  what: string,
  tamper: (context: CheckContext, key: string) => Promise<TamperedForm>,
  requirement: Requirement = 'forms',
): CompatibilityCheck => ({
  name,
  requirement,
  needs: 'form',
  hint: requirement === 'forms' ? BROKEN : 'No action needed: the service checks the size itself.',
  run: async (context) => {
    const key = context.newKey(name)
    const { link } = await signed(context, key)
    const tampered = await tamper(context, key)
    const status = await post(link, tampered.fields, tampered.file)
    assertBehavior(!isAccepted(status), `A form with ${what} is accepted (${status}).`)
    const left = await context.media.head(tampered.key, new AbortController().signal)
    assertBehavior(left === undefined, `A form with ${what} is refused, but its file is stored.`)
    return `A form with ${what} is refused (${status}).`
  },
})

const formSize = limit('form-size', 'a larger file than allowed', async (context, key) => {
  const { fields } = await signed(context, key)
  return { fields, file: file(BYTES_MAX + 1), key }
})

const formKey = limit('form-key', 'another key than signed', async (context, key) => {
  const { fields } = await signed(context, key)
  const other = `${key}-other`
  return { fields: { ...fields, key: other }, file: file(10), key: other }
})

const formExpiry = limit('form-expiry', 'an expired policy', async (context, key) => {
  const { fields } = await signed(context, key, -VALIDITY_SECONDS)
  return { fields, file: file(10), key }
})

const formSignature = limit('form-signature', 'the signature of another form', async (context, key) => {
  const { fields } = await signed(context, key)
  const other = await signed(context, `${key}-other`)
  const signature = other.fields['x-amz-signature']
  return { fields: { ...fields, 'x-amz-signature': signature }, file: file(10), key }
})

const formFields = limit(
  'form-fields',
  'fields that the policy does not name (acl, Content-Type)',
  async (context, key) => {
    const { fields } = await signed(context, key)
    const more = { acl: 'public-read', 'Content-Type': 'text/html' }
    return { fields: { ...fields, ...more }, file: file(10), key }
  },
)

const formEmpty = limit(
  'form-empty',
  'an empty file',
  async (context, key) => {
    const { fields } = await signed(context, key)
    return { fields, file: '', key }
  },
  'optional',
)

const formVersions: CompatibilityCheck = {
  name: 'form-versions',
  requirement: 'forms',
  needs: 'form',
  hint: `Posting a form again would replace an accepted file. ${HINT}`,
  run: async (context) => {
    const key = context.newKey('form-versions')
    const { link, fields } = await signed(context, key)
    for (const bytes of [10, 20]) {
      const status = await post(link, fields, file(bytes))
      assertBehavior(isAccepted(status), `A signed form is refused with ${status}.`)
    }
    const first = await context.uploads.findFirst(key, () => true)
    assertBehavior(first?.bytes === 10, 'Posting a form again replaces the first file.')
    const isSecond = await context.uploads.findFirst(key, ({ bytes }) => bytes === 20)
    assertBehavior(isSecond?.bytes === 20, 'After posting a form twice only one file is stored.')
    return 'Posting a form again creates another version.'
  },
}

export const formChecks: readonly CompatibilityCheck[] = [
  ...[form, formSize, formKey, formExpiry, formSignature, formFields, formEmpty, formVersions],
]
