import { describe, expect, it } from 'vitest'
import { isOrganizationId, newFolderUuid, newOrganizationId, newTokenId, toBase62 } from './ids.ts'

const many = <Id>(make: () => Id) => Array.from({ length: 1000 }, make)

describe('generated ids', () => {
  it('isOrganizationId accepts generated ids and nothing that needs escaping in a path', () => {
    expect(many(newOrganizationId).every(isOrganizationId)).toBe(true)
    expect(['short', 'thirteenchars', 'UPPER1', 'da-sh1', ''].some(isOrganizationId)).toBe(false)
  })

  it('folder UUIDs have eleven characters of the unambiguous base 58 alphabet', () => {
    const uuids = many(newFolderUuid)
    expect(uuids.every((uuid) => /^[1-9A-HJ-NP-Za-km-z]{11}$/.test(uuid))).toBe(true)
    expect(new Set(uuids).size).toBe(1000)
    expect(new Set(uuids.join('')).size).toBe(58)
  })

  it('token ids are UUIDs of version 7, and later ids sort later', async () => {
    const first = newTokenId()
    await new Promise((resolve) => setTimeout(resolve, 2))
    const second = newTokenId()
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(first < second).toBe(true)
  })
})

it('toBase62 pads to a fixed length and accepts 32-bit values', () => {
  expect(toBase62(0, 6)).toBe('000000')
  expect(toBase62(61, 6)).toBe('00000z')
  expect(toBase62(0xffffffff, 6)).toBe('4gfFC3')
})
