/** Invalid forms, derived from a valid one, that storage must reject. */
import { type Form, withFields } from '@reelkeep/testkit'
import { expect } from 'vitest'
import type { Opened } from './uploads.ts'

/** The policy with a replaced part, encoded again. */
function policyWith({ client_payload: { policy } }: Opened, from: string | RegExp, to: string) {
  const text = Buffer.from(policy, 'base64').toString()
  expect(text).toMatch(from)
  return Buffer.from(text.replace(from, to)).toString('base64')
}

/** Moves the given form fields behind the file. */
function fileBefore(form: Form, ...late: string[]): Form {
  const isLate = ([name]: Form['fields'][number]) => late.includes(name)
  const early = form.fields.filter((field) => !isLate(field))
  return { ...form, fields: [...early, ...form.fields.filter(isLate)] }
}

/** A new upload session; `other` creates another one. */
type Given = Opened & { readonly other: () => Promise<Opened> }
type Alteration = (given: Given, form: Form) => Form | Promise<Form>

/** A description, the status and code that Ceph returns, and the change that makes the form invalid. */
type WrongForm = readonly [what: string, status: number, code: string, alter: Alteration]

export const wrongForms: readonly WrongForm[] = [
  ['another key', 403, 'AccessDenied', ({ client_payload: { key } }, form) => withFields(form, { key: `${key}x` })],
  [
    'the key of another session',
    403,
    'AccessDenied',
    async ({ other }, form) => withFields(form, { key: (await other()).client_payload.key }),
  ],
  [
    'a later expiry in the policy',
    403,
    'AccessDenied',
    (opened, form) => withFields(form, { policy: policyWith(opened, /"expiration":"\d{4}/, '"expiration":"2999') }),
  ],
  [
    'a larger size in the policy',
    403,
    'AccessDenied',
    (opened, form) =>
      withFields(form, {
        policy: policyWith(opened, /(content-length-range",1,)\d+/, '$19007199254740991'),
      }),
  ],
  [
    'another key, in the policy too',
    403,
    'AccessDenied',
    (opened, form) => {
      const key = `${opened.client_payload.key}x`
      return withFields(form, { key, policy: policyWith(opened, opened.client_payload.key, key) })
    },
  ],
  [
    'a signature with one digit changed',
    403,
    'AccessDenied',
    (opened, form) => {
      const right = opened.client_payload['x-amz-signature']
      const digit = right.startsWith('0') ? '1' : '0'
      return withFields(form, { 'x-amz-signature': digit + right.slice(1) })
    },
  ],
  [
    'the signature of another session',
    403,
    'AccessDenied',
    async ({ other }, form) => {
      const { client_payload: payload } = await other()
      return withFields(form, { 'x-amz-signature': payload['x-amz-signature'] })
    },
  ],
  [
    'foreign credentials',
    403,
    'AccessDenied',
    (opened, form) =>
      withFields(form, {
        'x-amz-credential': opened.client_payload['x-amz-credential'].replace(/^[^/]+/, 'somebody'),
      }),
  ],
  ['no signature', 400, 'InvalidArgument', (_, form) => withFields(form, { 'x-amz-signature': undefined })],
  ['no policy', 403, 'AccessDenied', (_, form) => withFields(form, { policy: undefined })],
  [
    'a field that is not in the policy',
    403,
    'AccessDenied',
    (_, form) => ({
      ...form,
      fields: [['acl', 'public-read'], ...form.fields],
    }),
  ],
  [
    'a metadata field that is not in the policy',
    403,
    'AccessDenied',
    (_, form) => ({
      ...form,
      fields: [['x-amz-meta-name', 'x'], ...form.fields],
    }),
  ],
  [
    'the file under another name',
    403,
    'AccessDenied',
    (_, form) => ({
      ...form,
      fields: form.fields.map(([name, value]) => [name === 'file' ? 'video' : name, value]),
    }),
  ],
  [
    'the file first',
    400,
    'InvalidArgument',
    (_, form) => fileBefore(form, ...form.fields.map(([name]) => name).filter((name) => name !== 'file')),
  ],
  ['the signature after the file', 400, 'InvalidArgument', (_, form) => fileBefore(form, 'x-amz-signature')],
  ['the policy after the file', 403, 'AccessDenied', (_, form) => fileBefore(form, 'policy')],
  ['the key after the file', 400, 'InvalidArgument', (_, form) => fileBefore(form, 'key')],
]
