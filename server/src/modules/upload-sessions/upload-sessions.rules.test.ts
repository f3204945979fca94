import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newAssetId, newOrganizationId, newUploadSessionUuid, type OrganizationId } from '../../kernel/ids.ts'
import {
  bytesMaxFor,
  decide,
  formLifetimeMax,
  isOpen,
  lifetimeFor,
  mayComplete,
  parseUploadKey,
  type Status,
  sessionClosed,
  uploadKey,
} from './upload-sessions.rules.ts'

const statuses: readonly Status[] = ['Created', 'Uploading', 'Completed', 'Expired', 'Cancelled', 'Failed']
const bytesMax = 1000
const session = (status: Status, isClosed = false) => ({ status, bytesMax, isClosed })
const file = { bytes: 500 }

describe('an upload session', () => {
  it('is open in Created and Uploading, and may also complete when Expired', () => {
    expect(statuses.filter((status) => isOpen({ status }))).toEqual(['Created', 'Uploading'])
    expect(statuses.filter((status) => mayComplete({ status }))).toEqual(['Created', 'Uploading', 'Expired'])
  })

  it.each(statuses)('has an error message with a hint for the status %s', (status) => {
    const { code, message } = sessionClosed({ status })
    expect(code).toBe('upload_session_closed')
    expect(message).toMatch(new RegExp(`^The session is ${status}\\. \\S.+`))
  })
})

describe('the decision on a file', () => {
  it.each([
    ['rejects 7 bytes, fewer than any video has', 7, { kind: 'fail', code: 'upload_empty' }],
    ['accepts 8 bytes', 8, { kind: 'complete' }],
    ['accepts the limit of the session', bytesMax, { kind: 'complete' }],
    ['rejects one byte over the limit', bytesMax + 1, { kind: 'fail', code: 'upload_too_large' }],
    ['rejects an empty file', 0, { kind: 'fail', code: 'upload_empty' }],
    ['rejects 2 bytes, which a form without a file creates', 2, { kind: 'fail', code: 'upload_empty' }],
  ])('%s', (_, bytes, decision) => {
    for (const status of ['Created', 'Uploading', 'Expired'] as const) {
      for (const isClosed of [false, true]) {
        for (const wasClosed of [false, true]) {
          expect(decide(session(status, isClosed), { bytes }, wasClosed)).toMatchObject(decision)
        }
      }
    }
  })

  it('names the size of a rejected file and the limit', () => {
    expect(decide(session('Created'), { bytes: 1001 }, false)).toHaveProperty(
      'detail',
      expect.stringMatching(/1001 bytes.*at most 1000/),
    )
    expect(decide(session('Created'), { bytes: 7 }, false)).toHaveProperty(
      'detail',
      expect.stringMatching(/7 bytes.*field is named file/),
    )
  })

  it.each(['Completed', 'Cancelled', 'Failed'] as const)('changes nothing in a session that is %s', (status) => {
    for (const arrived of [undefined, file, { bytes: 0 }, { bytes: bytesMax + 1 }]) {
      expect(decide(session(status, true), arrived, true)).toEqual({ kind: 'wait' })
    }
  })
})

describe('the decision without a file', () => {
  it.each(['Created', 'Uploading'] as const)(
    '%s: expires only if the session was closed before the check and still is',
    (status) => {
      const decisionFor = (isClosed: boolean, wasClosed: boolean) =>
        decide(session(status, isClosed), undefined, wasClosed).kind
      expect(decisionFor(false, false)).toBe('wait')
      // The session closed during the check: a file may have arrived after the response of storage.
      expect(decisionFor(true, false)).toBe('wait')
      // The session was renewed during the check.
      expect(decisionFor(false, true)).toBe('wait')
      expect(decisionFor(true, true)).toBe('expire')
    },
  )

  it('does not expire a session twice', () => {
    expect(decide(session('Expired', true), undefined, true)).toEqual({ kind: 'wait' })
  })
})

const limits = {
  formBytesMax: 100,
  partsBytesMax: 1000,
  lifetimeSeconds: 60,
  transferSecondsMax: 30,
  firstCheckSeconds: 15,
  checkSecondsMax: 900,
}

const bytesMaxOf = (fileBytes: number | undefined, fileBytesMax?: number, changes: Partial<typeof limits> = {}) =>
  bytesMaxFor({ fileBytes, fileBytesMax }, { ...limits, ...changes })

const violationOf = (code: string, field: string) =>
  expect.objectContaining({ code, violations: [expect.objectContaining({ field })] })

describe('bytesMaxFor', () => {
  it.each([
    [undefined, undefined, 100],
    [1, undefined, 1],
    [99, undefined, 99],
    [100, undefined, 100],
    [101, undefined, 101],
    [1000, undefined, 1000],
    [undefined, 1, 1],
    [undefined, 101, 101],
    [undefined, 1000, 1000],
    [50, 50, 50],
    [50, 1000, 50],
  ])('for a size of %s bytes and a chosen maximum of %s bytes returns %s bytes', (fileBytes, chosen, bytesMax) => {
    expect(bytesMaxOf(fileBytes, chosen)).toBe(bytesMax)
  })

  it('rejects a file larger than the limit of the service and names the field and the limit', () => {
    expect(() => bytesMaxOf(1001)).toThrow('1001 bytes; this service accepts at most 1000')
    expect(() => bytesMaxOf(1001)).toThrow(violationOf('file_too_large', 'file_size_bytes'))
  })

  it('rejects a file larger than the chosen maximum', () => {
    expect(() => bytesMaxOf(51, 50)).toThrow('51 bytes; this session accepts at most 50')
    expect(() => bytesMaxOf(51, 50)).toThrow(violationOf('file_too_large', 'file_size_bytes'))
  })

  it('rejects a chosen maximum beyond the limit of the service', () => {
    expect(() => bytesMaxOf(undefined, 1001)).toThrow('at most 1000')
    expect(() => bytesMaxOf(undefined, 1001)).toThrow(violationOf('invalid_request', 'max_file_size_bytes'))
  })

  it('returns the limit of forms even if the limit for parts is lower', () => {
    const lower = { partsBytesMax: 50 }
    expect(bytesMaxOf(undefined, undefined, lower)).toBe(100)
    expect(bytesMaxOf(80, undefined, lower)).toBe(80)
    expect(() => bytesMaxOf(101, undefined, lower)).toThrow('at most 100')
  })
})

describe('lifetimeFor', () => {
  it('returns the chosen lifetime up to the lifetime of the service, and null without one', () => {
    expect(lifetimeFor(60, limits)).toBe(60)
    expect(lifetimeFor(undefined, limits)).toBeNull()
  })

  it('rejects a lifetime beyond that of the service', () => {
    expect(() => lifetimeFor(61, limits)).toThrow('at most 60')
    expect(() => lifetimeFor(61, limits)).toThrow(violationOf('invalid_request', 'expires_in_seconds'))
  })
})

it('formLifetimeMax is the lifetime plus the longest transfer', () => {
  expect(formLifetimeMax(limits)).toBe(90)
})

describe('the key of an upload', () => {
  const organizationId = 'acme42' as OrganizationId
  const assetId = '019a83b5-6a41-7a08-8f0d-3c1f9f3a7b55'
  const uuid = '019a83b5-6a41-7a08-8f0d-3c1f9f3a7b56'
  const key = `${organizationId}/${assetId}/${uuid}`

  it('contains the organization and the session', () => {
    expect(parseUploadKey(key)).toEqual({ organizationId, uuid })
  })

  it('is parsed back for any ids', () => {
    for (let round = 0; round < 100; round++) {
      const ids = { organizationId: newOrganizationId(), uuid: newUploadSessionUuid() }
      const prefix = `${ids.organizationId}/${newAssetId()}/`
      expect(parseUploadKey(uploadKey(prefix, ids.uuid))).toEqual(ids)
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
  ])('is not parsed from %j', (hostile) => {
    expect(parseUploadKey(hostile)).toBeUndefined()
  })

  it('is not parsed with extra characters around it', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        fc.pre(before !== '' || after !== '')
        const parsed = parseUploadKey(`${before}${key}${after}`)
        // With a prefix, the text may be a key of another organization, but never of this one.
        expect(after === '' ? parsed?.organizationId : parsed).not.toBe(organizationId)
        if (after !== '') expect(parsed).toBeUndefined()
      }),
    )
  })
})
