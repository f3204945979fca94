import { describe, expect, it } from 'vitest'
import { isOrganizationId, newFolderUuid, newOrganizationId, newTokenId, toBase62 } from './ids.ts'

const many = <Id>(make: () => Id) => Array.from({ length: 1000 }, make)

describe('identifiers', () => {
  it('of organizations can stand in a path', () => {
    expect(many(newOrganizationId).every(isOrganizationId)).toBe(true)
    expect(['short', 'thirteenchars', 'UPPER1', 'da-sh1', ''].some(isOrganizationId)).toBe(false)
  })

  it('of folders have eleven characters that nobody confuses, and use every one of them', () => {
    const uuids = many(newFolderUuid)
    expect(uuids.every((uuid) => /^[1-9A-HJ-NP-Za-km-z]{11}$/.test(uuid))).toBe(true)
    expect(new Set(uuids).size).toBe(1000)
    expect(new Set(uuids.join('')).size).toBe(58)
  })

  it('of tokens are UUIDs of version 7, later ones sorting later', async () => {
    const first = newTokenId()
    await new Promise((resolve) => setTimeout(resolve, 2))
    const second = newTokenId()
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(first < second).toBe(true)
  })
})

it('base 62 has a fixed length and goes on beyond 32 bits', () => {
  expect(toBase62(0, 6)).toBe('000000')
  expect(toBase62(61, 6)).toBe('00000z')
  expect(toBase62(0xffffffff, 6)).toBe('4gfFC3')
})
