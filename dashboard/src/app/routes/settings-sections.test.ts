import { expect, it } from 'vitest'
import { permittedSections } from './settings-sections.ts'

const sectionsOf = (scopes: readonly string[], folder: string | null = null) =>
  permittedSections({ scopes, folder_uuid: folder }).map(({ id }) => id)

it('a member sees the sections whose scope the role has', () => {
  expect(sectionsOf(['*'])).toHaveLength(9)
  expect(sectionsOf(['assets:read', 'events:read'])).toEqual(['events'])
  expect(sectionsOf(['assets:read'])).toEqual([])
})

it('a member with a folder limit sees no section of the whole organization', () => {
  expect(sectionsOf(['*'], 'folder')).toEqual(['tokens', 'events'])
})
