/** Signed forms (POST policies), by which callers who know only the specification upload. */
import type { Timestamp } from '../../../kernel/time.ts'
import type { SignedForm } from '../post-form.ts'
import { assertSeen, type Bench, type Trial } from './trial.ts'

const CURE =
  'Set STORAGE_FORMS=off: the service then tells callers to send their files in parts, which SDK, command line and upload page do by themselves.'
const BROKEN = `A form that takes more than it says is not safe to give out. ${CURE}`

const BYTES_MAX = 1000
const LIFE_SECONDS = 600

type Fields = Readonly<Record<string, string>>

const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString() as Timestamp

const signed = ({ uploads }: Bench, key: string, seconds = LIFE_SECONDS): Promise<SignedForm> =>
  uploads.signForm({ key, bytesMax: BYTES_MAX, signedAt: at(0), expiresAt: at(seconds) })

/** As the specification has it: the fields as they are, the file last. */
async function post(link: string, fields: Fields, file: string): Promise<number> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('file', new Blob([file]), 'trial.mp4')
  const answer = await fetch(link, { method: 'POST', body: form })
  await answer.body?.cancel()
  return answer.status
}

const isTaken = (status: number) => status < 300
const file = (bytes: number) => 'x'.repeat(bytes)

const form: Trial = {
  name: 'form',
  need: 'forms',
  cure: CURE,
  attempt: async (bench) => {
    const key = bench.newKey('form')
    const { link, fields } = await signed(bench, key)
    const status = await post(link, fields, file(BYTES_MAX))
    assertSeen(isTaken(status), `A signed form is refused with ${status}.`)
    const stored = (await bench.media.head(key, new AbortController().signal))?.bytes
    assertSeen(stored === BYTES_MAX, `A form was answered ${status}, and storage has not its file.`)
    return `A signed form is taken (${status}).`
  },
}

type Spoilt = { readonly fields: Fields; readonly file: string; readonly key: string }

/** A form that must be refused, and leave nothing behind. */
const limit = (
  name: string,
  what: string,
  spoil: (bench: Bench, key: string) => Promise<Spoilt>,
  need: Trial['need'] = 'forms',
): Trial => ({
  name,
  need,
  after: 'form',
  cure: need === 'forms' ? BROKEN : 'Nothing has to be done: the service looks at the size itself.',
  attempt: async (bench) => {
    const key = bench.newKey(name)
    const { link } = await signed(bench, key)
    const spoilt = await spoil(bench, key)
    const status = await post(link, spoilt.fields, spoilt.file)
    assertSeen(!isTaken(status), `A form is taken (${status}) with ${what}.`)
    const left = await bench.media.head(spoilt.key, new AbortController().signal)
    assertSeen(left === undefined, `A form with ${what} is refused, and its file stored.`)
    return `A form with ${what} is refused (${status}).`
  },
})

const formSize = limit('form-size', 'a larger file than it allows', async (bench, key) => {
  const { fields } = await signed(bench, key)
  return { fields, file: file(BYTES_MAX + 1), key }
})

const formKey = limit('form-key', 'another key than it was signed for', async (bench, key) => {
  const { fields } = await signed(bench, key)
  const other = `${key}-other`
  return { fields: { ...fields, key: other }, file: file(10), key: other }
})

const formExpiry = limit('form-expiry', 'a time that is over', async (bench, key) => {
  const { fields } = await signed(bench, key, -LIFE_SECONDS)
  return { fields, file: file(10), key }
})

const formSignature = limit('form-signature', 'the signature of another', async (bench, key) => {
  const { fields } = await signed(bench, key)
  const other = await signed(bench, `${key}-other`)
  const signature = other.fields['x-amz-signature']
  return { fields: { ...fields, 'x-amz-signature': signature }, file: file(10), key }
})

const formFields = limit(
  'form-fields',
  'a field that it does not name (acl, Content-Type)',
  async (bench, key) => {
    const { fields } = await signed(bench, key)
    const more = { acl: 'public-read', 'Content-Type': 'text/html' }
    return { fields: { ...fields, ...more }, file: file(10), key }
  },
)

const formEmpty = limit(
  'form-empty',
  'an empty file',
  async (bench, key) => {
    const { fields } = await signed(bench, key)
    return { fields, file: '', key }
  },
  'better',
)

const formVersions: Trial = {
  name: 'form-versions',
  need: 'forms',
  after: 'form',
  cure: `A form that is posted again would replace a file that was taken. ${CURE}`,
  attempt: async (bench) => {
    const key = bench.newKey('form-versions')
    const { link, fields } = await signed(bench, key)
    for (const bytes of [10, 20]) {
      const status = await post(link, fields, file(bytes))
      assertSeen(isTaken(status), `A signed form is refused with ${status}.`)
    }
    const first = await bench.uploads.findFirst(key, () => true)
    assertSeen(
      first?.bytes === 10,
      'A form that is posted again takes the place of the first file.',
    )
    const isSecond = await bench.uploads.findFirst(key, ({ bytes }) => bytes === 20)
    assertSeen(isSecond?.bytes === 20, 'Of a form that is posted twice, only one file is there.')
    return 'A form that is posted again makes another version.'
  },
}

export const formTrials: readonly Trial[] = [
  ...[form, formSize, formKey, formExpiry, formSignature, formFields, formEmpty, formVersions],
]
