import { expect, it } from 'vitest'
import type { Timestamp } from '../../kernel/time.ts'
import { type AuditEntry, boundedEntry, ChainCheck, canonicalText, objectFinder } from './audit.rules.ts'

const entry: AuditEntry = {
  organizationId: 'acme12',
  number: 1,
  createdAt: '2026-11-15T09:30:00.000000Z' as Timestamp,
  actor: { kind: 'token', id: 'id', name: 'Ü "x"' },
  action: 'createFolder',
  object: { type: 'folder', id: 'abc' },
  outcome: 'success',
  ...{ errorCode: null, address: '127.0.0.1', userAgent: null, requestId: 'r', count: 1 },
  previousHash: '0'.repeat(64),
  hash: 'h1',
}

it('canonicalText is JSON with sorted keys', () => {
  const text = canonicalText(entry)
  const sorted = (value: object): unknown =>
    Object.fromEntries(
      Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, part]) => [name, part !== null && typeof part === 'object' ? sorted(part) : part]),
    )
  expect(JSON.stringify(sorted(JSON.parse(text) as object))).toBe(text)
})

it('boundedEntry cuts long texts and replaces control characters', () => {
  const bounded = boundedEntry({ ...entry, userAgent: `a\tb\u0000${'x'.repeat(500)}` })
  expect(bounded.userAgent).toBe(`a?b?${'x'.repeat(196)}`)
})

it.each([
  ['/assets/folders/:folder_uuid/', { folder_uuid: 'f' }, { type: 'folder', id: 'f' }],
  ['/assets/:asset_id/chapters/:chapter_id/', { asset_id: 'a', chapter_id: '1' }, { type: 'asset', id: 'a' }],
  ['/assets/:asset_id/subtitles/:subtitle_id/', { asset_id: 'a', subtitle_id: 's' }, { type: 'subtitle', id: 's' }],
  ['/assets/upload-sessions/:session_uuid/', { session_uuid: 'u' }, { type: 'upload_session', id: 'u' }],
  ['/organization/', {}, { type: 'organization', id: 'acme12' }],
])('objectFinder finds the resource of %s', (path, params, object) => {
  expect(objectFinder(path)(params, 'acme12')).toEqual(object)
})

it('ChainCheck finds a missing, moved, changed and surplus entry', () => {
  const start = { number: 0, hash: '0'.repeat(64) }
  const check = () => new ChainCheck(start)
  expect(check().add({ ...entry, number: 2 }, 'h1')).toBe(false)
  expect(check().add({ ...entry, previousHash: 'other' }, 'h1')).toBe(false)
  expect(check().add(entry, 'another')).toBe(false)
  const whole = check()
  expect(whole.add(entry, 'h1')).toBe(true)
  expect(whole.end({ number: 1, hash: 'h1' })).toBe(true)
  expect(whole.end({ number: 2, hash: 'h2' })).toBe(false)
  expect(whole.end({ number: 0, hash: 'h0' })).toBe(false)
  expect(whole.end({ number: 1, hash: 'other' })).toBe(false)
})
