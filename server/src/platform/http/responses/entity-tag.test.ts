import { describe, expect, it } from 'vitest'
import { encodedEntityTag, entityTagOf, preconditionOf } from './entity-tag.ts'

const version = { number: 7, title: 'Überraschung' }
const tag = entityTagOf(version)

const isAllowed = (ifMatch: string | undefined) => {
  try {
    preconditionOf({ 'If-Match': ifMatch })(version)
    return true
  } catch (error) {
    expect(error).toMatchObject({ code: 'changed_meanwhile' })
    return false
  }
}

describe('entityTagOf', () => {
  it('returns the same strong tag for the same version, and another one for any other version', () => {
    expect(tag).toMatch(/^"[\w-]{22}"$/)
    expect(entityTagOf({ ...version })).toBe(tag)
    for (const other of [{ ...version, number: 8 }, { ...version, title: '' }, 7, '7', null])
      expect(entityTagOf(other)).not.toBe(tag)
    expect(entityTagOf(7)).not.toBe(entityTagOf('7'))
  })
})

describe('preconditionOf', () => {
  it.each([
    ['no header', undefined],
    ['any version', '*'],
    ['the tag', tag],
    ['a list that contains the tag', `"other", ${tag},"last"`],
    ['the tag of the compressed response', encodedEntityTag(tag, 'br')],
    ['the tag of the response with gzip', `"x" , ${encodedEntityTag(tag, 'gzip')}`],
  ])('allows the change for %s', (_, ifMatch) => {
    expect(isAllowed(ifMatch)).toBe(true)
  })

  it.each([
    ['another tag', '"other"'],
    ['a list of other tags', '"a", "b"'],
    ['a weak tag, which If-Match never matches', `W/${tag}`],
    ['the tag without its quotes', tag.slice(1, -1)],
    ['the tag inside of a longer one', `"x,${tag.slice(1)}`],
    ['an empty header', ''],
  ])('refuses the change for %s', (_, ifMatch) => {
    expect(isAllowed(ifMatch)).toBe(false)
  })
})
