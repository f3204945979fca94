import { createSecretKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { KeyEncryptionKey } from '../../platform/config/key-settings.ts'
import { KeyUnavailable } from '../../platform/crypto/wrapping.ts'
import { newMasterKey, unwrap, wrap } from './wrapping.ts'

const key = (id: string, filling: number): KeyEncryptionKey => ({
  id,
  key: createSecretKey(Buffer.alloc(32, filling)),
})
const [older, newer] = [key('older', 1), key('newer', 2)]
const id = { organizationId: 'acme12' as OrganizationId, generation: 3 }
const master = newMasterKey()
const wrapped = wrap([older], id, master)

describe('a wrapped key', () => {
  it('is unwrapped by its key at any position in the ring', () => {
    expect(unwrap([newer, older], id, wrapped).export()).toEqual(master.export())
    expect(wrapped.wrapped).toHaveLength(60)
  })

  it('can still be unwrapped if an earlier version of the service wrapped it', () => {
    const stored = 'aDCBuYsyvMj7MuRrmo7jRrZSjcyppUhPmVj/QHDbKD4xwAs+QdzqtLLVsOmmeNlubz1xQdxy/MxKtohn'
    const open = unwrap([older], id, {
      keyEncryptionId: 'older',
      wrapped: Buffer.from(stored, 'base64'),
    })
    expect(open.export()).toEqual(Buffer.alloc(32, 7))
  })

  it('differs each time the key is wrapped and does not contain the key', () => {
    const again = wrap([older], id, master)
    expect(again.wrapped).not.toEqual(wrapped.wrapped)
    expect(again.wrapped.includes(master.export())).toBe(false)
  })

  it('is wrapped with the first key of the ring', () => {
    expect(wrap([newer, older], id, master).keyEncryptionId).toBe('newer')
  })

  it('causes an error that names the missing key and what to do', () => {
    const open = () => unwrap([newer], id, wrapped)
    expect(open).toThrow(KeyUnavailable)
    expect(open).toThrow(/Master key 3 of organization acme12.*"older".*Add that key again/)
  })

  it.each([
    ['another key of the same id', [key('older', 9)] as const, id, wrapped.wrapped],
    [
      'the row of another organization',
      [older] as const,
      { ...id, organizationId: 'other1' as OrganizationId },
      wrapped.wrapped,
    ],
    ['the row of another generation', [older] as const, { ...id, generation: 4 }, wrapped.wrapped],
    ['a flipped bit', [older] as const, id, flipped(wrapped.wrapped)],
    ['truncated bytes', [older] as const, id, wrapped.wrapped.subarray(0, 5)],
  ])('is not unwrapped with %s', (_, ring, boundTo, bytes) => {
    const open = () => unwrap(ring, boundTo, { keyEncryptionId: 'older', wrapped: bytes })
    expect(open).toThrow(KeyUnavailable)
    expect(open).toThrow(/the key "older" in KEY_ENCRYPTION_KEYS/)
  })
})

function flipped(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes)
  changed.writeUInt8(changed.readUInt8(20) ^ 1, 20)
  return changed
}
