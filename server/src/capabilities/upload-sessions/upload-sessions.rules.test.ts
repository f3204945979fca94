import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  newAssetId,
  newOrganizationId,
  newUploadSessionUuid,
  type OrganizationId,
} from '../../kernel/ids.ts'
import {
  bytesMaxFor,
  formLifeMax,
  isOpen,
  judge,
  mayComplete,
  parseUploadKey,
  type Status,
  sessionClosed,
  uploadKey,
} from './upload-sessions.rules.ts'

const statuses: readonly Status[] = [
  'Created',
  'Uploading',
  'Completed',
  'Expired',
  'Cancelled',
  'Failed',
]
const bytesMax = 1000
const session = (status: Status, isClosed = false) => ({ status, bytesMax, isClosed })
const file = { bytes: 500 }

describe('a session', () => {
  it('is open while a file is awaited, and may complete until anything but its expiry has ended it', () => {
    expect(statuses.filter((status) => isOpen({ status }))).toEqual(['Created', 'Uploading'])
    expect(statuses.filter((status) => mayComplete({ status }))).toEqual([
      'Created',
      'Uploading',
      'Expired',
    ])
  })

  it.each(statuses)('tells of its end by its name, and what to do: %s', (status) => {
    const { code, message } = sessionClosed({ status })
    expect(code).toBe('upload_session_closed')
    expect(message).toMatch(new RegExp(`^The session is ${status}\\. \\S.+`))
  })
})

describe('the verdict on a file', () => {
  it.each([
    ['7 bytes: shorter than any video', 7, { kind: 'fail', code: 'upload_empty' }],
    ['8 bytes', 8, { kind: 'complete' }],
    ['as many as the session takes', bytesMax, { kind: 'complete' }],
    ['one more', bytesMax + 1, { kind: 'fail', code: 'upload_too_large' }],
    ['none', 0, { kind: 'fail', code: 'upload_empty' }],
    ['two, as storage makes of a form without a file', 2, { kind: 'fail', code: 'upload_empty' }],
  ])('%s', (_, bytes, verdict) => {
    for (const status of ['Created', 'Uploading', 'Expired'] as const) {
      for (const isClosed of [false, true]) {
        for (const wasClosed of [false, true]) {
          expect(judge(session(status, isClosed), { bytes }, wasClosed)).toMatchObject(verdict)
        }
      }
    }
  })

  it('says how many bytes came and how many were allowed', () => {
    expect(judge(session('Created'), { bytes: 1001 }, false)).toHaveProperty(
      'detail',
      expect.stringMatching(/1001 bytes.*at most 1000/),
    )
    expect(judge(session('Created'), { bytes: 7 }, false)).toHaveProperty(
      'detail',
      expect.stringMatching(/7 bytes.*field is named file/),
    )
  })

  it.each(['Completed', 'Cancelled', 'Failed'] as const)(
    'is none for a session that has ended: %s',
    (status) => {
      for (const arrived of [undefined, file, { bytes: 0 }, { bytes: bytesMax + 1 }]) {
        expect(judge(session(status, true), arrived, true)).toEqual({ kind: 'wait' })
      }
    },
  )
})

describe('the verdict on nothing', () => {
  it.each(['Created', 'Uploading'] as const)(
    '%s: expires only if it was closed when storage was asked, and still is',
    (status) => {
      const verdictOf = (isClosed: boolean, wasClosed: boolean) =>
        judge(session(status, isClosed), undefined, wasClosed).kind
      expect(verdictOf(false, false)).toBe('wait')
      // It closed in between: a file may have arrived after storage had answered.
      expect(verdictOf(true, false)).toBe('wait')
      // It was renewed in between.
      expect(verdictOf(false, true)).toBe('wait')
      expect(verdictOf(true, true)).toBe('expire')
    },
  )

  it('Expired: goes on waiting, and does not expire twice', () => {
    expect(judge(session('Expired', true), undefined, true)).toEqual({ kind: 'wait' })
  })
})

const limits = {
  formBytesMax: 100,
  partsBytesMax: 1000,
  lifetimeSeconds: 60,
  transferSecondsMax: 30,
  firstLookSeconds: 15,
}

describe('how much a session takes', () => {
  it.each([
    [undefined, 100],
    [1, 100],
    [100, 100],
    [101, 101],
    [1000, 1000],
  ])('a file of %s bytes announced: %s', (announced, taken) => {
    expect(bytesMaxFor(announced, limits)).toBe(taken)
  })

  it('refuses a larger file than goes in parts, naming the field and the limit', () => {
    expect(() => bytesMaxFor(1001, limits)).toThrow('1001 bytes; this service takes at most 1000')
    expect(() => bytesMaxFor(1001, limits)).toThrow(
      expect.objectContaining({
        code: 'file_too_large',
        faults: [expect.objectContaining({ field: 'file_size_bytes' })],
      }),
    )
  })

  it('is what a form takes even where less is allowed in parts', () => {
    expect(bytesMaxFor(undefined, { ...limits, partsBytesMax: 50 })).toBe(100)
    expect(() => bytesMaxFor(101, { ...limits, partsBytesMax: 50 })).toThrow('at most 50')
  })
})

it('a form can be of use for its lifetime and the longest transfer', () => {
  expect(formLifeMax(limits)).toBe(90)
})

describe('the key of an upload', () => {
  const organizationId = 'acme42' as OrganizationId
  const assetId = '019a83b5-6a41-7a08-8f0d-3c1f9f3a7b55'
  const uuid = '019a83b5-6a41-7a08-8f0d-3c1f9f3a7b56'
  const key = `${organizationId}/${assetId}/${uuid}`

  it('tells whose upload it is', () => {
    expect(parseUploadKey(key)).toEqual({ organizationId, uuid })
  })

  it('is read as it was made, whatever the ids', () => {
    for (let round = 0; round < 100; round++) {
      const made = { organizationId: newOrganizationId(), uuid: newUploadSessionUuid() }
      const prefix = `${made.organizationId}/${newAssetId()}/`
      expect(parseUploadKey(uploadKey(prefix, made.uuid))).toEqual(made)
    }
  })

  it.each([
    '',
    '/',
    '//',
    `/${key}`,
    `${key}/`,
    `${key}/${uuid}`,
    `${key}\n`,
    `\n${key}`,
    `${key}\0`,
    `${key}?versionId=1`,
    `${key}%00`,
    ` ${key}`,
    key.toUpperCase(),
    key.replaceAll('/', '%2F'),
    key.replaceAll('-', ''),
    `${organizationId}/${uuid}`,
    `${organizationId}/${assetId}/../${uuid}`,
    `../${organizationId}/${assetId}/${uuid}`,
    `acme4/${assetId}/${uuid}`,
    `acme456789012/${assetId}/${uuid}`,
    `acme_42/${assetId}/${uuid}`,
    `acmé42/${assetId}/${uuid}`,
    `acme42'/${assetId}/${uuid}`,
    `acme42/${assetId}/${uuid.slice(0, -1)}`,
    `acme42/${assetId}/${uuid}0`,
    `acme42/${assetId}/${uuid.slice(0, -1)}g`,
    `acme42/${assetId}/${uuid.replaceAll('-', '–')}`,
    `acme42/*/${uuid}`,
    `acme42/${assetId}/${uuid}' or '1'='1`,
    'x'.repeat(100_000),
    `${'a'.repeat(12)}/`.repeat(10_000),
  ])('is none of ours: %j', (hostile) => {
    expect(parseUploadKey(hostile)).toBeUndefined()
  })

  it('is read whole or not at all', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        fc.pre(before !== '' || after !== '')
        const parsed = parseUploadKey(`${before}${key}${after}`)
        // Letters before it may make another organization of it, but never this one.
        expect(after === '' ? parsed?.organizationId : parsed).not.toBe(organizationId)
        if (after !== '') expect(parsed).toBeUndefined()
      }),
    )
  })
})
