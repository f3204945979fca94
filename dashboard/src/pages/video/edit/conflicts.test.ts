import { expect, it } from 'vitest'
import { conflictingFields } from './conflicts.ts'

const base = {
  ...{ title: 'Keynote', description: '', tags: ['talk'], external_id: null, legal_hold: false },
  metadata: { room: 'A', speaker: 'Amara' },
}

it('finds no conflict if only other fields have changed', () => {
  const latest = { ...base, description: 'New', metadata: { ...base.metadata, room: 'B' } }
  expect(conflictingFields({ title: 'Opening' }, base, latest)).toEqual([])
  expect(conflictingFields({ metadata: { speaker: null } }, base, latest)).toEqual([])
})

it('finds a field that was changed by both', () => {
  const latest = { ...base, title: 'Closing', metadata: { ...base.metadata, room: 'B' } }
  expect(conflictingFields({ title: 'Opening' }, base, latest)).toEqual(['title'])
  expect(conflictingFields({ metadata: { room: 'C', speaker: 'Noor' } }, base, latest)).toEqual(['room'])
})
